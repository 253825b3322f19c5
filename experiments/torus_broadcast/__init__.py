"""Paper 2: broadcast on tori, Trinaryx3 against trees that don't know the network (its figure 6)."""

from experiments.torus_broadcast.experiment import QUICK, Settings, run

__all__ = ["QUICK", "Settings", "run"]
