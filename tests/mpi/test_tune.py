"""ayatori tune: a table that is measured in a job of the user's launcher, and is used in the next one."""

import json
import platform
import shlex
import shutil
from itertools import pairwise
from math import comb
from pathlib import Path

import plugin
import pytest

from ayatori.base.spreads import is_smaller
from ayatori.formats.choice_table import read_table
from ayatori.prediction.calls import Call, make_schedule
from ayatori.tuning.candidates import candidates, placement_of_hosts
from ayatori.tuning.measuring import tuned_of


def launcher(mpi: plugin.Mpi, ranks: int) -> list[str]:
    return [f"mpirun.{mpi.family}", "-np", str(ranks), *(["--oversubscribe"] if mpi.family == "openmpi" else [])]


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_what_it_writes_is_what_the_next_job_executes(
    mpi: plugin.Mpi, ranks: int, tmp_path: Path, ayatori_command
) -> None:
    if mpi.family == "mpich" and ranks > 2:
        pytest.skip("MPICH's ranks poll: more than there are cores take minutes")
    few = ["--collective", "broadcast,allreduce,barrier", "--bytes", "8B,4KiB", "--seconds", "3s", "--seed", "7"]
    words = ["tune", *few, "--out", "mine.json", *launcher(mpi, ranks)]
    done = ayatori_command(*words, cwd=tmp_path, env=plugin.OPEN_MPI_HERE).good()
    assert done.stdout.splitlines()[-1] == (
        f"to use it: AYATORI_CHOICE={tmp_path}/mine.json ayatori run {shlex.join(launcher(mpi, ranks))} PROGRAM"
    )
    table = read_table(tmp_path / "mine.json")
    assert table.measured is not None and table.measured.seed == 7
    assert table.machines == [(platform.node(), ranks)]
    assert set(table.collectives) == {"broadcast", "allreduce", "barrier"}
    variables = {"AYATORI_CHOICE": str(tmp_path / "mine.json"), "AYATORI_VERBOSE": "1", "AYATORI_VETO": "off"}
    done = mpi.run_right(ranks, mpi.compiled("check_often.c"), "100", **variables)
    for collective, name in (("broadcast", "MPI_Bcast"), ("allreduce", "MPI_Allreduce")):
        chosen = table.lookup(collective, 4).algorithm
        said = "the MPI's own" if chosen == "mpi" else chosen
        assert f"{name} on {ranks} ranks: {said}, by the choice table" in done.stderr


def test_what_is_not_reached_in_time_is_the_mpis_own(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    few = ["--collective", "barrier,allreduce", "--seconds", "1us", "--out", "few.json", "--json"]
    done = ayatori_command("tune", *few, *launcher(mpi, 2), cwd=tmp_path, env=plugin.OPEN_MPI_HERE)
    if done.status == 0:
        measured = {(cell["collective"], cell["bytes"]) for cell in json.loads(done.stdout)["cells"]}
        table = read_table(tmp_path / "few.json")
        assert ("allreduce", 4 << 20) not in measured
        assert table.lookup("allreduce", 4 << 20).algorithm == "mpi"
    else:
        assert "did not measure" in done.stderr


def test_one_rank_and_an_unknown_launcher_are_refused(tmp_path: Path, ayatori_command) -> None:
    ayatori_command("tune", "--", "true", cwd=tmp_path).refused(1, "can't tell the MPI of 'true'")
    ayatori_command("tune", "--collective", "alltoallv", "--", "true", cwd=tmp_path).refused(2, "is not measured")
    ayatori_command("tune", "--out", "no/such/folder", "--", "true", cwd=tmp_path).refused(
        1, "there is no folder no/such"
    )
    ayatori_command("tune", "--out", ".", "--", "true", cwd=tmp_path).refused(1, "can't write .: it is a folder")


def test_words_of_the_launcher_mean_what_they_mean_to_it(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    few = ["tune", "--collective", "barrier", "--seconds", "1s"]
    (tmp_path / "hosts").write_text("localhost slots=2\n" if mpi.family == "openmpi" else "localhost:2\n")
    relative = ["--hostfile" if mpi.family == "openmpi" else "-f", "hosts"]
    ayatori_command(*few, *launcher(mpi, 2), *relative, cwd=tmp_path, env=plugin.OPEN_MPI_HERE).good()
    program = ayatori_command(*few, *launcher(mpi, 2), "true", cwd=tmp_path, env=plugin.OPEN_MPI_HERE)
    program.refused(1, "starts a program of its own")
    other = {"openmpi": "mpich", "mpich": "openmpi"}[mpi.family]
    wrong = ayatori_command(*few, "--mpi", other, *launcher(mpi, 2), cwd=tmp_path, env=plugin.OPEN_MPI_HERE)
    wrong.refused(1, "don't find each other")


def test_what_the_launcher_says_is_printed_whole(tmp_path: Path, ayatori_command) -> None:
    if shutil.which("mpirun.openmpi") is None:
        pytest.skip("openmpi-bin is not installed")
    few = ["tune", "--collective", "barrier", "--seconds", "1s", "mpirun.openmpi", "-np", "2000"]
    done = ayatori_command(*few, cwd=tmp_path, env=plugin.OPEN_MPI_HERE)
    assert done.status == 1 and "not enough slots available" in done.stderr, done.stderr
    assert "error: 'mpirun.openmpi -np 2000' did not measure" in done.stderr, done.stderr


@pytest.mark.parametrize("hosts", [["a"] * 2, ["a"] * 4, ["a", "b"], ["a", "a", "b"], ["a", "b", "a", "b", "c"]])
def test_no_two_candidates_send_the_same_messages(hosts: list[str]) -> None:
    placement = placement_of_hosts(hosts)
    assert placement.machine == [sorted(set(hosts)).index(host) for host in hosts]
    for collective in ("alltoall", "allreduce", "broadcast", "barrier"):
        for size in (8, 1 << 18):
            found = candidates(collective, 0 if collective == "barrier" else size, placement)
            schedules = [
                make_schedule(
                    Call(collective, name, 0 if collective == "barrier" else size, chunk_bytes=chunk), placement
                )
                for name, chunk in found
            ]
            assert found and len(set(found)) == len(found)
            for a, b in pairwise(schedules):
                assert not a.sends_the_same_as(b)
    if len(hosts) == 2:
        assert len(candidates("alltoall", 8, placement)) <= 3, "two ranks exchange, in one step or in two"


def test_a_tie_is_not_faster() -> None:
    """As many times as the exact test asks for, counted here by hand."""
    equal = [1.0] * 20
    assert not is_smaller(equal, equal)
    for wins in range(21):
        ours = [0.5] * wins + [2.0] * (20 - wins)
        chance = sum(comb(20, k) for k in range(wins, 21)) / 2**20
        assert is_smaller(ours, equal) == (chance <= 0.01), wins
    assert is_smaller([0.5] * 7, [1.0] * 7) and not is_smaller([0.5] * 6, [1.0] * 6)


def test_the_ratio_is_that_of_the_pairs_of_which_the_sign_test_is() -> None:
    """The machine slows down before the last pairs: ours wins 16 of 20 pairs, but has the larger median."""
    ours, mpi = [0.9] * 9 + [8.0, 9.0] + [9.0] * 7 + [10.5] * 2, [1.0] * 11 + [10.0] * 9
    line = {"collective": "allreduce", "bytes": 8, "algorithm": "ring", "us": ours, "mpi_us": mpi}
    found = tuned_of(line)
    assert found.is_faster and found.seconds > found.mpi_seconds and found.ratio < 1
