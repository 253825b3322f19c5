"""Paper 3: ping-pong and HPL over Ethernet and InfiniBand, in a lab of its evaluation cluster (its figures 6 to 9)."""

from experiments.mixed_cluster.experiment import QUICK, Settings, run

__all__ = ["QUICK", "Settings", "run"]
