"""What the command line measures in the lab: `ayatori bench pingpong` and `ayatori bench hpl`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error

ROOT = Path(__file__).parent.parent.parent
CLUSTER = ROOT / "examples/cluster/evaluation.toml"
PLANES = {"10gbe": "n10gbe0", "infiniband": "infiniband0"}
"""Of figures 8 and 9."""
_TWO = "two-hosts"
_AYATORI = (sys.executable, "-m", "ayatori.cli")


def measure_ping_pongs(slower: float, seconds: float, largest: str) -> list[dict[str, Any]]:
    """Between two hosts with MPICH, as the paper; the `stretches` of --json."""
    words = ["bench", "pingpong", "--network", f"cluster:{CLUSTER}", "--mpirun", "mpirun.mpich"]
    words += ["--seconds", f"{seconds}s", "--max-bytes", largest]
    found: list[dict[str, Any]] = _in_lab(slower, [*words, "--hosts", _TWO])["stretches"]
    return found


def measure_hpl(
    slower: float, order: int, block: int, grid: tuple[int, int], repeats: int, planes: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One grid of processes on each plane, which are given with their interfaces; the `results` of --json."""
    words = ["bench", "hpl", "--matrix-order", str(order), "--nb", str(block)]
    words += ["--grids", f"{grid[0]}x{grid[1]}", "--repeats", str(repeats)]
    words += ["--planes", ",".join(f"{plane}={interface}" for plane, interface in planes.items())]
    found: list[dict[str, Any]] = _in_lab(slower, words)["results"]
    return found


def _in_lab(slower: float, words: Sequence[str]) -> dict[str, Any]:
    """What the command prints with --json. The file _TWO in its folder has the lab's first two hosts."""
    lab = [*_AYATORI, "lab", "cluster", str(CLUSTER), "--slower", f"{slower:g}"]
    call = ["sh", "-c", f'head -n 2 "$AYATORI_LAB_HOSTFILE" >{_TWO} && exec "$@"', "sh", *_AYATORI, *words, "--json"]
    with tempfile.TemporaryDirectory(prefix="ayatori-") as folder:  # where partial results are
        done = subprocess.run([*lab, "--", *call], stdout=subprocess.PIPE, cwd=folder, check=False)
    if done.returncode != 0:
        raise Error(f"ayatori {words[0]} {words[1]} failed in the lab", cause=f"status {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found
