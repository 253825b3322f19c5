"""The applications: how each is started, which time it reports of itself, and which of its lines are its result."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.overlap.krylov import krylov_program
from bench.validation.applications.hydrogen import upf

INPUTS = Path(__file__).parent / "inputs"


@dataclass(frozen=True)
class Application:
    """`words`: the program with its words, in a folder where it finds its files; raises Error if it is not installed.
    `seconds`: the last match is the time without start and end. `result`: matches are compared digit by digit."""

    name: str
    words: Callable[[Path], list[str]]
    seconds: str
    result: str
    families: tuple[str, ...] = ("openmpi",)
    """The MPIs that it may be linked to; Debian's programs take Open MPI."""

    def seconds_in(self, output: str) -> float:
        """Raises Error if the program did not come to its end."""
        found = re.findall(self.seconds, output, re.MULTILINE)
        if not found:
            last = output.strip().splitlines()[-1:]
            raise Error(f"{self.name} reports no time", cause=last[0] if last else "")
        parts = found[-1] if isinstance(found[-1], tuple) else (found[-1],)
        return float(sum(float(part) * 60.0**power for power, part in enumerate(reversed(parts)) if part))

    def result_in(self, output: str) -> list[str]:
        return re.findall(self.result, output, re.MULTILINE)


def _installed(program: str, package: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise Error(f"{program} is not installed", hint=f"apt-get install {package}")
    return found


def _lammps(folder: Path) -> list[str]:
    shutil.copy(INPUTS / "salt.lammps", folder)
    return [_installed("lmp", "lammps"), "-in", "salt.lammps", "-log", "none"]


def _quantum_espresso(folder: Path) -> list[str]:
    shutil.copy(INPUTS / "hydrogen.pw", folder)
    (folder / "H.upf").write_text(upf(), encoding="utf-8")
    return [_installed("pw.x", "quantum-espresso"), "-in", "hydrogen.pw"]


def _petsc(_folder: Path) -> list[str]:
    return [str(krylov_program()), "cg", "192", "600", "1"]


def _python(name: str) -> Callable[[Path], list[str]]:
    def words(_folder: Path) -> list[str]:
        if importlib.util.find_spec("mpi4py") is None:
            raise Error("mpi4py is not installed", hint="pip install mpi4py")
        return [sys.executable, str(INPUTS / name)]

    return words


_PRINTED = r"^result (.*)$"
APPLICATIONS = (
    Application("LAMMPS, PPPM and NPT", _lammps, r"^Loop time of ([\d.]+)", r"^ +\d+ +(-?\d\.\d+e.*)$"),
    Application(
        "Quantum ESPRESSO, scf",
        _quantum_espresso,
        r"PWSCF +:.*CPU +(?:([\d]+)m)? *([\d.]+)s WALL",
        r"^!? +total energy +=(.*)$",
    ),
    Application("PETSc, conjugate gradients", _petsc, r'"total": \[([\d.e+-]+)', r'"residuals": \[([^\]]+)'),
    Application("mpi4py, waves by FFTs", _python("waves.py"), r"^seconds ([\d.]+)", _PRINTED, ("openmpi", "mpich")),
    Application("mpi4py, k-means", _python("clusters.py"), r"^seconds ([\d.]+)", _PRINTED, ("openmpi", "mpich")),
)
