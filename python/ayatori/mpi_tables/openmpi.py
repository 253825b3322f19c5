"""Open MPI's files of rules for coll/tuned: the classic format, which 4.1 and 5.0 read, and the JSON of 6.0.

Open MPI does not tell when it can't read a file, and goes on without. So what is written is read back here, as its
reader does, and nothing is written unless each rule is found again.
"""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.base.files import write_bytes
from ayatori.mpi_tables.catalogue import MpiAlgorithm
from ayatori.mpi_tables.rules import Rule, Rules

COLLECTIVE_IDS = {
    "allgather": 0, "allgatherv": 1, "allreduce": 2, "alltoall": 3, "alltoallv": 4, "alltoallw": 5, "barrier": 6,
    "bcast": 7, "exscan": 8, "gather": 9, "gatherv": 10, "reduce": 11, "reduce_scatter": 12,
    "reduce_scatter_block": 13, "scan": 14, "scatter": 15,
}  # fmt: skip
TIMES_RANKS = {"allgather", "alltoall", "gather", "scatter", "reduce_scatter", "reduce_scatter_block"}
"""Their sizes are those of all ranks together."""
MAX_ALGORITHM = {
    "allgather": 7, "allreduce": 6, "alltoall": 5, "barrier": 6, "bcast": 9, "gather": 3, "reduce": 7,
    "reduce_scatter": 4, "reduce_scatter_block": 4, "scatter": 3,
}  # fmt: skip
JSON_NAMES = {"reduce_scatter": "reducescatter", "reduce_scatter_block": "reducescatterblock"}
"""Of collectives that the JSON format calls something else."""


@dataclass(frozen=True)
class MessageRule:
    """One line: from this size on, as Open MPI counts it."""

    size: int
    algorithm: int
    """0: as without a file."""
    fan_out: int
    segment_bytes: int


RuleFile = dict[int, dict[int, list[MessageRule]]]
"""By the collective's id and the communicator's size."""


def their_size(collective: str, size: int, ranks: int) -> int:
    return size * ranks if collective in TIMES_RANKS else size


def rule_file_of(rules: Rules) -> RuleFile:
    """With the guards that 4.1 needs: there the rules of a communicator size also hold for smaller communicators, if
    they are the first, and for larger ones up to the next."""
    as_without = [MessageRule(0, 0, 0, 0)]
    return {
        COLLECTIVE_IDS[name]: {
            0: as_without,
            rules.ranks: [_line(rule, rules.ranks) for rule in own],
            rules.ranks + 1: as_without,
        }
        for name, own in sorted(rules.collectives.items(), key=lambda item: COLLECTIVE_IDS[item[0]])
    }


def _line(rule: Rule, ranks: int) -> MessageRule:
    algorithm = rule.algorithm
    first = their_size(algorithm.collective, rule.first, ranks)
    return MessageRule(first, int(algorithm.key), algorithm.fan_out, rule.segment_bytes)


def format_rules(file: RuleFile) -> str:
    names = {number: name for name, number in COLLECTIVE_IDS.items()}
    lines = ["# coll_tuned_dynamic_rules_filename of Open MPI 4.1 and 5.0, by ayatori choose"]
    lines.append(f"{len(file)} # collectives")
    for collective, sizes in file.items():
        lines += [f"{collective} # {names[collective]}", f"{len(sizes)} # communicator sizes"]
        for size, rules in sizes.items():
            lines.append(f"{size} {len(rules)} # ranks, rules: bytes, algorithm, fan-out, segment")
            lines += [f"{rule.size} {rule.algorithm} {rule.fan_out} {rule.segment_bytes}" for rule in rules]
    return "".join(f"{line}\n" for line in lines)


def parse_rules(text: str, name: str) -> RuleFile:
    """Reads what Open MPI 4.1 reads, and refuses what it would drop without a word. Raises Error with the line."""
    return _Reader(text, name).file()


class _Reader:
    """Numbers, with comments from # to the end of the line."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._line = 1
        self._words = deque(
            (number, word) for number, line in enumerate(text.split("\n"), 1) for word in line.partition("#")[0].split()
        )

    def file(self) -> RuleFile:
        found: RuleFile = {}
        for _ in range(self._number("a number of collectives", 1, len(COLLECTIVE_IDS))):
            collective = self._number("a collective's id", 0, max(COLLECTIVE_IDS.values()))
            if collective in found:
                raise self._error(f"collective {collective} has rules already")
            found[collective] = self._communicators(collective)
        if self._words:
            self._line = self._words[0][0]
            raise self._error(f"'{self._words[0][1]}' stands after the last rule")
        return found

    def _communicators(self, collective: int) -> dict[int, list[MessageRule]]:
        found: dict[int, list[MessageRule]] = {}
        for _ in range(self._number("a number of communicator sizes", 1, 2**31 - 1)):
            size = self._number("a communicator size", max(found, default=-1) + 1, 2**31 - 1)
            found[size] = self._messages(collective)
        return found

    def _messages(self, collective: int) -> list[MessageRule]:
        found: list[MessageRule] = []
        names = {number: name for name, number in COLLECTIVE_IDS.items()}
        most = MAX_ALGORITHM.get(names[collective], 0)
        for _ in range(self._number("a number of rules", 1, 2**31 - 1)):
            if found:
                size = self._number("a size above the one before", found[-1].size + 1, 2**63 - 1)
            else:
                size = self._number("0, the size of the first rule", 0, 0)
            algorithm = self._number("an algorithm's id", 0, most)
            fan_out = self._number("a fan-out", 0, 32)
            found.append(MessageRule(size, algorithm, fan_out, self._number("a segment size", 0, 2**31 - 1)))
        return found

    def _number(self, what: str, least: int, most: int) -> int:
        if not self._words:
            raise self._error(f"the file ends where {what} is expected")
        self._line, word = self._words.popleft()
        if not word.isascii() or not word.isdigit() or len(word) > 19 or not least <= int(word) <= most:
            raise self._error(f"expected {what} ({least} to {most}), not '{word}'")
        return int(word)

    def _error(self, what: str) -> Error:
        return Error(f"{self._name}:{self._line}: {what}")


def lookup(file: RuleFile, collective: str, ranks: int, size: int) -> MessageRule:
    """The line that Open MPI 4.1 takes for a call of `size` bytes as it counts them: of the largest communicator size
    up to the communicator's, or else the first; and of that the largest size up to the call's."""
    sizes = file[COLLECTIVE_IDS[collective]]
    communicator = max((known for known in sizes if known <= ranks), default=min(sizes))
    return max((rule for rule in sizes[communicator] if rule.size <= size), key=lambda rule: rule.size)


def write_classic(rules: Rules, path: Path) -> None:
    """Whole or not at all, and only what is read back as the same rules."""
    text = format_rules(rule_file_of(rules))
    file = parse_rules(text, str(path))
    for collective, own in rules.collectives.items():
        for rule in own:
            for size in (rule.first, rule.last if rule.last is not None else rule.first):
                found = lookup(file, collective, rules.ranks, their_size(collective, size, rules.ranks))
                _must_be(rule.algorithm, rule.segment_bytes, found)
        for other in (1, rules.ranks - 1, rules.ranks + 1, 2 * rules.ranks):
            if other != rules.ranks and lookup(file, collective, other, 0).algorithm != 0:
                raise Error(f"rules for {rules.ranks} ranks would hold for {other}", internal=True)
    write_bytes(path, text.encode())


def _must_be(algorithm: MpiAlgorithm, segment_bytes: int, found: MessageRule) -> None:
    if (found.algorithm, found.fan_out, found.segment_bytes) != (algorithm.key, algorithm.fan_out, segment_bytes):
        raise Error(f"a rule for {algorithm.collective} is read back as another", internal=True)


def settings(path: Path) -> list[tuple[str, str]]:
    """Parameters that make Open MPI take the file."""
    return [
        ("coll_tuned_use_dynamic_rules", "1"),
        ("coll_tuned_dynamic_rules_filename", str(path.resolve())),
        # From 5.0 on coll/han stands above coll/tuned, and would not ask it for whole communicators.
        ("coll_han_priority", "0"),
    ]


def write_json(rules: Rules, path: Path) -> None:
    """The format of 6.0, in which rules hold for a range of communicator sizes."""
    collectives = {
        JSON_NAMES.get(name, name): [
            {
                "comm_size_min": rules.ranks,
                "comm_size_max": rules.ranks,
                "rules": [_json_rule(rule, rules.ranks) for rule in own],
            }
        ]
        for name, own in rules.collectives.items()
    }
    document = {"rule_file_version": 3, "module": "tuned", "collectives": collectives}
    text = json.dumps(document, indent=1) + "\n"
    check_json(text, str(path))
    write_bytes(path, text.encode())


def _json_rule(rule: Rule, ranks: int) -> dict[str, object]:
    collective = rule.algorithm.collective
    last = "inf" if rule.last is None else their_size(collective, rule.last + 1, ranks) - 1
    found: dict[str, object] = {
        "msg_size_min": their_size(collective, rule.first, ranks),
        "msg_size_max": last,
        "alg": int(rule.algorithm.key),
    }
    if rule.algorithm.fan_out:
        found["faninout"] = rule.algorithm.fan_out
    if rule.segment_bytes:
        found["seg_size"] = rule.segment_bytes
    return found


def check_json(text: str, name: str) -> None:
    """Refuses what Open MPI 6.0 would ignore. Raises Error with the place."""
    document = json.loads(text)

    def refuse(place: str, what: str) -> None:
        raise Error(f"{name}: {place}: {what}")

    if document.get("rule_file_version") != 3 or document.get("module") != "tuned":
        refuse("/", "expected rule_file_version 3 and module tuned")
    for collective, entries in document["collectives"].items():
        known = {JSON_NAMES.get(name, name): most for name, most in MAX_ALGORITHM.items()}
        if collective not in known:
            refuse(f"/collectives/{collective}", "no such collective")
        for entry in entries:
            place = f"/collectives/{collective}"
            if not entry["comm_size_min"] <= entry["comm_size_max"]:
                refuse(place, "comm_size_max is below comm_size_min")
            expected: int | str = 0
            for rule in entry["rules"]:
                if rule["msg_size_min"] != expected:
                    refuse(place, f"no rule for {expected} bytes")
                if not 1 <= rule["alg"] <= known[collective]:
                    refuse(place, f"no algorithm {rule['alg']}")
                unknown = set(rule) - {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size"}
                if unknown:
                    refuse(place, f"unknown {', '.join(sorted(unknown))}")
                expected = rule["msg_size_max"] if rule["msg_size_max"] == "inf" else rule["msg_size_max"] + 1
            if expected != "inf":
                refuse(place, "the last rule is not for all larger sizes")
