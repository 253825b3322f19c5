"""Files that each name a job: hostfiles, and plans that `ayatori plan --out` wrote."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable
from pathlib import Path

from ayatori._core import Network
from ayatori.base.errors import Error
from ayatori.formats.plan_file import read_plan
from ayatori.model.jobs import read_job
from ayatori.planning.together import JobOnFabric


def files_of_jobs(paths: Iterable[Path]) -> list[Path]:
    """These files, and those in these folders: by name, without hidden ones and the files next to a plan."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = (each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
            files += sorted(each for each in inside if not _belongs_to_plan(each))
        else:
            files.append(path)
    return files


def _belongs_to_plan(file: Path) -> bool:
    """The paths of its pairs, or the hosts of its ranks."""
    return file.suffix == ".pairs" or (file.suffix == ".hosts" and is_plan(file.with_suffix("")))


def is_plan(file: Path) -> bool:
    """A plan is a JSON object; no hostfile begins with a brace."""
    if not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(64).removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def read_jobs(
    network: Network, paths: Iterable[Path], ppn: int = 0, order: str = "given"
) -> tuple[list[JobOnFabric], int | None]:
    """The jobs of hostfiles, plans and folders of them, and the LMC that the plans were made for (None: no plan).

    A job is called after its file. Raises Error, naming the file: one that can't be read, two of one name, plans that
    were made for different LMCs.
    """
    jobs: dict[str, JobOnFabric] = {}
    lmc: int | None = None
    for file in files_of_jobs(paths):
        name = file.name.removesuffix(".json")
        if name in jobs:
            raise Error(f"{file}: there is a job called '{name}' already")
        if not is_plan(file):
            jobs[name] = JobOnFabric(name, read_job(network, file, ppn, order))
            continue
        saved = read_plan(network, file)
        if lmc is not None and saved.lmc != lmc:
            raise Error(f"{file}: made for LMC {saved.lmc}, other plans for LMC {lmc}")
        lmc = saved.lmc
        jobs[name] = JobOnFabric(name, saved.job, saved.plan, of_nics=saved.made.of_nics, made=saved.made)
    return list(jobs.values()), lmc
