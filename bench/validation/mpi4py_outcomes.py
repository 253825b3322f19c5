"""One process of mpi4py's test suite: runs its tests, and writes a line for each outcome as soon as it is known.

    mpirun -np N python mpi4py_outcomes.py FOLDER_OF_TESTS FOLDER_OF_OUTCOMES WORDS [options of mpi4py's main.py]

Tests with one of WORDS, which commas separate, in their names are left out. The lines of process R are in
FOLDER_OF_OUTCOMES/R.
"""

from __future__ import annotations

import sys
import unittest
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any


class Outcomes(unittest.TestResult):
    """Writes "ok NAME", "FAIL NAME", "ERROR NAME" or "skipped NAME"; "begun NAME" before."""

    lines: Any = None

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._write("begun", test)

    def _write(self, word: str, test: unittest.TestCase) -> None:
        self.lines.write(f"{word} {test.id()}\n")
        self.lines.flush()

    def addSuccess(self, test: unittest.TestCase) -> None:
        self._write("ok", test)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self._write("FAIL", test)
        print(self.failures[-1][1], file=sys.stderr, flush=True)

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self._write("ERROR", test)
        print(self.errors[-1][1], file=sys.stderr, flush=True)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self._write("skipped", test)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._write("FAIL", test)


class Runner:
    folder = Path()
    left_out: tuple[str, ...] = ()

    def __init__(self, **_options: object) -> None:
        pass

    def run(self, tests: unittest.TestSuite) -> unittest.TestResult:
        # Not earlier: the import starts MPI, by the options that the suite has read meanwhile.
        from mpi4py import MPI

        outcomes = Outcomes()
        with (self.folder / str(MPI.COMM_WORLD.Get_rank())).open("w", encoding="utf-8") as outcomes.lines:
            unittest.TestSuite(self._chosen(tests)).run(outcomes)
            outcomes.lines.write("end\n")
        return outcomes

    def _chosen(self, tests: unittest.TestSuite) -> Iterator[unittest.TestCase]:
        for test in tests:
            if isinstance(test, unittest.TestSuite):
                yield from self._chosen(test)
            elif not any(word in test.id() for word in self.left_out):
                yield test


def run(tests: Path, outcomes: Path, left_out: str, options: list[str]) -> None:
    Runner.folder = outcomes
    Runner.left_out = tuple(filter(None, left_out.split(",")))
    sys.path.insert(0, str(tests))
    sys.argv = ["main.py", "--no-numpy", *options]
    with suppress(SystemExit):
        __import__("main").main(module=None, testRunner=Runner)


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4:])
