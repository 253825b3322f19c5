"""Programs that are linked with the plug-in before their MPI, and start with nothing preloaded (docs/mpi.md)."""

from pathlib import Path

import plugin

from subprocesses import said_by

SETTINGS = {"AYATORI_ALLREDUCE": "ring", "AYATORI_VERBOSE": "1"}


def linked(mpi: plugin.Mpi, compiler: str, source: str, *options: str) -> Path:
    """The compiler of the MPI adds the MPI's libraries behind all others. `options`: before those of the plug-in."""
    folder = plugin.library(mpi.family).parent
    program = mpi.folder / f"{Path(source).stem}.linked.{mpi.family}"
    flags = [*options, f"-L{folder}", f"-Wl,-rpath,{folder}", "-layatori_mpi"]
    command = [f"{compiler}.{mpi.family}", "-O1", str(plugin.PROGRAMS / source), *flags, "-o", str(program)]
    said_by(command)
    return program


def expect_executed(mpi: plugin.Mpi, program: Path) -> None:
    done = mpi.run_right(3, program, preload=False, **SETTINGS)
    assert "MPI_Allreduce on 3 ranks: ring, forced by AYATORI_ALLREDUCE" in done.stderr, done.stderr


def test_a_program_that_is_linked_with_the_plugin_is_executed_for(mpi: plugin.Mpi) -> None:
    """Also where the linker drops libraries that nothing refers to, as Ubuntu's does."""
    program = linked(mpi, "mpicxx", "check_communicators.cpp", "-std=c++20", "-Wl,--as-needed")
    expect_executed(mpi, program)


def test_a_program_in_fortran_that_is_linked_with_the_plugin_is_executed_for(mpi: plugin.Mpi) -> None:
    """It refers to Fortran's functions, none of which the plug-in has to define: the linker must be told to keep it."""
    flags = ["-DUSE_MPIFH", "-fallow-argument-mismatch", "-Wl,--as-needed", "-Wl,--no-as-needed"]
    program = linked(mpi, "mpifort", "fortran_collectives.F90", *flags)
    expect_executed(mpi, program)
