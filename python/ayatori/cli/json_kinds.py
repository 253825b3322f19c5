"""What commands print with --json, by kind: the types from which docs/json-output.md is made."""

from __future__ import annotations

from typing import NamedTuple

from ayatori.cli import (
    algorithms,
    bench_collectives,
    bench_pingpong,
    check,
    compare,
    demo,
    doctor,
    estimate,
    estimate_in_network,
    estimate_memory,
    explain,
    lab,
    order,
    place,
    plan_concurrent,
    plan_page,
    roce,
    searching,
    show,
    simulate,
    sources,
    tune,
)
from ayatori.formats.calibration import Calibration
from ayatori.linpack.sweep import HplData
from ayatori.measurement.programs import IncastData, PeersData
from ayatori.model.network import LinkData, ShapeData, ShowData
from ayatori.mpi_tables.tables import MpiTableData
from ayatori.overlap.sweep import OverlapData
from ayatori.planning.concurrent import PlacedData
from ayatori.planning.plans import JobsData
from ayatori.planning.routes import LanesData, RouteData, TablesData
from ayatori.prediction.choice import ChooseData
from ayatori.prediction.costs import Line, MessageCosts
from ayatori.prediction.incast import SimulatedIncastData

SHARED = {
    searching.CutData: "Cut",
    LinkData: "Links",
    ShapeData: "Shapes",
    MessageCosts: "Costs of messages",
    Line: "Lines",
    TablesData: "Tables",
    LanesData: "Virtual lanes",
    JobsData: "Jobs",
    PlacedData: "New jobs",
}
"""What several kinds have, with the title of its section."""


class Kind(NamedTuple):
    type: type
    command: str


KINDS = {
    "sources": Kind(sources.SourcesData, "sources"),
    "algorithms": Kind(algorithms.AlgorithmsData, "algorithms"),
    "show": Kind(ShowData, "show SOURCE"),
    "differences": Kind(show.DifferencesData, "show SOURCE --diff SOURCE"),
    "route": Kind(RouteData, "route SOURCE"),
    "check": Kind(check.CheckData, "check SOURCE"),
    "compare": Kind(compare.CompareData, "compare SOURCE"),
    "plan": Kind(plan_page.PlanData, "plan SOURCE"),
    "plan-with-running": Kind(plan_concurrent.StartedAmongRunning, "plan SOURCE --running FOLDER"),
    "roce": Kind(roce.RoceData, "roce SOURCE"),
    "plan-jointly": Kind(plan_concurrent.JointlyData, "plan SOURCE --jobs FOLDER"),
    "place": Kind(place.PlaceData, "place SOURCE"),
    "doctor": Kind(doctor.DoctorData, "doctor"),
    "calibrate": Kind(Calibration, "calibrate"),
    "tune": Kind(tune.TuneData, "tune"),
    "choose": Kind(ChooseData, "choose SOURCE"),
    "order": Kind(order.OrderData, "order SOURCE"),
    "mpi-table": Kind(MpiTableData, "choose SOURCE --to MPI"),
    "simulate": Kind(simulate.SimulateData, "simulate SOURCE"),
    "lab-fabric": Kind(lab.LabFabricData, "lab fabric SOURCE"),
    "bench-incast": Kind(IncastData, "bench incast"),
    "bench-pingpong": Kind(bench_pingpong.PingPongData, "bench pingpong"),
    "bench-collectives": Kind(bench_collectives.CollectivesData, "bench collectives"),
    "bench-alltoall": Kind(bench_collectives.CollectivesData, "bench alltoall"),
    "bench-hpl": Kind(HplData, "bench hpl"),
    "bench-overlap": Kind(OverlapData, "bench overlap"),
    "explain": Kind(explain.ExplainData, "explain"),
    "estimate-hpl": Kind(estimate.EstimateHplData, "estimate hpl"),
    "estimate-hpl-paper": Kind(estimate.PaperData, "estimate hpl --paper"),
    "estimate-memory": Kind(estimate_memory.MemoryData, "estimate memory"),
    "estimate-in-network": Kind(estimate_in_network.InNetworkData, "estimate in-network"),
    "bench-simulated-incast": Kind(SimulatedIncastData, "bench simulated-incast"),
    "bench-peers": Kind(PeersData, "bench peers"),
    "demo": Kind(demo.DemoData, "demo"),
}
