"""Algorithms of others, as files and libraries: written, read, simulated, chosen and refused."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.formats.schedule_file import write_schedules
from ayatori.prediction.calls import Call, make_schedule
from schemas import document_in

ROOT = Path(__file__).parents[2]
NETWORK = "fattree:K=3,levels=2"
ALGORITHMS = [(algorithm.collective, algorithm.name) for algorithm in _core.algorithms() if not algorithm.of_an_mpi]


def placement(collective: str, algorithm: str) -> _core.Placement:
    needs_grid = [a.needs_grid for a in _core.algorithms() if (a.collective, a.name) == (collective, algorithm)]
    return (
        _core.placement_on_grid([3, 2, 2], [True, True, False], 1) if needs_grid[0] else _core.placement_of_ranks(12, 3)
    )


def schedule_of(collective: str, algorithm: str) -> _core.Schedule:
    sizes = [[1 + (7 * a + b) % 40 for b in range(12)] for a in range(12)] if collective == "alltoallv" else None
    size = 0 if collective in ("barrier", "alltoallv") else 1200
    return make_schedule(Call(collective, algorithm, size, sizes=sizes), placement(collective, algorithm))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    made = tmp_path_factory.mktemp("library") / "algorithm.so"
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'src/planner/include'}"]
    subprocess.run([*command, str(ROOT / "examples" / "algorithm.c"), "-o", str(made)], check=True)
    return f"library:{made}"


@pytest.mark.parametrize(("collective", "algorithm"), ALGORITHMS)
def test_what_is_written_fits_the_schema_and_does_the_same(collective: str, algorithm: str, tmp_path: Path) -> None:
    file = tmp_path / "schedule.json"
    schedule = schedule_of(collective, algorithm)
    write_schedules([schedule], file, algorithm)
    document_in(file, "schedule")
    name, (written,) = _core.read_schedule_file(str(file))
    assert (name, written.collective, written.ranks) == (algorithm, collective, 12)
    if collective != "alltoallv":
        again = written.schedule(schedule.bytes)
        assert again.totals().messages == schedule.totals().messages
        assert again.totals().bytes == schedule.totals().bytes


def test_a_file_takes_the_time_of_the_algorithm_that_it_was_written_from(tmp_path: Path) -> None:
    network = ayatori.open_source(NETWORK)
    job = ayatori.contiguous_jobs(network, [12])[0]
    for collective, algorithm in [("allreduce", "swing"), ("alltoall", "bruck"), ("broadcast", "chain")]:
        call = Call(collective, algorithm, 12000)
        write_schedules([make_schedule(call, _core.placement_of_job(network, job))], tmp_path / "s.json")
        loaded = Call(collective, f"file:{tmp_path / 's.json'}", 12000)
        assert ayatori.simulate(network, job, loaded).seconds == ayatori.simulate(network, job, call).seconds


def test_a_library_makes_schedules_for_the_places_of_a_job(library: str) -> None:
    network = ayatori.open_source(NETWORK)
    job = ayatori.random_jobs(network, 1, 7, seed=3)[0]
    simulated = ayatori.simulate(network, job, Call("broadcast", f"{library}:two-level", 1 << 20, root=5))
    assert simulated.predictions[0].messages == 6
    with pytest.raises(ayatori.Error, match="has no schedule for this call") as refused:
        ayatori.simulate(network, job, Call("allreduce", f"{library}:doubling", 1 << 20))
    assert refused.value.cause == "the number of ranks is no power of two"


def test_others_are_ranked_with_ours_or_left_out_with_their_reason(library: str, tmp_path: Path) -> None:
    network = ayatori.open_source(NETWORK)
    job = ayatori.contiguous_jobs(network, [8])[0]
    ring = f"file:{tmp_path / 'ring.json'}"
    write_schedules(
        [make_schedule(Call("allreduce", "ring", 8000), _core.placement_of_ranks(8, 1))], tmp_path / "ring.json"
    )
    calls = [("allreduce", 8000), ("allreduce", 8001), ("broadcast", 8000)]
    choice = ayatori.choose(ayatori.Predictor(network), job, calls, others=[f"{library}:doubling", ring])
    even, odd, broadcast = choice.rankings
    times = {candidate.algorithm: candidate.seconds for candidate in even.ranked}
    assert times[ring] == times["ring"]
    assert times[f"{library}:doubling"] == times["recursive-doubling"]
    reasons = {left_out.algorithm: left_out.reason for left_out in odd.left_out}
    assert reasons[ring].endswith("ring.json has no schedule for allreduce of 8001 bytes among 8 ranks")
    assert f"{library}:doubling" in {left_out.algorithm for left_out in broadcast.left_out}


def test_a_wrong_file_is_refused_and_not_just_left_out(tmp_path: Path) -> None:
    network = ayatori.open_source(NETWORK)
    job = ayatori.contiguous_jobs(network, [4])[0]
    file = tmp_path / "wrong.json"
    write_schedules([make_schedule(Call("broadcast", "binomial", 100), _core.placement_of_ranks(4, 1))], file)
    document = json.loads(file.read_text())
    del document["schedules"][0]["participants"][3][0][-1]["receive"]
    file.write_text(json.dumps(document))
    message = r"wrong.json: /schedules/0: participant \d, stream 0, step \d: deadlock: sends a message that 3 does not"
    with pytest.raises(ayatori.Error, match=message):
        ayatori.choose(ayatori.Predictor(network), job, [("broadcast", 100)], others=[f"file:{file}"])
    with pytest.raises(ayatori.Error, match=message):
        ayatori.simulate(network, job, Call("broadcast", f"file:{file}", 100))


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    network = ayatori.open_source(NETWORK)
    job = ayatori.contiguous_jobs(network, [8])[0]
    file = tmp_path / "s.json"
    call = Call("allreduce", f"file:{file}", 8000)
    seconds = []
    for algorithm in ("ring", "recursive-doubling"):
        write_schedules([make_schedule(Call("allreduce", algorithm, 8000), _core.placement_of_ranks(8, 1))], file)
        os.utime(file, ns=(len(seconds), len(seconds)))
        seconds.append(ayatori.simulate(network, job, call).seconds)
    assert seconds[0] != seconds[1]


def test_chunks_of_a_file_are_what_it_says(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    write_schedules([make_schedule(Call("broadcast", "chain", 100), _core.placement_of_ranks(4, 1))], file)
    with pytest.raises(ayatori.Error, match="are what the file says"):
        make_schedule(Call("broadcast", f"file:{file}", 100, chunk_bytes=10), _core.placement_of_ranks(4, 1))
