"""Long searches: how far they are, how long they take at most, and what Ctrl-C leaves of them."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Annotated, ClassVar, TypedDict, TypeVar

import typer

from ayatori._core import SearchControl
from ayatori.base.errors import Error
from ayatori.base.units import parse_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, progress_bar, say
from ayatori.cli.status import Status
from ayatori.resumable import interrupt, terminate

Found = TypeVar("Found")

SECONDS = Annotated[
    str,
    typer.Option(
        metavar="TIME",
        help="Limit of the search time; then, as at Ctrl-C, the best result counts.",
        rich_help_panel=options.SEARCH_PANEL,
    ),
]
USUAL_SECONDS = "60s"
ROUNDS = "rounds of planning"
"""What the searches for paths among other jobs count."""
TREES = "trees of paths"
"""What the making of tables counts, off trees of levels."""
MAX_SECONDS = 30 * 86400.0
LOOKS_EVERY_SECONDS = 0.1
SECONDS_TO_END = 10.0
"""After Ctrl-C: a search that has nothing to show by then is left."""


@dataclass(frozen=True)
class SearchOptions:
    """How long a search takes at most, and what is random in it."""

    PANEL: ClassVar[str] = options.SEARCH_PANEL
    seconds: SECONDS = USUAL_SECONDS
    seed: options.SEED = 1

    @property
    def limit(self) -> float:
        return parse_limit(self.seconds)


class CutBy(str, Enum):
    limit = "time"
    interrupt = "interrupt"
    terminate = "terminate"


_ENDING: dict[int, tuple[CutBy, tuple[object, ...]]] = {
    signal.SIGINT: (CutBy.interrupt, (signal.default_int_handler, interrupt)),
    signal.SIGTERM: (CutBy.terminate, (signal.SIG_DFL, terminate)),
}
"""How a search is cut by a signal, and the handlers in whose place searched() puts its own."""
STATUS_OF_CUT: dict[str, Status] = {CutBy.interrupt: Status.INTERRUPTED, CutBy.terminate: Status.TERMINATED}


class CutData(TypedDict):
    """How a search was cut short. Null stands for a search that went to its end."""

    by: str
    """`time` (`--seconds`), `interrupt` (Ctrl-C; the exit status is 130) or `terminate` (SIGTERM; 143)."""
    done: int
    of: int
    """How many pieces were done, and how many there are."""
    seconds: float
    """Since the search began."""


@dataclass(frozen=True)
class Cut:
    """A search that was ended before it was through."""

    by: CutBy
    done: int
    total: int
    seconds: float
    """Since it began."""


def cut_as_data(cut: Cut | None) -> CutData | None:
    return None if cut is None else {"by": cut.by, "done": cut.done, "of": cut.total, "seconds": cut.seconds}


def parse_limit(text: str) -> float:
    """What --seconds says, a number alone in seconds. Raises UsageError."""
    seconds = options.value_of(parse_seconds, f"{text}s" if text[-1:].isdigit() else text)
    if not 0 < seconds <= MAX_SECONDS:
        raise UsageError(f"--seconds {text} is out of range", hint="for example 60s; at most 30 days")
    return seconds


def searched(
    what: str, limit: float | None, search: Callable[[SearchControl], Found], begun: float | None = None
) -> tuple[Found, Cut | None]:
    """What the search finds, and how it was cut short if it was: by `limit` (seconds; None: none) or by a signal.

    The limit counts from `begun` on (time.monotonic()), or from now on.

    Shows how many of `what` are done. The search runs in a thread of its own, since Python handles signals only between
    its own instructions. SIGTERM ends it as Ctrl-C does: batch systems send it some seconds before they kill.
    A second Ctrl-C leaves it, and so does one after which nothing comes.
    """
    control = SearchControl()
    begun = time.monotonic() if begun is None else begun
    by: CutBy | None = None
    reported = False
    interrupted_at = float("inf")

    def end_by_signal(which: CutBy) -> None:
        nonlocal by, interrupted_at
        by, interrupted_at = which, time.monotonic()
        control.stop()

    if limit is not None and time.monotonic() - begun >= limit:  # loading took it
        by = CutBy.limit
        control.stop()
    with _first_signal(end_by_signal), progress_bar(what) as show:
        thread, outcome = _started(lambda: search(control))
        while thread.is_alive():
            left = float("inf") if limit is None or by else max(0.0, begun + limit - time.monotonic())
            thread.join(min(LOOKS_EVERY_SECONDS, left))
            show(control.done, control.total)
            now = time.monotonic()
            if not by and thread.is_alive() and limit is not None and now - begun >= limit:
                by = CutBy.limit
                control.stop()
            if interrupted_at <= now and not reported:
                reported = True
                note("ending with what is found so far; Ctrl-C once more leaves at once")
            if now - interrupted_at > SECONDS_TO_END:
                raise KeyboardInterrupt
    (found,) = outcome
    if isinstance(found, BaseException):
        raise found
    seconds = time.monotonic() - begun
    is_cut = by in STATUS_OF_CUT or control.done < control.total
    return found, Cut(by, control.done, control.total, seconds) if by and is_cut else None


@dataclass(frozen=True)
class Limit:
    """How long a command may take, from now on: what it loads counts, too."""

    seconds: float | None
    begun: float = field(default_factory=time.monotonic)

    def searched(self, what: str, search: Callable[[SearchControl], Found]) -> tuple[Found, Cut | None]:
        return searched(what, self.seconds, search, self.begun)

    def tables(self, make: Callable[[SearchControl], Found]) -> Found:
        """Tables that are complete: a plan on others would fit none that are loaded. Raises Error if time is short."""
        made, cut = self.searched(TREES, make)
        if cut is None:
            return made
        leave_if_interrupted(cut)
        raise Error(f"the tables are not made in {cut.seconds:.0f} s", hint="a larger --seconds, or tables by --lfts")


def describe_cut(cut: CutData | None, what: str) -> None:
    """Says that a result is not all that the search could find; `cut` as cut_as_data() has it."""
    if cut is None:
        return
    why = {CutBy.limit: "--seconds allows more", CutBy.interrupt: "Ctrl-C", CutBy.terminate: "SIGTERM"}[
        CutBy(cut["by"])
    ]
    say(f"  ended early   {cut['done']} of {cut['of']} {what} in {cut['seconds']:.0f} s ({why})")


def with_results(found: Found, cut: Cut | None, number: int, of: int) -> tuple[Found, Cut | None]:
    """A result that is a number of equal parts, and how many of them came before the search was cut short.

    Raises Error, or KeyboardInterrupt, if none did.
    """
    if cut is None:
        return found, None
    if number == 0:
        if cut.by == CutBy.interrupt:
            raise KeyboardInterrupt
        leave_if_interrupted(cut)
        raise Error(f"not one of {of} is done in {cut.seconds:.0f} s", hint="a larger --seconds")
    return found, replace(cut, done=number, total=of)


def leave_if_interrupted(cut: Cut | None) -> None:
    """Ends the command as the signal ends others, after what was found has been printed."""
    if cut is not None and cut.by in STATUS_OF_CUT:
        raise typer.Exit(STATUS_OF_CUT[cut.by])


def _started(work: Callable[[], Found]) -> tuple[threading.Thread, list[Found | BaseException]]:
    """A thread, and where its result or error will be."""
    outcome: list[Found | BaseException] = []

    def do() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    return thread, outcome


@contextmanager
def _first_signal(act: Callable[[CutBy], None]) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM calls `act`; a second one is as usual. Who ignores a signal, or handles it otherwise,
    has a reason, and other threads can't set handlers."""
    in_main = threading.current_thread() is threading.main_thread()
    usual = {
        number: signal.getsignal(number)
        for number, (_, ours) in _ENDING.items()
        if in_main and signal.getsignal(number) in ours
    }

    def first(number: int, _frame: object) -> None:
        for each in usual:
            signal.signal(each, signal.default_int_handler if each == signal.SIGINT else signal.SIG_DFL)
        act(_ENDING[number][0])

    for number in usual:
        signal.signal(number, first)
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
