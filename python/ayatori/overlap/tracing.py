"""A user's program run with libayatori_trace.so, on this machine or in a lab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ayatori.base.errors import Error
from ayatori.base.files import make_folder
from ayatori.lab.cluster import Settings, why_impossible, words_in_lab
from ayatori.measurement.machine import Condition, watched
from ayatori.measurement.noise import Noise
from ayatori.overlap.replay import Job
from ayatori.overlap.sites import thread_is_on
from ayatori.processes import MpiJob, family_of, first_error, open_mpi_as_root, plugin_for, run_program
from ayatori.traces.files import RankTrace, read_traces

TOLERATED = 0.15
"""Of the hidden time that was predicted."""


@dataclass(frozen=True)
class Program:
    """`lab`: a cluster's file."""

    command: tuple[str, ...]
    family: str
    plugins: Path
    lab: Path | None = None
    max_seconds: float = 3600.0

    def run(self, folder: Path, with_plugin: bool) -> list[RankTrace]:
        """The traces of one run, in `folder`, where its output is as well. Raises Error if it fails."""
        make_folder(folder)
        libraries = [self.trace_library()]
        variables = {"AYATORI_TRACE": str(folder.resolve())}
        if with_plugin:
            libraries.append(plugin_for(self.family, self.plugins))
            variables |= {"AYATORI_PROGRESS": "thread", "AYATORI_VERBOSE": "1"}
        job = MpiJob(self.command, self.family, libraries, variables)
        self._run_job(job, folder)
        try:
            return read_traces(folder)
        except Error as error:
            said = (folder / "errors").read_text(encoding="utf-8", errors="replace").splitlines()
            ours = [line.removeprefix("ayatori: ") for line in said if line.startswith("ayatori: ")]
            raise (Error(error.message, ours[0]) if ours else error) from error

    def _run_job(self, job: MpiJob, folder: Path) -> None:
        output, errors = folder / "output", folder / "errors"
        words: Sequence[str] = job.words()
        variables: Mapping[str, str] = job.environment()
        if self.lab is not None:
            if why := why_impossible(Settings()):
                raise Error("no cluster can be made here", why)
            words = words_in_lab(self.lab.resolve(), Settings(), job.as_one_command())
        status = run_program(
            words,
            folder=Path.cwd(),
            environment={**variables, **open_mpi_as_root()},
            output=output,
            errors=errors,
            timeout=self.max_seconds,
        )
        if status != 0:
            why = first_error(errors) or f"status {status}"
            raise Error(f"{self.command[0]} failed", why, f"its output is in {folder}")

    def trace_library(self) -> Path:
        library = self.plugins / self.family / "libayatori_trace.so"
        if not library.exists():
            hint = f"apt-get install lib{self.family}-dev, then ./run build"
            raise Error(f"this build can't trace programs of {self.family}", hint=hint)
        return library


def program_of(command: Sequence[str], plugins: Path, lab: Path | None) -> Program:
    """Raises Error where it is not clear which MPI the program uses."""
    family = family_of(command)
    if family is None:
        hint = "ayatori explain mpirun -np 4 PROGRAM"
        raise Error(f"can't tell which MPI '{' '.join(command)}' uses", hint=hint)
    return Program(tuple(command), family, plugins, lab)


@dataclass(frozen=True)
class Measured:
    """Times in seconds."""

    before: float
    after: float
    """Medians of the alternating runs: as it is, and with the plug-in's thread."""
    noise: float
    """By how much medians of the earlier and the later half of the runs differ, before or after."""
    others: float = 0.0
    stolen: float = 0.0
    """The share of the cores that other processes had, and that the host of a virtual machine had, at most in a run."""
    off: float = 0.0
    """The share of the runs with the plug-in's thread in which its own trial turned it off."""

    @property
    def hidden(self) -> float:
        return self.before - self.after

    def is_too_noisy(self, predicted: float) -> bool:
        """Whether runs that are alike differ by more than what is tolerated of the hidden time, or others used the
        machine meanwhile."""
        return self._differs(predicted) or self._machine().is_too_much

    def _differs(self, predicted: float) -> bool:
        return self.noise > TOLERATED * max(predicted, abs(self.hidden))

    def _machine(self) -> Noise:
        return Noise(None, 0.0, self.others, self.stolen)

    def verdict(self, predicted: float) -> str:
        off = f"; the thread's own trial turned it off in {self.off:.0%} of the runs" if self.off else ""
        return self._comparison(predicted) + off

    def _comparison(self, predicted: float) -> str:
        if self.is_too_noisy(predicted):
            why = self._machine().causes([]) if self._machine().is_too_much else []
            if self._differs(predicted):
                why.append(f"runs that are alike differ by {self.noise:.3g} s")
            return (
                f"too noisy: {'; '.join(why)}; {predicted:.3g} s were predicted to be hidden, {self.hidden:.3g} s "
                "measured; again on a quiet machine, or with more --repeats"
            )
        if self.hidden <= 0:
            return f"{predicted:.3g} s were predicted to be hidden; none were"
        error = abs(predicted - self.hidden) / self.hidden
        within = "within" if error <= TOLERATED else "more than"
        return (
            f"{predicted:.3g} s were predicted, {self.hidden:.3g} s measured: {error:.0%} off, {within} {TOLERATED:.0%}"
        )


def measure_change(program: Program, folder: Path, first: float, repeats: int) -> Measured:
    """Runs the program with the plug-in's thread and as it is, alternately; `first`: seconds of the explained run."""
    before, after = [first], list[float]()
    conditions: list[Condition] = []
    off = 0
    for number in range(1, repeats + 1):
        for name, times, changed in (("changed", after, True), ("again", before, False)):
            with watched() as condition:
                traces = program.run(folder / f"{name}-{number}", changed)
            times.append(Job(traces).seconds)
            conditions.append(condition)
            off += changed and thread_is_on((folder / f"{name}-{number}/errors").read_text(errors="replace")) is False
    others, stolen = (max((getattr(one, name) for one in conditions), default=0.0) for name in ("others", "stolen"))
    noise = max(noise_of(before), noise_of(after))
    return Measured(median(before), median(after), noise, others, stolen, off / max(1, repeats))


def noise_of(runs: Sequence[float]) -> float:
    """By how many seconds medians of the earlier and the later half differ; 0 of a single run."""
    earlier, later = runs[: len(runs) // 2], runs[(len(runs) + 1) // 2 :]
    return abs(median(earlier) - median(later)) if earlier else 0.0
