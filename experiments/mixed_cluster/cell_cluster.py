"""HPL on the cluster that paper 3 was to build: 156 blades of examples/cluster/cell-cluster.toml, on grids with P > 1.

A model, step by step over the panels. What blades compute is the paper's own: 342 GFlop/s in single precision, of which
mixed precision keeps 74%. What messages take is our flow simulation's, of the messages of one step on the cluster's
Ethernet, which alone joins all blades. The model has one panel of look-ahead, and nothing that the paper's 80% stand
for besides: no processor's time for messages, no slower update of narrow matrices, no refinement.

    step of a panel with m rows left = max(update, panel + its broadcast) + exchange of rows
    update       2 NB (m/P) (m/Q) / blade's rate
    panel        NB² (m/P) / (a share of that rate), and a message up and down the column for each of its NB columns
    broadcast    1ring: each process receives and sends m/P · NB numbers in a step
    exchange     of NB rows of m/Q numbers within a column, twice its volume ("long")
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.estimate.paper3 import BLADES_OF_TABLE_1, MEASURED_BLADE, MIXED_SHARE
from ayatori.model.jobs import read_job
from ayatori.model.network import open_source
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor, PreparedRun
from experiments.page import Table

CLUSTER = Path(__file__).parents[2] / "examples/cluster/cell-cluster.toml"
MEMORY_BYTES = 2e9
"""Of a blade (the paper's table 2)."""
FILLED = 0.8
SINGLE, DOUBLE = 4, 8
"""Bytes of a number: the factors are in single precision, and the matrix is kept in double precision."""
BLOCK = 128
PANEL_SHARE = 0.1
"""Of the blade's rate at which a panel is factored: a guess; with 1 the cluster gains less than 1%."""
LATENCY_S = 50e-6
"""Of a message over Gigabit Ethernet and TCP: a guess, of which the total is not sensitive."""
_BYTES = 10_000_000
NO_MESSAGES = 0.0
GRIDS = ((12, 13, ""), (13, 12, ""), (4, 39, ""), (2, 78, ""), (1, 156, ""), (12, 13, "10Gbit/s"))
"""P, Q, and the rate of the cables of the chassis where it is not the file's, which is assumed."""
_UPLINK = 'links = [{ to = "gbe[01-10],gbe[01-03]"'


class CellHpl(TypedDict):
    p: int
    q: int
    uplink: str
    """Of a chassis; empty: the file's 1 Gbit/s."""
    order: int
    tflops: float
    """As modelled."""
    update_share: float
    """Of the time, in steps whose update is longer than panel and broadcast."""
    row_mbps: float
    column_mbps: float
    """What a process sends to the next one of its row or column, when all do."""


@dataclass(frozen=True)
class Rates:
    """Bytes a second of a process, when all processes send to the next of their rows, or columns."""

    row: float
    column: float


def order_of(blades: int) -> int:
    """The largest matrix that fits, both its copies."""
    return int(math.sqrt(FILLED * blades * MEMORY_BYTES / (SINGLE + DOUBLE))) // BLOCK * BLOCK


def hpl_seconds(order: int, p: int, q: int, rates: Rates) -> tuple[float, float]:
    """The whole, and the share of it in which steps wait for updates."""
    flops = MEASURED_BLADE * MIXED_SHARE * 1e9
    whole = in_updates = 0.0
    for panel in range(order // BLOCK):
        left = order - panel * BLOCK
        height, width = left / p, left / q
        update = 2 * BLOCK * height * width / flops
        factored = BLOCK**2 * height / (PANEL_SHARE * flops) + BLOCK * 2 * math.ceil(math.log2(p)) * LATENCY_S
        sent = (height * BLOCK * SINGLE / rates.row + LATENCY_S) if q > 1 else 0.0
        swapped = 2 * BLOCK * width * SINGLE / rates.column + 2 * p * LATENCY_S if p > 1 else 0.0
        step = max(update, factored + sent) + swapped
        whole += step
        in_updates += step if update >= factored + sent else 0
    return whole, in_updates / whole


def model_cells(setting: tuple[int, int, str]) -> CellHpl:
    p, q, uplink = setting
    rates = measure_rates(p, q, uplink)
    order = order_of(p * q)
    seconds, share = hpl_seconds(order, p, q, rates)
    return {
        "p": p,
        "q": q,
        "uplink": uplink,
        "order": order,
        "tflops": 2 / 3 * order**3 / seconds / 1e12,
        "update_share": share,
        "row_mbps": rates.row / 1e6,
        "column_mbps": rates.column / 1e6,
    }


def cell_table(cells: Sequence[CellHpl]) -> Table:
    rows = [
        [f"{one['p']} x {one['q']}", one["uplink"] or "1Gbit/s", f"{one['order']:,}", f"{one['tflops']:.1f}"]
        + [f"{one['row_mbps']:.1f}", f"{one['column_mbps']:.1f}" if one["p"] > 1 else ""]
        for one in cells
    ]
    return Table(
        f"HPL of the cluster to be built: {BLADES_OF_TABLE_1} blades, TFlop/s",
        ["P x Q", "cable of a chassis", "N", "TFlop/s", "MB/s to the next of a row", "MB/s to the next of a column"],
        rows,
        f"Predicted, with NB {BLOCK}. {MEASURED_BLADE * MIXED_SHARE * BLADES_OF_TABLE_1 / 1e3:.1f} TFlop/s would be "
        "all that the blades compute in mixed precision. Panels hold it up: all that leaves a chassis shares a cable, "
        "whose rate the paper does not tell.",
    )


def measure_rates(p: int, q: int, uplink: str = "") -> Rates:
    """Of all blades at once, by flow simulation on the cluster's networks; by columns, blades in chassis order."""
    cells = [f"cell{chassis:02}-qs21-{blade:02}" for chassis in range(1, 14) for blade in range(1, 13)]
    with tempfile.TemporaryDirectory(prefix="ayatori-cells-") as made:
        text = CLUSTER.read_text(encoding="utf-8")
        if uplink:
            text = text.replace(_UPLINK, f'{_UPLINK}, rate = "{uplink}"')
        (Path(made) / "cluster.toml").write_text(text, encoding="utf-8")
        network = open_source(f"cluster:{made}/cluster.toml")
        (Path(made) / "hosts").write_text("".join(f"{cell}\n" for cell in cells[: p * q]), encoding="utf-8")
        job = read_job(network, Path(made) / "hosts")
    places = [(column, row) for column in range(q) for row in range(p)]
    rows = {column * p + row: (column + 1) % q * p + row for column, row in places}
    columns = {column * p + row: column * p + (row + 1) % p for column, row in places}
    return Rates(_rate(network, job, rows), _rate(network, job, columns))


def _rate(network: Network, job: Job, messages: dict[int, int]) -> float:
    """Bytes a second of the slowest; NO_MESSAGES where nobody sends to another."""
    lines = [f"{sender} {receiver}\n" for sender, receiver in messages.items() if sender != receiver]
    if not lines:
        return NO_MESSAGES
    predictor = Predictor(network, model=Model(costs=FREE))
    schedule = _core.schedule_of_pattern(_core.parse_pattern("".join(lines), "the messages", job.rank_count), _BYTES)
    run = PreparedRun(job, predictor.placement(job), schedule, predictor.plan(job, schedule), 0)
    return _BYTES / predictor.predict_prepared([run])[0].seconds
