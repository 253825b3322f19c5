"""What docs/papers.md quotes: counts of rows, and sentences with numbers of saved runs; and README.md, the number of
rows. `python -m experiments.papers.quoted` writes them anew; a test fails where a page is another one."""

from __future__ import annotations

import json
import re
from pathlib import Path

from experiments.papers.answers import answers_of
from experiments.papers.rows import MARKS, PAPERS, read_paper
from experiments.papers.values import Results, saved_of

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/papers.md"
README = ROOT / "README.md"
SAVED = ROOT / "tests/experiments/papers.json"
"""Results of quick runs, without what no value needs."""
QUOTED = (
    (1, "All-to-all on any 16 of 30 nodes is 34%"),
    (1, "So the 2-level ring is the better one"),
    (1, "The method makes hot spots of random nodes rarer"),
    (2, "A collective that knows the network can be written on nwtopo"),
    (2, "Lines for the initialisation and the pattern"),
    (2, "On 48 x 54 x 32"),
    (3, "HPL on the cluster to be built"),
    (3, "InfiniBand is SDR x4"),
    (4, "PIPECG reduces 24 bytes"),
    (4, "SHARP reduces in switches"),
    (5, "25 GB for a million processes"),
    (5, "100 us is the best timer"),
    (5, "Retransmission control decides"),
)
"""Paper, and how what it says begins."""
_BEGIN, _END = "<!-- saved results: from here -->\n", "<!-- saved results: to here -->"


def read_saved() -> Results:
    saved = json.loads(SAVED.read_text(encoding="utf-8"))
    return Results({name: saved_of(name, one) for name, one in saved.items()})


def quoted(results: Results) -> str:
    """The lines between the marks."""
    counts = ["| paper | rows | " + " | ".join(MARKS) + " |", "|---" * (len(MARKS) + 2) + "|"]
    for number in PAPERS:
        paper = read_paper(number)
        counts.append(f"| {number} | {len(paper.rows)} | {' | '.join(map(str, paper.count().values()))} |")
    sentences = ["| paper | the paper's figure | our figure, in quick runs | spread | mark |", "|---|---|---|---|---|"]
    answers = {number: answers_of(read_paper(number), results) for number, _ in QUOTED}
    for number, begin in QUOTED:
        [answer] = [one for one in answers[number] if one.says.startswith(begin)]
        cells = (f"{number}, {answer.where}", answer.says, answer.ours, answer.spread, answer.mark)
        sentences.append(f"| {' | '.join(cells)} |")
    return "\n".join(["So many rows have each mark:", "", *counts, "", "Some of them:", "", *sentences, ""])


def with_quotes(page: str, results: Results) -> str:
    """The page with these lines between its marks."""
    before, _, rest = page.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    return f"{before}{_BEGIN}{quoted(results)}{_END}{after}"


def with_count(readme: str) -> str:
    """README.md with the number of rows of all papers."""
    rows = sum(len(read_paper(number).rows) for number in PAPERS)
    return re.sub(r"\d+ figures and claims", f"{rows} figures and claims", readme)


if __name__ == "__main__":
    README.write_text(with_count(README.read_text(encoding="utf-8")), encoding="utf-8")
    PAGE.write_text(with_quotes(PAGE.read_text(encoding="utf-8"), read_saved()), encoding="utf-8")
