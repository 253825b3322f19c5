"""What takes little starts with little: a help page reads no predictor, and `--version` not even Typer."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click
import pytest
import typer
from click.shell_completion import get_completion_class
from typer.completion import completion_init

from ayatori.cli.app import app
from ayatori.cli.at_once import VARIABLE, WORDS, answer_at_once
from ayatori.cli.completion_file import completion_file

COMMANDS = r"""
import json, os, sys
from ayatori.cli import main

def run(*arguments, name, **environment):
    os.environ.update(environment)
    before, sys.argv = sys.argv, ["ayatori", *arguments]
    try:
        main()
    except SystemExit as end:
        assert end.code == 0, end.code
    for variable in environment:
        del os.environ[variable]
    modules[name], sys.argv = list(sys.modules), before

modules = {}
run("--version", name="--version")
run(name="completion", _AYATORI_COMPLETE="source_bash")
run(name="completion", _AYATORI_COMPLETE="complete_bash", COMP_WORDS="ayatori sh", COMP_CWORD="1")
run(name="completion", _AYATORI_COMPLETE="complete_zsh", _TYPER_COMPLETE_ARGS="ayatori lab fabric --l")
run(*sys.argv[1].split(), name=sys.argv[1])
print(json.dumps(modules), file=sys.stderr)
"""
LIBRARIES = ("asyncio", "attr", "hashlib", "multiprocessing", "numpy", "plotly", "statistics", "tempfile")
OF_COMMANDS = ("ayatori.calibration", "ayatori.formats", "ayatori.planning", "ayatori.prediction", "ayatori.report")
NEVER = {
    "--version": (*LIBRARIES, *OF_COMMANDS, "ayatori._core", "click", "rich", "typer"),
    "completion": (*LIBRARIES, *OF_COMMANDS, "ayatori._core", "click", "rich", "typer"),
    "show fattree:K=2": (*LIBRARIES, *OF_COMMANDS, "rich"),
    **dict.fromkeys(
        ("show --help", "choose --help"),
        ("asyncio", "multiprocessing", "numpy", "plotly", "rich.progress", *OF_COMMANDS),
    ),
}
MOST_OF_SHOW = 40
OF_THE_CLI = ("app", "at_once", "execution", "lines", "output", "status", "stdout")
OURS = {
    "--version": {"", "cli", "cli.at_once", "cli.status", "cli.stdout"},
    "--help": {"", "base", "base.errors", "cli", *(f"cli.{name}" for name in OF_THE_CLI)},
}
"""All of our modules that these import."""


def modules_of(command: str) -> dict[str, list[str]]:
    """The modules that are there after each of the steps of COMMANDS, of which the last is this command."""
    words = [sys.executable, "-c", COMMANDS, command]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    modules: dict[str, list[str]] = json.loads(done.stderr)
    return modules


@pytest.mark.parametrize("command", ["show fattree:K=2", "show --help", "choose --help"])
def test_no_command_imports_what_it_does_not_use(command: str) -> None:
    for which, modules in modules_of(command).items():
        heavy = [
            name for name in modules if name in NEVER[which] or name.startswith(tuple(f"{n}." for n in NEVER[which]))
        ]
        assert heavy == [], which


def test_the_version_and_the_list_of_commands_import_a_few_modules() -> None:
    """The list, which Rich prints, has the words of completion.json."""
    for which, modules in modules_of("--help").items():
        ours = {name.removeprefix("ayatori").removeprefix(".") for name in modules if name.startswith("ayatori")}
        assert which not in OURS or ours == OURS[which], which
        assert "numpy" not in modules


def test_show_imports_little_of_ours() -> None:
    modules = modules_of("show fattree:K=2")["show fattree:K=2"]
    ours = [name for name in modules if name.startswith("ayatori.")]
    assert len(ours) <= MOST_OF_SHOW, ours


LINES = [
    *("ayatori ", "ayatori s", "ayatori sh", "ayatori x", "ayatori -", "ayatori --v"),
    *("ayatori lab ", "ayatori lab c", "ayatori lab -", "ayatori lab fabric --", "ayatori lab fabric x"),
    *("ayatori run --pro", "ayatori run --progress ", "ayatori run --progress t", "ayatori run --progress=t"),
    *("ayatori acprun -n 3 -", "ayatori run mpirun -", "ayatori run -- mpirun -", "ayatori run -- mpirun x"),
    *("ayatori show fat", "ayatori show - -", "ayatori show --j", "ayatori show fattree:K=2 --json --"),
    *("ayatori show --svg f", "ayatori show --svg=", "ayatori show --svg=f", "ayatori show --svg = f"),
    *("ayatori check --jobs a --jo", "ayatori check --job a --jo", "ayatori check --job --seed --s"),
]


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Typer breaks the help of an option where the terminal ends, and shells then take its lines for words."""
    monkeypatch.setenv("COLUMNS", "1000")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_offers_at_once_what_typer_would(shell: str, wide: None, monkeypatch: pytest.MonkeyPatch) -> None:
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    for line in [*LINES, *(f"ayatori {verb} -" for verb in root.commands)]:
        environment = {VARIABLE: f"complete_{shell}", **asked(line)}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        completion_init()
        kind = get_completion_class(shell)
        assert kind is not None
        of_typer = kind(root, {}, "ayatori", VARIABLE).complete()
        answer = answer_at_once([], environment)
        assert answer is not None, line
        assert (words_of(answer[0]), answer[1]) == (words_of(of_typer), 0), line


def asked(line: str) -> Mapping[str, str]:
    """The variables by which the shells ask."""
    at = len(line.split()) - (not line.endswith(" "))
    of_others = {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    return {"COMP_WORDS": line, "COMP_CWORD": str(at), **of_others}


def words_of(answer: str) -> list[str]:
    """The lines, without what zsh has around them; click has the names of --help in any order."""
    return sorted(answer.strip().removeprefix("_arguments '*: :((").removesuffix("))'").split("\n"))


@pytest.mark.parametrize("line", ["ayatori nonsense s", "ayatori show --nonsense -", "ayatori show 'fat"])
def test_what_is_seldom_asked_is_left_to_typer(line: str) -> None:
    assert answer_at_once([], {VARIABLE: "complete_bash", **asked(line)}) is None


def test_fish_asks_first_whether_there_are_words() -> None:
    def status(line: str) -> tuple[str, int] | None:
        variables = {**asked(line), "_TYPER_COMPLETE_FISH_ACTION": "is-args"}
        return answer_at_once([], {VARIABLE: "complete_fish", **variables})

    assert (status("ayatori sh"), status("ayatori show fat")) == (("", 0), ("", 1))


def test_the_file_of_completions_is_that_of_these_verbs() -> None:
    """As `python -m ayatori.cli.completion_file` writes it, and UPDATE_SNAPSHOTS=1, too."""
    if os.environ.get("UPDATE_SNAPSHOTS"):
        Path(WORDS).write_text(completion_file(), encoding="utf-8")
    assert Path(WORDS).read_text(encoding="utf-8") == completion_file()
