"""Programs started so that the plug-in executes their collectives (by mpirun of either family, or srun), or their
connections take the paths of the job's plan."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.processes.errors import ProgramError
from ayatori.processes.in_network import find_in_network

# What a program of each family is linked to, and what its launcher says of itself.
_LIBRARIES = {"openmpi": (b"libmpi.so.40",), "mpich": (b"libmpich.so.12", b"libmpi.so.12")}
_VERSIONS = {"openmpi": ("(Open MPI)", "OpenRTE"), "mpich": ("HYDRA", "MPICH", "Intel(R) MPI")}
LAUNCHERS = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun")

YIELDING = "libayatori_yields.so"
"""What lets MPICH's ranks yield that wait, in addition to its plug-in."""

_EXPORT_LIST = "OMPI_MCA_mca_base_env_list"

# Without these UCX connects queue pairs past libibverbs, and switches choose paths for NCCL (docs/paths.md).
# A UCX that was built without mlx5 would warn of a variable that it does not know.
_FOR_PLANNED_PATHS = {"UCX_IB_MLX5_DEVX": "n", "UCX_WARN_UNUSED_ENV_VARS": "n", "NCCL_IB_ADAPTIVE_ROUTING": "0"}


@dataclass(frozen=True)
class MpiJob:
    """A command, and what its environment must say."""

    command: Sequence[str]
    family: str | None
    """None: a program without MPI, whose connections take planned paths all the same."""
    libraries: Sequence[Path]
    """Loaded before those of the program."""
    variables: Mapping[str, str]

    def in_words(self) -> str:
        """One line: what was found and what is set."""
        set_here = [f"{name}={value}" for name, value in self._set_here().items()]
        return ", ".join([self.family or "no MPI found", *set_here])

    def _set_here(self) -> dict[str, str]:
        preloads = (*map(str, self.libraries), os.environ.get("LD_PRELOAD", ""))
        return {"LD_PRELOAD": ":".join(filter(None, preloads)), **self.variables}

    def environment(self) -> dict[str, str]:
        """All variables of the command."""
        set_here = self._set_here()
        if self.family == "openmpi" and not self._launcher_with_exports():
            asked = filter(None, os.environ.get(_EXPORT_LIST, "").split(";"))
            set_here[_EXPORT_LIST] = ";".join(sorted({*asked, *self._exported()}))
        return os.environ | set_here

    def words(self) -> list[str]:
        """The command. Open MPI's mpirun takes either a list of the variables for other hosts or `-x` for each."""
        command = list(self.command)
        if launcher := self._launcher_with_exports():
            command[launcher:launcher] = [word for name in sorted(self._exported()) for word in ("-x", name)]
        return command

    def as_one_command(self) -> list[str]:
        """The command with what its environment must say in words: for who starts it elsewhere."""
        changed = (f"{name}={value}" for name, value in self.environment().items() if os.environ.get(name) != value)
        return ["env", *changed, *self.words()]

    def _exported(self) -> set[str]:
        """Open MPI's mpirun sends other hosts only variables that are named; Hydra and srun send all."""
        return {*self._set_here(), *(name for name in os.environ if name.startswith(("AYATORI_", "NWTOPO_")))}

    def _launcher_with_exports(self) -> int:
        """The place after Open MPI's launcher, if it is called with `-x`; else 0."""
        for place, word in enumerate(self.command, 1):
            if Path(word).name.startswith(LAUNCHERS):
                return place if self.family == "openmpi" and "-x" in self.command[place:] else 0
        return 0

    def replace_this_process(self) -> None:
        """The command takes our place, our output and our signals. Raises OSError if it can't be started."""
        os.execvpe(self.command[0], self.words(), self.environment())


def mpi_job(
    command: Sequence[str],
    plugins: Path,
    variables: Mapping[str, str],
    paths_library: Path | None = None,
    ranks_share_cores: bool = False,
    family: str | None = None,
) -> MpiJob:
    """`plugins`: the folder with a folder for each family. `paths_library`: what gives connections the paths of a plan
    that has any to choose. `ranks_share_cores`: those of MPICH, which has no setting for it, are to yield. `family`: of
    a program that does not say it itself. Raises ProgramError where the MPI has no option for it and no paths are
    planned, or this build has no library for it."""
    family = family or family_of(command)
    if family is None and paths_library is None:
        raise ProgramError(
            f"can't tell which MPI '{' '.join(command)}' uses",
            hint="ayatori run -- mpirun -np 4 PROGRAM",
        )
    libraries = [plugin_for(family, plugins)] if family is not None else []
    if family == "mpich" and ranks_share_cores:
        libraries.append(plugin_for(family, plugins).with_name(YIELDING))
    variables = {**variables, **find_in_network(command[0], family).settings}
    if paths_library is not None:
        if not paths_library.exists():
            raise ProgramError("this build can't apply plans", hint="apt-get install libibverbs-dev, then ./run build")
        libraries.append(paths_library)
        variables = {**variables, **{name: os.environ.get(name, word) for name, word in _FOR_PLANNED_PATHS.items()}}
    return MpiJob(command, family, libraries, variables)


def plugin_for(family: str, plugins: Path) -> Path:
    library = plugins / family / "libayatori_mpi.so"
    if not library.exists():
        raise ProgramError(
            f"this build has no plug-in for {family}", hint=f"apt-get install lib{family}-dev, then ./run build"
        )
    return library


def library_of(launcher: str, family: str) -> str:
    """The launcher's own library, for a program that is linked to none: MPICH's has another name in Debian than
    elsewhere. A name alone is for the loader to find."""
    found = shutil.which(launcher)
    home = [Path(found).resolve().parent.parent / name for name in ("lib", "lib64")] if found else []
    named = [Path(name) for name in os.environ.get("LD_LIBRARY_PATH", "").split(":") if name]
    names = [name.decode() for name in _LIBRARIES[family]]
    return next((str(folder / name) for folder in home + named for name in names if (folder / name).exists()), names[0])


def other_launcher(command: Sequence[str], family: str | None) -> str | None:
    """The family of the launcher, if it is not the program's: then every process may be a job of its own."""
    of_launcher = _family_of_launcher(command)
    return of_launcher if family is not None and of_launcher not in (None, family) else None


def family_of(command: Sequence[str]) -> str | None:
    """That of the program, if it or a library of its is linked to an MPI; otherwise that of its launcher."""
    programs = [Path(found) for word in command if (found := shutil.which(word))]
    for linked_to in (_names_in, _names_by_loader):
        for program in programs:
            if linked := linked_to(program):
                return linked
    return _family_of_launcher(command)


def _family_of_launcher(command: Sequence[str]) -> str | None:
    launcher = shutil.which(command[0])
    if launcher is None or not Path(command[0]).name.startswith(LAUNCHERS):
        return None
    said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout
    return next((family for family, words in _VERSIONS.items() if any(word in said for word in words)), None)


def mpirun_of(family: str) -> str:
    """Debian's name of it, or mpirun where that is this family's. The name may be of nothing that is installed."""
    debians = f"mpirun.{family}"
    return "mpirun" if shutil.which(debians) is None and _family_of_launcher(["mpirun"]) == family else debians


def _names_in(program: Path) -> str | None:
    with program.open("rb") as file:
        return _family_in(file.read()) if file.read(4) == b"\x7fELF" else None


def _names_by_loader(program: Path) -> str | None:
    """By the libraries of its libraries, as the loader finds them here."""
    loader = shutil.which("ldd")
    if loader is None:
        return None
    return _family_in(subprocess.run([loader, str(program)], capture_output=True, check=False).stdout)


def _family_in(contents: bytes) -> str | None:
    found = (family for family, names in _LIBRARIES.items() if any(name in contents for name in names))
    return next(found, None)
