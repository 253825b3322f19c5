"""A table for an MPI library: written in its own format, and the settings that make the library take it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from ayatori.base.errors import Error, UnknownWord
from ayatori.mpi_tables import mpich, openmpi
from ayatori.mpi_tables.catalogue import MPICH, OPEN_MPI, OPEN_MPI_JSON, Mpi
from ayatori.mpi_tables.rules import Ranked, Rules
from ayatori.mpi_tables.variables import INTEL, UCC, intel_settings, ucc_settings
from ayatori.prediction.choice import LeftOutData

MPIS = {mpi.word: mpi for mpi in (OPEN_MPI, OPEN_MPI_JSON, MPICH, INTEL, UCC)}
IN_A_FILE = {OPEN_MPI.word, OPEN_MPI_JSON.word, MPICH.word}


@dataclass(frozen=True)
class Written:
    """What a user must do to have the rules followed."""

    files: list[Path]
    environment: list[tuple[str, str]]
    """Variables of every process of the job."""
    mca: list[tuple[str, str]]
    """The same for Open MPI's mpirun --mca; empty for others."""


def mpi_named(word: str) -> Mpi:
    if word not in MPIS:
        raise UnknownWord("MPI library", word, MPIS)
    return MPIS[word]


def as_here(mpi: Mpi, library: Path | None) -> Mpi:
    """With the algorithms that the job's library knows, where its file says them: MPICH's does.

    `library` is the MPICH that runs the job; without it the one of this machine. Raises Error.
    """
    if mpi.word != MPICH.word:
        return mpi
    return mpich.as_in(mpich.read_release(library or mpich.find_library()))


def write(rules: Rules, out: Path | None, library: Path | None = None) -> Written:
    """Writes the files that the library needs to `out`; those that take environment variables need none.

    `library` is the MPICH whose own selection is changed; without it the one of this machine. Raises Error, and then
    writes nothing, for rules that the library would not follow.
    """
    word = rules.mpi.word
    if rules.ranks < 2:
        raise Error("a job of one rank sends nothing", hint="a table is for at least 2 ranks")
    if word == INTEL.word:
        return Written([], intel_settings(rules), [])
    if word == UCC.word:
        return Written([], ucc_settings(rules), [])
    if out is None:
        raise Error(f"the rules of {rules.mpi.title} stand in a file", hint="--out FILE")
    if word == MPICH.word:
        files = mpich.write(rules, out, mpich.read_release(library or mpich.find_library()))
        return Written(files, mpich.settings(files), [])
    (openmpi.write_classic if word == OPEN_MPI.word else openmpi.write_json)(rules, out)
    mca = openmpi.settings(out)
    return Written([out], [(f"OMPI_MCA_{name}", value) for name, value in mca], mca)


SizesOfRule = TypedDict(
    "SizesOfRule",
    {
        "from": int,
        "to": Annotated[int | None, "Sizes in bytes as `choose` counts them, both included; `to` is null in the last."],
    },
)


class RuleData(SizesOfRule):
    key: int | str
    algorithm: str
    """What the library's file calls the algorithm, and its name."""
    fan_out: int
    segment: int
    """Number of chains and bytes of a segment, 0 where there are none."""
    schedule: str
    """The schedule of ours that sends the same."""


class MpiCandidateData(TypedDict):
    key: int | str
    fan_out: int
    segment: int
    """The algorithm, as in a rule."""
    time_s: float
    """Predicted time."""


class SampledData(TypedDict):
    bytes: int
    """A size that was predicted."""
    ranking: list[MpiCandidateData]
    """The library's algorithms: the chosen one, then fastest first."""


class RulesData(TypedDict):
    collective: str
    """As the library calls it."""
    rules: list[RuleData]
    """By size, rising."""
    sampled: list[SampledData]
    """The sizes that were predicted."""


class MpiRulesData(TypedDict):
    mpi: str
    """The word after `--to`."""
    proven: bool
    """Whether its algorithms were seen in the library's traffic."""
    ranks: int
    """The communicator size that the rules are for."""
    collectives: list[RulesData]
    """One entry per collective."""
    left_out: list[LeftOutData]
    """Algorithms of the library without a schedule of ours."""
    files: list[str]
    """The files that were written."""
    environment: dict[str, str]
    mca: dict[str, str]
    """Variables that make the library take the rules; the same as parameters of Open MPI's mpirun."""


class MpiTableData(MpiRulesData):
    """[Tables for MPI libraries](mpi-tables.md)."""

    source: str
    method: str
    """As given; how paths are chosen."""
    plans: list[str]
    """The file of the plan whose paths messages take, as given; else empty."""
    model: dict[str, Any]
    """The simulator's numbers: [predictions](predictions.md)."""


def rules_as_data(rules: Rules, ranked: Sequence[Ranked], written: Written) -> MpiRulesData:
    """What `choose --to … --json` prints, but for the source and the model."""
    return {
        "mpi": rules.mpi.word,
        "proven": rules.mpi.proven,
        "ranks": rules.ranks,
        "collectives": [
            {
                "collective": collective,
                "rules": [
                    {
                        "from": rule.first,
                        "to": rule.last,
                        "key": rule.algorithm.key,
                        "algorithm": rule.algorithm.name,
                        "fan_out": rule.algorithm.fan_out,
                        "segment": rule.segment_bytes,
                        "schedule": rule.algorithm.schedule,
                    }
                    for rule in own
                ],
                "sampled": [_ranking(entry) for entry in ranked if entry.collective == collective],
            }
            for collective, own in rules.collectives.items()
        ],
        "left_out": [{"algorithm": name, "reason": why} for name, why in rules.mpi.left_out.items()],
        "files": [str(file) for file in written.files],
        "environment": dict(written.environment),
        "mca": dict(written.mca),
    }


def _ranking(entry: Ranked) -> SampledData:
    return {
        "bytes": entry.bytes,
        "ranking": [
            {
                "key": way.algorithm.key,
                "fan_out": way.algorithm.fan_out,
                "segment": way.segment_bytes,
                "time_s": way.seconds,
            }
            for way in entry.ways
        ],
    }
