"""Paper 4's experiment: its predictions as they were, and what follows from made-up measurements."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ayatori.base.units import parse_seconds
from ayatori.resumable import SavedResults
from experiments import communication_hiding
from experiments.communication_hiding import crossing, experiment
from experiments.communication_hiding.findings import findings_table
from experiments.communication_hiding.found import Found
from experiments.communication_hiding.ito import OverlapPoint
from experiments.communication_hiding.lab_measurement import ITERATIONS, LATENCIES
from experiments.communication_hiding.presentation import figures_of, tables_of

GOLDEN = Path(__file__).parent / "communication_hiding.json"
SMALL = communication_hiding.Settings(
    orders=(512, 2048),
    nodes=(2, 16),
    ranks_on_a_node=(1, 4),
    krylov_orders=(1536,),
    krylov_nodes=(16,),
    overlap_nodes=16,
    measured=False,
)


def stencil(family: str, way: str, order: int, communication: float, total: float) -> dict[str, Any]:
    times = {"communication": {"median": communication}, "total": {"median": total}}
    result = {"task": "stencil", "family": family, "mechanism": "none", "what": way, "size": order, "ranks": 2}
    return result | {"times": times, "noise": 0.01, "too_noisy": False, "failed": None, "overlap": None}


def stencils(by_way: dict[str, float], small_gain: float, large_gain: float) -> list[dict[str, Any]]:
    """`by_way`: how much longer the communication takes than without overlap; the gains are those of the total."""
    found = []
    for order, gain in ((512, small_gain), (2048, large_gain)):
        for family in ("openmpi", "mpich"):
            found.append(stencil(family, "none", order, 1, 4))
            for way, more in by_way.items():
                more = {"put openmpi": by_way.get("put openmpi", more)}.get(f"{way} {family}", more)
                if " " not in way:
                    found.append(stencil(family, way, order, 1 + more, 4 * (1 - gain)))
    return found


def overlap(both: float) -> dict[str, Any]:
    times = {name: {"median": time} for name, time in (("communication", 1), ("sequential", 2), ("both", both))}
    result = {"task": "overlap", "family": "mpich", "mechanism": "none", "what": "iallreduce", "size": 16, "ranks": 2}
    return result | {"times": times, "noise": 0.2, "too_noisy": True, "failed": None, "overlap": {"ours": 2 - both}}


def krylov(pipecg: float) -> list[dict[str, Any]]:
    found = []
    for method, total in (("cg", 1.0), ("pipecg", pipecg)):
        times = {"total": {"median": total}, "communication": {"median": total / 2}}
        result = {"task": "krylov", "family": "openmpi", "mechanism": "none", "what": method, "size": 128, "ranks": 2}
        result |= {"times": times, "noise": None, "too_noisy": False, "failed": None, "overlap": None}
        found.append(result | {"solution": {"iterations": 50}})
    return found


AS_IN_THE_PAPER = {
    "stencil": stencils({"isend": -0.3, "fence": 0.4, "put": -0.3, "put openmpi": 0.1, "acp": -0.4}, 0.0, 0.1),
    "overlap": [overlap(2.3)],
    "krylov": krylov(1.3),
}
THE_OTHER_WAY_ROUND = {
    "stencil": stencils({"isend": 0.3, "fence": -0.1, "put": 0.3, "put openmpi": -0.3, "acp": 0.4}, 0.2, -0.1),
    "overlap": [overlap(1.3)],
    "krylov": krylov(0.9),
}


def found_with(measured: dict[str, list[dict[str, Any]]], reductions: list[list[int]]) -> Found:
    found = experiment._predict(SMALL, SavedResults(None, {}))
    found.measured, found.pipecg_reductions = measured, reductions
    return found


def marks(found: Found) -> dict[str, str]:
    return {row[0]: row[-1] for row in findings_table(found).rows}


def untestable() -> set[str]:
    return {name for name in marks(Found((512, 2048), (2,))) if "SHARP" in name or name.startswith("15")}


def test_what_is_as_in_the_paper_is_reproduced_and_what_is_not_is_not() -> None:
    for measured, reductions, mark in (
        (AS_IN_THE_PAPER, [[8, 0], [24, 1]], "reproduced"),
        (THE_OTHER_WAY_ROUND, [[8, 3]], "not reproduced"),
    ):
        found = marks(found_with(measured, reductions))
        assert {name: one for name, one in found.items() if one != mark} == dict.fromkeys(
            untestable(), "not testable here"
        )


def test_without_a_measurement_nothing_is_claimed() -> None:
    found = marks(found_with({}, []))
    assert {name for name, mark in found.items() if mark == "not testable here"} == untestable()
    assert set(found.values()) == {"not testable here", "not measured"}


def test_cells_that_are_too_noisy_are_counted() -> None:
    assert "1 of 23 cells were too noisy" in findings_table(found_with(AS_IN_THE_PAPER, [])).note


def failed(result: dict[str, Any]) -> dict[str, Any]:
    """As results_of() of ayatori.overlap.sweep has a cell of which no run came to an end."""
    nothing = {"times": {}, "overlap": None, "solution": None, "noise": None, "too_noisy": False}
    return result | nothing | {"failed": "rank 1 was lost"}


def test_a_cell_that_failed_has_a_row_of_the_tables_width_in_the_table_of_its_task() -> None:
    """Of each task one cell failed, another of them did not."""
    both = {task: [failed(cells[0]), *cells[1:]] for task, cells in AS_IN_THE_PAPER.items()}
    both["overlap"] += [AS_IN_THE_PAPER["overlap"][0] | {"family": "openmpi"}]
    tables = tables_of(found_with(both, []))
    for title, cells in (("Figures 3 to 8", "stencil"), ("Figures 9 to 12", "overlap"), ("Figures 13 to 16", "krylov")):
        [table] = [one for one in tables if one.title.startswith(title) and "measured" in one.title]
        told = [row for row in table.rows if "rank 1 was lost" in row[0]]
        assert len(told) == 1 and len(table.rows) == len(both[cells])
        assert {len(row) for row in table.rows} == {len(table.columns)}
    assert figures_of(found_with(both, []))


def test_tables_of_cells_that_all_failed_say_so() -> None:
    none = {task: [failed(cell) for cell in cells] for task, cells in AS_IN_THE_PAPER.items()}
    found = found_with(none, [])
    assert sum("rank 1 was lost" in row[0] for table in tables_of(found) for row in table.rows) == sum(
        map(len, none.values())
    )
    assert set(marks(found).values()) <= {"not testable here", "not measured"} and figures_of(found)


def test_a_latency_at_which_a_cell_failed_is_left_out() -> None:
    measured = measured_with_latencies(cg=20e-3, pipecg=23e-3)
    measured["800us"][1] = failed(measured["800us"][1])
    table = crossing.crossing_table(measured)
    assert table is not None and not any("800 us" in row[0] for row in table.rows)
    measured["here"][0] = failed(measured["here"][0])
    assert crossing.crossing_table(measured) is None


def test_predictions_are_as_they_were(tmp_path: Path) -> None:
    communication_hiding.run(tmp_path, SMALL)
    found = json.loads((tmp_path / "results.json").read_text())["results"]
    if os.environ.get("UPDATE_SNAPSHOTS"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    assert found == json.loads(GOLDEN.read_text())


def test_the_page_has_the_papers_figures_and_what_is_there_is_not_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = communication_hiding.Settings(nodes=(2, 16), ranks_on_a_node=(1,), measured=True)
    monkeypatch.setattr(experiment, "OVERLAP_TEST", ((1, 16), (1, 4096)))
    monkeypatch.setattr(experiment, "why_impossible", lambda _: "")
    monkeypatch.setattr(experiment, "installed_families", lambda: ["openmpi", "mpich"])
    sweeps = {name: type("Sweep", (), {"check": lambda _: None})() for name in AS_IN_THE_PAPER}
    monkeypatch.setattr(experiment.lab_measurement, "sweeps", lambda *_: sweeps)
    monkeypatch.setattr(experiment.lab_measurement, "reductions_of_pipecg", lambda: [[24, 1]])
    monkeypatch.setattr(experiment, "runs_of", lambda _: 1)
    monkeypatch.setattr(experiment, "_measure_crossing", lambda *_: None)
    monkeypatch.setattr(
        experiment,
        "measure",
        lambda _saved, _site, sweep, *_: next(AS_IN_THE_PAPER[n] for n in sweeps if sweeps[n] is sweep),
    )
    page = communication_hiding.run(tmp_path, settings).read_text()
    assert all(f'id="figure{number}"' in page for number in (3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16))
    assert 'id="measured-stencil-2048"' in page
    monkeypatch.setattr(experiment.lab_measurement, "reductions_of_pipecg", lambda: pytest.fail("traced again"))
    monkeypatch.setattr(experiment.ito, "stencil", lambda _: pytest.fail("predicted again"))
    assert communication_hiding.run(tmp_path, settings, resume=True).read_text() == page


def of_crossing(what: str, mechanism: str, total: float, communication: float) -> dict[str, Any]:
    seconds = {"total": total * ITERATIONS, "communication": communication * ITERATIONS}
    times = {name: {"median": one, "low": one} for name, one in seconds.items()}
    return {"what": what, "mechanism": mechanism, "times": times, "noise": 0.01}


def reduction(size: int, blocking: float, begun: float) -> dict[str, Any]:
    medians = {"communication": begun, "sequential": 1 + blocking, "computation": 1.0}
    return {"size": size, "times": {name: {"median": one} for name, one in medians.items()}, "noise": 0.2}


def measured_with_latencies(cg: float, pipecg: float) -> dict[str, list[dict[str, Any]]]:
    """An iteration of CG waits for three messages of two cables; PIPECG's hides its own. Both compute so long."""
    measured = {
        "here": [of_crossing("cg", "none", cg + 1e-5, 1e-5), of_crossing("pipecg", "none", pipecg, 0)],
        "reductions": [reduction(8, 4e-4, 0), reduction(24, 4e-4, 8e-4)],
    }
    for name in LATENCIES:
        latency = parse_seconds(name)
        own = [of_crossing("cg", "none", cg + 6 * latency, 0), of_crossing("pipecg", "none", pipecg, 0)]
        measured[name] = own
    return measured


def test_from_which_latency_on_pipecg_is_faster() -> None:
    measured = measured_with_latencies(cg=20e-3, pipecg=23e-3)
    parts = crossing.parts_of(measured)
    assert parts is not None and parts.work.cg + parts.work.product == pytest.approx(20e-3)
    assert crossing.measured_crossing(crossing.times_of(measured, "none")) == pytest.approx(0.5e-3)
    # Its reduction has two steps, of which nobody moves the second.
    assert parts.crossing("none") == pytest.approx(0.75e-3, rel=2e-3)
    assert parts.crossing("thread") == pytest.approx(0.5e-3, rel=0.3)
    table = crossing.crossing_table(measured)
    assert table is not None and table.rows[-1][-1] == "factor 1.50" and "20%" in table.note
    assert crossing.measured_crossing(crossing.times_of(measured_with_latencies(20e-3, 40e-3), "none")) is None
    measured["400us"][0]["noise"] = 0.6
    assert [one[0] for one in crossing.times_of(measured, "none")] == pytest.approx([2e-4, 8e-4, 16e-4])
    assert crossing.crossing_table({}) is None


def test_runs_in_which_the_thread_was_off_are_predicted_without_it() -> None:
    """By hand: an iteration of CG takes 20 ms + 3 · 2 latencies; of PIPECG 23 ms, and 2 latencies more where nobody
    moves the second step of its reduction. Half of the runs like this: 23 ms + 1 latency, and 3 ms = 5 latencies."""
    measured = measured_with_latencies(cg=20e-3, pipecg=23e-3)
    parts = crossing.parts_of(measured)
    assert parts is not None
    assert parts.crossing("thread", 0.0) == pytest.approx(parts.crossing("none"))
    with_thread, half = parts.crossing("thread", 1.0), parts.crossing("thread", 0.5)
    stretched = parts.pipecg(0.4e-3, "thread") - 23e-3  # what its looks take
    assert half == pytest.approx((3e-3 + stretched / 2) / 5, rel=2e-3)
    assert with_thread < half < parts.crossing("none")
    for latency in LATENCIES:
        of_pipecg = of_crossing("pipecg", "thread", 23e-3, 0) | {"thread": 0.5 if latency == "200us" else 0.0}
        measured[latency] += [of_crossing("cg", "thread", 20e-3 + 6 * parse_seconds(latency), 0), of_pipecg]
    assert crossing.share_on(measured["200us"]) == 0.5 and crossing.share_on(measured["here"]) == 1
    table = crossing.crossing_table(measured)
    assert table is not None
    assert any(row[0].startswith("thread, on in 12% of the runs") for row in table.rows)


def test_who_reduces_decides_what_can_move_it() -> None:
    found = experiment.ito.overlap(OverlapPoint(1, 16, 16))
    assert set(found["switches"]["both"]) == {"nobody", "offload"} and "offload" not in found["hosts"]["both"]
