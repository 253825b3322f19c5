"""Ayatori: let HPC software see the network that it runs on, and use it.

import ayatori
network = ayatori.open_source("fattree:K=6,levels=2,nodes=30")
routes = ayatori.make_routes(network)
job = ayatori.random_jobs(network, 1, 16, seed=1)[0]
planned = ayatori.plan(network, routes, job, "pair")
print(ayatori.contention(network, routes, job, planned.plan).relative_bandwidth)
"""

from ayatori._core import Contention, Job, Network, Plan, Planned, Routes, Shape, TableCheck
from ayatori.errors import Error
from ayatori.jobs import contiguous_jobs, random_jobs, read_job
from ayatori.network import open_source
from ayatori.planning import contention, plan, steps_of
from ayatori.routes import check, make_routes, read_routes

__version__ = "0.1.0"

__all__ = [
    "Contention",
    "Error",
    "Job",
    "Network",
    "Plan",
    "Planned",
    "Routes",
    "Shape",
    "TableCheck",
    "check",
    "contention",
    "contiguous_jobs",
    "make_routes",
    "open_source",
    "plan",
    "random_jobs",
    "read_job",
    "read_routes",
    "steps_of",
]
