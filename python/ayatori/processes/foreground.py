"""Runs a command as if it had replaced this process, and keeps our files until it ends."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from types import FrameType

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""Batch systems send them to us alone. What a terminal sends reaches the command anyway."""
_FROM_TERMINAL = (signal.SIGINT, signal.SIGQUIT)


def run_in_foreground(command: Sequence[str], environment: Mapping[str, str]) -> int:
    """Runs a command with our input, output and terminal, and with the signals that we get. Returns its exit status
    (128 + N: killed by signal N). Raises OSError if it can't be started."""
    running: list[subprocess.Popen[bytes]] = []
    early: list[int] = []

    def pass_on(number: int, _frame: FrameType | None) -> None:
        if running:
            running[0].send_signal(number)
        else:
            early.append(number)

    # Functions, and not SIG_IGN, which the command would inherit.
    before = {number: signal.signal(number, pass_on) for number in _PASSED_ON}
    before |= {number: signal.signal(number, lambda *_: None) for number in _FROM_TERMINAL}
    try:
        running.append(subprocess.Popen(command, env=environment))
        for number in early:
            running[0].send_signal(number)
        status = running[0].wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return status if status >= 0 else 128 - status
