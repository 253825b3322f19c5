"""What is known to go wrong with MPI libraries that hosts have, whatever their networks are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from ayatori.diagnosis.facts import Facts, Mpich
from ayatori.diagnosis.findings import Finding

_MENDED_IN = (4, 2)
"""MPICH with pmodels/mpich#6596."""


def known_of_libraries(facts: Facts, ranks: Mapping[str, int], yielding: Path | None) -> list[Finding]:
    """What concerns users of one library. `ranks` are those of a job by host, as far as they are known; `yielding` is
    the library that makes MPICH's ranks yield, if there is one here."""
    return [*_waits_in_finalize(facts), *_polls(facts, ranks, yielding)]


def _waits_in_finalize(facts: Facts) -> Iterator[Finding]:
    if len(facts.hosts) < 2:
        return
    found = {host.name: host.mpich for host in facts.hosts if host.mpich and _may_wait(host.mpich)}
    if found:
        versions = ", ".join(sorted({one.version for one in found.values() if one}))
        what = f"MPICH {versions} over UCX may wait in MPI_Finalize for ever between hosts (pmodels/mpich#6596)"
        mend = "MPICH 4.2, or a limit of time: mpiexec with MPIEXEC_TIMEOUT=SECONDS in its environment"
        yield Finding("mpich-finalize", tuple(found), what, mend)


def _may_wait(mpich: Mpich) -> bool:
    numbers = tuple(int(number) for number in re.findall(r"\d+", mpich.version)[:2])
    return "ucx" in mpich.device and numbers < _MENDED_IN


def _polls(facts: Facts, ranks: Mapping[str, int], yielding: Path | None) -> Iterator[Finding]:
    oversubscribed = [
        host for host in facts.hosts if host.mpich and host.cores is not None and ranks.get(host.name, 0) > host.cores
    ]
    if oversubscribed:
        first = oversubscribed[0]
        count = f"more ranks than cores ({ranks[first.name]} on {first.cores} of {first.name})"
        what = f"{count}: MPICH polls without a pause, and messages wait for time slices"
        mend = "as many ranks as cores, or Open MPI, which yields"
        if yielding is not None and any("ucx" in host.mpich.device for host in oversubscribed if host.mpich):
            mend += f"; or mpiexec -genv LD_PRELOAD {yielding}, which lets ranks yield that wait"
        yield Finding("mpich-polls", tuple(host.name for host in oversubscribed), what, mend)
