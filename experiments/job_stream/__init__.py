"""Paper 1, section 2.4: node utilisation against bandwidth when jobs may take any nodes, or neighbouring ones only."""

from experiments.job_stream.experiment import QUICK, Settings, run

__all__ = ["QUICK", "Settings", "run"]
