"""Compiled modules that not every build has."""

from __future__ import annotations

from typing import Any

from ayatori.base.errors import Error


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
