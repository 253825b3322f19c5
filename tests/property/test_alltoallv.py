"""An alltoallv's sizes, from Python: what a schedule makes of them, and how long that takes."""

from pathlib import Path

import numpy as np
import pytest

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call, bandwidth_bytes, make_schedule, read_pair_sizes
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor

RANKS = 7


def drawn(seed: int) -> list[list[int]]:
    """Some pairs are silent."""
    random = np.random.default_rng(seed)
    sizes = random.integers(0, 1 << 20, (RANKS, RANKS)) * (random.random((RANKS, RANKS)) < 0.7)
    return [[int(size) for size in row] for row in sizes]


def call(sizes: list[list[int]] | None) -> Call:
    return Call("alltoallv", "shift", 0, sizes=sizes)


def test_what_a_rank_does_in_a_step_has_names() -> None:
    schedule = make_schedule(Call("reduce", "binomial", 4096), _core.placement_of_ranks(2, 1))
    at_root, at_other = schedule.actions(0, 0, 0), schedule.actions(1, 0, 0)
    [receive], [send], [local] = at_root.receives, at_other.sends, at_root.locals
    assert (receive.peer, receive.bytes, send.peer, send.bytes) == (1, 4096, 0, 4096)
    assert (send.slots[0].first, send.slots[0].count) == (0, 1)
    assert (local.kind, local.from_slots.count, local.to_slot) == ("reduce", 1, 0)
    assert repr(at_root) == "<StepActions: 0 sends, 1 receive, 1 local operation>"
    totals = schedule.totals()
    assert (totals.messages, totals.bytes) == (1, 4096)
    with pytest.raises(IndexError, match="no such participant, stream or step"):
        schedule.actions(2, 0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_each_synchronous_step_takes_its_largest_message(seed: int) -> None:
    sizes = drawn(seed)
    network = open_source(f"fattree:K={RANKS + 1},levels=2,nodes={RANKS}")
    job = _core.contiguous_job(network, RANKS, 1, False)
    predictor = Predictor(network, model=Model("synchronous", 1e9, link_latency=0, costs=FREE))
    [prediction] = predictor.predict([job], call(sizes))
    steps = [max(sizes[rank][(rank + step) % RANKS] for rank in range(RANKS)) for step in range(1, RANKS)]
    assert prediction.seconds == pytest.approx(sum(steps) / 1e9, rel=1e-9)


def test_the_bandwidth_counts_what_leaves_nodes() -> None:
    sizes = np.arange(16).reshape(4, 4)
    between_two_nodes = sizes[:2, 2:].sum() + sizes[2:, :2].sum()
    assert bandwidth_bytes(call(sizes.tolist()), _core.placement_of_ranks(4, 2)) == between_two_nodes / 2


@pytest.mark.parametrize("seed", range(5))
def test_a_file_has_each_pairs_bytes(seed: int, tmp_path: Path) -> None:
    """Some in two lines, in any order."""
    sizes = drawn(seed)
    parts = [
        (a, b, part)
        for a in range(RANKS)
        for b in range(RANKS)
        for part in (sizes[a][b] // 3, -(-2 * sizes[a][b] // 3))
    ]
    np.random.default_rng(seed).shuffle(parts)
    file = tmp_path / "sizes"
    file.write_text("# FROM TO BYTES\n" + "".join(f"{a} {b} {part}\n" for a, b, part in parts if part))
    assert read_pair_sizes(file, RANKS) == sizes


@pytest.mark.parametrize("text", ["", "0 1 -1\n", "0 7 1\n", f"0 1 {2**58}\n" * 2])
def test_files_of_sizes_that_can_not_be(text: str, tmp_path: Path) -> None:
    file = tmp_path / "sizes"
    file.write_text(text)
    with pytest.raises(Error, match=str(file)):
        read_pair_sizes(file, RANKS)


def test_sizes_must_fit() -> None:
    placement = _core.placement_of_ranks(RANKS, 1)
    with pytest.raises(Error, match="the sizes are those of 2"):
        make_schedule(call([[0, 1], [1, 0]]), placement)
    with pytest.raises(Error, match="square matrix"):
        make_schedule(call([[0, 1, 2], [1, 0, 2]]), placement)
    with pytest.raises(Error, match="alltoallv needs a size for each pair"):
        make_schedule(call(None), placement)
    with pytest.raises(Error, match="can't be counted"):
        make_schedule(call([[1 << 57] * RANKS] * RANKS), placement)
