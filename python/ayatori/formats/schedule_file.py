"""Algorithms of others on disk: schedules whose steps are written out (docs/schedule-format.md)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ayatori import _core
from ayatori._core import Schedule, WrittenSchedule


def write_schedules(schedules: Sequence[Schedule], file: Path, name: str = "") -> list[WrittenSchedule]:
    """Writes schedules out, each for as many sizes as its steps are right for, at least its own.

    `name` is for people. Raises Error: a schedule that is not right or too large, an alltoallv some of whose pairs have
    no bytes, a file that cannot be written.
    """
    written = [_core.written_out(schedule) for schedule in schedules]
    _core.write_schedule_file(name, written, str(file))
    return written
