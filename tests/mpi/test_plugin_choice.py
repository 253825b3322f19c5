"""What the first calls of a program are tried with, and algorithms of others."""

import os
from pathlib import Path

import plugin
import pytest

from ayatori import _core
from ayatori.calibration.calibrating import _processor
from ayatori.formats.calibration import Calibration, write_calibration
from ayatori.formats.schedule_file import write_schedules
from ayatori.prediction.costs import MessageCosts, fixed


def calibration(folder: Path, processor: str = "", between: MessageCosts | None = None) -> Path:
    inside = MessageCosts(latency=1e-6, send=fixed(1e-7), receive=fixed(1e-7), bandwidth=5e9)
    path = folder / "calibration.json"
    write_calibration(Calibration(f"n1: {processor or _processor()}, 2 cores", "Open MPI 4.1", inside, between), path)
    return path


def lines_of(stderr: str, word: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("ayatori: ") and word in line]


def checked(mpi: plugin.Mpi, ranks: int, **variables: str) -> str:
    """Standard error of a program that checks all collectives; with some other seeds MPICH itself crashes in place."""
    program = mpi.compiled("check_collectives.cpp")
    done = mpi.run_well(ranks, program, "11", "140", AYATORI_VERBOSE="1", **variables)
    assert "140 rounds, 0 failures" in done.stdout
    return done.stderr


def made_often(mpi: plugin.Mpi, calls: int, **variables: str) -> str:
    """Standard error of a program that makes so many of each of five calls."""
    ranks = 3 if mpi.family == "openmpi" else 2  # MPICH's ranks poll: more than there are cores take minutes
    return repeated(mpi, "check_often.c", ranks, calls, **variables)


def repeated(mpi: plugin.Mpi, source: str, ranks: int, calls: int, **variables: str) -> str:
    """Standard error of a program that says "right"."""
    program = mpi.compiled(source)
    done = mpi.run_well(ranks, program, str(calls), timeout=300, AYATORI_VERBOSE="1", **variables)
    assert done.stdout.strip() == "right"
    return done.stderr


def test_the_model_says_what_is_compared_with_the_mpis_own(mpi: plugin.Mpi) -> None:
    told = lines_of(made_often(mpi, 5_000), "is compared with")
    assert told
    for line in told:
        assert line.endswith("costs assumed for 4xHDR (rate not known)")
    assert any("predicted" in line for line in told)


def test_what_the_first_calls_showed_is_tried_again_by_all_ranks_alike(mpi: plugin.Mpi) -> None:
    """Beside other programs the first calls may differ so much that nothing is left to try again."""
    told: list[str] = []
    for calls in (60_000, 500_000, 500_000, 500_000):
        told.append(repeated(mpi, "check_often.c", 2, calls))  # of three ranks, two would share a core for minutes
        if lines_of(told[-1], ", tried again: "):
            return
    pytest.fail("\n".join(told))


def test_sums_that_round_are_on_trial_on_two_ranks_alone(mpi: plugin.Mpi) -> None:
    told = lines_of(repeated(mpi, "check_sums.c", 2, 5000), "MPI_Allreduce of about 800 bytes")
    assert any("is compared with" in line for line in told), told
    told = lines_of(repeated(mpi, "check_sums.c", 3, 200), "MPI_Allreduce of")
    assert "MPI_Allreduce of operations that round: the MPI's own" in told[0]


def test_a_calibration_is_used(mpi: plugin.Mpi, tmp_path: Path) -> None:
    told = lines_of(made_often(mpi, 5_000, AYATORI_CALIBRATION=str(calibration(tmp_path))), "is compared with")
    assert told and all("costs measured on n1: " in line for line in told)


def test_a_calibration_of_another_machine_is_told_and_not_used(mpi: plugin.Mpi, tmp_path: Path) -> None:
    errors = checked(mpi, 3, AYATORI_CALIBRATION=str(calibration(tmp_path, "Abacus 3000")))
    [told] = lines_of(errors, "the calibration is not used: it was measured on n1: Abacus 3000")
    assert f"this is a {_processor()}" in told
    assert "costs measured" not in errors


def test_a_calibration_of_a_processor_whose_name_begins_alike_is_not_used(mpi: plugin.Mpi, tmp_path: Path) -> None:
    errors = checked(mpi, 2, AYATORI_CALIBRATION=str(calibration(tmp_path, f"{_processor()}X")))
    assert len(lines_of(errors, "the calibration is not used: it was measured on n1: ")) == 1


def test_a_processor_without_a_name_is_called_as_the_plugin_calls_it(tmp_path: Path) -> None:
    """ProcessorName in calibration_test.cpp asks the same of the plug-in."""
    info = tmp_path / "cpuinfo"
    for text in ("processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n", "model name\t:\n", ""):
        info.write_text(text)
        assert _processor(info) == os.uname().machine
    info.write_text("model\t\t: 1\nmodel name\t: AMD EPYC 7763 \nmodel name\t: other\n")
    assert _processor(info) == "AMD EPYC 7763"
    assert _processor(tmp_path / "missing") == os.uname().machine


NOT_CARRIED = "what the calibration says between machines is not used: 1 GB/s were measured, which the NICs of this "


@pytest.mark.parametrize(
    ("rate", "machines", "told"),
    [("1Gbit/s", 1, 1), ("10Gbit/s", 1, 0), ("1Gbit/s", 2, 0)],
    ids=["a slower network", "a faster network", "one machine"],
)
def test_what_was_measured_over_a_faster_network_is_told_and_not_used(
    mpi: plugin.Mpi, tmp_path: Path, rate: str, machines: int, told: int
) -> None:
    """Each rank is taken for a machine, or both for one."""
    variables = {
        "NWTOPO_SOURCE": f"full:4,rate={rate}",
        "AYATORI_RANKS_PER_MACHINE": str(machines),
        "AYATORI_CALIBRATION": str(calibration(tmp_path, between=MessageCosts(latency=1e-6, bandwidth=1e9))),
    }
    lines = lines_of(checked(mpi, 2, **variables), NOT_CARRIED)
    assert len(lines) == told
    assert all(line.endswith("network, with 0.125 GB/s, don't carry") for line in lines)


def test_what_was_measured_inside_is_used_where_the_network_is_another(mpi: plugin.Mpi, tmp_path: Path) -> None:
    variables = {
        "NWTOPO_SOURCE": "full:4,rate=1Gbit/s",
        "AYATORI_RANKS_PER_MACHINE": "1",
        "AYATORI_CALIBRATION": str(calibration(tmp_path, between=MessageCosts(latency=1e-6, bandwidth=1e9))),
    }
    # Messages that the MPI carries take so long that a trial begins after some hundred calls.
    told = lines_of(repeated(mpi, "check_often.c", 2, 3_000, **variables), "is compared with")
    assert told and all(
        f"costs measured on n1: {_processor()}, 2 cores, between machines assumed for " in one for one in told
    )


def test_a_calibration_that_can_not_be_read_is_told_and_not_used(mpi: plugin.Mpi, tmp_path: Path) -> None:
    errors = checked(mpi, 2, AYATORI_CALIBRATION=str(tmp_path / "missing"))
    assert len(lines_of(errors, "the calibration is not used: ")) == 1


def test_algorithms_of_a_file_and_of_a_library_are_executed(mpi: plugin.Mpi, tmp_path: Path) -> None:
    placement = _core.placement_of_ranks(4, 1)
    swing = _core.make_schedule("swing", "allreduce", 0, 1200, placement, _core.AlgorithmOptions())
    write_schedules([swing], tmp_path / "swing.json")
    library = plugin.ROOT / "build/release/examples/example_algorithm.so"
    forced = {
        "AYATORI_ALLREDUCE": f"file:{tmp_path / 'swing.json'}",
        "AYATORI_BCAST": f"library:{library}:two-level",
    }
    errors = checked(mpi, 4, AYATORI_GUARD="off", **forced)
    assert lines_of(errors, f"MPI_Bcast on 4 ranks: library:{library}:two-level, forced by AYATORI_BCAST")
    assert lines_of(errors, f"MPI_Allreduce on 4 ranks: file:{tmp_path / 'swing.json'}, forced by AYATORI_ALLREDUCE")
    assert not lines_of(errors, "left to the MPI: library"), errors


def test_an_algorithm_that_can_not_be_loaded_is_told_and_left_to_the_mpi(mpi: plugin.Mpi, tmp_path: Path) -> None:
    (tmp_path / "wrong.json").write_text('{"format": "ayatori-schedule"', encoding="utf-8")
    errors = checked(
        mpi, 2, AYATORI_GUARD="off", AYATORI_REDUCE=f"file:{tmp_path / 'wrong.json'}", AYATORI_BCAST="chain"
    )
    assert len(lines_of(errors, f"file:{tmp_path / 'wrong.json'} is not used: ")) == 1
    assert not lines_of(errors, "MPI_Reduce on")
