"""All-to-alls by packets (bench/validation/packet_fabric.cpp): times that are known, and what is refused."""

import subprocess

import pytest

from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.predictor import Predictor
from bench.validation import packet_fabric
from experiments.fat_tree_alltoall.experiment import PAPER_MODEL, SOURCE
from experiments.paper_tables import tables_of_the_paper

pytestmark = pytest.mark.skipif(not packet_fabric.is_there(), reason="packet_fabric was not built")


def run(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(packet_fabric.PROGRAM)], input=text, capture_output=True, text=True, check=False)


def two_ranks(steps: str) -> str:
    """Each over two links, in messages of ten packets."""
    return f"2 4 8 1 10\n0\n2 0 1\n2 2 3\n0\n{steps}"


def test_a_message_takes_a_slot_for_each_packet_and_one_for_each_further_link() -> None:
    assert run(two_ranks("1 1 1\n1 0 0\n")).stdout == "11\n"
    assert run(two_ranks("2 1 1 1 1\n2 0 0 0 0\n")).stdout == "22\n"


def test_two_that_share_a_link_take_twice_as_long() -> None:
    # Ranks 0 and 1 send to 2 and 3 over link 2; 2 and 3 answer over links of their own.
    paths = "0\n0\n2 0 2\n0\n0\n0\n0\n2 1 2\n1 3\n0\n0\n0\n0\n1 4\n0\n0\n"
    steps = "1 2 2\n1 3 3\n1 0 0\n1 1 1\n"
    assert run(f"4 5 8 1 10\n{paths}{steps}").stdout == "21\n"


def test_input_that_is_wrong_is_said_in_a_line() -> None:
    for text, line in [("", "the input is not whole"), (two_ranks("1 1 1\n0\n"), "ranks wait for each other")]:
        done = run(text)
        assert done.returncode != 0
        assert done.stderr == f"packet_fabric: {line}\n"


def test_packets_put_the_2_level_ring_ahead_of_the_plain_one() -> None:
    """As paper 1's section 5.1 says, and flows do not."""
    network = open_source(SOURCE)
    predictor = Predictor(network, "rule", PAPER_MODEL, tables_of_the_paper(network, "rule"))
    job = random_jobs(network, 1, 16, 8, 1)[0]

    def seconds(algorithm: str, seed: int) -> float:
        call = Call("alltoall", algorithm, 1 << 14)
        return packet_fabric.seconds_of(predictor, job, call, packet_fabric.Switches(seed=seed), 1716e6)

    two_level = seconds("two-level-ring-blocking", 1)
    assert two_level == seconds("two-level-ring-blocking", 1)
    assert two_level < seconds("shift", 1)
    bare = predictor.predict([job], Call("alltoall", "two-level-ring-blocking", 1 << 14))[0].seconds
    assert bare < two_level
