"""Options that several commands share, and that belong together; ayatori.cli.grouped tells Typer of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note

if TYPE_CHECKING:
    from ayatori._core import Job, Network, Purpose, Routes
    from ayatori.calibration.measuring import Mpi
    from ayatori.prediction.predictor import Model


@dataclass(frozen=True)
class NetworkOptions:
    """The network, and how its hosts are named."""

    source: options.SOURCE
    host_pattern: options.HOST_PATTERN = ""
    aliases: options.ALIASES = None

    def open(self, purpose: Purpose | None = None) -> Network:
        from ayatori._core import Purpose
        from ayatori.model.network import open_source

        carried = Purpose.everything if purpose is None else purpose
        return open_source(self.source, self.host_pattern, carried, self.aliases)


@dataclass(frozen=True)
class MpiOptions:
    """The MPI that measures."""

    PANEL: ClassVar[str] = options.MPI_PANEL
    mpirun: options.MPIRUN = "mpirun"
    mpicc: options.MPICC = None

    def find(self) -> Mpi:
        from ayatori.calibration.measuring import find_mpi

        return find_mpi(self.mpirun, self.mpicc)


@dataclass(frozen=True)
class JobOptions:
    """The options that name jobs which are looked at one by one."""

    PANEL: ClassVar[str] = options.JOBS_PANEL
    USUAL: ClassVar[tuple[str, ...]] = ("job",)
    job: options.JOB = None
    random_jobs: options.RANDOM_JOBS = None
    job_size: options.JOB_SIZE = None
    seed: options.SEED = 1
    contiguous: options.CONTIGUOUS = None
    ppn: options.PPN = 0
    order: options.ORDER = "given"
    unnamed_hcas: options.UNNAMED_HCAS = False

    @property
    def named(self) -> list[object]:
        """What names jobs, each None where it is not given."""
        return [self.job, self.random_jobs, self.contiguous]

    @property
    def one_by_one(self) -> list[object]:
        """What can't be asked of jobs that are named in another way, each None where it is not given."""
        return [*self.named, self.job_size]

    def jobs_on(self, network: Network) -> list[Job]:
        """The jobs that the options ask for; empty if they ask for none."""
        from ayatori.model.jobs import contiguous_jobs, random_jobs, read_job

        options.check_order(self.order)
        if not 0 <= self.ppn <= options.MAX_RANKS:
            raise UsageError(f"--ppn {self.ppn} is out of range", hint=f"0 to {options.MAX_RANKS}")
        if self.job_size is not None and self.random_jobs is None:
            raise UsageError("--job-size is of random jobs", hint="--random-jobs N --job-size M")
        if sum(choice is not None for choice in self.named) > 1:
            raise UsageError("--job, --random-jobs and --contiguous exclude each other")
        if self.job is not None:
            if self.order == "network":
                note(f"ranks are in the network's order, not in that of {self.job}")
            return [read_job(network, self.job, self.ppn, self.order)]
        if self.contiguous is not None:
            return contiguous_jobs(network, options.parse_range(self.contiguous), self.ppn, self.unnamed_hcas)
        if self.random_jobs is None:
            return []
        options.random_job_count(self.random_jobs)
        if self.job_size is None:
            raise UsageError("--random-jobs needs --job-size", hint="how many machines each job takes")
        if self.job_size < 1:
            raise UsageError(f"--job-size {self.job_size} is out of range", hint="at least 1")
        options.check_seed(self.seed)
        return random_jobs(network, self.random_jobs, self.job_size, self.ppn, self.seed, self.unnamed_hcas)

    def jobs_or_whole_network(self, network: Network) -> list[Job]:
        """The jobs that the options ask for; if they ask for none, one on all hosts."""
        from ayatori.model.jobs import whole_network_job
        from ayatori.resumable import is_first_process

        jobs = self.jobs_on(network)
        if jobs:
            return jobs
        whole = whole_network_job(network, self.ppn, self.unnamed_hcas)
        if is_first_process():
            hosts = len(whole.machines)
            note(f"no job is named: one on all {hosts} machines (--job, --random-jobs and --contiguous name others)")
        return [whole]


@dataclass(frozen=True)
class PathOptions:
    """The options that say which way messages go."""

    PANEL: ClassVar[str] = options.PATHS_PANEL
    method: options.METHOD_OR_ROUTERS = None
    lfts: options.LFTS = None
    hash_seeds: options.HASH_SEEDS = None

    def hashing(self, model: Model, seed: int) -> Model:
        """The model with the seeds of its hash."""
        from ayatori.planning.plans import method_named
        from ayatori.prediction.predictor import DIMENSION_ORDER, ECMP, MAX_HASH_SEEDS, OTHER_METHODS

        options.check_seed(seed)
        if self.method:
            options.value_of(lambda name: method_named(name, (DIMENSION_ORDER, *OTHER_METHODS)), self.method)
        if self.hash_seeds is None:
            return replace(model, hash_seed=seed)
        if self.method != ECMP:
            raise UsageError("--hash-seeds is of paths by hashes", hint=f"--method {ECMP} --hash-seeds N")
        if not 1 <= self.hash_seeds <= MAX_HASH_SEEDS:
            raise UsageError(f"--hash-seeds {self.hash_seeds} is out of range", hint=f"1 to {MAX_HASH_SEEDS}")
        return replace(model, hash_seed=seed, hash_seeds=self.hash_seeds)

    def tables_on(self, network: Network) -> Routes | None:
        """The fabric's own tables, if they are given."""
        from ayatori.planning.routes import read_routes

        return read_routes(network, self.lfts) if self.lfts else None

    def tables_as_data(self) -> dict[str, str]:
        """What the results of a run depend on: the content of its tables."""
        return {} if self.lfts is None else {"tables": options.digest_of(self.lfts)}

    @property
    def by_tables(self) -> bool:
        """Whether messages follow tables, also where the network's routers would choose."""
        return self.lfts is not None

    def name_of(self, used: str) -> str:
        """The method as reports name it: base LIDs on given tables are nobody's method, but those tables."""
        return options.name_of_paths(used, self.method, self.lfts)


@dataclass(frozen=True)
class ModelOptions:
    """The options that say what messages cost."""

    PANEL: ClassVar[str] = options.COSTS_PANEL
    steps: options.STEPS = "drift"
    calibration: options.CALIBRATION = None
    link_bandwidth: options.LINK_BANDWIDTH = None
    link_latency: options.LINK_LATENCY = None
    latency: options.LATENCY = None
    overhead: options.OVERHEAD = None
    eager: options.EAGER = None
    injection: options.INJECTION = None
    bus: options.BUS = None
    head_of_line: options.HEAD_OF_LINE = False

    def model_on(self, network: Network) -> Model:
        """What is assumed for this network or was measured, and instead of these numbers what the options say."""
        from ayatori.cli.costs import model_of

        return model_of(self, network)
