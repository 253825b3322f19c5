"""Runs a command as if it had replaced this process, and keeps our files until it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence

from ayatori.processes.signals import signals_passed_on

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""Batch systems send them to us alone. What a terminal sends reaches the command anyway."""
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


def run_in_foreground(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs a command with our input, output and terminal, and with the signals that we get. Returns its exit status
    (128 + N: killed by signal N). Raises OSError if it can't be started."""
    with signals_passed_on(_PASSED_ON, ignored=_FROM_TERMINAL) as send_by:
        running = subprocess.Popen(command, env=environment)
        send_by(running.send_signal)
        status = running.wait()
    return status if status >= 0 else 128 - status
