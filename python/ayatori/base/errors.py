"""The exception that Ayatori raises for what it can't do, and the warning for what it could not read."""

from __future__ import annotations


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


class SourceWarning(UserWarning):
    """What a source could not read: lines of a file that were skipped, devices that did not answer."""


class SourceTaken(SourceWarning):
    """Which kind of source a file was taken for, where nobody named one."""
