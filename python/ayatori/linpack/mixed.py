"""The same kind of system in mixed precision: our own program (bench/tasks/hpl/mixed.cpp), compared with HPL."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori.base.compiled import built_program
from ayatori.base.errors import Error
from ayatori.linpack.running import Launcher, is_openmpi, run_in
from ayatori.linpack.settings import Point


@dataclass(frozen=True)
class MixedResult:
    seconds: float
    factoring: float
    """Seconds of the factorization in single precision."""
    refining: float
    """Seconds of all refinements."""
    gflops: float
    """Of the operations that HPL counts."""
    residual: float
    """By HPL's formula, in double precision."""
    iterations: int
    """Refinements; -1: they did not make the residual small."""


def program_for(launcher: Launcher, name: str) -> Path:
    """Our program hpl_NAME for the launcher's MPI; raises Error if it was not built."""
    family = "openmpi" if not launcher.words or is_openmpi(launcher.words[0]) else "mpich"
    return built_program(f"hpl_{name}_{family}", f"lib{family}-dev", "libopenblas-pthread-dev")


def run_mixed(launcher: Launcher, point: Point) -> MixedResult:
    """Columns are dealt out to all processes, as on HPL's grid 1 x PQ, whatever the point's grid is."""
    point.check()
    words = [
        *launcher.command(point.processes, point.plane),
        str(program_for(launcher, "mixed")),
        str(point.order),
        str(point.block),
    ]
    return parse_mixed(run_in(None, words).output)


def parse_mixed(output: str) -> MixedResult:
    """The JSON line among what a launcher may print in addition. Raises Error if there is none, or one that lacks a
    key."""
    for line in output.splitlines():
        if line.startswith("{"):
            try:
                data: dict[str, Any] = json.loads(line)
                numbers = {
                    name: float(data[name]) for name in ("seconds", "factoring", "refining", "gflops", "residual")
                }
                return MixedResult(**numbers, iterations=int(data["iterations"]))
            except (ValueError, KeyError, TypeError, OverflowError) as error:
                raise Error("hpl_mixed's line can't be read", cause=f"{type(error).__name__}: {error}") from error
    raise Error("hpl_mixed has printed no result")
