"""The jobs that run on a fabric: who they are, as a folder or Slurm says, and which links they use, as a file keeps it.

The file (docs/running-format.md) is changed under a lock, and is replaced whole or not at all.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ayatori import _core
from ayatori._core import Footprint, Job, LinkUse, Network, Routes, UsedLink
from ayatori.base.errors import Error
from ayatori.formats.job_files import files_of_jobs, is_plan
from ayatori.model.jobs import hosts_of, read_job
from ayatori.planning.concurrent import RunningJob, unplanned
from ayatori.planning.fit import Made, fit_of
from ayatori.planning.plans import BASE_LIDS

SLURM = "slurm"
WITHOUT_FILE = "remove the file: the jobs that run now are then taken for jobs without a plan"
STATE_IN_FOLDER = ".ayatori-running.json"
SQUEUE = ("squeue", "--noheader", "--states=CONFIGURING,RUNNING,SUSPENDED", "--format=%i %N")
"""While PrologSlurmctld plans a job, it is CONFIGURING: the plan of the next one must not take it for gone."""


def listed_jobs(network: Network, running: str, ppn: int = 0) -> dict[str, Job]:
    """The jobs that run, by name: of each hostfile in the folder `running`, or, for "slurm", what squeue prints.

    Raises Error, naming the file or the job: no such folder, squeue that fails, hosts that the network does not have.
    """
    if running == SLURM:
        return jobs_of_squeue(network, squeue(), ppn)
    files = files_of_jobs([folder_of(running)])
    if plan := next((file for file in files if is_plan(file)), None):
        raise Error(f"{plan} is a plan: --running takes the hostfiles of jobs", hint="plans in a folder of their own")
    return {file.name: read_job(network, file, ppn) for file in files}


def folder_of(running: str) -> Path:
    """Raises Error if there is none: a folder that is made here would say that no job runs."""
    folder = Path(running)
    if not folder.is_dir():
        raise Error(f"{running}: no such folder", hint="a folder with a hostfile for each running job, or slurm")
    return folder


def squeue() -> str:
    if shutil.which(SQUEUE[0]) is None:
        raise Error("squeue is not installed here", hint="--running FOLDER, with a hostfile for each running job")
    done = subprocess.run(SQUEUE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error("squeue failed", cause=done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "")
    return done.stdout


def jobs_of_squeue(network: Network, text: str, ppn: int = 0) -> dict[str, Job]:
    """The jobs of lines "ID HOSTLIST"; a job without hosts yet is left out. Hosts of other fabrics are an Error."""
    jobs = {}
    for number, line in enumerate(text.splitlines(), 1):
        name, _, hosts = line.strip().partition(" ")
        if not hosts.strip():
            continue
        jobs[name] = _core.job_from_hostfile(network, hosts.strip(), f"squeue's line {number} (job {name})", ppn, True)
    return jobs


def default_state(network: Network, running: str) -> Path:
    """Where the file of a fabric is: in the folder of the running jobs, or in the user's folder for states.

    Raises Error if there is no such folder of jobs.
    """
    if running != SLURM:
        return folder_of(running) / STATE_IN_FOLDER
    guids = sorted(network.guid(router) for router in range(network.router_count))
    key = hashlib.sha256(repr(guids).encode()).hexdigest()[:16]
    states = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return states / "ayatori" / f"running-{key}.json"


@contextmanager
def locked(state: Path) -> Iterator[None]:
    """Waits until no other process changes the file. The lock is a file next to it, as the file itself is replaced."""
    try:
        state.parent.mkdir(parents=True, exist_ok=True)
        with state.with_name(f"{state.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise Error(f"can't lock {state}: {error.strerror}") from error


def read_running(network: Network, state: Path) -> list[RunningJob]:
    """The jobs of the file; none if there is no file. Links that the network no longer has are left out.

    Raises Error, naming the file, for one that can't be read. Whether its jobs fit is for still_running().
    """
    if not state.exists():
        return []
    try:
        file = _core.read_running_file(str(state))
    except Error as error:
        raise Error(error.message, error.cause, error.hint or WITHOUT_FILE) from error
    devices = _devices_by_key(network)
    ids = [devices.get(key) for key in file.devices]
    jobs = []
    for job in file.jobs:
        uses = [
            LinkUse(port, used.steps, 1, used.in_steps)
            for used in job.links
            if (device := ids[used.device]) is not None and (port := network.cabled_port(device, used.port)) is not None
        ]
        made = Made(f"{state}: job '{job.name}'", list(job.machines), file.lmc, job.tables)
        jobs.append(RunningJob(job.name, job.method, Footprint(job.steps, uses), made))
    return jobs


def planned_jobs(state: Path) -> set[str]:
    """The names of the jobs of the file that run with a plan; none if there is no file. Raises Error."""
    if not state.exists():
        return set()
    return {job.name for job in _core.read_running_file(str(state)).jobs if job.method != BASE_LIDS}


def write_running(network: Network, state: Path, lmc: int, jobs: Sequence[RunningJob]) -> None:
    numbers: dict[int, int] = {}
    entries = []
    for job in jobs:
        links = []
        for use in job.footprint.links:
            port = network.port(use.link)
            number = numbers.setdefault(port.device, len(numbers))
            links.append(UsedLink(number, port.number, use.steps, use.in_steps))
        made = job.made
        entries.append(
            _core.RunningJob(job.name, job.method, list(made.machines), job.footprint.steps, links, made.tables)
        )
    devices = [_key(network, device) for device in numbers]
    _core.write_running_file(_core.RunningFile(lmc, devices, entries), str(state))


def _key(network: Network, device: int) -> str:
    guid = network.guid(device)
    return f"{guid:#018x}" if guid else network.name(device)


def _devices_by_key(network: Network) -> dict[str, int]:
    return {_key(network, device): device for device in range(network.device_count)}


def still_running(
    network: Network, routes: Routes, listed: dict[str, Job], known: Sequence[RunningJob]
) -> list[RunningJob]:
    """What is known of the listed jobs, in the order of the file; others were not planned. Jobs that are gone are not
    in it: their links are free.

    Raises Error for a job whose paths these tables no longer have: nobody knows which links it uses.
    """
    kept = [job for job in known if job.name in listed and _same_hosts(network, job, listed[job.name])]
    for job in kept:
        fit_of(network, job.made, routes).demand(hint=f"--lfts FILE with its tables; or {WITHOUT_FILE}")
    names = {job.name for job in kept}
    return kept + [unplanned(network, routes, name, job) for name, job in listed.items() if name not in names]


def _same_hosts(network: Network, known: RunningJob, job: Job) -> bool:
    return {machine.host for machine in known.made.machines} == {host for host, _ in hosts_of(network, job)}
