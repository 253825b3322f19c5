"""What messages cost: each verb says where the numbers come from, and an option means the same in all of them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ayatori import _core
from ayatori.formats.calibration import Calibration, write_calibration
from ayatori.prediction.assumed import assumed_inside
from ayatori.prediction.costs import MessageCosts, SizeCost, fixed, from_core

PAPER = "fattree:K=6,levels=2,nodes=30"
ROOT = Path(__file__).parents[2]
TWO_PLANES = f"cluster:{ROOT / 'examples/cluster/three-chassis.toml'}"
COSTS = MessageCosts(latency=3e-6, send=fixed(1e-7), receive=fixed(1e-7))
MEASURED = Calibration("n1: a processor, 2 cores", "Open MPI 4.1", inside=COSTS, between=COSTS, links_between=2)

SAID = {
    (): "assumed for 4xHDR",
    ("--calibration", "assumed"): "assumed for 4xHDR",
    ("--latency", "0"): "assumed for 4xHDR; given: latency",
    ("--overhead", "0", "--link-latency", "0us"): "assumed for 4xHDR; given: link latency, overheads",
    ("--eager", "0", "--injection", "1GB/s", "--bus", "1GB/s"): "assumed for 4xHDR; given: eager limit, injection, bus",
    ("--calibration", "none"): "none",
    ("--calibration", "none", "--latency", "2us"): "none; given: latency",
}


def hostfile_in(folder: Path, text: str = "N0\nN7\nN13\n") -> Path:
    path = folder / "hosts"
    path.write_text(text)
    return path


def verbs(folder: Path) -> dict[str, list[str]]:
    """Each verb that predicts, with a call and a job of its own."""
    job = ["--job", str(hostfile_in(folder))]
    allreduce = ["--collective", "allreduce", "--algorithm", "ring", "--bytes", "4KiB"]
    return {
        "simulate": ["simulate", PAPER, *job, *allreduce],
        "choose": ["choose", PAPER, *job, "--collective", "allreduce", "--bytes", "4KiB"],
        "choose --to": ["choose", PAPER, *job, "--collective", "broadcast", "--bytes", "4KiB", "--to", "intel"],
        "order": ["order", PAPER, *job, *allreduce, "--trials", "3"],
    }


@pytest.mark.parametrize("options", SAID, ids=" ".join)
@pytest.mark.parametrize("verb", ["simulate", "choose", "choose --to", "order"])
def test_a_prediction_says_where_its_costs_come_from(
    verb: str, options: tuple[str, ...], tmp_path: Path, ayatori_command
) -> None:
    said = SAID[options]
    outcome = ayatori_command(*verbs(tmp_path)[verb], *options).good()
    printed = "none: nothing takes time but bytes and links" if said == "none" else said
    assert f"  costs         {printed}\n" in outcome.stdout
    found = ayatori_command(*verbs(tmp_path)[verb], *options, "--json").json()
    assert found["model"]["costs"]["origin"] == said


def test_a_choice_table_says_where_its_costs_come_from(tmp_path: Path, ayatori_command) -> None:
    table = tmp_path / "table.json"
    for options in ((), ("--calibration", "none"), ("--latency", "0")):
        ayatori_command(*verbs(tmp_path)["choose"], *options, "--out", str(table)).good()
        assert json.loads(table.read_text())["model"]["costs_from"] == SAID[options]


def origin_of(ayatori_command, source: str, calibration: Path) -> str:
    call = ("--collective", "barrier", "--algorithm", "tree", "--calibration", str(calibration), "--json")
    return ayatori_command("simulate", source, *call).json()["model"]["costs"]["origin"]


def test_what_a_calibration_lacks_is_said_to_be_assumed(tmp_path: Path, ayatori_command) -> None:
    path = tmp_path / "costs.json"
    measured = "measured on n1: a processor, 2 cores with Open MPI 4.1"
    for calibration, lacks in (
        (MEASURED, ""),
        (replace(MEASURED, between=None), ", between machines assumed for 4xHDR"),
        (replace(MEASURED, inside=None), ", within a machine assumed for 4xHDR"),
    ):
        write_calibration(calibration, path)
        assert origin_of(ayatori_command, PAPER, path) == measured + lacks


def test_planes_that_nobody_measured_are_said_to_be_assumed(tmp_path: Path, ayatori_command) -> None:
    write_calibration(replace(MEASURED, inside=None), tmp_path / "infiniband.json")
    said = f"between machines measured on infiniband ({tmp_path}), assumed on gbe; within a machine assumed"
    assert origin_of(ayatori_command, TWO_PLANES, tmp_path) == said
    inside = tmp_path / "inside.json"
    write_calibration(replace(MEASURED, between=None), inside)
    assert origin_of(ayatori_command, TWO_PLANES, inside).endswith(
        "between machines assumed for the links of each plane"
    )


def test_the_page_has_the_costs_that_are_assumed_inside_a_machine() -> None:
    text = (ROOT / "docs/prediction-model.md").read_text(encoding="utf-8")
    core = _core.assumed_costs("4xHDR", direct=False).costs
    costs = assumed_inside()
    eager, rest = costs.inside.receive
    assert costs.inside.eager_limit == core.inside.eager_limit == 4040 and rest.first == 4041
    assert (
        f"| latency of a message | {ns(costs.inside.latency)} ns | {ns(costs.inside.latency)} ns, and "
        f"{ns(costs.inside.rendezvous)} ns of the rendezvous |"
    ) in text
    send = costs.inside.send
    assert f"| {ns(send[0].seconds)} ns + {ns(send[0].seconds_per_byte)} ns/B | {ns(send[1].seconds)} ns |" in text
    assert (
        f"| {ns(eager.seconds)} ns + {ns(eager.seconds_per_byte)} ns/B | "
        f"{ns(rest.seconds)} ns + {ns(rest.seconds_per_byte)} ns/B |"
    ) in text
    assert f"| copy | {cells_of(costs.copy)} |" in text
    assert f"| reduction of two vectors | {cells_of(costs_of_reductions())} |" in text


def costs_of_reductions() -> SizeCost:
    return from_core(_core.assumed_costs("4xHDR", direct=False).costs.reduce)


def ns(seconds: float) -> str:
    return f"{seconds * 1e9:.4g}"


def cells_of(cost: SizeCost) -> str:
    cells = []
    for line in cost:
        each = f"{line.seconds_per_byte * 1e12:.4g} ps/B"
        cells.append(f"{ns(line.seconds)} ns + {each}" if line.seconds else each)
    return " | ".join(cells)
