"""The pages of the papers: their rows are true to the experiments, to the command line, and have no figure by hand."""

import importlib.util
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from command_line import parse_command
from experiments.__main__ import EXPERIMENTS
from experiments.papers import MARKS, PAPERS, Row, read_paper, write_pages
from experiments.papers.answers import NOT_COVERED, NOT_RUN, VALUES, answers_of, sources_of, unknown_names
from experiments.papers.pages import as_json
from experiments.papers.quoted import PAGE, README, quoted, read_saved, with_count, with_quotes
from experiments.papers.rows import KINDS
from experiments.papers.values import Missing, Results, Saved, Source, Value, mean_of, median_of, saved_of, share_of
from experiments.single_commands.commands import COMMANDS
from experiments.single_commands.lines import count

ROOT = Path(__file__).parent.parent.parent
ALL_ROWS = [(number, row) for number in PAPERS for row in read_paper(number).rows]
FIGURE_OF_OURS = re.compile(r"\d\.\d|\d ?%|\d (?:[kKMGT]i?B|[MGT]B/s|[TG]Flop/s|MiB|lines|times|messages|packets)\b")
"""What a placeholder has to say. Whole numbers of nodes, bytes and timers are settings."""
SETTINGS = re.compile(r"\b1 KiB\b")
PROGRAMS = {"printf", "cat"}


@pytest.fixture(scope="module")
def results() -> Results:
    return read_saved()


def test_every_row_is_whole() -> None:
    for number, row in ALL_ROWS:
        where = f"paper {number}, {row.where}"
        assert row.mark in MARKS, where
        assert row.kind in KINDS, where
        assert row.where and row.says, where
        assert row.ours or row.because, f"{where}: nothing of ours, and not why"
        assert not row.mended or row.contradiction, where


def test_rows_with_a_number_of_ours_are_not_said_to_be_untestable() -> None:
    taken_over = "Reference 7 measured it; ours takes it over."
    wrong = [row.where for _, row in ALL_ROWS if row.mark == "not testable" and row.ours and row.because != taken_over]
    assert wrong == []


def test_what_only_prints_help_makes_no_row() -> None:
    assert [row.where for _, row in ALL_ROWS if "--help" in row.command] == []


def test_no_figure_of_ours_is_typed() -> None:
    typed = [
        f"paper {number}, {row.where}: {found[0]}"
        for number, row in ALL_ROWS
        for text in (row.ours,)
        for found in FIGURE_OF_OURS.finditer(SETTINGS.sub("", re.sub(r"\{[^}]*\}", "", text)))
    ]
    assert typed == []


@pytest.mark.parametrize("number", PAPERS)
def test_rows_and_values_name_each_other(number: int) -> None:
    paper = read_paper(number)
    assert unknown_names(paper) == []
    assert sorted(set(VALUES[number]) - set(sources_of(paper))) == []


@pytest.mark.parametrize("number", PAPERS)
def test_every_value_is_in_what_experiments_save(number: int, results: Results) -> None:
    missing = [name for name, source in VALUES[number].items() if results.value(source) is None]
    assert missing == []
    for answer in answers_of(read_paper(number), results):
        assert NOT_RUN not in f"{answer.ours} {answer.why} {answer.contradicts}", answer.where


def test_before_the_first_run_every_number_of_ours_is_missing() -> None:
    for number in PAPERS:
        for answer in answers_of(read_paper(number), Results()):
            assert answer.ours in (NOT_RUN, NOT_COVERED), answer.where
            assert (answer.difference, answer.contradicts, answer.machine) == ("", "", "")


def commands() -> Iterator[str]:
    for number, row in ALL_ROWS:
        if row.command:
            yield row.command
        elif row.names():
            yield VALUES[number][row.names()[0]].command


def words_of(line: str) -> Iterator[list[str]]:
    """Of each command of a shell line, without redirections."""
    words: list[str] = []
    for word in [*shlex.split(line.replace(";", " ; ")), ";"]:
        if word == ";":
            yield words
            words = []
        elif not word.startswith(">"):
            words.append(word)


def check(words: list[str]) -> None:
    program, *rest = words
    if program == "ayatori":
        parse_command(rest)
    elif program == "./run":
        assert f"\n    {rest[0]})" in (ROOT / "run").read_text(encoding="utf-8"), words
        assert rest[0] != "experiments" or set(rest[1:]) <= set(EXPERIMENTS), words
        assert rest[0] != "test" or all((ROOT / "src" / part).is_dir() for part in rest[1:]), words
    elif program == "python":
        assert rest[0] == "-m" and importlib.util.find_spec(rest[1]) is not None, words
    else:
        assert program in PROGRAMS or (ROOT / f"examples/{program}.c").exists(), words


@pytest.mark.parametrize("line", sorted({*commands(), *(command.line for command in COMMANDS.values())}))
def test_every_rows_command_parses(line: str) -> None:
    for words in words_of(line.replace("$AYATORI", str(ROOT))):
        check(words)


def test_a_difference_is_put_beside_the_spread(results: Results) -> None:
    row = Row("1", "number", "100", "predicted", ours="{rule_mean:.0f}", paper=100)
    paper = replace(read_paper(1), rows=(row,))
    saved = results.saved["fat_tree_alltoall"]
    name = "random, as the paper: 2-level ring, 8 ranks a node, drifting: rule"

    def difference(values: list[float]) -> str:
        one = Results({"fat_tree_alltoall": Saved(saved.parameters, {name: values})})
        return answers_of(paper, one)[0].difference

    assert difference([100.0, 100.0]) == "the same"
    assert difference([90.0, 130.0]) == "+10.0%, within the spread"
    assert difference([119.0, 121.0]) == "+20.0%, more than the spread; the cause is not known"
    assert difference([110.0]) == "+10.0%; ours has no spread"


def test_a_contradiction_comes_when_the_model_breaks(results: Results) -> None:
    rings = "So the 2-level ring is the better one"
    assert not any(answer.contradicts for answer in answers_of(read_paper(1), results) if answer.says.startswith(rings))
    saved = results.saved["fat_tree_alltoall"]
    broken = dict(saved.results) | {
        name: [9999.0 for _ in values] for name, values in saved.results.items() if "packets, plain ring" in name
    }
    other = Results(results.saved | {"fat_tree_alltoall": replace(saved, results=broken)})
    assert any(answer.contradicts for answer in answers_of(read_paper(1), other) if answer.says.startswith(rings))


def test_a_row_of_a_quick_run_has_its_command(results: Results) -> None:
    def command(saved: Saved) -> str:
        answers = answers_of(read_paper(1), Results({"job_stream": saved}))
        return next(answer.command for answer in answers if answer.says.startswith("Jobs on contiguous nodes"))

    quick = results.saved["job_stream"]
    assert command(quick) == "./run experiments job_stream --quick"
    full = saved_of("job_stream", {"parameters": {**quick.parameters, "jobs": 1000}, "results": quick.results})
    assert command(full) == "./run experiments job_stream"


def test_spreads() -> None:
    assert mean_of([1.0, 3.0], "jobs") == Value(2.0, pytest.approx(2.0), "twice the standard error of 2 jobs")
    assert median_of([1.0, 2.0, 5.0], "runs") == Value(2.0, 2.0, "half of the range of 3 runs")
    assert share_of(1, 4, "jobs", 1000).number == 250
    assert median_of([1.0], "runs").spread is None


def test_a_part_that_cannot_run_is_not_run() -> None:
    empty = Results({"mixed_cluster": Saved({}, {})})
    assert empty.value(Source("mixed_cluster", lambda saved: float(saved.of("HPL")[0]))) is None
    with pytest.raises(Missing):
        empty.saved["mixed_cluster"].of("HPL")


def test_what_is_there_is_said_where_another_part_has_not_run(results: Results) -> None:
    saved = results.saved["low_memory_transport"]
    without = {name: runs for name, runs in saved.results.items() if name != "real verbs"}
    other = Results(results.saved | {"low_memory_transport": replace(saved, results=without)})
    found = {answer.where: answer.ours for answer in answers_of(read_paper(5), other)}
    assert f"with 10 buffers; on Soft-RoCE ({NOT_RUN}) a second" in found["figure 3"]


def test_pages_are_written_where_they_are_asked_for(tmp_path: Path) -> None:
    index, answers = write_pages(tmp_path, list(EXPERIMENTS))
    assert index == tmp_path / "papers/index.html"
    names = {path.relative_to(tmp_path / "papers").as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"index.html", "rows.json", *(f"paper{number}.html" for number in PAPERS)}
    for number in PAPERS:
        page = (tmp_path / f"papers/paper{number}.html").read_text(encoding="utf-8")
        assert page.count("<tr>") == len(answers[number]) + 1
    rows = json.loads(as_json(answers))["rows"]
    assert len(rows) == len(ALL_ROWS)


def test_json_is_all_that_is_printed(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "experiments", "papers", "--json", "--out", str(tmp_path / "made")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    assert json.loads(done.stdout)["format"] == "ayatori-papers"


def test_the_page_of_papers_quotes_saved_results() -> None:
    """`python -m experiments.papers.quoted` writes it anew."""
    results = read_saved()
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_quotes(page, results)
    assert NOT_RUN not in quoted(results)
    readme = README.read_text(encoding="utf-8")
    assert "figures and claims" in readme
    assert readme == with_count(readme)


def test_lines_are_counted_without_comments() -> None:
    before, after = "int a;\n/* The pattern, from here: why. */\n", "/* The pattern, to here. */\nint d;\n"
    assert count(f"{before}\nint b; /* why */\n/* more\n * of it */\nint c;\n{after}") == {"pattern": 2}


@pytest.mark.sweep
def test_quick_runs_answer_every_row(tmp_path: Path) -> None:
    """As `./run experiments --quick`, but for labs that cannot be made here."""
    words = [sys.executable, "-m", "experiments", "--quick", "--out", str(tmp_path / "results")]
    subprocess.run(words, cwd=ROOT, timeout=1800, check=True)
    rows = json.loads((tmp_path / "results/papers/rows.json").read_text(encoding="utf-8"))["rows"]
    labs = ("measured", "on real parts")
    assert [row["where"] for row in rows if row["ours"] == NOT_RUN and row["mark"] not in labs] == []
