"""Names and comments in code use the field's words (docs/decisions/0024-the-fields-words.md)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("src", "python", "bench")
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".js", ".py", ".txt"}
"""Of text, CMakeLists.txt alone."""
INSTEAD = {
    r"\bmeetings?\b|Meeting|_meetings?\b|\bmeetings?_": "conflict: of jobs on a link",
    r"\bbeside\b|Beside|_beside|beside_": "next to; in addition to; compared with; concurrent",
    r"\btold\b|_told\b|\btold_|Told": "is reported; gets; known",
    r"\bPlaces\b(?= [a-z_]+[,;)({=])|::Places\b|places_o[fn]_": "Placement",
    r"(?i)promise": "postcondition of a collective; guarantee",
    r"LookPace|\blook_pace|\bidle_look|\blong_look|looks_until|\blook_soon": "poll, poll backoff",
    r"(?i)\b(take|takes|took|taking|in|by) turns?\b": "alternate; round-robin; share cores; one after the other",
    r"(?<![A-Za-z])turns?_|_turns?(?![a-z])|(?<=[a-z])Turns?(?![a-z])|\bTurns?(?=[A-Z(])": (
        "block; slot; round; time slice; scheduling delay"
    ),
    r"(?i)\b(long|short)[_ ]way|(Long|Short)Way": "slow path, fast path",
    r"(?i)\bbur(y|ies|ied)\b": "defer free",
    r"(?i)crowded": "oversubscribed; hot spot; contended",
    r"(?i)\bshortest ways?\b|Shortest_?[Ww]ay": "shortest path",
    r"\bquick_calls?\b": "cached calls",
    r"\bsettled way\b|\bways_left\b|\bbetter_way\b": "incumbent, candidate",
    r"SlotKind::(contained|published|announced)": "inline, eager, rendezvous",
    r"\bdestination-mod-K\b": "d-mod-k",
}
ALLOWED = [
    # A packet turns from up to down in a tree: the word of the turn model (Glass and Ni, 1992).
    (r"turns?", r"src/planner/routing/.*|src/nwtopo/topology/subset_tree\.cpp"),
    # turn_back() undoes a change of a tree of TOML.
    (r"turn_", r"src/base/toml\.cpp"),
    # A port of the guest, which its scripts name, too.
    (r"told", r"python/ayatori/lab/rdma/console\.py"),
]
"""A match that the first one fits, in a file that the second one fits."""


def files_of_code() -> Iterator[Path]:
    """All but what the build makes in these folders: `.pyi`, `__pycache__`, …"""
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")):
        is_code = path.suffix in SUFFIXES and (path.suffix != ".txt" or path.name == "CMakeLists.txt")
        if is_code and "corpus" not in path.parts:
            yield path


def is_allowed(match: str, file: str) -> bool:
    return any(re.search(word, match) and re.fullmatch(where, file) for word, where in ALLOWED)


def found_in(text: str, file: str) -> list[str]:
    return [
        f"{file}:{number}: {match[0]}: {instead}"
        for number, line in enumerate(text.splitlines(), 1)
        for pattern, instead in INSTEAD.items()
        for match in re.finditer(pattern, line)
        if not is_allowed(match[0], file)
    ]


def test_words_that_must_not_come_back_in_code() -> None:
    found = []
    for path in files_of_code():
        found += found_in(path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix())
    assert found == []


def test_files_are_called_by_the_fields_words() -> None:
    assert [
        path.relative_to(ROOT).as_posix()
        for path in files_of_code()
        if re.search(r"beside|meeting|(^|_)turns?(_|\.)|look_pace|promise|short_way|quick_calls", path.name)
    ] == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Result<Plan> plan_beside(const Network& network);", 1),
        ("double first_turn_seconds() const;", 1),
        ("class MeetingSearch {", 1),
        ("/// What it could not read is told.", 1),
        ("/// Ranks take turns on the cores.", 1),
        ("return network.port(id);  // what they return", 0),
        ("const auto found = lookup(name);", 0),
    ],
)
def test_words_are_found(line: str, words: int) -> None:
    assert len(found_in(line, "src/planner/x.cpp")) == words


def test_the_turns_of_a_route_are_the_fields() -> None:
    assert found_in("std::uint64_t lost_turns() const;", "src/planner/routing/router_order.hpp") == []
