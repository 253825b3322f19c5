"""The stream of jobs, against a count by hand, and what section 2.4 of paper 1 says of it."""

import json
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest

from experiments import job_stream
from experiments.job_stream.stream import ALLOCATIONS, any_nodes, contiguous_only, run_stream


def test_allocations_take_the_first_nodes_that_fit() -> None:
    assert contiguous_only({0, 2, 3, 5, 6, 7}, 3) == [5, 6, 7]
    assert contiguous_only({0, 2, 4}, 2) is None
    assert any_nodes({7, 0, 3}, 2) == [0, 3]
    assert any_nodes({1}, 2) is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("allocation", ALLOCATIONS)
def test_a_stream_keeps_the_order_and_the_sizes_of_its_jobs(allocation: str, seed: int) -> None:
    both = {name: run_stream(30, 200, (2, 16), allocate, seed) for name, allocate in ALLOCATIONS.items()}
    taken = both[allocation].nodes_of_jobs
    assert [len(nodes) for nodes in taken] == [len(nodes) for nodes in both["any nodes"].nodes_of_jobs]
    assert all(0 <= node < 30 for nodes in taken for node in nodes)
    if allocation == "contiguous only":
        assert all(b - a == 1 for nodes in taken for a, b in pairwise(nodes))
    assert 0 < both["contiguous only"].utilisation < both["any nodes"].utilisation <= 1


def test_utilisation_of_jobs_of_all_nodes_is_whole() -> None:
    assert run_stream(4, 20, (4, 4), any_nodes, 1).utilisation == pytest.approx(1)


def test_with_plans_or_path_aware_any_nodes_cost_no_bandwidth(tmp_path: Path) -> None:
    page = job_stream.run(tmp_path, job_stream.Settings(jobs=60))
    results = json.loads((tmp_path / "results.json").read_text())["results"]
    for allocation in ALLOCATIONS:
        assert fmean(results[f"{allocation}: pair"]) == pytest.approx(1)
        assert fmean(results[f"{allocation}: path-aware schedule"]) > 0.95
        assert fmean(results[f"{allocation}: base-lids"]) < 0.95
    assert 'id="section24"' in page.read_text()
