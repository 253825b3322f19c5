"""Each experiment on a few jobs: key figures as they were, and the same after an interruption."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ayatori.base.errors import Error
from ayatori.resumable import SavedResults
from experiments import fat_tree_alltoall, torus_broadcast
from experiments.fat_tree_alltoall.experiment import VARIANTS
from experiments.page import share_of_others, this_machine

MEASURED_INSIDE, SHARED_INSIDE = (variant for variant in VARIANTS if "inside a node" in variant.name)
FEW_JOBS = fat_tree_alltoall.Settings(
    jobs=4,
    contiguous=(15, 18),
    variants=(VARIANTS[0], VARIANTS[1], MEASURED_INSIDE, SHARED_INSIDE, VARIANTS[-1]),
    packets=fat_tree_alltoall.ByPackets(jobs=0),
    chunk=2,
)
SMALL_TORUS = torus_broadcast.Settings(shapes=("2x3x2",), sizes=(1 << 12, 1 << 20), smpi=False, on_nwtopo=None)
GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())


@pytest.fixture(scope="module")
def fat_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fat_tree")
    fat_tree_alltoall.run(folder, FEW_JOBS)
    return folder


@pytest.fixture(scope="module")
def torus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("torus")
    torus_broadcast.run(folder, SMALL_TORUS)
    return folder


def figures(folder: Path) -> dict[str, list[float]]:
    return json.loads((folder / "results.json").read_text())["results"]


def test_bandwidths_on_the_fat_tree_are_as_they_were(fat_tree: Path) -> None:
    assert figures(fat_tree) == GOLDEN["fat_tree_alltoall"]


def test_time_inside_a_node_is_a_small_part_of_an_all_to_alls(fat_tree: Path) -> None:
    """As paper 1 says of its figure 8, whose T includes it."""
    found = figures(fat_tree)
    for jobs in ("random", "contiguous"):
        for method in ("base-lids", "rule"):
            without = found[f"{jobs}, {VARIANTS[0].name}: {method}"]
            for variant in (MEASURED_INSIDE, SHARED_INSIDE):
                for mbps, bare in zip(found[f"{jobs}, {variant.name}: {method}"], without, strict=True):
                    assert 0.97 * bare < mbps < bare


def test_times_on_tori_are_as_they_were(torus: Path) -> None:
    assert figures(torus) == GOLDEN["torus_broadcast"]


def test_no_method_is_better_than_a_path_a_pair(fat_tree: Path) -> None:
    found = figures(fat_tree)
    for name in [name.removesuffix(": pair") for name in found if name.endswith(": pair")]:
        others = zip(*(found[f"{name}: {method}"] for method in ("base-lids", "rule", "colour")), strict=True)
        for pair, rivals in zip(found[f"{name}: pair"], others, strict=True):
            assert pair >= max(rivals) * (1 - 1e-9)


def test_pages_draw_both_figures_of_each_paper(fat_tree: Path, torus: Path) -> None:
    with_time_inside = ["figure9-2", "figure10-2", "figure9-3", "figure10-3"]
    for folder, places in ((fat_tree, ["figure9", "figure10", *with_time_inside]), (torus, ["figure6a"])):
        page = (folder / "index.html").read_text()
        assert [place for place in places if f'id="{place}"' in page] == places
        assert "<script src" not in page


def test_pages_say_that_others_were_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 <= share_of_others() <= 1.1
    assert "busy" not in this_machine()
    monkeypatch.setattr("experiments.page.share_of_others", lambda: 0.874)
    assert this_machine().endswith("; busy: other programs took 87% of the cores")


class Interrupted(Exception):
    pass


def interrupt_after(savings: int) -> Callable[..., None]:
    """SavedResults.save, which gives up after so many times."""
    save, done = SavedResults.save, 0

    def give_up(self: SavedResults, **more: Any) -> None:
        nonlocal done
        save(self, **more)
        done += 1
        if done == savings:
            raise Interrupted

    return give_up


@pytest.mark.parametrize(
    "savings", [pytest.param(1, marks=pytest.mark.sweep), 5, pytest.param(13, marks=pytest.mark.sweep)]
)
def test_what_was_interrupted_ends_as_if_it_had_not_been(
    savings: int, fat_tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(SavedResults, "save", interrupt_after(savings))
        with pytest.raises(Interrupted):
            fat_tree_alltoall.run(tmp_path, FEW_JOBS)
    assert sum(map(len, figures(tmp_path).values())) == 2 * savings
    fat_tree_alltoall.run(tmp_path, FEW_JOBS, resume=True)
    for file in ("results.json", "index.html"):
        assert (tmp_path / file).read_bytes() == (fat_tree / file).read_bytes()


def test_what_is_there_is_not_computed_again(torus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ayatori.prediction.predictor.Predictor.predict", lambda *_: pytest.fail("computed again"))
    torus_broadcast.run(torus, SMALL_TORUS, resume=True)


def test_results_of_other_parameters_are_refused(torus: Path) -> None:
    with pytest.raises(Error, match="can't resume") as error:
        torus_broadcast.run(torus, replace(SMALL_TORUS, sizes=(1 << 12,)), resume=True)
    assert error.value.cause == "it has the results of other parameters: sizes"
