"""Reads what a study says of jobs that run at the same time."""

from __future__ import annotations

from ayatori.report.model import Fabric, JobAmongOthers, SharedCable, Together
from ayatori.report.values import ReportError, Value


def read_together(value: Value, fabric: Fabric | None) -> Together:
    """Jobs on the cables and hosts of this fabric."""
    if fabric is None:
        raise ReportError(f"{value.file}: {value.path}: expected a fabric beside it", "the key fabric is missing")
    return Together(
        rounds=value.at("rounds").whole(least=1),
        alone=value.at("alone").number(),
        mean=value.at("mean").number(),
        jobs=[_job(item, fabric) for item in value.at("jobs").items()],
        shared=[_shared(item, fabric) for item in value.at("shared").items()],
    )


def _job(value: Value, fabric: Fabric) -> JobAmongOthers:
    return JobAmongOthers(
        name=value.at("name").text(),
        machines=value.at("machines").whole(),
        method=value.at("method").text(),
        alone=value.at("alone").number(),
        together=value.at("together").number(),
        worst_neighbour=value.at("worst_neighbour").text() if value.has("worst_neighbour") else "",
        beside_worst_neighbour=value.at("beside_worst_neighbour").number(),
        hosts=[item.whole(most=len(fabric.hosts) - 1) for item in value.at("hosts").items()],
        cables=[_cable(item, fabric) for item in value.at("cables").items()],
    )


def _shared(value: Value, fabric: Fabric) -> SharedCable:
    return SharedCable(
        cable=_cable(value.at("cable"), fabric),
        meeting=value.at("meeting").number(),
        jobs=[item.text() for item in value.at("jobs").items()],
    )


def _cable(value: Value, fabric: Fabric) -> int:
    """A direction of a link: 2 × link, + 1 from its end b."""
    return value.whole(most=2 * len(fabric.links) - 1)
