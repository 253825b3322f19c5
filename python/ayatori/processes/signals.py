"""Signals that ask us to end, passed on to what we have started."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType

Send = Callable[[int], None]


@contextmanager
def signals_passed_on(
    numbers: Sequence[signal.Signals], ignored: Sequence[signal.Signals] = ()
) -> Iterator[Callable[[Send], None]]:
    """Keeps these signals until what is yielded is called with a function that sends them on: those that have come by
    then, and those that come later."""
    early: list[int] = []
    send: Send | None = None

    def handle(number: int, _frame: FrameType | None) -> None:
        if send is None:
            early.append(number)
        else:
            send(number)

    def send_by(function: Send) -> None:
        nonlocal send
        send = function
        for number in early:
            function(number)

    before = {number: signal.signal(number, handle) for number in numbers}
    # Functions, and not SIG_IGN, which a command that is started would inherit.
    before |= {number: signal.signal(number, lambda *_: None) for number in ignored}
    try:
        yield send_by
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
