"""Exit statuses."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Exit statuses, for scripts."""

    DONE = 0
    INPUT = 1
    """What was asked for can't be done with this input."""
    USAGE = 2
    """The command line itself is wrong."""
    BAD = 3
    """What was checked is bad: tables with holes, a possible deadlock, a difference."""
    INTERNAL = 70
    """A defect or a failed resource of ours."""
    INTERRUPTED = 130
    TERMINATED = 143
    """By SIGTERM, where nothing was kept."""
