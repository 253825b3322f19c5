"""Is a plan, or a job that runs, that of this network, of these tables, of this job? Whoever uses one asks here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ayatori import _core
from ayatori._core import Job, JobHost, Network, RankAddress, Routes
from ayatori.base.errors import Error

TABLES_HINT = "--lfts FILE with the tables that it was made on, or make the plan again"


class Verdict(Enum):
    """What differs, the gravest first."""

    FOREIGN_PAIRS = "foreign pairs"
    """The file with the paths of a plan's pairs is now that of another plan."""
    HOSTS_MISSING = "hosts missing"
    OTHER_FABRIC = "other fabric"
    """Its hosts have other ports here."""
    OTHER_JOB = "other job"
    """Ranks are on other hosts, or in another order."""
    OTHER_TABLES = "other tables"
    """Ports have other LIDs here, or messages between them meet other entries or cables."""
    SAME = "same"


@dataclass(frozen=True)
class Made:
    """What something was made for: the plan of a file, or a job that the file of running jobs keeps."""

    called: str
    """In messages."""
    machines: Sequence[JobHost]
    """In rank order."""
    lmc: int | None = None
    tables: str = ""
    """fingerprint_of() its paths; empty: not known."""
    addresses: Sequence[RankAddress] = ()
    """By rank; none: not known."""
    of_nics: bool = False
    """The ranks are the NICs of its machines."""
    foreign_pairs: Error | None = None


@dataclass(frozen=True)
class Fit:
    """A verdict, and in words what differs and what would help."""

    verdict: Verdict
    message: str = ""
    hint: str = ""
    job: Job | None = None
    """On this network; None where hosts are missing."""

    def demand(self, hint: str = "") -> Job:
        """The job. Raises Error if anything differs, with `hint` in place of the own one."""
        if self.verdict is not Verdict.SAME or self.job is None:
            raise Error(self.message, hint=hint or self.hint)
        return self.job


def fit_of(network: Network, made: Made, routes: Routes | None = None, asked: Job | None = None) -> Fit:
    """Compares with the network; with the tables, if they are given; and with the job that was asked for, if one was.

    Of several differences the gravest is named. What is elsewhere in the fabric may differ: see fingerprint_of().
    """
    if made.foreign_pairs is not None:
        return Fit(Verdict.FOREIGN_PAIRS, made.foreign_pairs.message, made.foreign_pairs.hint)
    try:
        job = _core.job_of_hosts(network, [(machine.host, machine.ranks) for machine in made.machines], made.called)
    except Error as error:
        return Fit(Verdict.HOSTS_MISSING, error.message, error.hint)
    return (
        _on_other_ports(network, made, job)
        or (asked is not None and _of_other_job(network, made, job, asked))
        or (routes is not None and _on_other_tables(network, made, job, routes))
        or Fit(Verdict.SAME, job=job)
    )


def _on_other_ports(network: Network, made: Made, job: Job) -> Fit | None:
    for rank, (endpoint, address) in enumerate(zip(job.endpoints(network), made.addresses, strict=False)):
        here = network.port(endpoint).guid
        if here and address.port_guid and here != address.port_guid:
            host = job.name_of(network, job.machine_of_rank[rank])
            message = f"{made.called} was made on another fabric: {host} has port {address.port_guid:#018x} there, and "
            return Fit(Verdict.OTHER_FABRIC, f"{message}{here:#018x} here", "the network that it was made on", job)
    return None


def _of_other_job(network: Network, made: Made, job: Job, asked: Job) -> Fit | None:
    planned, wanted = job.machine_of_rank, asked.machine_of_rank
    if made.of_nics:  # its paths are between the hosts' NICs, however many ranks use them
        planned, wanted = job.machines, asked.machines
    if planned == wanted:
        return None
    if len(planned) != len(wanted):
        what = "hosts" if made.of_nics else "ranks"
        message = f"{made.called} is for {len(planned)} {what}, and the job has {len(wanted)}"
        return Fit(Verdict.OTHER_JOB, message, "plan this job", job)
    rank = next(rank for rank, (a, b) in enumerate(zip(planned, wanted, strict=True)) if a != b)
    return Fit(
        Verdict.OTHER_JOB,
        f"{made.called} is not for this job: rank {rank} is on {asked.name_of(network, wanted[rank])}, and in the plan "
        f"on {job.name_of(network, planned[rank])}",
        "a plan holds for one order of ranks: that of the .hosts file next to it; or plan this hostfile",
        job,
    )


def _on_other_tables(network: Network, made: Made, job: Job, routes: Routes) -> Fit | None:
    what = f"{made.called} was made on other tables: "
    endpoints = job.endpoints(network)
    lmc = routes.lmc(endpoints[0])
    if made.lmc is not None and made.lmc != lmc:
        return Fit(Verdict.OTHER_TABLES, f"{what}theirs is LMC {made.lmc}, and {lmc} here", TABLES_HINT, job)
    for rank, (endpoint, address) in enumerate(zip(endpoints, made.addresses, strict=False)):
        here = routes.base_lid(endpoint)
        if here != address.base_lid:
            host = job.name_of(network, job.machine_of_rank[rank])
            return Fit(
                Verdict.OTHER_TABLES,
                f"{what}{host} has LID {address.base_lid} there, and {here} here",
                TABLES_HINT,
                job,
            )
    if made.tables and made.tables != (these := _core.fingerprint_of(network, routes, endpoints)):
        return Fit(Verdict.OTHER_TABLES, f"{what}{made.tables}, and these are {these}", TABLES_HINT, job)
    return None
