"""Clusters of several networks on this machine: each host is a network namespace, each cable a pair of interfaces that
sends at the cable's rate."""

from ayatori.lab.cluster.delays import LEAST_DELAY_NS, can_delay
from ayatori.lab.cluster.faults import read_faults
from ayatori.lab.cluster.gateways import find_routes
from ayatori.lab.cluster.layout import Layout, lay_out
from ayatori.lab.cluster.neighbours import why_too_large
from ayatori.lab.cluster.session import Settings, has_netem, run_command, why_impossible, words_in_lab

__all__ = [
    "LEAST_DELAY_NS",
    "Layout",
    "Settings",
    "can_delay",
    "find_routes",
    "has_netem",
    "lay_out",
    "read_faults",
    "run_command",
    "why_impossible",
    "why_too_large",
    "words_in_lab",
]
