"""What is printed of reliable connections that gave up."""

from __future__ import annotations

from statistics import median

from ayatori.prediction.incast import Protocol
from experiments.page import Table

Broken = dict[tuple[int, int], list[int]]
"""Of each limit of rnr_retry and number of buffers: the connections that broke, of each seed."""


def retry_errors(found: Broken, protocol: Protocol) -> Table:
    limits = sorted({limit for limit, _ in found})
    buffers = sorted({count for _, count in found})
    rows = [[_name(limit), *(f"{median(found[limit, count]):g}" for count in buffers)] for limit in limits]
    return Table(
        f"Connections of 31 that break: {protocol.name}, by the limit of retries",
        ["", *(f"{count:,} buffer{'s' if count > 1 else ''}" for count in buffers)],
        rows,
        "The paper could not measure 100 buffers: RC-SRQ ended with a retry error there, and ran with 1, 10, 1,000 and "
        "10,000. It does not tell its rnr_retry. By this model no limit explains that: fewer buffers break more "
        "connections, and with one buffer all limits but 7 (none) break some of them. The paper's runs with 1 buffer "
        "can't have had a limit on NAKs then; that leaves the other error, of a timer that runs out without any "
        "answer, which takes losses or an interface that stops. The paper tells of neither.",
    )


def _name(limit: int) -> str:
    return "without limit (7)" if limit == 7 else f"rnr_retry {limit}"
