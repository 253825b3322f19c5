"""Each row with what saved results say: the values filled in, the difference, and where the values are from."""

from __future__ import annotations

from dataclasses import dataclass

from experiments.papers import values1, values2, values3, values4, values5
from experiments.papers.rows import Paper, Row, names_in
from experiments.papers.values import Results, Saved, Source, Value, Values

VALUES: dict[int, Values] = {
    1: values1.VALUES,
    2: values2.VALUES,
    3: values3.VALUES,
    4: values4.VALUES,
    5: values5.VALUES,
}
"""By paper."""
NOT_RUN = "not run yet"
NOT_COVERED = "no number of ours"
SAME = 0.0005
"""A share by which rounding may make numbers differ."""
MACHINE_COUNTS = ("measured", "on real parts")
"""Marks whose numbers depend on the machine."""


@dataclass(frozen=True)
class Answer:
    """A row as the page has it."""

    paper: int
    where: str
    kind: str
    says: str
    ours: str
    mark: str
    difference: str
    contradicts: str
    """Empty where our model does not contradict the paper."""
    why: str
    command: str
    experiment: str
    """Whose page draws figures; empty for single commands."""
    seed: str
    spread: str
    machine: str


def answers_of(paper: Paper, results: Results) -> list[Answer]:
    return [_answer(paper.number, row, results) for row in paper.rows]


def _answer(number: int, row: Row, results: Results) -> Answer:
    sources = {name: VALUES[number][name] for name in row.names()}
    found = {name: results.value(source) for name, source in sources.items()}
    first = next(iter(sources), "")
    saved = results.saved.get(sources[first].experiment) if first else None
    value = found[first] if first else None
    return Answer(
        paper=number,
        where=row.where,
        kind=row.kind,
        says=row.says,
        ours=_filled(row.ours, found) if row.ours else NOT_COVERED,
        mark=row.mark,
        difference=_difference(row, value),
        contradicts=_contradiction(number, row, found, results),
        why=_filled(row.because, found),
        command=row.command or (_command(sources[first], saved) if first else ""),
        experiment=sources[first].experiment if saved and not sources[first].part else "",
        seed=saved.seed if saved else "",
        spread=_spread(value),
        machine=saved.machine if saved and row.mark in MACHINE_COUNTS else "",
    )


def _command(source: Source, saved: Saved | None) -> str:
    """Of a quick run the quick one, which takes minutes and has the page's numbers."""
    quick = saved is not None and saved.quick and not source.part
    return f"{source.command} --quick" if quick else source.command


class _NotRun:
    """In the place of a number that is not there."""

    def __format__(self, _: str) -> str:
        return f"({NOT_RUN})"


def _filled(text: str, found: dict[str, Value | None]) -> str:
    """The sentence with its values; only that they have not run where none has."""
    names = names_in(text)
    if names and all(found[name] is None for name in names):
        return NOT_RUN
    numbers = {name: _NotRun() if (value := found[name]) is None else value.number for name in names}
    return text.format(**numbers)


def _difference(row: Row, value: Value | None) -> str:
    """Of ours against the paper's number, and whether it is larger than the spread."""
    if row.paper is None or value is None:
        return ""
    apart = value.number - row.paper
    if abs(apart) <= SAME * abs(row.paper):
        return "the same"
    share = f"{apart / row.paper:+.1%}" if row.paper else f"{apart:+g}"
    if value.spread is None:
        return f"{share}; ours has no spread"
    if abs(apart) <= value.spread:
        return f"{share}, within the spread"
    return f"{share}, more than the spread" + ("" if row.because else "; the cause is not known")


def _contradiction(number: int, row: Row, found: dict[str, Value | None], results: Results) -> str:
    if not row.contradiction:
        return ""
    if row.mended:
        mended = results.value(VALUES[number][row.mended])
        if mended is None or mended.number > 0:
            return ""
    elif any(value is None for value in found.values()):
        return ""
    return f"Contradicts the paper: {_filled(row.contradiction, found)}"


def _spread(value: Value | None) -> str:
    if value is None or value.spread is None:
        return ""
    number = f"{value.spread:,.0f}" if value.spread >= 100 else f"{value.spread:.3g}"
    return f"± {number} ({value.spread_of})"


def unknown_names(paper: Paper) -> list[str]:
    """Names in its rows that no value has."""
    known = VALUES[paper.number]
    named = [name for row in paper.rows for name in (*row.names(), *filter(None, [row.mended]))]
    return [name for name in named if name not in known]


def sources_of(paper: Paper) -> dict[str, Source]:
    """Of the values that its rows name."""
    known = VALUES[paper.number]
    return {name: known[name] for row in paper.rows for name in (*row.names(), *filter(None, [row.mended]))}
