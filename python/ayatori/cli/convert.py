"""ayatori convert: the network in another program's format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ayatori import _core
from ayatori.cli import options
from ayatori.errors import Error
from ayatori.files import write_bytes
from ayatori.network import open_source

FORMATS = {"ibnetdiscover": _core.ibnetdiscover_text, "ibsim": _core.ibnetdiscover_text}


def convert(
    source: options.SOURCE,
    to: Annotated[str, typer.Option(metavar="FORMAT", help="ibnetdiscover (which ibsim reads too).")],
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write there instead of to stdout.")] = None,
    host_pattern: options.HOST_PATTERN = "",
) -> None:
    """Writes the network in another program's format."""
    if to not in FORMATS:
        raise Error(f"no format '{to}'", hint=f"formats: {', '.join(FORMATS)}")
    contents = FORMATS[to](open_source(source, host_pattern))
    if out is None:
        sys.stdout.buffer.write(contents)
    else:
        write_bytes(out, contents)
