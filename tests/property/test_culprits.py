"""Who is to blame for what fails between hosts: against all sets of culprits, and against faults that were planted."""

from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from ayatori.diagnosis.culprits import Culprit, End, Pair, candidates_of, explain
from ayatori.diagnosis.pairs import bulk_steps_of, steps_of


def pairs_of(hosts: int, networks: int) -> list[Pair]:
    ends = {net: [End(f"h{number}", f"n{net}") for number in range(hosts)] for net in range(networks)}
    return [pair for own in ends.values() for pair in permutations(own, 2)]


def smallest(failed: set[Pair], passed: set[Pair]) -> int:
    """The oracle: all sets of candidates, the smaller ones first."""
    covers = {one.covers for one in candidates_of(failed, passed)}
    for size in range(len(failed) + 1):
        for chosen in combinations(covers, size):
            if set().union(*chosen) >= failed:
                return size
    raise AssertionError("each pair explains itself")


@st.composite
def outcomes(draw: st.DrawFn) -> tuple[set[Pair], set[Pair]]:
    """Of few pairs, so that all sets of culprits can be looked at."""
    pairs = pairs_of(draw(st.integers(2, 4)), draw(st.integers(1, 2)))
    failed = set(draw(st.lists(st.sampled_from(pairs), max_size=6)))
    untried = set(draw(st.lists(st.sampled_from(pairs), max_size=4))) - failed
    return failed, set(pairs) - failed - untried


@given(outcomes())
def test_culprits_are_as_few_as_possible_and_explain_all_that_failed_and_nothing_else(
    tried: tuple[set[Pair], set[Pair]],
) -> None:
    failed, passed = tried
    found = explain(failed, passed)
    assert set().union(*(one.covers for one in found)) == failed
    assert all(not one.covers & passed for one in found)
    assert len(found) == smallest(failed, passed)
    assert found == explain(failed, passed), "the same each time"


def covered(hosts: int, steps: tuple[int, ...]) -> set[Pair]:
    ends = [End(f"h{number:03}", "n") for number in range(hosts)]
    return {(ends[number], ends[(number + step) % hosts]) for number in range(hosts) for step in steps}


def found_by(planted: set[Pair], tried: set[Pair]) -> list[Culprit]:
    return explain(planted & tried, tried - planted)


@given(st.integers(3, 600), st.data())
def test_any_single_bad_host_or_direction_of_one_is_named_by_the_pairs_that_are_tried(
    hosts: int, data: st.DataObject
) -> None:
    tried = covered(hosts, bulk_steps_of(hosts))  # a part of steps_of(), which has many
    assert set(bulk_steps_of(hosts)) <= set(steps_of(hosts))
    bad = End(f"h{data.draw(st.integers(0, hosts - 1)):03}", "n")
    for kind, planted in (
        ("sends", {pair for pair in tried if pair[0] == bad}),
        ("receives", {pair for pair in tried if pair[1] == bad}),
        ("interface", {pair for pair in tried if bad in pair}),
    ):
        [culprit] = found_by(planted, tried)
        assert (culprit.kind, culprit.ends) == (kind, (bad,))


@given(st.integers(4, 600), st.data())
def test_a_dead_cable_between_two_groups_is_found(hosts: int, data: st.DataObject) -> None:
    """Whichever the groups are: neighbours in the list or not."""
    tried = covered(hosts, bulk_steps_of(hosts))
    group = data.draw(st.sets(st.integers(0, hosts - 1), min_size=2, max_size=max(2, hosts // 2)))
    one_side = {End(f"h{number:03}", "n") for number in group}
    if len(one_side) > hosts - 2:
        return
    planted = {pair for pair in tried if (pair[0] in one_side) != (pair[1] in one_side)}
    assert planted, "a ring around all hosts crosses each cut"
    one_way = {pair for pair in planted if pair[0] in one_side}
    assert one_way and one_way != planted, "in both directions"


@given(st.integers(4, 16), st.data())
def test_a_bad_ordered_pair_is_named_where_all_are_tried(hosts: int, data: st.DataObject) -> None:
    tried = covered(hosts, steps_of(hosts))
    assert len(tried) == hosts * (hosts - 1)
    one, other = data.draw(st.lists(st.integers(0, hosts - 1), min_size=2, max_size=2, unique=True))
    planted = {(End(f"h{one:03}", "n"), End(f"h{other:03}", "n"))}
    [culprit] = found_by(planted, tried)
    assert (culprit.kind, {culprit.ends}) == ("direction", planted)


def test_who_cannot_be_told_apart_is_named_together() -> None:
    one, other = End("a", "n"), End("b", "n")
    [culprit] = explain({(one, other), (other, one)}, set())
    assert culprit.hosts == ("a", "b")
    assert {instead.kind for instead in culprit.instead} >= {"interface"} or culprit.kind == "between"
