"""Plans of RoCE source ports beside a search that shares no code with the planner."""

import pytest

from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.planning.source_ports import plan_ports
from bench.validation.roce_exactly import agrees, can_be_disjoint, compare, switches_of


@pytest.mark.parametrize(
    ("hash", "ipv6"),
    [("xor", False), ("crc16", True), pytest.param("crc32", False, marks=pytest.mark.sweep), ("crc32", True)],
)
def test_as_many_steps_are_free_as_any_ports_allow(hash: str, ipv6: bool) -> None:
    network = open_source("fattree:K=4,levels=3,nodes=64")
    (job,) = random_jobs(network, 1, 6, seed=11)
    line = compare(network, plan_ports(network, job, switches_of(network, hash, ipv6)), hash)
    assert line["steps"] == 5 and agrees(line), line


def test_disjoint_paths_are_found_where_there_are_any() -> None:
    a, b, c = frozenset({1, 2}), frozenset({2, 3}), frozenset({4})
    assert can_be_disjoint([{a, b}, {a, c}, {b}]) is False
    assert can_be_disjoint([{a, b}, {c}, {frozenset()}]) is True
    assert can_be_disjoint([{a}, {b}]) is False
