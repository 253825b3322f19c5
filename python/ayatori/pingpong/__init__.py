"""What messages take on each network between some hosts, and through gateways: measured, fitted, drawn."""

from ayatori.pingpong.joining import join_fabrics, served_planes
from ayatori.pingpong.measuring import Result, measure_stretches
from ayatori.pingpong.network import network_of_facts, with_measured_links
from ayatori.pingpong.plots import latency_plot, throughput_plot
from ayatori.pingpong.stretches import Stretch, find_stretches

__all__ = [
    "Result",
    "Stretch",
    "find_stretches",
    "join_fabrics",
    "latency_plot",
    "measure_stretches",
    "network_of_facts",
    "served_planes",
    "throughput_plot",
    "with_measured_links",
]
