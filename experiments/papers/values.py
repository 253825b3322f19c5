"""Values of ours, by name: each is computed from the saved results of an experiment."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

from experiments.single_commands.commands import COMMANDS


@dataclass(frozen=True)
class Saved:
    """What results.json of an experiment has."""

    parameters: Mapping[str, Any]
    results: Mapping[str, list[Any]]
    machine: str = ""
    quick: bool = False
    """Whether the run had the settings of --quick."""

    @property
    def seed(self) -> str:
        """Empty where nothing is random."""
        if "seeds" in self.parameters:
            return ", ".join(map(str, self.parameters["seeds"]))
        return str(self.parameters.get("seed", ""))

    def of(self, name: str) -> list[Any]:
        """Raises Missing where a run saved nothing under this name: parts of labs that cannot run here."""
        if not self.results.get(name):
            raise Missing(name)
        return self.results[name]


def saved_of(experiment: str, found: Mapping[str, Any]) -> Saved:
    """Of what its results.json has."""
    parameters = found["parameters"]
    quick = asdict(importlib.import_module(f"experiments.{experiment}").QUICK)
    same = all(parameters.get(name, value) == value for name, value in json.loads(json.dumps(quick)).items())
    return Saved(parameters, found["results"], found.get("machine", ""), same)


class Missing(Exception):
    """An experiment ran without the part that a value needs."""


@dataclass(frozen=True)
class Value:
    number: float
    spread: float | None = None
    """How far another run may be, in the same unit."""
    spread_of: str = ""
    """Of which samples."""


@dataclass(frozen=True)
class Source:
    experiment: str
    compute: Callable[[Saved], Value | float]
    part: str = ""
    """Of single_commands: the name of the command."""

    @property
    def command(self) -> str:
        """As one types it in the root of the repository."""
        return COMMANDS[self.part].line if self.part else f"./run experiments {self.experiment}"


Values = dict[str, Source]


def single(command: str, number: str) -> Source:
    """A number of a single command."""
    return Source("single_commands", lambda saved: float(saved.of(command)[0][number]), command)


@dataclass
class Results:
    """Saved results of all experiments in a folder. One that has not run is not there."""

    saved: dict[str, Saved] = field(default_factory=dict)

    def value(self, source: Source) -> Value | None:
        """None where the experiment, or the part that the value needs, has not run."""
        if source.experiment not in self.saved:
            return None
        try:
            found = source.compute(self.saved[source.experiment])
        except Missing:
            return None
        return found if isinstance(found, Value) else Value(float(found))


def read_results(folder: Path, experiments: Sequence[str]) -> Results:
    """Of each experiment that has a results.json in its folder. One that was interrupted counts as not run."""
    saved = {}
    for name in experiments:
        path = folder / name / "results.json"
        if not path.exists():
            continue
        found = json.loads(path.read_text(encoding="utf-8"))
        if "tables" in found:
            saved[name] = saved_of(name, found)
    return Results(saved)


def mean_of(numbers: Sequence[float], of: str) -> Value:
    """With twice the standard error of the mean."""
    error = 2 * stdev(numbers) / len(numbers) ** 0.5 if len(numbers) > 1 else None
    return Value(fmean(numbers), error, f"twice the standard error of {len(numbers):,} {of}")


def median_of(numbers: Sequence[float], of: str) -> Value:
    """With half of the range."""
    half = (max(numbers) - min(numbers)) / 2 if len(numbers) > 1 else None
    return Value(median(numbers), half, f"half of the range of {len(numbers):,} {of}")


def share_of(hits: int, count: int, of: str, whole: float = 1.0) -> Value:
    """So many of `whole`, with twice the standard deviation of such a count. None of a few proves little
    (Agresti and Coull)."""
    likely = (hits + 2) / (count + 4)
    return Value(whole * hits / count, whole * 2 * (likely * (1 - likely) / count) ** 0.5, f"of {count:,} {of}")
