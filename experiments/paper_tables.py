"""The forwarding tables of paper 1's figures."""

from __future__ import annotations

from ayatori._core import Network, PathNumbering, Routes
from ayatori.planning.plans import BASE_LIDS
from ayatori.planning.routes import make_routes


def tables_of_the_paper(network: Network, method: str) -> Routes:
    """One LID a port without a plan; else one a path, LID base + j by root j (section 4.1)."""
    return make_routes(network, 0 if method == BASE_LIDS else "auto", PathNumbering.by_root)
