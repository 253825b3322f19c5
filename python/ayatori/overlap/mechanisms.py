"""What moves messages while a program computes: nothing, calls of the program, a thread of the MPI, one of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ayatori.base.errors import Error, UnknownWord
from ayatori.base.units import format_seconds, parse_seconds
from ayatori.measurement.collectives import plugin_of
from ayatori.processes import find_in_network, mpirun_of

SYNOPSIS = "none, test:TIME, mpi, calls, thread, acp, offload"
_SETTLING_SECONDS = 2.5
"""Until the plug-in has tried whether its thread pays."""
_OWN_THREAD = {
    "openmpi": {"OMPI_MCA_btl_tcp_progress_thread": "1"},
    "mpich": {"MPIR_CVAR_ASYNC_PROGRESS": "1"},
}
"""Open MPI 4.1 has one in its TCP alone."""


@dataclass(frozen=True)
class Mechanism:
    """How a program runs with it."""

    name: str
    variables: Mapping[str, str] = field(default_factory=dict)
    preloaded: Path | None = None
    test_seconds: float = 0.0
    """The program calls MPI_Test after each so much of its computation."""
    threads: int = 0
    """That it adds to each process."""
    warm_up_seconds: float = 0.3


def why_no_offload(families: Sequence[str]) -> str:
    """Why none of these MPIs offloads reductions; empty if one does."""
    reasons = {name: find_in_network(mpirun_of(name), name).why_not for name in families}
    return "" if "" in reasons.values() else "; ".join(f"{name}: {why}" for name, why in reasons.items())


def mechanism_for(name: str, family: str) -> Mechanism:
    """Raises Error if nothing is called so, or there is no plug-in for this MPI."""
    kind, colon, rate = name.partition(":")
    if kind == "test" and colon:
        seconds = parse_seconds(rate)
        if not 1e-6 <= seconds <= 10:
            raise Error(f"{name} is out of range", hint="test:1us to test:10s")
        return Mechanism(f"test:{format_seconds(seconds).replace(' ', '')}", test_seconds=seconds)
    if name in ("none", "acp"):
        return Mechanism(name, threads=int(name == "acp"))
    if name == "offload":
        found = find_in_network(mpirun_of(family), family)
        if found.why_not:
            raise Error(f"nothing is offloaded by {family}", found.why_not)
        return Mechanism(name, dict(found.settings))
    if name == "mpi":
        return Mechanism(name, _OWN_THREAD[family], threads=1)
    if name in ("calls", "thread"):
        library = plugin_of(family)
        if not library.exists():
            raise Error(
                f"this build has no plug-in for {family}", hint=f"apt-get install lib{family}-dev, then ./run build"
            )
        variables = {"AYATORI_PROGRESS": name, "AYATORI_VERBOSE": "1"}
        threads = int(name == "thread")
        return Mechanism(
            name, variables, library, threads=threads, warm_up_seconds=_SETTLING_SECONDS if threads else 0.3
        )
    raise UnknownWord("mechanism", name, SYNOPSIS.split(", "))
