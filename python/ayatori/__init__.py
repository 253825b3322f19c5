"""Ayatori: let HPC software see the network that it runs on, and use it.

import ayatori
network = ayatori.open_source("fattree:K=6,levels=2,nodes=30")
routes = ayatori.make_routes(network)
job = ayatori.random_jobs(network, 1, 16, seed=1)[0]
planned = ayatori.plan(network, routes, job, "pair")
print(ayatori.contention(network, routes, job, planned.plan).relative_bandwidth)
"""

from __future__ import annotations

TYPE_CHECKING = False  # typing's own: to import it takes as long as to start the command line
if TYPE_CHECKING:
    from typing import Any

    from ayatori._core import Contention, Job, Network, Plan, Planned, Routes, Shape, TableCheck
    from ayatori.base.errors import Error
    from ayatori.model.jobs import contiguous_jobs, random_jobs, read_job
    from ayatori.model.network import open_source
    from ayatori.planning.plans import contention, plan
    from ayatori.planning.routes import check, make_routes, read_routes
    from ayatori.planning.traffics import steps_of
    from ayatori.prediction.calls import Call
    from ayatori.prediction.choice import choose
    from ayatori.prediction.costs import FREE, Costs, Line, MessageCosts
    from ayatori.prediction.predictor import Model, Predictor
    from ayatori.prediction.simulation import simulate
    from ayatori.prediction.together import ConcurrentSimulation

__version__ = "0.1.0"

__all__ = [
    "FREE",
    "Call",
    "ConcurrentSimulation",
    "Contention",
    "Costs",
    "Error",
    "Job",
    "Line",
    "MessageCosts",
    "Model",
    "Network",
    "Plan",
    "Planned",
    "Predictor",
    "Routes",
    "Shape",
    "TableCheck",
    "check",
    "choose",
    "contention",
    "contiguous_jobs",
    "make_routes",
    "open_source",
    "plan",
    "random_jobs",
    "read_job",
    "read_routes",
    "simulate",
    "steps_of",
]

_MODULES = {
    "_core": ("Contention", "Job", "Network", "Plan", "Planned", "Routes", "Shape", "TableCheck"),
    "base.errors": ("Error",),
    "model.jobs": ("contiguous_jobs", "random_jobs", "read_job"),
    "model.network": ("open_source",),
    "planning.plans": ("contention", "plan"),
    "planning.traffics": ("steps_of",),
    "planning.routes": ("check", "make_routes", "read_routes"),
    "prediction.calls": ("Call",),
    "prediction.choice": ("choose",),
    "prediction.costs": ("FREE", "Costs", "Line", "MessageCosts"),
    "prediction.predictor": ("Model", "Predictor"),
    "prediction.simulation": ("simulate",),
    "prediction.together": ("ConcurrentSimulation",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Imports what is asked for when it is first asked for, so that packages that need no C++ start without it."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'ayatori' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(f"ayatori.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
