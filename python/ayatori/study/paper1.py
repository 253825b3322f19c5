"""What paper 1 measured on its cluster (sections 5.2 and 5.3), in MB/s a node."""

from __future__ import annotations

from ayatori.planning.plans import BASE_LIDS

SOURCE = "fattree:K=6,levels=2,nodes=30,rate=4xDDR"
TITLE = "Paper 1: 30 nodes on a 6-ary-2-tree"
PEAK_MBPS = 1716
GOOD_MBPS = 1500
CONTIGUOUS_NODES = 16

RANDOM: dict[str, dict[str, int]] = {
    BASE_LIDS: {"mean": 1198, "min": 888, "max": 1690, "over_1500": 20},
    "rule": {"mean": 1607, "min": 1265, "max": 1716, "over_1500": 732},
}
"""By method, of 1000 random jobs of 16 nodes."""

CONTIGUOUS: dict[str, dict[str, int]] = {BASE_LIDS: {"16": 1310}, "rule": {"16": 1310}}
"""By method and number of nodes."""
