"""Paper 4: communication hidden behind computation, measured in a lab and predicted for ITO (its figures 3 to 16)."""

from experiments.communication_hiding.experiment import QUICK, Settings, run

__all__ = ["QUICK", "Settings", "run"]
