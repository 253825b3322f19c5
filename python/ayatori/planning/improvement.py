"""A plan beside the tables in use: whichever of the two is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ayatori._core import Job, Network, Routes
from ayatori.planning.plans import DESTINATION_MOD_K, Assessment, assess_jobs

OURS = "destination-mod-K tables of ours, one LID a port"
PLAN, NO_PLAN = "plan", "no plan"


@dataclass(frozen=True)
class TablesInUse:
    """What a plan has to beat: these tables, with every message to its destination's base LID."""

    routes: Routes
    name: str = OURS


@dataclass
class Improvement:
    """One job without a plan on the tables in use, and with a plan, by the same measure."""

    without: Assessment
    planned: Assessment

    @property
    def keeps_tables(self) -> bool:
        """True if the plan would be worse than no plan."""
        return _order(self.planned) > _order(self.without)

    @property
    def better(self) -> Assessment:
        """The plan, unless it would be worse."""
        return self.without if self.keeps_tables else self.planned


def _order(assessment: Assessment) -> tuple[float, int]:
    """Less is better. Twelve digits: what differs less is the same bandwidth, summed in another order."""
    return -float(f"{assessment.contention.relative_bandwidth:.12g}"), assessment.contention.hot_spots


def improve_jobs(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    jobs: Sequence[Job],
    method: str,
    pattern: str = "shift",
    seed: int = 1,
    progress: Callable[[], None] = lambda: None,
) -> list[Improvement]:
    """Measures each job on the tables in use, and with its plan by `method` on `routes`; `progress` after each of both.

    Only relative bandwidth and hot spots decide, whatever the method says of itself.
    """
    without = assess_jobs(network, in_use.routes, jobs, DESTINATION_MOD_K, pattern, seed, progress)
    planned = assess_jobs(network, routes, jobs, method, pattern, seed, progress)
    return [Improvement(*pair) for pair in zip(without, planned, strict=True)]


def improvements_as_data(in_use: TablesInUse, improvements: Iterable[Improvement]) -> dict[str, Any]:
    """What `plan --json` prints besides the keys of jobs."""
    improvements = list(improvements)
    return {
        "baseline": in_use.name,
        "kept": sum(improvement.keeps_tables for improvement in improvements),
        "choices": [
            {
                "take": NO_PLAN if improvement.keeps_tables else PLAN,
                "with_plan": improvement.planned.contention.relative_bandwidth,
                "without": improvement.without.contention.relative_bandwidth,
            }
            for improvement in improvements
        ],
    }
