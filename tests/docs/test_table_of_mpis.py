"""The table of MPIs in docs/mpi.md is whole: each check with each MPI that can be had everywhere.

That its outcomes are right, tests/mpi/test_mpis.py sees.
"""

import sys
from pathlib import Path

from bench.validation.mpis import NEWEST, OTHERS, PAGE, WORKS, outcomes_on_page

sys.path.append(str(Path(__file__).parents[1] / "mpi"))
from mpi_checks import CHECKS, MAY_BE_A_LINE


def test_the_table_has_each_check_with_each_mpi_of_pypi() -> None:
    page = outcomes_on_page()
    assert page.text(list(CHECKS)) in PAGE.read_text(encoding="utf-8"), "UPDATE_SNAPSHOTS=1 ./run test mpis"
    for mpi in (*NEWEST, *OTHERS):
        if not mpi.version:
            continue
        outcomes = page.by_mpi[mpi.title]
        assert list(outcomes) == list(CHECKS)
        lines = [check for check, outcome in outcomes.items() if outcome != WORKS]
        assert mpi.is_intels or set(lines) <= set(MAY_BE_A_LINE)
