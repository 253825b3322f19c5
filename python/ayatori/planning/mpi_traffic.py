"""What MPI libraries send in their collectives: a table says which of our schedules sends the same, by ranks and size.

The table is mpi_traffic.json. `python -m bench.validation.mpi_choices` writes what it sees in the messages of installed
MPIs, and leaves what was taken from the source of a library.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ayatori import _core
from ayatori._core import StepSequence
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.units import parse_bytes

TABLE = Path(__file__).with_name("mpi_traffic.json")
COLLECTIVES = ("alltoall", "allgather", "reduce_scatter", "allreduce")
ANY_RANKS = 0
_SAYS = {
    "openmpi": r"Open MPI v(\d+\.\d+)",
    "mpich": r"MPICH Version:\s*(\d+\.\d+)",
    "intel": r"Intel\(R\) MPI .*?(\d+)",
}
"""In what MPI_Get_library_version says."""


@dataclass(frozen=True)
class Rule:
    """From `first` bytes on, as Call.bytes counts them, to the next rule."""

    first: int
    algorithm: str
    """The name of an algorithm (`ayatori algorithms`)."""
    mirrored: bool = False
    """Rank r does what rank n - 1 - r does in ours: a ring goes the other way round."""


@dataclass(frozen=True)
class KnownMpi:
    """An MPI, or another library of collectives."""

    word: str
    version: str
    title: str
    seen: str
    """`trace` of its messages, or its `source`."""
    rules: Mapping[str, Mapping[int, Sequence[Rule]]]
    """By collective and number of ranks; ANY_RANKS: all."""

    @property
    def name(self) -> str:
        return f"{self.word}-{self.version}"

    def rule(self, collective: str, ranks: int, size: int) -> Rule:
        """Raises Error for a collective that nobody has looked at."""
        by_ranks = self.rules.get(collective)
        if by_ranks is None:
            known = [name for name in COLLECTIVES if name in self.rules]
            raise Error(f"{self.title} has no {collective} in the table of messages", hint=f"it has {', '.join(known)}")
        own = by_ranks[self.ranks_seen(collective, ranks)]
        return next((rule for rule in reversed(own) if rule.first <= size), own[0])

    def ranks_seen(self, collective: str, ranks: int) -> int:
        """The number of ranks whose messages stand for these: where they were not seen, the largest one of this kind,
        since algorithms are for powers of two, for even or for all numbers of ranks."""
        seen = self.rules[collective]
        if ranks in seen:
            return ranks
        return max(seen, key=lambda number: (_kind(number) == _kind(ranks), number))

    def steps(self, collective: str, ranks: int, size: int) -> StepSequence:
        if ranks < 2:
            return _core.shift_all_to_all(ranks)
        rule = self.rule(collective, ranks, size)
        steps = steps_of_schedule(rule.algorithm, collective, ranks, size)
        return _mirrored(steps) if rule.mirrored else steps


def steps_of_schedule(algorithm: str, collective: str, ranks: int, size: int, root: int = 0) -> StepSequence:
    """Of one of our algorithms, with a rank on each machine."""
    placement, options = _core.placement_of_ranks(ranks, 1), _core.AlgorithmOptions()
    return _core.make_schedule(algorithm, collective, root, size, placement, options).steps()


def _kind(ranks: int) -> tuple[bool, bool]:
    return ranks & (ranks - 1) == 0, ranks % 2 == 0


def _mirrored(steps: StepSequence) -> StepSequence:
    last = steps.rank_count - 1
    lines = []
    for step in range(steps.step_count):
        full = [each for each in steps.messages(step) if each.bytes > 0]
        lines.append("".join(f"{last - each.from_rank} {last - each.to_rank} {each.bytes}\n" for each in full))
    return _core.parse_pattern("\n".join(lines), "mirrored", steps.rank_count)


@cache
def known_mpis() -> dict[str, KnownMpi]:
    """By name, in the order of the table: of each library the newest comes last."""
    found = [_mpi_of(data) for data in json.loads(TABLE.read_text(encoding="utf-8"))["libraries"]]
    return {each.name: each for each in found}


def _mpi_of(data: dict[str, Any]) -> KnownMpi:
    rules = {
        collective: {int(ranks): [Rule(*rule) for rule in own] for ranks, own in by_ranks.items()}
        for collective, by_ranks in data["collectives"].items()
    }
    return KnownMpi(data["library"], data["version"], data["title"], data["seen"], rules)


def mpi_named(name: str) -> KnownMpi:
    """`openmpi-4.1`; `openmpi` is the newest. Raises UnknownWord."""
    known = known_mpis()
    newest = {each.word: each for each in known.values()}
    if name not in known and name not in newest:
        raise UnknownWord("library of collectives", name, [*newest, *known])
    return known.get(name) or newest[name]


def mpi_of_program(said: str) -> KnownMpi | None:
    """The library whose MPI_Get_library_version says this, in the newest version of the table that is not newer."""
    for word, pattern in _SAYS.items():
        version = re.match(pattern, said)
        own = [each for each in known_mpis().values() if each.word == word]
        if version and own:
            fitting = [each for each in own if _numbers(each.version) <= _numbers(version[1])]
            return (fitting or own[:1])[-1]
    return None


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


@dataclass(frozen=True)
class MpiTraffic:
    """One collective of a library."""

    mpi: KnownMpi
    collective: str
    bytes: int

    def steps(self, ranks: int) -> StepSequence:
        """For counting messages: a step stands as often as its share of the bytes."""
        return _core.weighted_by_bytes(self.mpi.steps(self.collective, ranks, self.bytes))


def parse_mpi_traffic(pattern: str) -> MpiTraffic | None:
    """Of "LIBRARY COLLECTIVE SIZE"; None if the pattern is nothing like that."""
    words = pattern.split(" ")
    if len(words) != 3 or Path(pattern).exists():
        return None
    mpi, collective, size = mpi_named(words[0]), words[1], parse_bytes(words[2])
    if collective not in COLLECTIVES:
        raise UnknownWord("collective of the table of messages", collective, COLLECTIVES)
    if size < 1:
        raise Error(f"{pattern}: there is nothing to send")
    return MpiTraffic(mpi, collective, size)
