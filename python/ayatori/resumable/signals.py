"""Ctrl-C and SIGTERM: they leave by an exception, so that folders and children of labs go. Python handles a signal only
between its own instructions; a call of the core, which may take hours, is left by the end of the process."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import NoReturn

SECONDS_TO_HEAR = 2.0
"""A signal that the main thread has not handled by then ends the process: calls that take longer are of the core."""

_heard = threading.Event()


def interrupt(_number: int, _frame: object) -> NoReturn:
    """A handler of SIGINT."""
    _heard.set()
    raise KeyboardInterrupt


def terminate(number: int, _frame: object) -> NoReturn:
    """A handler of SIGTERM."""
    _heard.set()
    signal.signal(number, signal.SIG_IGN)  # a second one must not interrupt that
    sys.exit(128 + number)


def end_calls_of_the_core() -> None:
    """From now on a signal whose handler is one of ours ends this process if the main thread does not come to it. Other
    handlers are those of long runs, which hear by a thread of their own, and of labs, which wait for their commands.
    A call that keeps Python's lock is not left, nor one in what is done after a first signal was handled. To be called
    once, by the main thread."""
    numbers, writes = os.pipe()
    os.set_blocking(writes, False)
    signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
    # The thread takes no signal itself: Python would pass it to the main thread, also where that blocks signals.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        threading.Thread(target=_watch, args=(numbers,), daemon=True).start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(numbers: int) -> None:
    while arrived := os.read(numbers, 1):
        number = arrived[0]
        if signal.getsignal(number) in (interrupt, terminate) and not _heard.wait(SECONDS_TO_HEAR):
            os.write(2, b"error: interrupted\n" if number == signal.SIGINT else b"")
            os._exit(128 + number)
