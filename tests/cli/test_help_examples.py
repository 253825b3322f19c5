"""Every help page has an example at its end, and what it shows works."""

import shlex
from pathlib import Path

import click
import pytest
import typer
from test_option_names import COMMANDS

from ayatori.cli.app import app, listed_commands
from ayatori.cli.examples import EXAMPLES

WIDTH = 80
ALL = [line for lines in EXAMPLES.values() for line in lines]
NEED_MORE = {
    "run",
    "tune",
    "explain",
    "acprun",
    "doctor",
    "lab",
    "bench",
    "calibrate",
    "compare",
    "demo",
    "report",
    "build-plugin",
}
"""These need an MPI, a lab, a program or a long time; the command line only takes their examples."""
RUN = [
    *(line for line in ALL if line.split()[0] not in NEED_MORE and not line.startswith("estimate hpl")),
    "report demo",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples name."""
    return tmp_path_factory.mktemp("examples")


@pytest.fixture
def files(folder: Path, ayatori_command) -> Path:
    if not (folder / "fabric.txt").exists():
        tree = "fattree:K=6,levels=2,nodes=30"
        ayatori_command("convert", tree, "--to", "ibsim", "--out", str(folder / "fabric.txt")).good()
        (folder / "hostfile").write_text("".join(f"N{i}\n" for i in (3, 17, 4, 9, 28, 0)))
        (folder / "jobs").mkdir()
        (folder / "jobs/one").write_text("N1\nN5\nN11\nN20\n")
        (folder / "jobs/two").write_text("N2\nN6\nN12\nN21\n")
        ayatori_command("route", tree, "--out-dir", str(folder / "tables")).good()
        planned = ("--out", str(folder / "plan.json"), "--report", str(folder / "demo"))
        fabric = f"ib:{folder}/fabric.txt"
        ayatori_command("plan", fabric, "--job", str(folder / "hostfile"), *planned).good()
        ayatori_command("convert", tree, "--to", "json", "--out", str(folder / "switches")).good()
        (folder / "addresses").write_text("".join(f"N{i} 10.0.0.{i + 1}\n" for i in range(30)))
    return folder


def test_every_command_has_an_example() -> None:
    assert set(EXAMPLES) == set(COMMANDS)
    assert all(EXAMPLES.values())


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_an_example_that_can_be_copied(command: str, ayatori_command) -> None:
    done = ayatori_command(*command.split(), "--help", env={"COLUMNS": str(WIDTH)}).good()
    lines = [line.strip() for line in done.stdout.rstrip().splitlines()]
    assert lines[-len(EXAMPLES[command]) :] == [f"$ ayatori {line}" for line in EXAMPLES[command]]
    assert max(map(len, done.stdout.splitlines())) <= WIDTH


@pytest.mark.parametrize("line", ALL)
def test_the_command_line_takes_the_example(line: str) -> None:
    command: click.Command = typer.main.get_command(app)
    words = shlex.split(line)
    while isinstance(command, click.Group):
        command = command.commands[words.pop(0)]
    for parameter in command.params:
        if parameter.metavar == "SOURCE":
            parameter.callback = None  # no file is here
    command.make_context("ayatori", words)


@pytest.mark.parametrize("line", RUN)
def test_the_example_runs(line: str, files: Path, ayatori_command) -> None:
    words = shlex.split(line.replace("lldp:switches", "json:switches"))
    ayatori_command(*words, cwd=files, env={"XDG_CACHE_HOME": str(files / "cache")}).good()


def test_the_list_of_commands_says_of_each_what_it_does_on_one_line(ayatori_command) -> None:
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    listed = listed_commands()
    assert list(listed) == list(root.commands)
    text = ayatori_command("--help", env={"COLUMNS": str(WIDTH)}).good().stdout
    for name, command in listed.items():
        first = " ".join((root.commands[name].help or "").split("\n\n")[0].split())
        assert command.help == first
        assert f"{name} " in text and f" {first} " in text, name


def test_wrong_usage_exits_with_2(ayatori_command) -> None:
    for words in (
        ["show"],
        ["shwo"],
        ["bench", "incst"],
        ["plan", "torus:4", "--jbo", "x"],
        ["acprun", "-n", "0", "x"],
    ):
        assert ayatori_command(*words).status == 2, words
