"""Where a program is measured: on the hosts of a lab, or on this machine as it is."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori._core import Purpose
from ayatori.base.errors import Error
from ayatori.base.files import read_text
from ayatori.lab.cluster import Settings, lay_out, why_impossible, words_in_lab
from ayatori.model.network import open_source
from ayatori.processes import Ended, mpirun_of, open_mpi_as_root, run_to_end

MAX_SECONDS = 600.0
"""Of one run."""
_NETWORK = "10.64.0.0/16"
"""In a lab that chooses its addresses."""


@dataclass(frozen=True)
class Site:
    """Where programs run."""

    cluster: str = ""
    """The text of the lab's [cluster file](cluster-format.md); empty: this host."""
    hosts: int = 1
    """How many hosts the lab has."""
    burst: int = Settings.burst_bytes
    """Bytes that pass a cable of the lab at once after a pause."""

    def check(self) -> None:
        """Raises Error if there can be no such lab here."""
        if self.cluster and (why := why_impossible(Settings())):
            raise Error("no lab can be made here", why, "--here measures on this machine")

    def ranks_on_a_host(self, ranks: int) -> int:
        return -(-ranks // self.hosts)


def lab_of_two(rate: str, burst: int, latency: str = "") -> Site:
    """Two hosts, whose cables to a switch carry `rate`. `latency`: of each cable, with a unit; empty: none."""
    of_plane = f'rate = "{rate}"\n' + (f'latency = "{latency}"\n' if latency else "")
    return Site(
        f'[planes.net]\n{of_plane}[[switches]]\nname = "switch"\nplane = "net"\n'
        '[[hosts]]\nname = "host[0-1]"\nlinks = [{ to = "switch" }]\n',
        2,
        burst,
    )


def lab_of(file: Path, burst: int) -> Site:
    """The lab of a cluster's file. Raises Error if it describes none."""
    layout = lay_out(open_source(f"cluster:{file}", purpose=Purpose.sockets))
    return Site(read_text(file), len(layout.hosts), burst)


def result_of(
    site: Site,
    family: str,
    ranks: int,
    words: Sequence[str],
    variables: Mapping[str, str],
    preloaded: Path | None = None,
) -> dict[str, Any]:
    """The JSON line that rank 0 of a program prints. Raises Error if it fails."""
    on_a_host = site.ranks_on_a_host(ranks)
    settings = {"ACP_NETWORK": _NETWORK, "ACP_LOCAL_PROCS": str(on_a_host)} if site.hosts > 1 else {}
    settings.update(variables)
    if on_a_host > 1:
        settings["OMPI_MCA_mpi_yield_when_idle"] = "1"
    inside = {"LD_PRELOAD": str(preloaded)} if preloaded else {}
    program = ["env", *(f"{name}={value}" for name, value in (settings | inside).items()), *words]
    return _last_object(site, [*launcher(family, ranks, on_a_host), *program], settings, Path(words[0]).name)


def launcher(family: str, ranks: int, on_a_host: int) -> list[str]:
    """Ranks in blocks: the first `on_a_host` are on the first host."""
    if family == "mpich":
        return [mpirun_of(family), "-np", str(ranks), "-ppn", str(on_a_host)]
    return [mpirun_of("openmpi"), "--oversubscribe", "-np", str(ranks), "--map-by", f"ppr:{on_a_host}:node"]


def _last_object(site: Site, command: Sequence[str], settings: dict[str, str], program: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        if site.cluster:
            file = folder / "cluster.toml"
            file.write_text(site.cluster, encoding="utf-8")
            command = words_in_lab(file, Settings(burst_bytes=site.burst), command)
        variables = os.environ | open_mpi_as_root() | settings
        ended = run_to_end(command, environment=variables, timeout=MAX_SECONDS, folder=folder)
    found = ended.objects()[-1:]
    if found and "stuck" in found[0]:
        raise Error(f"rank {found[0]['rank']} waits for ever in step {found[0]['step']}", found[0]["stuck"])
    if ended.status != 0 or not found:
        raise Error(f"{program} failed", _reason(ended, program))
    return dict(found[0]) | {"thread_is_on": thread_is_on(ended.errors)}


def thread_is_on(errors: str) -> bool | None:
    """What the plug-in's last trial of its thread came to; None if it has reported none."""
    found_states = re.findall(r"ayatori: the progress thread is (on|off):", errors)
    return found_states[-1] == "on" if found_states else None


def _reason(ended: Ended, program: str) -> str:
    """What the program has said, or Open MPI of an error in it; else the last line."""
    lines = ended.errors.splitlines()
    for sign in (f"{program.partition('_')[0]}: ", "*** MPI_ERR"):
        if text := next((line.partition(sign)[2] for line in lines if sign in line), ""):
            return text.strip() if sign.endswith(" ") else f"MPI_ERR{text}"
    return ended.reason
