"""The pages use the field's words, and sentences that are read once."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *(
        ROOT / name
        for name in (
            "README.md",
            "CHANGELOG.md",
            "CONTRIBUTING.md",
            "SECURITY.md",
            "python/README.md",
            "bench/README.md",
        )
    ),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/tutorials").glob("*.md")),
    *sorted((ROOT / "docs/decisions").glob("*.md")),
    *sorted((ROOT / "src").glob("*/README.md")),
]
OLD_WORDS = "docs/decisions/0024-the-fields-words.md"
"""This page lists the words that must not come back."""
MOST_WORDS = 25
INSTEAD = {
    r"\b(is|are|was|were) told\b": "is reported",
    r"\bbeside\b(?!\.)": "next to; with; concurrent",
    r"\bof which\b": "a sentence of its own",
    r"\bin turns\b": "alternating",
    r"\bplay(s|ed|er|ing)?\b": "execute",
    r"\bcrowded\b": "oversubscribed",
    r"\bsoonest\b": "lowest latency",
    r"\bdestination-mod-K\b": "d-mod-k",
    r"(?<!MPI's )\bown steps\b": "path-aware schedule",
    r"\bfirst turn\b": "start skew",
    r"\bto bury\b": "defer free",
}


def sentences_of(text: str) -> Iterator[str]:
    """Those of paragraphs and lists. Code, tables, comments, links' targets and references are left out."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.DOTALL)
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.splitlines() if not re.match(r" {4}|\||#|\[\d", line)]
        for item in re.split(r"(?:^|\n)\s*(?:[-*]|\d+\.) ", "\n".join(lines)):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", re.sub(r"`[^`]*`", "code", item))
            yield from re.split(r"(?<=[.?!:;])[*)”\"]*\s+", " ".join(words.split()))


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_sentence_has_25_words_at_most(page: Path) -> None:
    long = [text for text in sentences_of(page.read_text(encoding="utf-8")) if len(text.split()) > MOST_WORDS]
    assert long == []


def test_words_that_must_not_come_back() -> None:
    found = []
    for page in PAGES:
        if name_of(page) == OLD_WORDS:
            continue
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"```console.*?```", lambda block: "\n" * block[0].count("\n"), text, flags=re.DOTALL)
        for number, line in enumerate(text.splitlines(), 1):
            prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)
            found += [
                f"{name_of(page)}:{number}: {pattern}: {instead}"
                for pattern, instead in INSTEAD.items()
                if re.search(pattern, prose)
            ]
    assert found == []


FIGURE = re.compile(r"\d ?(?:%|times|ms|µs|us|[MGT]B/s|GFlop/s)(?!\w)|bandwidth +mean")
MARK = re.compile(r"measured|simulated|predicted|not tried", re.IGNORECASE)
SYNTAX = {"job-files.md", "json-output.md", "your-fabric.md", "map.md", "sources.md"}
"""Their figures are examples of values."""


@pytest.mark.parametrize("page", [page for page in PAGES if page.parent.name in ("docs", "tutorials")], ids=name_of)
def test_figures_have_a_mark(page: Path) -> None:
    """It is said whether they are measured, simulated or predicted."""
    text = page.read_text(encoding="utf-8")
    if FIGURE.search(text) and page.name not in SYNTAX and not page.name.endswith("-format.md"):
        assert MARK.search(text)
