"""Paper 1: all-to-all on random and on contiguous nodes of a 6-ary-2-tree (its figures 9 and 10)."""

from experiments.fat_tree_alltoall.experiment import QUICK, ByPackets, Settings, run

__all__ = ["QUICK", "ByPackets", "Settings", "run"]
