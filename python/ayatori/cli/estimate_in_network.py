"""ayatori estimate in-network: what would reductions in switches bring?"""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from ayatori._core import Purpose
from ayatori.base.units import format_bytes, format_seconds, parse_seconds
from ayatori.cli import options
from ayatori.cli.costs import describe_costs
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import JobOptions, ModelOptions, NetworkOptions
from ayatori.cli.output import print_json, print_table, say
from ayatori.prediction.costs import FREE
from ayatori.prediction.in_network import (
    COLLECTIVES,
    OPERATIONS,
    SEGMENT_BYTES,
    InNetwork,
    Uneven,
    predict_in_network,
    predict_uneven,
)
from ayatori.prediction.predictor import Model


class LateData(TypedDict):
    switches: float
    hosts: float
    """What is left after the last process has come, in switches and between hosts."""


class ReductionData(TypedDict):
    collective: str
    bytes: int
    """The collective, and the size of the vector."""
    seconds: float
    """In switches."""
    processor: float
    inside: float
    """Of these seconds, those that a rank's processor is busy, and those that the ranks of a host take among
    themselves."""
    links_up: int
    """From a host to the lowest switch that is above all of them."""
    algorithm: str
    host_seconds: float
    saved: float
    """Our fastest algorithm between hosts, its time, and the difference."""
    late: LateData | None
    """With `--late`: both, simulated. Otherwise, and for collectives that are not simulated in switches, null."""


class InNetworkData(TypedDict):
    """[The page](in-network.md) has the model."""

    source: str
    ranks: int
    machines: int
    """The network, and the job's ranks and hosts."""
    operations: list[str]
    segment_bytes: int
    """Operations that switches take; the largest payload of a packet."""
    results: list[ReductionData]
    """One entry per collective and size."""
    costs: str
    """Where the costs come from, as in `model.costs.origin` of `simulate`."""


@grouped
def in_network(
    *,
    collective: Annotated[
        str, typer.Option(metavar="C[,C…]", help=f"Collectives: {', '.join(COLLECTIVES)}.")
    ] = "allreduce",
    bytes: Annotated[
        str, typer.Option(metavar="SIZE[,SIZE…]", help="Size of the whole vector.")
    ] = "8B,16B,24B,4096B,64KiB",
    each: JobOptions,
    costs: ModelOptions,
    on: NetworkOptions,
    late: Annotated[
        str, typer.Option("--late", metavar="TIME", help="Mean of the random delays of processes; simulated.")
    ] = "",
    json: options.JSON = False,
) -> None:
    """Estimate reductions in switches (SHARP).

    They are compared with the fastest algorithm between hosts, for the first job, on a tree. The result is a lower
    bound by a model; no switch is asked. Nonblocking forms take as long, and hide all but the processor's time.
    """
    network = on.open(Purpose.collectives)
    job = each.jobs_or_whole_network(network)[0]
    sizes = options.sizes_of(bytes)
    calls = [(name, size) for name in collective.split(",") for size in (sizes if name != "barrier" else [0])]
    model = costs.model_on(network)
    predicted = predict_in_network(network, job, calls, model)
    seconds = options.value_of(parse_seconds, late) if late else 0.0
    if late and not 1e-9 <= seconds <= 1:
        raise UsageError(f"--late {late} is out of range", hint="1ns to 1s")
    uneven = [predict_uneven(network, job, one, seconds, model) if late else None for one in predicted]
    data: InNetworkData = {
        "source": on.source,
        "ranks": job.rank_count,
        "machines": len(job.machines),
        "operations": list(OPERATIONS),
        "segment_bytes": SEGMENT_BYTES,
        "results": [as_data(one, two) for one, two in zip(predicted, uneven, strict=True)],
        "costs": (model.costs or FREE).origin,
    }
    print_json("estimate-in-network", data) if json else describe(data, model)


def as_data(predicted: InNetwork, uneven: Uneven | None) -> ReductionData:
    return {
        "collective": predicted.collective,
        "bytes": predicted.bytes,
        "seconds": predicted.seconds,
        "algorithm": predicted.algorithm,
        "host_seconds": predicted.host_seconds,
        "links_up": predicted.links_up,
        "inside": predicted.inside,
        "processor": predicted.processor,
        "saved": predicted.saved,
        "late": None if uneven is None else {"switches": uneven.switches, "hosts": uneven.hosts},
    }


def describe(data: InNetworkData, model: Model) -> None:
    say(f"{data['ranks']} ranks on {data['machines']} machines; operations: {', '.join(data['operations'])}")
    describe_costs(model)
    columns = ["  collective", "in switches", "processor", "between hosts", "saved", "by"]
    print_table("", columns, [row_of(result) for result in data["results"]])
    late = [result for result in data["results"] if result["late"] is not None]
    if late:
        rows = [late_row_of(result) for result in late]
        print_table(
            "After the last process has come, simulated", ["  collective", "in switches", "between hosts"], rows
        )


def row_of(result: ReductionData) -> list[str]:
    times = [format_seconds(one) for one in (result["seconds"], result["processor"], result["host_seconds"])]
    saved = f"{result['saved'] / result['host_seconds']:.0%}" if result["host_seconds"] else "0%"
    return [f"  {result['collective']}, {format_bytes(result['bytes'])}", *times, saved, result["algorithm"]]


def late_row_of(result: ReductionData) -> list[str]:
    assert result["late"] is not None  # only those that were simulated have a row
    times = [format_seconds(result["late"]["switches"]), format_seconds(result["late"]["hosts"])]
    return [f"  {result['collective']}, {format_bytes(result['bytes'])}", *times]
