"""Who executes a call: what a variable, a choice table or the first calls say, and algorithms of others."""

import os
import platform
from pathlib import Path

import plugin
import pytest
from test_plugin_types import results

from ayatori import _core
from ayatori.calibration.calibrating import _processor
from ayatori.formats.choice_table import Measured, Table, sizes_of, write_table
from ayatori.formats.schedule_file import write_schedules
from ayatori.prediction.predictor import Model

OURS = {"broadcast": "linear", "reduce": "binomial", "allreduce": "recursive-doubling", "reduce_scatter": "pairwise"}


def table(mpi: plugin.Mpi, folder: Path, ranks: int, measured: bool = True, **algorithms: str) -> dict[str, str]:
    """The variable of a table for one job on this host, with these algorithms at all sizes."""
    origin = Measured("here", plugin.version(mpi.family), "2026-11-27", 1) if measured else None
    collectives = {name: sizes_of({8: (algorithm, 0)}) for name, algorithm in (algorithms or OURS).items()}
    source, method = ("", "") if measured else ("full:4", "base-lids")
    path = folder / f"choice-{ranks}-{measured}.json"
    write_table(Table(source, [(platform.node(), ranks)], method, Model(), collectives, origin), path)
    return {"AYATORI_CHOICE": str(path), "AYATORI_VERBOSE": "1"}


def lines_of(stderr: str, word: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("ayatori: ") and word in line]


def checked(mpi: plugin.Mpi, ranks: int, **variables: str) -> str:
    """Standard error of a program that checks all collectives; with some other seeds MPICH itself crashes in place."""
    program = mpi.compiled("check_collectives.cpp")
    done = mpi.run_well(ranks, program, "11", "140", AYATORI_VERBOSE="1", **variables)
    assert "140 rounds, 0 failures" in done.stdout
    return done.stderr


def repeated(mpi: plugin.Mpi, source: str, ranks: int, calls: int, **variables: str) -> str:
    """Standard error of a program that makes so many calls and says "right"."""
    done = mpi.run_right(ranks, mpi.compiled(source), str(calls), timeout=300, **variables)
    return done.stderr


def test_without_a_table_and_a_variable_the_mpi_executes_everything(mpi: plugin.Mpi) -> None:
    assert "MPI_" not in repeated(mpi, "check_often.c", 2, 1000, AYATORI_VERBOSE="1")


@pytest.mark.parametrize("measured", [True, False])
def test_a_table_decides(mpi: plugin.Mpi, tmp_path: Path, measured: bool) -> None:
    said = repeated(mpi, "check_often.c", 2, 1000, AYATORI_VETO="off", **table(mpi, tmp_path, 2, measured))
    assert lines_of(said, "MPI_Allreduce on 2 ranks: recursive-doubling, by the choice table")
    assert lines_of(said, "MPI_Bcast on 2 ranks: linear, by the choice table")
    assert lines_of(said, "MPI_Gather on 2 ranks: the MPI's own, without a choice table for it")
    assert not lines_of(said, "pairs of calls")


def test_a_table_may_name_the_mpis_own(mpi: plugin.Mpi, tmp_path: Path) -> None:
    said = repeated(mpi, "check_often.c", 2, 100, **table(mpi, tmp_path, 2, allreduce="mpi", broadcast="mpi"))
    assert lines_of(said, "MPI_Allreduce on 2 ranks: the MPI's own, by the choice table")
    assert not lines_of(said, "pairs of calls")


def test_a_variable_comes_before_the_table(mpi: plugin.Mpi, tmp_path: Path) -> None:
    forced = {"AYATORI_ALLREDUCE": "mpi", "AYATORI_BCAST": "binomial"}
    said = repeated(mpi, "check_often.c", 2, 100, **table(mpi, tmp_path, 2), **forced)
    assert lines_of(said, "MPI_Allreduce on 2 ranks: the MPI's own, forced by AYATORI_ALLREDUCE")
    assert lines_of(said, "MPI_Bcast on 2 ranks: binomial, forced by AYATORI_BCAST")


def test_a_table_of_another_job_or_mpi_is_told_and_not_used(mpi: plugin.Mpi, tmp_path: Path) -> None:
    said = repeated(mpi, "check_often.c", 2, 10, **table(mpi, tmp_path, 3))
    assert len(lines_of(said, "the choice table is not used: it was made for 3 ranks, and these are 2")) == 1
    (other,) = {"openmpi", "mpich"} - {mpi.family}
    said = repeated(mpi, "check_often.c", 2, 10, **table(plugin.Mpi(other, tmp_path), tmp_path, 2))
    [line] = lines_of(said, "the choice table is not used: ")
    assert line.endswith(f"it was measured with {plugin.version(other)}, and this is {plugin.version(mpi.family)}")


def test_first_calls_are_compared_where_the_table_says_ours(mpi: plugin.Mpi, tmp_path: Path) -> None:
    """Each pair of the calls has one of each, by all ranks alike, and results stay right. Ranks that share the cores
    are not compared."""
    said = repeated(mpi, "check_often.c", 2, 1000, **table(mpi, tmp_path, 2))
    compared = lines_of(said, "by the first 20 pairs of calls")
    assert {line.split()[1] for line in compared} <= {
        "MPI_Bcast",
        "MPI_Reduce",
        "MPI_Allreduce",
        "MPI_Reduce_scatter_block",
    }
    assert len(compared) == (4 if len(os.sched_getaffinity(0)) > 1 else 0), said
    many = len(os.sched_getaffinity(0)) + 1
    assert not lines_of(repeated(mpi, "check_often.c", many, 50, **table(mpi, tmp_path, many)), "pairs of calls")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="the ranks share a core")
def test_what_is_slower_than_the_mpis_own_is_vetoed(mpi: plugin.Mpi, tmp_path: Path) -> None:
    """A broadcast in pieces of 128 bytes. Other programs may disturb most pairs of a run."""
    variables = table(mpi, tmp_path, 2, broadcast="chain")
    file = Path(variables["AYATORI_CHOICE"])
    file.write_text(file.read_text().replace('"chunk": 0', '"chunk": 128'))
    for _ in range(40):
        said = repeated(mpi, "check_vetoed.c", 2, 200, **variables)
        if lines_of(said, "MPI_Bcast of about 65536 bytes on 2 ranks: the MPI's own is faster, by the first 20 pairs"):
            return
    pytest.fail(said)


def sums(mpi: plugin.Mpi, ranks: int, preload: bool = True, **variables: str) -> list[str]:
    """All digits of sums of real numbers."""
    return results(mpi, ranks, "rounding", 60, preload, **variables).splitlines()


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_sums_of_reals_have_the_digits_of_the_mpi_but_by_a_measured_table(
    mpi: plugin.Mpi, tmp_path: Path, ranks: int
) -> None:
    alone = sums(mpi, ranks, preload=False)
    assert sums(mpi, ranks) == alone
    assert sums(mpi, ranks, **table(mpi, tmp_path, ranks, measured=False)) == alone
    done = mpi.run_well(ranks, "check_sums.c", "50", **table(mpi, tmp_path, ranks, measured=False))
    assert lines_of(done.stderr, "MPI_Allreduce on") == [
        f"ayatori: MPI_Allreduce on {ranks} ranks: the MPI's own, without a measured choice table, as it rounds",
        f"ayatori: MPI_Allreduce on {ranks} ranks: recursive-doubling, by the choice table",
    ]


@pytest.mark.parametrize("ranks", [2, 3])
def test_sums_of_reals_by_a_measured_table_are_the_same_in_each_run_and_never_compared(
    mpi: plugin.Mpi, tmp_path: Path, ranks: int
) -> None:
    measured = table(mpi, tmp_path, ranks, allreduce="ring", reduce="spread")
    first = sums(mpi, ranks, **measured)
    for _ in range(2):
        assert sums(mpi, ranks, **measured) == first
    said = repeated(mpi, "check_sums.c", ranks, 200, **measured)
    assert lines_of(said, f"MPI_Allreduce on {ranks} ranks: ring, by the choice table")
    assert not lines_of(said, "MPI_Allreduce of about 800 bytes")


def test_a_processor_without_a_name_is_called_by_its_architecture(tmp_path: Path) -> None:
    info = tmp_path / "cpuinfo"
    for text in ("processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n", "model name\t:\n", ""):
        info.write_text(text)
        assert _processor(info) == os.uname().machine
    info.write_text("model\t\t: 1\nmodel name\t: AMD EPYC 7763 \nmodel name\t: other\n")
    assert _processor(info) == "AMD EPYC 7763"
    assert _processor(tmp_path / "missing") == os.uname().machine


def test_algorithms_of_a_file_and_of_a_library_are_executed(mpi: plugin.Mpi, tmp_path: Path) -> None:
    placement = _core.placement_of_ranks(4, 1)
    swing = _core.make_schedule("swing", "allreduce", 0, 1200, placement, _core.AlgorithmOptions())
    write_schedules([swing], tmp_path / "swing.json")
    library = plugin.ROOT / "build/release/examples/example_algorithm.so"
    forced = {
        "AYATORI_ALLREDUCE": f"file:{tmp_path / 'swing.json'}",
        "AYATORI_BCAST": f"library:{library}:two-level",
    }
    errors = checked(mpi, 4, **forced)
    assert lines_of(errors, f"MPI_Bcast on 4 ranks: library:{library}:two-level, forced by AYATORI_BCAST")
    assert lines_of(errors, f"MPI_Allreduce on 4 ranks: file:{tmp_path / 'swing.json'}, forced by AYATORI_ALLREDUCE")
    assert not lines_of(errors, "left to the MPI: library"), errors


def test_an_algorithm_that_can_not_be_loaded_is_told_and_left_to_the_mpi(mpi: plugin.Mpi, tmp_path: Path) -> None:
    (tmp_path / "wrong.json").write_text('{"format": "ayatori-schedule"', encoding="utf-8")
    errors = checked(mpi, 2, AYATORI_REDUCE=f"file:{tmp_path / 'wrong.json'}", AYATORI_BCAST="chain")
    assert len(lines_of(errors, f"file:{tmp_path / 'wrong.json'} is not used: ")) == 1
    assert all("the MPI's own, without a" in line for line in lines_of(errors, "MPI_Reduce on"))
