"""Paper 5: 31 clients and a server with few receive buffers, and memory against the number of processes."""

from experiments.low_memory_transport.experiment import QUICK, Settings, run

__all__ = ["QUICK", "Settings", "run"]
