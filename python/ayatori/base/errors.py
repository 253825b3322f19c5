"""The exceptions that Ayatori raises for what it can't do, and the warnings for what it could not read."""

from __future__ import annotations

from collections.abc import Iterable


class Error(Exception):
    """What can't be done, why, and what would work instead: one line each, the last two may be empty.

    `internal` tells whose fault it is: False for the user's input (the command line exits with 1),
    True for a defect or failed resource of ours (exit 70).
    """

    def __init__(self, message: str, cause: str = "", hint: str = "", internal: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.cause = cause
        self.hint = hint
        self.internal = internal


class UnknownWord(Error):
    """A word that is none of a closed set, such as the name of an algorithm (the command line exits with 2).

    The hint is the nearest word of the set. If none is near, it lists the set, or says by `listed` what does.
    """

    def __init__(self, what: str, word: str, known: Iterable[str], listed: str = "") -> None:
        words = list(known)
        near = _nearest(word, words)
        hint = f"did you mean '{near}'?" if near else listed or f"one of {', '.join(words)}"
        super().__init__(f"no {what} '{word}'", hint=hint)


def _nearest(word: str, known: Iterable[str]) -> str:
    """The word that was meant, by letters: hyphens, capitals and MPI_ do not count. Empty if none is near."""
    from difflib import get_close_matches  # takes longer to load than most commands to start

    by_letters = {_letters(each): each for each in known}
    return next((by_letters[near] for near in get_close_matches(_letters(word), by_letters, 1)), "")


def _letters(word: str) -> str:
    return word.casefold().removeprefix("mpi_").replace("-", "").replace("_", "")


class SourceWarning(UserWarning):
    """What a source could not read: lines of a file that were skipped, devices that did not answer."""


class SourceTaken(SourceWarning):
    """Which kind of source a file was taken for, where nobody named one."""


class Interrupted(Exception):
    """Ctrl-C or SIGTERM, after the partial results of a long run were saved."""
