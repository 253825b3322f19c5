"""The plug-in for the MPI of a site, compiled from the sources that the package carries."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from ayatori.processes.errors import ProgramError

_WORLD = {"openmpi": "OMPI_PREDEFINED_GLOBAL", "mpich": "0x44000000"}
"""What MPI_COMM_WORLD is in mpi.h: that shows the binary interface, which many MPIs share, whatever they are called."""

_WHAT = {"PRECOMPILE": "ON", "TESTS": "OFF", "PRODUCTS": "mpi"}


def family_of_compiler(mpicc: str) -> str:
    """Whose binary interface the MPI has that this compiler compiles for. Raises ProgramError for others."""
    try:
        command = [mpicc, "-E", "-dM", "-include", "mpi.h", "-x", "c", os.devnull]
        macros = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        raise ProgramError(f"'{mpicc}' compiles nothing with mpi.h", hint="--mpicc /opt/mpi/bin/mpicc") from None
    world = re.search(r"^#define MPI_COMM_WORLD (.*)", macros, re.MULTILINE)
    for family, value in _WORLD.items():
        if world is not None and value in world[1]:
            return family
    raise ProgramError(
        f"the MPI of '{mpicc}' has neither Open MPI's binary interface nor MPICH's", hint="the plug-in serves these two"
    )


def compile_plugin(mpicc: str, family: str, package: Path, log: Path) -> list[Path]:
    """Compiles the plug-in and the trace with the headers of this MPI, and puts them into `package`, that of Ayatori,
    in place of those that are there. Returns the new files.

    `log` gets what CMake and the compiler say. Raises ProgramError without CMake, a C++23 compiler, a needed header, or
    the right to write there.
    """
    plugins = package / "mpi" / family
    try:
        plugins.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=plugins).close()
    except OSError as error:
        hint = "in an environment of your own: python3 -m venv DIR; DIR/bin/pip install ayatori-*.whl"
        raise ProgramError(f"can't write to {plugins}", error.strerror or str(error), hint) from error
    sources = package / "sources"
    with tempfile.TemporaryDirectory(prefix="ayatori-plugin-") as folder:
        made = Path(folder)
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "CMAKE_UNITY_BUILD": "ON",
            "CMAKE_UNITY_BUILD_BATCH_SIZE": "16",
            **{f"AYATORI_{name}": word for name, word in _WHAT.items()},
            **{f"AYATORI_MPICC_{each}": shutil.which(mpicc) if each == family else "" for each in _WORLD},
            "CMAKE_PREFIX_PATH": sources / "parts",
            "CMAKE_BUILD_WITH_INSTALL_RPATH": "ON",
            "CMAKE_INSTALL_RPATH": "$ORIGIN/../..",
        }
        if (nettle := package / "libayatori-nettle.so.8").exists():
            options["NETTLE_LIBRARY"] = nettle
        words = [f"-D{name}={value}" for name, value in options.items()]
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []  # CMake's own choice is make, be it there or not
        _run_cmake(["-S", sources, "-B", made, *generator, *words], log)
        targets = [f"mpi_{family}", f"mpi_engine_{family}", f"mpi_trace_{family}"]
        _run_cmake(["--build", made, "--parallel", str(os.cpu_count() or 1), "--target", *targets], log)
        return [_put(library, plugins) for library in sorted((made / "mpi" / family).glob("*.so"))]


def _put(library: Path, folder: Path) -> Path:
    """Running programs keep the file that they have."""
    new = folder / f"{library.name}.new"
    shutil.copy(library, new)
    return new.replace(folder / library.name)


def _run_cmake(arguments: list[str | Path], log: Path) -> None:
    own = Path(sys.executable).parent / "cmake"
    cmake = str(own) if own.exists() else shutil.which("cmake")
    if cmake is None:
        raise ProgramError("CMake is not there", hint=f"{sys.executable} -m pip install cmake")
    with log.open("ab") as file:
        done = subprocess.run([cmake, *arguments], stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise ProgramError("the plug-in can't be compiled", _said_by_cmake(log), f"all that was said: {log}")


def _said_by_cmake(log: Path) -> str:
    """CMake's first error, which stands in its line or indented over some lines, or the compiler's, as one line."""
    text = log.read_text(errors="replace")
    if found := re.search(r"^CMake Error.*\n((?:  .*\n|\n(?=  ))+)", text, re.MULTILINE):
        return " ".join(found[1].split())
    if found := re.search(r"^CMake Error: (.+)", text, re.MULTILINE):
        return found[1]
    found = re.search(r"^.*\berror: .*", text, re.MULTILINE)
    return found[0] if found else "nothing was said"
