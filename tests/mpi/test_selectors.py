"""Schedules that know the network against what MPI libraries' selectors choose, in SimGrid's SMPI: a small form of
bench/validation/selectors.py."""

import pytest

import ayatori
from ayatori.prediction.predictor import Predictor
from bench.validation import selectors, smpi

pytestmark = pytest.mark.skipif(not smpi.smpi_is_there(), reason="SimGrid (libsimgrid-dev) is not installed")


@pytest.mark.parametrize("configuration", selectors.CONFIGURATIONS)
def test_broadcasts_of_several_trees_gain_on_a_torus_what_they_shall(configuration: str) -> None:
    found = selectors.time_broadcasts((3, 4, 5), [1 << 20], selectors.CONFIGURATIONS[configuration])
    for algorithm, bar in selectors.BARS.items():
        assert found.gains(algorithm)[0] >= bar, algorithm


@pytest.mark.parametrize("method", selectors.METHODS)
def test_what_the_two_level_ring_gains_over_pairwise_is_as_predicted(method: str) -> None:
    network = ayatori.open_source("fattree:K=3,levels=2")
    [job] = ayatori.random_jobs(network, 1, 5, 8, 1)
    predictor = Predictor(network, method, selectors.TREE_MODEL)
    selectors.check_answers_of_alltoalls(predictor, job, 100)
    timed = selectors.time_alltoalls(predictor, job, 1 << 16)
    assert timed.predicted_gain_over("pairwise") != pytest.approx(1, abs=0.01), (
        "a job without a difference shows nothing"
    )
    assert abs(timed.apart("pairwise")) <= selectors.AT_MOST_APART


@pytest.mark.parametrize(
    "collective",
    ["broadcast", "reduce", "allreduce", "reduce_scatter", "allgather", "gather", "scatter", "alltoall", "barrier"],
)
@pytest.mark.parametrize("selector", selectors.SELECTORS)
def test_what_a_selector_chooses_fulfils_the_postcondition_of_its_collective(collective: str, selector: str) -> None:
    """So that it is our schedules' equal: `execute` compares all ranks' data with the same table."""
    calls = [f"{collective} mpi 1001 root={root} check=1" for root in (0, 3)]
    seconds = smpi.execute_calls(selectors.torus_platform((2, 4)), 8, calls, "node-{}", selector=selector)
    assert min(seconds) > 0
