"""Numbers of the papers that a single command of ours answers within seconds."""

from experiments.single_commands.experiment import QUICK, Settings, run

__all__ = ["QUICK", "Settings", "run"]
