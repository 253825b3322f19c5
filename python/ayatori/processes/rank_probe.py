"""Which ranks does a command start, and where? It is run once with a library in each process that says so and ends it
before its main() (src/mpi/probe), so that no launcher's options have to be understood."""

from __future__ import annotations

import re
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.processes.child import Child
from ayatori.processes.errors import ProgramError
from ayatori.processes.programs import first_error

RANK_VARIABLES = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID")
"""By which a process knows its rank (src/mpi/preloaded/rank_variables.h). A batch script may have inherited them."""

_SECONDS = 300.0
"""For all ranks to start: launchers of thousands of nodes take minutes."""
_GRACE_SECONDS = 10.0
"""For the launcher to end after its ranks have."""
_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class _Report:
    """What one process said."""

    rank: int
    ranks: int
    """Of its job; 0: its launcher does not tell it."""
    sees_file: bool
    host: str


def probe_library(folder: Path) -> Path:
    """The library, in the folder of the plug-ins. Raises ProgramError without it: the first run would be in earnest."""
    library = folder / "libayatori_probe.so"
    if not library.exists():
        raise ProgramError("this build can't see which ranks start", hint="./run build")
    return library


def probe_variables(shared_file: Path) -> dict[str, str]:
    """What the library reads: a word that nobody else prints, and the file that each host must see."""
    return {"AYATORI_PROBE": f"ayatori-{secrets.token_hex(16)}", "AYATORI_PROBE_FILE": str(shared_file)}


def find_hosts_of_ranks(
    command: Sequence[str], environment: Mapping[str, str], probe: Mapping[str, str], seconds: float = _SECONDS
) -> list[str]:
    """The host of each rank that `command` starts, by rank. `environment` preloads the library into its processes, and
    both name `probe`, which probe_variables() made.

    The command's input is empty, and its output is kept from ours. It is ended when all of its ranks have ended and it
    does not end by itself, so that a script does not go on as if they had done their work. Raises ProgramError if it
    does not start each rank of one job once, within `seconds`, on hosts that see the file.
    """
    environment = {name: value for name, value in environment.items() if name not in RANK_VARIABLES}
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        output, errors = Path(name) / "output", Path(name) / "errors"
        child = Child(command, folder=Path.cwd(), environment=environment, output=output, errors=errors)
        try:
            status = _wait(child, lambda: _reports(output, probe), seconds)
        finally:
            child.stop()
        reports, lost = _reports(output, probe), _lost(output, probe)
        said = first_error(errors)
    _check(command, reports, lost, status, said, seconds)
    if blind := next((report.host for report in reports if not report.sees_file), None):
        file = Path(probe["AYATORI_PROBE_FILE"])
        raise ProgramError(
            f"{blind} can't read the plan, which is to be in {file.parent.parent}",
            hint="start it in a folder that all hosts share",
        )
    return [report.host for report in sorted(reports, key=lambda report: report.rank)]


def _wait(child: Child, reports: Callable[[], list[_Report]], seconds: float) -> int | None:
    """The exit status; None: ended by us, for it took too long or went on without its ranks."""
    deadline = time.monotonic() + seconds
    is_complete = False
    while (status := child.wait(_POLL_SECONDS)) is None:
        if not is_complete and _is_complete(reports()):
            is_complete = True
            deadline = time.monotonic() + _GRACE_SECONDS
        if time.monotonic() > deadline:
            return None
    return status


def _is_complete(reports: list[_Report]) -> bool:
    return bool(reports) and len(reports) == reports[0].ranks


def _reports(output: Path, probe: Mapping[str, str]) -> list[_Report]:
    """A launcher may put words of its own before what a rank prints."""
    found = re.findall(rf"{probe['AYATORI_PROBE']} (\d+) (\d+) ([01]) (\S+)\r?\n", _text(output))
    return [_Report(int(rank), int(ranks), sees == "1", host) for rank, ranks, sees, host in found]


def _lost(output: Path, probe: Mapping[str, str]) -> bool:
    """Whether a program came to MPI_Init and does not know that it is a rank."""
    return f"{probe['AYATORI_PROBE']} ? ?" in _text(output)


def _text(output: Path) -> str:
    return output.read_text(encoding="utf-8", errors="replace")


def _check(
    command: Sequence[str], reports: list[_Report], lost: bool, status: int | None, said: str, seconds: float
) -> None:
    """Raises ProgramError unless the reports are those of all ranks of one job."""
    ranks = reports[0].ranks or len(reports) if reports else 0
    numbers = sorted(report.rank for report in reports)
    if reports and numbers == list(range(ranks)) and all(report.ranks in (0, ranks) for report in reports):
        return
    if status is None and len(reports) < max(1, ranks):
        what = f"{len(reports)} of {ranks or 'its'} ranks started within {seconds:g} s"
        raise ProgramError(what, said, "see whether the job starts without --plan auto")
    if status and not lost and len(reports) < max(1, ranks):
        raise ProgramError(f"{command[0]} did not start the job", said, "see whether it starts without --plan auto")
    if lost or not reports:
        raise ProgramError(
            "no process of the command says which rank it is",
            hint="--plan auto is for mpirun, mpiexec and srun, with the ranks' output on theirs",
        )
    if len(reports) < ranks:
        raise ProgramError(f"{len(reports)} of {ranks} ranks said where they are", said)
    if len(reports) == ranks and len(set(numbers)) == ranks:
        what = f"{command[0]} numbers {ranks} ranks {', '.join(map(str, numbers))}"
        raise ProgramError(what, hint="see whether the job starts without --plan auto; another --map-by may help")
    raise ProgramError("the command starts several jobs", hint="--plan auto with one mpirun, mpiexec or srun")
