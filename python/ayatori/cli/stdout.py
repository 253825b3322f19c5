"""What is printed goes out through a stream whose failures are distinguished from those of files, sockets and
children."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable

from ayatori.cli.status import Status

TYPE_CHECKING = False  # typing's own: to import it takes as long as to print most things
if TYPE_CHECKING:
    from typing import Any

STDOUT = 1


class OutputLost(Exception):
    """Nothing more can be printed. It is no OSError: click and rich end the process at those of a closed pipe."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.nobody_reads = isinstance(reason, BrokenPipeError)
        """The reader has what it wanted, as after `| head`."""
        self.cause = reason.strerror or str(reason)


class _Descriptor(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OutputLost(error) from error


def tell_failures_of_stdout() -> None:
    """From now on what can't be written to sys.stdout raises OutputLost."""
    usual = sys.stdout
    if usual is None:  # `>&-`: what is opened next would be taken for stdout, so something that refuses has its place
        nothing = os.open(os.devnull, os.O_RDONLY)
        if nothing != STDOUT:
            os.dup2(nothing, STDOUT)
            os.close(nothing)
        usual = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    if not isinstance(usual, io.TextIOWrapper):
        return
    usual.flush()
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(_Descriptor(STDOUT, "wb", closefd=False)),
        encoding=usual.encoding,
        errors=usual.errors,
        line_buffering=usual.line_buffering or usual.write_through,
    )


def printed_to_the_end(printing: Callable[[], int]) -> int:
    """The exit status of what prints, or of the failure to write all of it to stdout."""
    try:
        status = printing()
        sys.stdout.flush()
        return status
    except OutputLost as lost:
        _drop_output()
        if lost.nobody_reads:
            return Status.DONE
        from ayatori.cli.output import print_error

        print_error("can't write stdout", lost.cause)
        return Status.INPUT


def _drop_output() -> None:
    """What is still buffered goes nowhere: flushing it at the end must not fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
