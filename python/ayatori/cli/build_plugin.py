"""ayatori build-plugin: the plug-in for another MPI of the site."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from ayatori.base.compiled import PLUGINS
from ayatori.cli.output import note
from ayatori.processes.plugin_build import compile_plugin, family_of_compiler


def build_plugin(
    *,
    mpicc: Annotated[str, typer.Option(metavar="PROGRAM", help="Compiler of the MPI.")] = "mpicc",
) -> None:
    """Make the plug-in for an MPI of this machine.

    It takes the place of the one that came with Ayatori, which knows Open MPI 4.1 and MPICH 4.0, and needs CMake, a
    compiler of C++23 and some minutes.
    """
    family = family_of_compiler(mpicc)
    log = Path(tempfile.mkdtemp(prefix="ayatori-build-plugin-")) / "log"  # of this user alone
    note(f"compiling for {mpicc}, an MPI with the binary interface of {family}: some minutes; {log} has the details")
    for library in compile_plugin(mpicc, family, PLUGINS.parent, log):
        note(f"wrote {library}")
