"""ayatori convert: the network in another program's format."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ayatori import _core
from ayatori.base.errors import UnknownWord
from ayatori.base.files import write_bytes
from ayatori.base.sources import with_kind
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.model.network import open_source

FORMATS = [name for name, _ in _core.export_formats()] + ["cache"]


def convert(
    source: options.SOURCE,
    to: Annotated[str, typer.Option(metavar="FORMAT", help=f"Format: {', '.join(FORMATS)}.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", allow_dash=True, help="Write to FILE; '-' is stdout, as without it.")
    ] = None,
    host_pattern: options.HOST_PATTERN = "",
) -> None:
    """Write a network in another program's format.

    The format cache is a file that processes of a host share in memory.
    """
    if str(out) == "-":
        out = None
    if to not in FORMATS:
        raise UnknownWord("format", to, FORMATS)
    if to == "cache":
        write_cache(source, out, host_pattern)
        return
    contents = _core.export_network(open_source(source, host_pattern), to)
    if out is None:
        sys.stdout.buffer.write(contents)
    else:
        write_bytes(out, contents)


def write_cache(source: str, out: Path | None, host_pattern: str) -> None:
    if out is None:
        raise UsageError("a cache is a file to be mapped, not to be printed", hint="--out FILE")
    _core.open_topology(with_kind(source), False, host_pattern).write_cache(os.fspath(out))
