"""Intel's MPI, as PyPI has it: it has MPICH's ABI, so that MPICH's plug-in serves it, and Intel's MPI Benchmarks are in
it as binaries, which run over either of the two."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.harness import from_pypi
from bench.harness.programs import ROOT

VERSION = "2021.19.0"
FOLDER = ROOT / "build" / f"intel-mpi-{VERSION}"
LAUNCHER = FOLDER / "bin" / "mpiexec.hydra"
BENCHMARKS = FOLDER / "bin" / "IMB-MPI1"


def install() -> None:
    """Downloads some 130 MB when it is first called. Raises Error if PyPI can't be reached."""
    from_pypi.install(f"impi-rt=={VERSION}", FOLDER, BENCHMARKS)


def variables() -> dict[str, str]:
    """With which its launcher, its library and programs linked to it run. Processes that wait leave their core, since
    they may be more than cores."""
    libraries = FOLDER / "lib"
    return {
        "I_MPI_ROOT": str(FOLDER),
        "I_MPI_THREAD_YIELD": "2",
        "FI_PROVIDER_PATH": str(libraries / "libfabric" / "prov"),
        "LD_LIBRARY_PATH": str(libraries),
    }


def mpich_by_its_name_elsewhere(folder: Path) -> dict[str, str]:
    """With which programs that are linked to `libmpi.so.12`, as MPICH's library is called but for Debian, run over the
    MPICH that is installed. `folder` gets a link to it."""
    shown = subprocess.run(["mpicc.mpich", "-show"], capture_output=True, text=True, check=True).stdout
    places = [Path(word[2:]) / "libmpich.so" for word in shown.split() if word.startswith("-L")]
    folder.mkdir(exist_ok=True)
    (folder / "libmpi.so.12").symlink_to(next(place for place in places if place.exists()))
    return {"LD_LIBRARY_PATH": str(folder)}
