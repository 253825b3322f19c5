"""Values of ours for paper 1."""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean

from experiments.fat_tree_alltoall.experiment import MAIN, RINGS, VARIANTS, packets_named
from experiments.papers.values import Missing, Saved, Source, Value, Values, mean_of, share_of, single

PLAIN = next(variant for variant in VARIANTS if variant.algorithm == "shift" and not variant.model.head_of_line)
PLAIN_BLOCKED = next(variant for variant in VARIANTS if variant.algorithm == "shift" and variant.model.head_of_line)
BLOCKED = next(variant for variant in VARIANTS if variant.name == "head-of-line blocking")
INSIDE = next(variant for variant in VARIANTS if "measured on a machine" in variant.name)
GOOD, OF = 1500, 1000
RING, PLAIN_RING = RINGS
FIGURE_2 = "the rule's plan of figure 2's job"


def _source(compute: Callable[[Saved], Value | float]) -> Source:
    return Source("fat_tree_alltoall", compute)


def _random(saved: Saved, method: str, variant: str = MAIN.name) -> list[float]:
    return saved.of(f"random, {variant}: {method}")


def _mean(method: str, variant: str = MAIN.name) -> Source:
    return _source(lambda saved: mean_of(_random(saved, method, variant), "random jobs"))


def _good(method: str) -> Source:
    def count(saved: Saved) -> Value:
        values = _random(saved, method)
        return share_of(sum(value >= GOOD for value in values), len(values), "random jobs", OF)

    return _source(count)


def _gain(method: str, variant: str = MAIN.name) -> Source:
    """In per cent, of the means; with twice its standard error over the same jobs."""

    def gain(saved: Saved) -> Value:
        base, other = _random(saved, "base-lids", variant), _random(saved, method, variant)
        whole = fmean(base)
        apart = mean_of([(one - two) / whole * 100 for one, two in zip(other, base, strict=True)], "random jobs")
        return Value(apart.number, apart.spread, apart.spread_of)

    return _source(gain)


def _contiguous(saved: Saved, method: str) -> dict[int, float]:
    first, last = saved.parameters["contiguous"]
    sizes = range(first, last + 1)
    return dict(zip(sizes, saved.of(f"contiguous, {MAIN.name}: {method}"), strict=True))


def _at(nodes: int, method: str) -> Source:
    return _source(lambda saved: _contiguous(saved, method)[nodes])


def _least_of_good_sizes(saved: Saved) -> float:
    return min(value for n, value in _contiguous(saved, "base-lids").items() if n <= 12 or n % 6 == 0)


def _most_of_other_sizes(saved: Saved) -> float:
    return max(value for n, value in _contiguous(saved, "base-lids").items() if n > 12 and n % 6)


def _most_apart(saved: Saved) -> float:
    """Per cent by which the rule differs from base LIDs on contiguous nodes."""
    pairs = zip(_contiguous(saved, "rule").values(), _contiguous(saved, "base-lids").values(), strict=True)
    return max(abs(rule / base - 1) * 100 for rule, base in pairs)


def _behind_random(saved: Saved) -> float:
    return (1 - _contiguous(saved, "base-lids")[16] / fmean(_random(saved, "rule"))) * 100


def _inside(saved: Saved) -> float:
    """Per cent of the bandwidth that the time inside a node costs."""
    return (1 - fmean(_random(saved, "rule", INSIDE.name)) / fmean(_random(saved, "rule"))) * 100


def _by_packets(saved: Saved, ring: str, method: str) -> list[float]:
    buffer = saved.parameters["packets"]["buffers"][0]
    return saved.of(packets_named(ring, method, buffer))


def _packets(ring: str, method: str) -> Source:
    """MB/s a node, by packets that queue in switches."""
    return _source(lambda saved: mean_of(_by_packets(saved, ring, method), "random jobs"))


def _packet_loss(ring: str, method: str, free: str) -> Source:
    """Per cent of the bandwidth without packets that the same jobs lose by them."""

    def loss(saved: Saved) -> float:
        packets = _by_packets(saved, ring, method)
        return (1 - fmean(packets) / fmean(_random(saved, method, free)[: len(packets)])) * 100

    return _source(loss)


def _two_level_gain(saved: Saved) -> float:
    """MB/s by which the 2-level ring is ahead of the plain one, by packets."""
    return fmean(_by_packets(saved, RING, "rule")) - fmean(_by_packets(saved, PLAIN_RING, "rule"))


def _stream(allocation: str, method: str) -> Source:
    return Source("job_stream", lambda saved: mean_of(saved.of(f"{allocation}: {method}"), "jobs"))


def _utilisation(allocation: str) -> Source:
    return Source("job_stream", lambda saved: saved.of(f"utilisation: {allocation}")[0] * 100)


def _several_against_one(saved: Saved) -> float:
    """MB/s by which one path is ahead of several, by packets."""
    return float(saved.of("one path, packets")[0]["mbps"] - saved.of("several paths, packets")[0]["mbps"])


def _gain_by_steps(saved: Saved) -> float:
    """Per cent, as the demo has it: by the load of each step's worst link, and not by flows that drift."""
    found = saved.of("16 random nodes")[0]
    return float(found["bandwidth"] / found["bandwidth_before"] - 1) * 100


def _by_rule(command: str, number: str) -> Source:
    """Of a plan that has the rule's paths: `ayatori plan` leaves base LIDs where the rule gains nothing."""

    def find(saved: Saved) -> float:
        found = saved.of(command)[0]
        if not found["by_rule"]:
            raise Missing(command)
        return float(found[number])

    return Source("single_commands", find, command)


VALUES: Values = {
    "random_jobs": _source(lambda saved: len(_random(saved, "rule"))),
    "base_mean": _mean("base-lids"),
    "base_min": _source(lambda saved: min(_random(saved, "base-lids"))),
    "base_max": _source(lambda saved: max(_random(saved, "base-lids"))),
    "base_good": _good("base-lids"),
    "rule_mean": _mean("rule"),
    "rule_min": _source(lambda saved: min(_random(saved, "rule"))),
    "rule_max": _source(lambda saved: max(_random(saved, "rule"))),
    "rule_good": _good("rule"),
    "rule_gain": _gain("rule"),
    "rule_gain_inside": _gain("rule", INSIDE.name),
    "colour_mean": _mean("colour"),
    "pair_mean": _mean("pair"),
    "pair_min": _source(lambda saved: min(_random(saved, "pair"))),
    "base_at_16": _at(16, "base-lids"),
    "rule_at_16": _at(16, "rule"),
    "pair_at_16": _at(16, "pair"),
    "contiguous_least_good": _source(_least_of_good_sizes),
    "contiguous_most_other": _source(_most_of_other_sizes),
    "contiguous_apart": _source(_most_apart),
    "contiguous_behind": _source(_behind_random),
    "inside_share": _source(_inside),
    "two_level": _mean("rule", BLOCKED.name),
    "plain_blocked": _mean("rule", PLAIN_BLOCKED.name),
    "plain": _mean("rule", PLAIN.name),
    "two_level_packets": _packets(RING, "rule"),
    "plain_packets": _packets(PLAIN_RING, "rule"),
    "two_level_packets_base": _packets(RING, "base-lids"),
    "plain_packets_base": _packets(PLAIN_RING, "base-lids"),
    "two_level_loss": _packet_loss(RING, "rule", MAIN.name),
    "two_level_loss_base": _packet_loss(RING, "base-lids", MAIN.name),
    "plain_loss": _packet_loss(PLAIN_RING, "rule", PLAIN.name),
    "plain_loss_base": _packet_loss(PLAIN_RING, "base-lids", PLAIN.name),
    "hot_jobs": single("16 random nodes", "hot"),
    "hot_jobs_before": single("16 random nodes", "hot_before"),
    "demo_gain": Source("single_commands", _gain_by_steps, "16 random nodes"),
    "two_level_gain": _source(_two_level_gain),
    "utilisation_contiguous": _utilisation("contiguous only"),
    "utilisation_any": _utilisation("any nodes"),
    "stream_contiguous": _stream("contiguous only", "base-lids"),
    "stream_any": _stream("any nodes", "base-lids"),
    "stream_any_pair": _stream("any nodes", "pair"),
    "machines_3ary": single("figure 1's fabric", "machines"),
    "switches_3ary": single("figure 1's fabric", "routers"),
    "machines_18ary": single("largest fabric", "machines"),
    "machines_cluster": single("the cluster", "machines"),
    "switches_cluster": single("the cluster", "routers"),
    "figure2_hot": single("figure 2's job", "hot_links"),
    "figure2_load": single("figure 2's job", "worst_load"),
    "figure2_bandwidth": single("figure 2's job", "bandwidth"),
    "figure2_planned": single("figure 2's job, planned", "hot_links"),
    "figure3_hot": single("figure 3's job", "hot_links"),
    "figure3_load": single("figure 3's job", "worst_load"),
    "figure3_symmetric": single("figure 3's job, symmetric", "hot_links"),
    "lmc": single("LIDs", "lmc"),
    "lids": single("LIDs", "lids_a_port"),
    "most_lids": single("most LIDs", "lids_a_port"),
    "checks": single("OpenSM's file engine", "checks"),
    "checks_passed": single("OpenSM's file engine", "passed"),
    "paths": single("LIDs", "paths"),
    "base_lid": single("nodes 0, 3 and 6", "base_lid_of_rank_0"),
    **{f"root_of_{rank}": _by_rule(FIGURE_2, f"root_of_rank_{rank}") for rank in range(4)},
    "base_lid_of_5": _by_rule(FIGURE_2, "base_lid_of_rank_1"),
    "bits_of_5": _by_rule(FIGURE_2, "bits_of_rank_1"),
    **{f"shuffled_{rank}": _by_rule("the same in another order", f"root_of_rank_{rank}") for rank in range(4)},
    "free_6": single("6 random nodes", "free"),
    "free_6_before": single("6 random nodes", "free_before"),
    "free_8": single("8 random nodes", "free"),
    "free_8_before": single("8 random nodes", "free_before"),
    "free_16": single("16 random nodes", "free"),
    "free_16_before": single("16 random nodes", "free_before"),
    "opensm_ftree": single("OpenSM's ftree", "opensm_ftree"),
    "ours_ftree": single("OpenSM's ftree", "ours"),
    "several_blocked": single("several paths, packets", "mbps"),
    "several": single("several paths", "mbps"),
    "one_path": single("one path, packets", "mbps"),
    "one_path_ahead": Source("single_commands", _several_against_one, "several paths, packets"),
}
