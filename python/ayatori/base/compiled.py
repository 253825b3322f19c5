"""What is compiled, and not in every build: modules, and programs that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ayatori import _core
from ayatori.base.errors import Error

PROGRAMS = Path(_core.__file__).parent / "programs"
PLUGINS = Path(_core.__file__).parent / "mpi"
"""With a folder for each MPI."""
PROVIDERS = Path(_core.__file__).parent / "libfabric"
"""Where libfabric finds our provider."""


def libacp() -> Any:
    """The module `ayatori._acp`, which `./run demo` does not compile."""
    try:
        from ayatori import _acp
    except ImportError:
        raise Error("this build has no libacp", hint="./run build") from None
    return _acp


def of_mpi() -> Any:
    """The module `ayatori._mpi`, which `./run demo` does not compile."""
    try:
        from ayatori import _mpi
    except ImportError:
        raise Error("this build has nothing of what runs inside MPI programs", hint="./run build") from None
    return _mpi


def built_program(name: str, *packages: str) -> Path:
    """One of PROGRAMS, built with these packages of Debian. Raises Error if it was not."""
    path = PROGRAMS / name
    if not path.exists():
        hint = f"apt-get install {' '.join(packages)}, then ./run build" if packages else "./run build"
        raise Error(f"{name} was not built", hint=hint)
    return path
