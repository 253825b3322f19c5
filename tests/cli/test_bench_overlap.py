"""ayatori bench overlap: what the figures mean, what is refused, and what is left of a run that was killed."""

import json
import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.cli import bench_overlap
from ayatori.lab.cluster import Settings, why_impossible
from ayatori.measurement import machine, noise
from ayatori.measurement.collectives import installed_families
from ayatori.measurement.machine import Condition, Speed
from ayatori.overlap import sweep, tasks
from ayatori.overlap.cores import oversubscribed
from ayatori.overlap.krylov import check_petsc
from ayatori.overlap.mechanisms import mechanism_for
from ayatori.overlap.ratios import ratios
from ayatori.overlap.sites import Site
from ayatori.overlap.sweep import Sweep
from ayatori.overlap.tasks import Cell
from ayatori.resumable import SavedResults


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What one test measures of this machine's speed is not usual for the next one."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


needs_an_mpi = pytest.mark.skipif(not installed_families(), reason="no MPI is installed")
needs_a_lab = pytest.mark.skipif(bool(why_impossible(Settings())), reason=why_impossible(Settings()))
SECONDS = st.floats(1e-6, 1e3)


@given(SECONDS, SECONDS, st.floats(0, 1))
def test_a_share_that_costs_nothing_is_the_overlap_by_all_definitions(
    longer: float, extra: float, hidden: float
) -> None:
    """A computation that takes longer than the communication, and no longer beside it."""
    communication, computation = longer, longer + extra
    found = ratios(communication, computation, computation + communication * (1 - hidden), computation)
    tolerance = 1e-9 * (1 + computation / communication)
    assert (found.ours, found.osu, found.imb) == pytest.approx((hidden, hidden, hidden), abs=tolerance)


def test_what_slows_the_computation_down_counts_as_hidden_by_osu_alone() -> None:
    found = ratios(communication=1, computation=1, both=2.5, computing=2.5)
    assert (found.ours, found.osu, found.imb) == (-0.5, 1, 0)


def test_tests_count_as_communication_by_osu() -> None:
    assert ratios(communication=1, computation=1, both=1.5, computing=1.5, testing=0.5).osu == 0.5


def place(host: str, *cores: int, machine: str = "m") -> dict[str, object]:
    return {"host": host, "machine": machine, "cores": list(cores)}


def test_threads_that_share_cores_are_told() -> None:
    assert oversubscribed([place("a", 0), place("b", 1)], 1) == []
    assert oversubscribed([place("a", 0), place("b", 1)], 2) == [
        "a: 2 threads on 1 of the cores (0)",
        "b: 2 threads on 1 of the cores (1)",
    ]
    assert oversubscribed([place("a", 0, 1)] * 2, 2) == ["a: 4 threads on 2 of the cores (0,1)"]
    assert oversubscribed([place("a", 0), place("b", 0, machine="other")], 1) == []
    assert oversubscribed([place("a", 0), place("a", 0, 1)], 1) == []
    assert oversubscribed([], 3) == []


def test_halves_differ_by_their_medians_whatever_is_in_the_middle() -> None:
    assert noise.difference_of_halves([[1, 1], [9, 9], [1.1, 1.1]]) == pytest.approx(0.1)
    assert noise.difference_of_halves([[1, 1, 50, 1.2, 1.2]]) == pytest.approx(0.2)
    assert noise.difference_of_halves([[1]]) is None


def run_of(both: float) -> dict[str, object]:
    names = ("communication", "computation", "sequential", "both", "computing", "waiting", "testing")
    return {"samples": {name: [both if name == "both" else 1.0] for name in names}, "places": [place("a", 0)]}


def test_a_cell_whose_halves_differ_is_too_noisy_and_one_that_failed_says_why() -> None:
    cells = tuple(Cell("overlap", "openmpi", "none", call, 8, 2) for call in ("isend", "ibcast", "ialltoall"))
    runs = [[run_of(1), run_of(1.04)], [run_of(1), run_of(1.06)], [{"failed": "no"}] * 2]
    quiet, noisy, failed = sweep.results_of(Sweep(cells, repeats=2, measurements=1), runs)
    assert (quiet["too_noisy"], noisy["too_noisy"], failed["failed"], failed["times"]) == (False, True, "no", {})
    assert noisy["times"]["both"] == {"median": pytest.approx(1.03), "low": 1, "high": 1.06}
    assert quiet["overlap"]["ours"] == pytest.approx(0.98)


def noticed(speed: float, others: float = 0.0, stolen: float = 0.0) -> dict[str, object]:
    return {"machine": noise.noted(Condition(Speed(speed, 2 * speed), others, stolen))}


@pytest.mark.parametrize(
    ("seen", "cause"),
    [
        (noticed(1.2), "slower than usual, which makes this 20% longer"),
        (noticed(0.9), "faster than usual, which makes this 10% shorter"),
        (noticed(1, others=0.3), "other processes had 30% of the cores"),
        (noticed(1, stolen=0.06), "6% of the cores was stolen"),
        (noticed(1.04, others=0.02, stolen=0.02), ""),
    ],
)
def test_a_machine_that_is_not_as_usual_is_told_though_halves_agree(seen: dict[str, object], cause: str) -> None:
    cells = (Cell("overlap", "openmpi", "none", "isend", 8, 2),)
    [found] = sweep.results_of(Sweep(cells, repeats=2, measurements=1), [[run_of(1) | seen] * 2], Speed(1, 2))
    assert found["too_noisy"] == bool(cause) and cause in "; ".join(found["causes"]) and found["noise"] == 0


def test_only_what_is_computed_depends_on_the_machines_speed() -> None:
    """Of a time of 10, 1 is computed: a machine half as fast again changes it by 5 %."""
    cells = (Cell("overlap", "openmpi", "none", "isend", 8, 2),)
    [found] = sweep.results_of(Sweep(cells, repeats=2, measurements=1), [[run_of(10) | noticed(1.5)] * 2], Speed(1, 2))
    assert not found["too_noisy"]


def test_how_times_lie_is_told_where_the_machine_was_as_usual() -> None:
    told = noise.Noise(0.5).causes
    assert told([[1, 1, 1, 2, 2, 2], [1, 2]])[0].startswith("two groups of times: 50% about 1 s, the others about 2 s")
    assert "more from run to run" in told([[1.0, 1.0], [1.2, 1.2]])[0]
    assert "within each run" in told([[1.0, 1.2], [1.0, 1.2]])[0]


def test_cells_that_are_too_noisy_get_more_runs_and_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = tuple(Cell("overlap", "openmpi", "none", call, 8, 2) for call in ("isend", "ibcast"))
    drawn = {"isend": iter([1.0, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2]), "ibcast": iter([1.0, 1.0])}
    monkeypatch.setattr(
        sweep, "_run", lambda _site, _sweep, cell, units: {"units": 1} if units == 0 else run_of(next(drawn[cell.what]))
    )
    done: list[int] = []
    chosen = Sweep(cells, repeats=2, measurements=1)
    noisy, quiet = sweep.measure(SavedResults(None, {}), Site(), chosen, done.append)
    assert (noisy["runs"], noisy["noise"], quiet["runs"]) == (4, pytest.approx(1.2 / 1.1 - 1), 2)
    assert sum(done) == sweep.runs_of(chosen)


def test_a_machines_usual_speed_is_remembered(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert machine.usual_speed() is None
    for seconds in (1.0, 3.0, 1.5):
        machine.remember(Speed(seconds, 2 * seconds))
    assert machine.usual_speed() == Speed(1.5, 3.0)
    (tmp_path / "ayatori" / "speeds.json").write_text('{"speeds": 5}')
    assert machine.usual_speed() is None


@pytest.mark.parametrize(("others", "usual"), [(0.01, Speed(3, 6)), (0.5, None)])
def test_only_the_speed_of_a_quiet_machine_is_usual(
    monkeypatch: pytest.MonkeyPatch, others: float, usual: Speed | None
) -> None:
    @contextmanager
    def watched() -> Iterator[Condition]:
        yield Condition(Speed(3, 6), others)

    monkeypatch.setattr(sweep, "watched", watched)
    monkeypatch.setattr(sweep, "_run", lambda *_: run_of(1) | {"units": 1})
    cells = (Cell("overlap", "openmpi", "none", "isend", 8, 2),)
    [found] = sweep.measure(
        SavedResults(None, {}), Site(), Sweep(cells, repeats=2, measurements=1), lambda _count: None
    )
    assert (machine.usual_speed(), found["too_noisy"]) == (usual, usual is None)


def test_what_other_processes_take_is_seen() -> None:
    with subprocess.Popen(["sh", "-c", "sleep 0.1; while :; do :; done"], start_new_session=True) as other:
        try:
            with machine.watched() as condition:
                time.sleep(0.5)
        finally:
            other.kill()
    assert condition.others > 0 and condition.speed.arithmetic > 0 < condition.speed.memory


def test_in_how_many_runs_the_thread_stayed_on_is_told() -> None:
    cells = (Cell("overlap", "openmpi", "thread", "isend", 8, 2), Cell("overlap", "openmpi", "none", "isend", 8, 2))
    runs = [[run_of(1) | {"thread_is_on": told} for told in both] for both in ((True, False), (None, None))]
    with_thread, without = sweep.results_of(Sweep(cells, repeats=2, measurements=1), runs)
    assert (with_thread["thread"], without["thread"]) == (0.5, None)


def test_what_switches_cannot_take_is_not_offloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    for why, calls in (("", ["iallreduce"]), ("nothing there", [])):
        monkeypatch.setattr(tasks, "why_no_offload", lambda _, why=why: why)
        cells = sweep.cells_of("overlap", ["openmpi"], ["offload"], ["isend", "iallreduce", "ialltoall"], [8], [2])
        assert [cell.what for cell in cells] == calls
    assert sweep.cells_of("stencil", ["openmpi"], ["offload"], ["isend"], [8], [2]) == ()


def test_a_cell_that_cannot_be_adjusted_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = tuple(Cell("overlap", family, "none", "isend", 8, 2) for family in ("openmpi", "mpich"))

    def run(_site: Site, _sweep: Sweep, cell: Cell, _units: int) -> dict[str, object]:
        if cell.family == "openmpi":
            raise Error("it does not start")
        return run_of(1) | {"units": 5}

    monkeypatch.setattr(sweep, "_run", run)
    failed, good = sweep.measure(
        SavedResults(None, {}), Site(), Sweep(cells, repeats=2, measurements=1), lambda _count: None
    )
    assert failed["failed"] == "it does not start" and good["times"]["both"]["median"] == 1


@pytest.mark.parametrize("latency", ["99us", "2s", "fast"])
@needs_an_mpi
def test_latencies_of_cables_that_cannot_be_are_refused(latency: str, ayatori_command) -> None:
    outcome = ayatori_command("bench", "overlap", "--link-latency", latency)
    assert outcome.status in (1, 2) and outcome.stdout == ""


def test_mechanisms_are_measured_where_they_can_help() -> None:
    cells = sweep.cells_of(
        "stencil", ["mpich"], ["none", "thread", "test:1ms", "acp"], ["none", "isend", "put", "acp"], [9], [2]
    )
    assert [(cell.what, cell.mechanism) for cell in cells] == [
        ("none", "none"),
        ("isend", "none"),
        ("isend", "thread"),
        ("put", "none"),
        ("acp", "none"),
    ]
    cells = sweep.cells_of("overlap", ["mpich"], ["none", "acp"], ["isend", "ibcast"], [8], [2])
    assert [(cell.what, cell.mechanism) for cell in cells] == [("isend", "none"), ("isend", "acp"), ("ibcast", "none")]


@pytest.mark.parametrize(
    ("words", "part", "status"),
    [
        (["--task", "telepathy"], "no task 'telepathy'", 2),
        (["--mechanisms", "hope"], "no mechanism 'hope'", 2),
        (["--mechanisms", "test:1kg"], "'1kg' is not a time", 1),
        (["--mechanisms", "test:0s"], "out of range", 1),
        (["--calls", "isend,shout"], "no part of overlap 'shout'", 2),
        (["--bytes", "7B"], "multiples of 8", 1),
        (["--ranks", "1"], "ranks: 1 is out of range", 1),
        (["--kernel", "corn"], "no kernel 'corn'", 2),
        (["--mpi", "lam"], "no MPI 'lam'", 2),
        (["--repeats", "0"], "repeats: 0 is out of range", 1),
        (["--calls", ""], "there is nothing to measure", 1),
        (["--task", "krylov", "--mpi", "mpich"], "PETSc is measured over openmpi alone", 1),
        (["--task", "stencil", "--ways", "smoke"], "no part of stencil 'smoke'", 2),
    ],
)
@needs_an_mpi
def test_what_cannot_be_measured_is_refused(words: list[str], part: str, status: int, ayatori_command) -> None:
    ayatori_command("bench", "overlap", "--here", *words).refused(status, part)


@needs_an_mpi
def test_more_processes_than_rows_fail_and_the_others_are_measured(ayatori_command, tmp_path: Path) -> None:
    words = (
        "--here --task stencil --ways isend --matrix-order 2,8 --ranks 3 --mechanisms none --repeats 1 --measurements 1"
    )
    family = installed_families()[0]
    outcome = ayatori_command("bench", "overlap", *words.split(), "--mpi", family, "--json", cwd=tmp_path)
    small, large = json.loads(outcome.stdout)["results"]
    assert outcome.status == 0 and "too small" in small["failed"]
    assert large["failed"] is None and large["times"]["total"]["median"] > 0
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_ends_half_way_is_resumed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The second run measures only what is missing, and the results are those of a run that was not disturbed."""
    monkeypatch.chdir(tmp_path)
    cells = tuple(Cell("overlap", "openmpi", "none", "isend", size, 2) for size in (8, 16, 24))
    order: list[int] = []

    def run(_site: Site, _sweep: Sweep, cell: Cell, _units: int) -> dict[str, object]:
        order.append(cell.size)
        if len(order) == 6:
            raise SystemExit("killed")
        return run_of(cell.size) | {"units": 5}

    monkeypatch.setattr(sweep, "_run", run)
    plan = Sweep(cells, repeats=2, measurements=1)
    with pytest.raises(SystemExit):
        bench_overlap.measured(Site(), plan, resume=False)
    assert len(list(tmp_path.glob("*.partial"))) == 1
    found = bench_overlap.measured(Site(), plan, resume=True)
    assert order == [8, 16, 24, 8, 16, 24, 24, 8, 16, 24]
    assert [result["times"]["both"]["median"] for result in found] == [8, 16, 24]
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(Error, match="nothing to measure"):
        Sweep((), repeats=1, measurements=1).check()


def test_all_mechanisms_of_a_cell_compute_the_same_and_acp_has_its_own() -> None:
    cell = Cell("overlap", "mpich", "thread", "isend", 8, 2)
    assert asdict(sweep.without_mechanism(cell)) == asdict(cell) | {"mechanism": "none"}
    own = Cell("overlap", "mpich", "acp", "isend", 8, 2)
    assert sweep.without_mechanism(own) == own
    assert mechanism_for("test:500us", "mpich").test_seconds == 500e-6


def test_krylov_is_measured_over_the_mpi_of_petsc_alone() -> None:
    cells = sweep.cells_of(
        "krylov", ["openmpi", "mpich"], ["none", "test:1ms", "thread", "acp"], ["cg", "pipecg"], [8], [2]
    )
    assert [(cell.family, cell.what, cell.mechanism) for cell in cells] == [
        ("openmpi", "cg", "none"),
        ("openmpi", "cg", "thread"),
        ("openmpi", "pipecg", "none"),
        ("openmpi", "pipecg", "thread"),
    ]


def test_without_petsc_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ayatori_command
) -> None:
    monkeypatch.setenv("PKG_CONFIG_LIBDIR", str(tmp_path))
    ayatori_command("bench", "overlap", "--here", "--task", "krylov", "--mpi", "openmpi").refused(
        1, "PETSc is not installed", "libpetsc-real-dev"
    )


def has_petsc() -> bool:
    try:
        check_petsc()
    except Error:
        return False
    return "openmpi" in installed_families()


@pytest.mark.skipif(not has_petsc(), reason="PETSc is not installed")
def test_all_methods_of_petsc_come_to_the_same_solution(ayatori_command, tmp_path: Path) -> None:
    words = "--here --task krylov --ways cg,pipecg,groppcg,pipecg2 --matrix-order 24 --mechanisms none --repeats 1"
    more = "--measurements 1 --iterations 1000 --mpi openmpi --json"
    results = ayatori_command("bench", "overlap", *words.split(), *more.split(), cwd=tmp_path).json()["results"]
    assert [result["what"] for result in results] == ["cg", "pipecg", "groppcg", "pipecg2"]
    for result in results:
        solution = result["solution"]
        assert solution["converged"] and solution["error"] < 1e-3 and solution["residual"] < 1e-6
        assert result["times"]["total"]["median"] >= result["times"]["communication"]["median"] > 0
    for result in results[:3]:  # the fourth method computes every second norm alone
        history = result["solution"]["residuals"]
        assert len(history) == result["solution"]["iterations"] + 1
        assert history == pytest.approx(results[0]["solution"]["residuals"], rel=1e-3)


@needs_an_mpi
@needs_a_lab
def test_two_hosts_in_a_lab(ayatori_command, tmp_path: Path) -> None:
    family = random.Random(1).choice(installed_families())
    words = "--calls isend --bytes 64KiB --mechanisms acp --repeats 1 --measurements 2 --rate 400Mbit/s"
    [ours] = ayatori_command("bench", "overlap", *words.split(), "--mpi", family, "--json", cwd=tmp_path).json()[
        "results"
    ]
    assert [place["host"] for place in ours["places"]] == ["host0", "host1"]
    assert ours["failed"] is None and len(ours["oversubscribed"]) >= 1


@needs_an_mpi
@needs_a_lab
def test_the_stencil_over_libacp_with_two_processes_on_each_host(ayatori_command, tmp_path: Path) -> None:
    """Hosts of a lab have one /dev/shm, but memory of their own. The program compares with a serial run, bit by bit."""
    words = "--task stencil --ways acp --matrix-order 64 --mechanisms none --ranks 4 --repeats 1 --iterations 9"
    family = random.Random(2).choice(installed_families())
    assert [
        (one["ranks"], one["failed"])
        for one in ayatori_command("bench", "overlap", *words.split(), "--mpi", family, "--json", cwd=tmp_path).json()[
            "results"
        ]
    ] == [(4, None)]
