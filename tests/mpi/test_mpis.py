"""The MPIs of other sites: what we offer works with them, or one line says before a job that it can't.

docs/mpi.md has the outcomes in a table, which UPDATE_SNAPSHOTS=1 writes.
"""

import os
from pathlib import Path

import pytest
from mpi_checks import CHECKS, MAY_BE_A_LINE, Site

import slurm_nodes
from ayatori.base.compiled import PLUGINS
from ayatori.base.errors import Error
from ayatori.lab.cluster import Settings, why_impossible
from bench.validation.mpis import NEWEST, OTHERS, WORKS, TriedMpi, outcomes_on_page

NEED_LAB = [name for name in CHECKS if "lab" in name or "plan" in name]
SELDOM = ["`explain`", "`calibrate`", "`run srun` under Slurm"]
"""What takes long and depends little on the MPI's version: sweeps with the newest ones, too."""
CASES = [
    pytest.param(
        (mpi, check),
        marks=[pytest.mark.sweep] if mpi not in NEWEST or check in SELDOM else [],
        id=f"{mpi.package} {mpi.version or 'here'}, {check.replace('`', '')}",
    )
    for mpi in (*NEWEST, *OTHERS)
    for check in CHECKS
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled programs, and launchers."""
    return tmp_path_factory.mktemp("kept")


def site_of(mpi: TriedMpi, check: str, folder: Path, kept: Path) -> Site:
    """Skips what can't be tried here."""
    if not (PLUGINS / mpi.family / "libayatori_mpi.so").exists():
        pytest.skip(f"there is no plug-in for {mpi.family} here")
    if check in NEED_LAB and (why := why_impossible(Settings())):
        pytest.skip(why)
    if "Slurm" in check and (why := slurm_nodes.why_impossible()):
        pytest.skip(why)
    programs = kept / f"{mpi.package}-{mpi.version}"
    programs.mkdir(exist_ok=True)
    try:
        mpi.install()
        return Site(mpi, folder, programs, mpi.variables(programs / "launchers"))
    except Error as error:  # PyPI can't be reached
        pytest.skip(str(error))


@pytest.mark.parametrize("case", CASES)
def test_what_we_offer_works_or_one_line_says_that_it_does_not(
    case: tuple[TriedMpi, str], kept: Path, tmp_path: Path
) -> None:
    mpi, check = case
    line = CHECKS[check](site_of(mpi, check, tmp_path, kept))
    assert not line or check in MAY_BE_A_LINE or mpi.is_intels, line
    page = outcomes_on_page()
    outcome = line or WORKS
    if os.environ.get("UPDATE_SNAPSHOTS"):
        page.by_mpi.setdefault(mpi.title, {})[check] = outcome
        page.write(list(CHECKS))
    elif mpi.title in page.by_mpi:
        assert page.by_mpi[mpi.title].get(check) == outcome, "UPDATE_SNAPSHOTS=1 ./run test mpis"
