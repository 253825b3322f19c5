"""What HPL prints: its tests, with the lines of their residuals. Of hpcc's output file only HPL's section is read."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from ayatori.base.errors import Error
from ayatori.linpack.settings import operations_of

_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|[Nn][Aa][Nn]|[Ii]nf(?:inity)?)"
# HPL prints the width of each column at least, so neighbours may touch nowhere but within the letters of the variant.
_TEST = re.compile(rf"^(W[RC]\w{{2,12}})\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+({_NUMBER})\s+({_NUMBER})\s*$")
_RESIDUAL = re.compile(rf"^(\|\|Ax-b\|\|.*?)\s*=\s*({_NUMBER})\s*\.+\s*(PASSED|FAILED)\s*$")
_SKIPPED = re.compile(r"^\s*(\d+) tests skipped because of illegal input values")
_BEGIN, _END = "Begin of HPL section.", "End of HPL section."
_TIME_DIGIT = 0.01
"""Seconds: the last digit of HPL's times."""


@dataclass(frozen=True)
class Residual:
    """A check of a solution."""

    formula: str
    value: float
    passed: bool


@dataclass(frozen=True)
class SolvedSystem:
    """A system of equations that HPL has solved."""

    variant: str
    order: int
    block: int
    rows: int
    columns: int
    seconds: float
    """From the figure of GFlop/s, which has more digits than the printed time."""
    gflops: float
    residuals: tuple[Residual, ...]

    @property
    def passed(self) -> bool:
        return bool(self.residuals) and all(residual.passed for residual in self.residuals)


def parse_output(text: str) -> list[SolvedSystem]:
    """The tests, in their order.

    Raises Error for a line of a test or a residual that is not as HPL prints it, for a test without a residual (its run
    was ended), and for tests that HPL skipped.
    """
    lines = text.splitlines()
    if _BEGIN in lines:
        lines = lines[lines.index(_BEGIN) :]
    if _END in lines:
        lines = lines[: lines.index(_END)]
    tests: list[tuple[list[str], list[Residual]]] = []
    for number, line in enumerate(lines, 1):
        if found := _TEST.match(line):
            tests.append((list(found.groups()), []))
        elif re.match(r"W[RC]\d", line):
            raise Error(f"line {number} of HPL's output is not as HPL prints a test", cause=line[:120])
        elif line.startswith("||Ax-b||"):
            _add_residual(tests, number, line)
        elif (skipped := _SKIPPED.match(line)) and int(skipped[1]) > 0:
            raise Error(f"HPL skipped {skipped[1]} of its tests", hint="it may have had too little memory: a smaller N")
    return [_test(words, residuals) for words, residuals in tests]


def _add_residual(tests: list[tuple[list[str], list[Residual]]], number: int, line: str) -> None:
    found = _RESIDUAL.match(line)
    if not found or not tests:
        # The explanation of the formula, and the norms that HPL prints of a failed test, have no verdict.
        if "PASSED" in line or "FAILED" in line:
            raise Error(f"line {number} of HPL's output is not as HPL prints a residual", cause=line[:120])
        return
    tests[-1][1].append(Residual(found[1].strip(), float(found[2]), found[3] == "PASSED"))


def _test(words: list[str], residuals: list[Residual]) -> SolvedSystem:
    variant, *sizes = words[:5]
    order, block, rows, columns = map(int, sizes)
    printed, gflops = float(words[5]), float(words[6])
    name = f"HPL's test of N = {order}, NB = {block} on {rows} x {columns}"
    if not residuals:
        raise Error(f"{name} has no residual", hint="the run was ended before it was checked")
    if not (0 < gflops < math.inf and 0 <= printed < math.inf and order > 0 and min(block, rows, columns) > 0):
        raise Error(f"{name} has figures that can't be: {words[5]} s, {words[6]} GFlop/s")
    seconds = operations_of(order) / gflops / 1e9
    if abs(seconds - printed) > _TIME_DIGIT + 0.001 * printed:
        raise Error(f"{name} took {printed:g} s, which is not {gflops:g} GFlop/s")
    return SolvedSystem(variant, order, block, rows, columns, seconds, gflops, tuple(residuals))
