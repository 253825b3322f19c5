"""The pages of the papers, and their index."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ayatori.base.files import make_folder, write_bytes
from ayatori.report.document import document
from ayatori.report.markup import Markup, heads, join, table, tag
from experiments.papers import figures1
from experiments.papers.answers import NOT_COVERED, NOT_RUN, Answer, answers_of
from experiments.papers.rows import MARKS, PAPERS, Paper, read_paper
from experiments.papers.values import Results, read_results

_HEADS = ("in the paper", "the paper says", "ours", "mark", "difference, and why", "made by")
_PREPARED = "./run build; export PATH=$PWD/.venv/bin:$PWD/build/release/examples:$PATH AYATORI=$PWD"
_KIND = "the papers, row by row"
PICTURES = {1: figures1.pictures}
"""Figures that are drawn on the page itself, by paper; the others are on the pages of the experiments."""


def write_pages(results_folder: Path, experiments: Sequence[str]) -> tuple[Path, dict[int, list[Answer]]]:
    """Writes index.html, paper1.html to paper5.html and rows.json into the folder `papers` among the results; returns
    the index, and what the pages have."""
    results = read_results(results_folder, experiments)
    papers = [read_paper(number) for number in PAPERS]
    answers = {paper.number: answers_of(paper, results) for paper in papers}
    folder = results_folder / "papers"
    make_folder(folder)
    for paper in papers:
        _write(folder / f"paper{paper.number}.html", _page_of(paper, answers[paper.number]))
    _write(folder / "rows.json", as_json(answers))
    _write(folder / "index.html", _index(papers, answers, results, experiments))
    return folder / "index.html", answers


def as_json(answers: dict[int, list[Answer]]) -> str:
    rows = [asdict(answer) for own in answers.values() for answer in own]
    return json.dumps({"format": "ayatori-papers", "version": 1, "marks": MARKS, "rows": rows}, indent=1) + "\n"


def summary(answers: dict[int, list[Answer]]) -> list[list[str]]:
    """Of each paper: rows, also by mark; those without a number of ours, not run yet, and contradicting the paper."""
    lines = []
    for number, own in answers.items():
        marks = Counter(answer.mark for answer in own)
        waiting = sum(NOT_RUN in answer.ours for answer in own)
        without = sum(answer.ours == NOT_COVERED for answer in own)
        contradictions = sum(bool(answer.contradicts) for answer in own)
        counts = [len(own), *(marks[mark] for mark in MARKS), without, waiting, contradictions]
        lines.append([f"paper {number}", *map(str, counts)])
    return lines


SUMMARY_HEADS = ["", "rows", *MARKS, NOT_COVERED, NOT_RUN, "contradict the paper"]


def _write(path: Path, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def _page_of(paper: Paper, answers: list[Answer]) -> str:
    title = f"Paper {paper.number}: {paper.title}"
    about = tag(
        "p", f"{paper.source}. Every figure, table, number, claim and item of future work is a row.", class_="source"
    )
    where = tag("p", "Commands are typed in the root of the repository after ", tag("code", _PREPARED), class_="note")
    back = tag("p", tag("a", "All papers", href="index.html"), class_="note")
    rows = table(heads(_HEADS, ()), rows=map(_row, answers))
    card = tag("div", rows, class_="card")
    drawn = PICTURES.get(paper.number, list)()
    section = tag("section", tag("h1", title), about, where, back, card, *drawn, _marks(), class_="study")
    return document(title, _KIND, [section], "Drawn from results.json of the experiments.", [])


def _row(answer: Answer) -> Markup:
    why = [text for text in (answer.difference, answer.contradicts, answer.why) if text]
    made = [_command(answer.command)] if answer.command else []
    if answer.experiment:
        made.append(tag("div", tag("a", "its figures", href=f"../{answer.experiment}/index.html"), class_="note"))
    for name, text in (("seed", answer.seed), ("spread", answer.spread), ("on", answer.machine)):
        if text:
            made.append(tag("div", f"{name} {text}", class_="note"))
    return tag(
        "tr",
        tag("th", answer.where, tag("div", answer.kind, class_="note"), scope="row"),
        tag("td", _with_code(answer.says), class_="sentence"),
        tag("td", _with_code(answer.ours), class_="sentence"),
        tag("td", answer.mark, class_="method"),
        tag(
            "td",
            *(tag("p", _with_code(text), class_="contradicts" if text is answer.contradicts else None) for text in why),
            class_="sentence",
        ),
        tag("td", *made, class_="sentence"),
    )


def _command(line: str) -> Markup:
    """No line ends within an option."""
    words = (tag("span", word, class_="option") if word.startswith("-") else word for word in line.split(" "))
    return tag("code", join(words, " "))


def _with_code(sentence: str) -> Markup:
    """What is between backticks is code."""
    parts = re.split("`([^`]*)`", sentence)
    return join(tag("code", part) if place % 2 else part for place, part in enumerate(parts))


def _marks() -> Markup:
    listed = tag("ul", *(tag("li", tag("b", mark), f": {meaning}") for mark, meaning in MARKS.items()))
    return tag("div", tag("h3", "Marks"), listed, class_="card")


def _index(papers: list[Paper], answers: dict[int, list[Answer]], results: Results, experiments: Sequence[str]) -> str:
    title = "The five papers, figure by figure"
    numbers = range(1, len(SUMMARY_HEADS))
    rows = [
        _index_row(f"paper{paper.number}.html", f"{paper.number}: {paper.title}", counts[1:])
        for paper, counts in zip(papers, summary(answers), strict=True)
    ]
    about = tag(
        "p", "What each paper says next to what ours says, with the command, seed, spread and machine.", class_="source"
    )
    parts = [tag("h1", title), about, tag("div", table(heads(SUMMARY_HEADS, numbers), rows=rows), class_="card")]
    section = tag("section", *parts, _experiments(results, experiments), _marks(), class_="study")
    return document(title, _KIND, [section], "Drawn from results.json of the experiments.", [])


def _index_row(address: str, name: str, counts: list[str]) -> Markup:
    cells = (tag("td", count, class_="number") for count in counts)
    return tag("tr", tag("th", tag("a", name, href=address), scope="row"), *cells)


def _experiments(results: Results, experiments: Sequence[str]) -> Markup:
    lines = []
    for name in experiments:
        if name in results.saved:
            lines.append(tag("li", tag("a", name, href=f"../{name}/index.html"), f", {results.saved[name].machine}"))
        else:
            lines.append(tag("li", f"{name}: {NOT_RUN}"))
    return tag("div", tag("h3", "Pages of the experiments, which draw the figures"), tag("ul", *lines), class_="card")
