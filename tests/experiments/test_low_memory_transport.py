"""Paper 5's experiment on few messages: key figures as they were, its shape, and the same after an interruption."""

import json
from pathlib import Path

import numpy
import pytest

from ayatori import _acp
from ayatori.base.errors import Error
from ayatori.prediction.incast import OURS, Protocol, SimulatedIncast, simulate_incast
from ayatori.resumable import Interrupted, SavedResults
from experiments import low_memory_transport
from experiments.low_memory_transport.experiment import RETRY_LIMITS, SCENARIO, paper_protocol
from experiments.low_memory_transport.memory_presentation import Memory, fit, memory_figures, memory_tables
from experiments.low_memory_transport.verbs_measurement import HANDLING_US, Run
from experiments.low_memory_transport.verbs_measurement import RC as VERBS_RC
from experiments.low_memory_transport.verbs_measurement import _results as verbs_results
from experiments.low_memory_transport.verbs_presentation import verbs_tables

SMALL = low_memory_transport.Settings(
    sizes=(8, 2048), buffers=(1, 10), seeds=(1, 2), messages=50, processes=(), verbs=None
)
GOLDEN = Path(__file__).parent / "low_memory_transport.json"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("low_memory")
    low_memory_transport.run(folder, SMALL)
    return folder


def figures(folder: Path) -> dict[str, list[dict]]:
    return json.loads((folder / "results.json").read_text())["results"]


def test_the_papers_protocols_are_as_they_were(folder: Path) -> None:
    """Ours may become better; the paper's may not change."""
    counts = ("retransmissions", "duplicates", "overflowed")
    found = {
        name: [[result[key] for key in counts] + [round(result["messages_per_s"])] for result in results]
        for name, results in figures(folder).items()
        if name.startswith(("UD", "RC"))
    }
    assert found == json.loads(GOLDEN.read_text())


def test_every_message_of_every_protocol_arrives(folder: Path) -> None:
    for name, results in figures(folder).items():
        if name.startswith("limited: "):
            continue
        messages = 31 * (5 if name.startswith("UD, 1 us") else 50)
        for result in results:
            assert (result["complete"], result["delivered"]) == (True, messages), name
            assert 1 / 31 <= result["fairness"] <= 1 + 1e-9, name
            assert result["latency_s"] == sorted(result["latency_s"]), name


def test_connections_break_by_the_limit_of_retries(folder: Path) -> None:
    found = {name: results for name, results in figures(folder).items() if name.startswith("limited: ")}
    assert len(found) == 2 * len(RETRY_LIMITS) * len(SMALL.buffers)
    for name, results in found.items():
        for result in results:
            assert result["complete"] == (result["broken"] == 0), name
            assert result["delivered"] >= 50 * (31 - result["broken"]), name
            assert result["broken"] == 0 or "rnr_retry 7" not in name, name
    assert all(result["broken"] >= 25 for result in found["limited: RC-SRQ, 640 us, rnr_retry 0: 1 buffers"])


def test_duplicates_begin_between_10_and_100_us(folder: Path) -> None:
    found = figures(folder)
    for timer in ("100", "1,000", "10,000"):
        assert all(result["duplicates"] == 0 for result in found[f"UD, {timer} us: 1 buffers"]), timer
    assert all(result["duplicates"] > 0.1 * result["delivered"] for result in found["UD, 10 us: 1 buffers"])


def test_ours_needs_no_timer_told() -> None:
    """The bar is measured by the experiment; here, that it is not far off on few messages."""
    for size in (8, 2048):
        load = SimulatedIncast(size, 1, messages=300, scenario=SCENARIO)
        ours = simulate_incast(OURS, load)
        best = simulate_incast(paper_protocol(100), load)
        assert ours["steady_messages_per_s"] > 0.99 * best["steady_messages_per_s"]
        assert ours["messages_per_s"] > best["messages_per_s"]
        assert ours["duplicates"] <= 0.003 * ours["delivered"]


def test_a_transport_that_was_not_done_in_time_has_no_figure() -> None:
    peers = {"rss_MB": 20.0, "count": 10**6, "bytes_per_idle_peer": 0}
    found = Memory((4, 8, 12), peers=peers)
    found.bytes["ours, udp"] = [{"own": 1e6}, {"own": 1e6}, {"own": 1e6}]
    found.bytes["Open MPI over udp;ofi_rxd"] = [{"own": 1e7}, {"own": 1.1e7}, {}]
    found.bytes["Open MPI over tcp;ofi_rxm"] = [{}, {"own": 1e8}, {}]
    measured, _ = memory_tables(found)
    assert [row[:4] for row in measured.rows] == [
        ["ours, udp", "1.00", "1.00", "1.00"],
        ["Open MPI over udp;ofi_rxd", "10.00", "11.00", ""],
    ]
    assert [figure.id for figure in memory_figures(found)] == ["figure1", "figure1-mpi"]


def test_the_same_seed_gives_the_same_run() -> None:
    for protocol in (OURS, paper_protocol(10), Protocol("rc", not_ready_delay=1e-5)):
        loads = [SimulatedIncast(64, 1, seed, messages=50) for seed in (7, 7, 8)]
        first, again, other = (simulate_incast(protocol, load) for load in loads)
        assert first == again
        assert first != other


@pytest.mark.parametrize(
    ("load", "message"),
    [
        (SimulatedIncast(0, 1), "bytes is 0"),
        (SimulatedIncast(8, 0), "receive_buffers is 0"),
        (SimulatedIncast(8, 1, messages=-1), "messages is -1"),
        (SimulatedIncast(8, 1, queued=0), "queued is 0"),
        (SimulatedIncast(8, 1, scenario=Path("/nowhere.toml")), "/nowhere.toml"),
    ],
)
def test_what_cannot_be_run_is_refused(load: SimulatedIncast, message: str) -> None:
    with pytest.raises(Error, match=message):
        simulate_incast(OURS, load)


def test_an_interrupted_run_ends_as_if_it_had_not_been(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, saved = SavedResults.save, 0

    def give_up(self: SavedResults, **more: object) -> None:
        nonlocal saved
        save(self, **more)
        saved += 1
        if saved == 7:
            raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(Interrupted):
        patched.setattr(SavedResults, "save", give_up)
        low_memory_transport.run(tmp_path, SMALL)
    low_memory_transport.run(tmp_path, SMALL, resume=True)
    for file in ("results.json", "index.html"):
        assert (tmp_path / file).read_bytes() == (folder / file).read_bytes()


def test_many_peers_greet_each_other_in_python_too() -> None:
    scenario = _acp.NetworkScenario()
    scenario.drop = scenario.duplicate = scenario.reorder = 0.05
    found = _acp.run_many_peers(count=500, at_once=64, contexts=16, scenario=scenario)
    assert (found["to_peers"], found["from_peers"], found["wrong"]) == (500, 500, 0)


def test_the_line_is_that_of_least_squares() -> None:
    x, y = [2, 4, 8, 16, 64], [3.0, 5.5, 8.0, 18.5, 66.0]
    line = fit(x, y)
    (slope, base), covariance = numpy.polyfit(x, y, 1, cov=True)
    assert (line.slope, line.base, line.error) == pytest.approx((slope, base, covariance[0, 0] ** 0.5))


def test_memory_that_grows_is_extrapolated_with_its_error() -> None:
    """25 kB a process, as paper 5's Open MPI: 25 GB at a million."""
    own = [{"own": 2e6 + 25e3 * count + 1e3 * (-1) ** i} for i, count in enumerate((2, 4, 8, 16))]
    peers = {"count": 10**6, "rss_MB": 18.5, "bytes_per_idle_peer": 8.5}
    found = Memory((2, 4, 8, 16), {"grows": own}, peers)
    table = memory_tables(found)[1]
    row = next(row for row in table.rows if row[0] == "grows")
    value, error = (float(part) for part in row[2].split(" ± "))
    assert value == pytest.approx(25, rel=0.02)
    assert 0 < error < 0.5
    assert table.rows[-1][2] == "0.0185"
    assert memory_figures(found)[0].curves[0].y[-1] == pytest.approx(2500, rel=0.02)


def test_runs_on_real_verbs_have_a_line_each_also_those_that_fail() -> None:
    run = Run("incast", {"protocol": OURS.name}, ["verbs_incast_datagrams"])
    assert verbs_results(run, '3\n{"buffers": 1}\n') == [{"name": "incast", "protocol": OURS.name, "buffers": 1}]
    assert verbs_results(run, "3\nerror: no device\n")[0]["failed"] == "error: no device"
    assert verbs_results(run, "3\n")[0]["failed"] == "not done in 30 s"


def test_tables_of_real_verbs_have_medians_and_what_is_missing() -> None:
    def incast(protocol: str, rate: float, buffers: int = 1, errors: int = 0) -> dict:
        counts = {"retransmissions": 7, "duplicates": 1, "delivered": 1000, "errors": errors}
        about = {"name": "incast", "protocol": protocol, "buffers": buffers, "handling_us": HANDLING_US}
        return about | counts | {"messages_per_s": rate}

    found = [incast(VERBS_RC, rate) for rate in (300, 100, 200)]
    found += [incast(OURS.name, 500), incast(OURS.name, 700, buffers=100), incast(VERBS_RC, 9, buffers=100, errors=3)]
    found += [{"name": "incast", "protocol": VERBS_RC, "command": [], "failed": "not done in 30 s"}]
    found += [{"name": "memory", "kind": "rc_srq", "peers": 500, "bytes": 2_500_000}]
    busy, idle, by_buffers, memory, operations = verbs_tables(found)
    assert busy.rows == [[VERBS_RC, "200", "7", "0", "0.10%"], [OURS.name, "500", "7", "0", "0.10%"]]
    assert "2.5 times the rate" in busy.note
    assert idle.rows[0][1] == "not done"
    assert by_buffers.rows == [[OURS.name, "500", "700"], [VERBS_RC, "200", "9 (3)"]]
    assert memory.rows[0] == ["RC-SRQ", "2.50"]
    assert operations.rows == []
