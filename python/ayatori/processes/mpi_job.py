"""Programs that use MPI, started so that the plug-in plays their collectives: by mpirun of either family, or srun."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.processes.errors import ProgramError

# What a program of each family is linked to, and what its launcher says of itself.
_LIBRARIES = {"openmpi": b"libmpi.so.40", "mpich": b"libmpich.so.12"}
_VERSIONS = {"openmpi": ("(Open MPI)", "OpenRTE"), "mpich": ("HYDRA", "MPICH")}
_LAUNCHERS = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun")


@dataclass(frozen=True)
class MpiJob:
    """A command, and what its environment must say."""

    command: Sequence[str]
    family: str
    plugin: Path
    variables: Mapping[str, str]

    def environment(self) -> dict[str, str]:
        preloads = (str(self.plugin), os.environ.get("LD_PRELOAD", ""))
        set_here = {**self.variables, "LD_PRELOAD": ":".join(filter(None, preloads))}
        if self.family == "openmpi":
            # mpirun of Open MPI sends other hosts only the variables that this list names; Hydra and srun send all.
            ours = [name for name in os.environ if name.startswith(("AYATORI_", "NWTOPO_"))]
            set_here["OMPI_MCA_mca_base_env_list"] = ";".join(sorted({*set_here, *ours}))
        return os.environ | set_here

    def replace_this_process(self) -> None:
        """The command takes our place, our output and our signals. Raises OSError if it can't be started."""
        os.execvpe(self.command[0], list(self.command), self.environment())


def mpi_job(command: Sequence[str], plugins: Path, variables: Mapping[str, str]) -> MpiJob:
    """`plugins`: the folder with a folder for each family. Raises ProgramError where the MPI can't be told, or this
    build has no plug-in for it."""
    family = family_of(command)
    if family is None:
        raise ProgramError(
            f"can't tell which MPI '{' '.join(command)}' uses",
            hint="ayatori run -- mpirun -np 4 PROGRAM",
        )
    return MpiJob(command, family, plugin_for(family, plugins), variables)


def plugin_for(family: str, plugins: Path) -> Path:
    library = plugins / family / "libayatori_mpi.so"
    if not library.exists():
        raise ProgramError(
            f"this build has no plug-in for {family}", hint=f"apt-get install lib{family}-dev, and build"
        )
    return library


def family_of(command: Sequence[str]) -> str | None:
    """That of the program, if it is linked to an MPI; otherwise that of its launcher."""
    for word in command:
        found = shutil.which(word)
        linked = _linked_to(Path(found)) if found else None
        if linked:
            return linked
    launcher = shutil.which(command[0])
    if launcher is None or not Path(command[0]).name.startswith(_LAUNCHERS):
        return None
    said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout
    return next((family for family, words in _VERSIONS.items() if any(word in said for word in words)), None)


def _linked_to(program: Path) -> str | None:
    with program.open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
        contents = file.read()
    return next((family for family, library in _LIBRARIES.items() if library in contents), None)
