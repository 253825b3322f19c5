"""Verbs that run a command take options up to its first word, as env, nice and sudo do."""

from typing import Any

import click
import pytest
from test_option_names import COMMANDS

from ayatori.cli.own_options import RunsCommand

RUNNING = {verb for verb, command in COMMANDS.items() if isinstance(command, RunsCommand)}


def parsed(verb: str, line: str) -> dict[str, Any]:
    """What the verb gets for its parameters; nothing runs."""
    found = COMMANDS[verb].make_context(verb, line.split()).params
    return found | {"command": list(found["command"])}


def test_these_are_all_verbs_that_run_a_command() -> None:
    takes_one = {
        verb for verb, command in COMMANDS.items() if any(each.metavar == "COMMAND..." for each in command.params)
    }
    assert RUNNING == takes_one == {"run", "tune", "acprun", "explain", "lab cluster", "lab rdma"}


@pytest.mark.parametrize("verb", sorted(RUNNING))
@pytest.mark.parametrize("dashes", ["", "-- "])
def test_words_of_the_command_are_left_to_it(verb: str, dashes: str) -> None:
    own = "lab.toml " if verb == "lab cluster" else ""
    line = "mpirun -np 2 --verbose ./x -- --json -h"
    assert parsed(verb, own + dashes + line)["command"] == line.split()


def test_options_before_the_command_are_the_verbs() -> None:
    found = parsed("run", "--plan p.json --verbose mpirun -n 2 --verbose ./x")
    assert (str(found["plan"]), found["verbose"], found["count"]) == ("p.json", True, None)
    assert found["command"] == ["mpirun", "-n", "2", "--verbose", "./x"]
    found = parsed("acprun", "-n 4 ./x -n 5")
    assert (found["count"], found["command"]) == (4, ["./x", "-n", "5"])
    assert parsed("run", "-- --oddly-named")["command"] == ["--oddly-named"]


@pytest.mark.parametrize(
    "line",
    [
        "--slower 4 my.toml mpirun --slower 5",
        "my.toml --slower 4 -- mpirun --slower 5",
        "my.toml --slower=4 mpirun --slower 5",
        "--slower 4 -- my.toml mpirun --slower 5",
    ],
)
def test_a_file_may_stand_before_the_options(line: str) -> None:
    found = parsed("lab cluster", line)
    assert (str(found["file"]), found["slower"]) == ("my.toml", 4.0)
    assert found["command"] == ["mpirun", "--slower", "5"]


@pytest.mark.parametrize(
    ("verb", "line", "message"),
    [
        ("run", "", "Missing argument 'COMMAND...'"),
        ("run", "--verbose --", "Missing argument 'COMMAND...'"),
        ("run", "--verbos mpirun", "No such option '--verbos'"),
        ("run", "--plan", "Option '--plan' requires an argument"),
        ("lab cluster", "", "Missing argument 'FILE.toml'"),
        ("lab cluster", "my.toml", "Missing argument 'COMMAND...'"),
        ("lab cluster", "my.toml --fast -- x", "No such option '--fast'"),
    ],
)
def test_what_is_wrong_is_said(verb: str, line: str, message: str) -> None:
    with pytest.raises(click.UsageError) as error:
        parsed(verb, line)
    assert message in error.value.format_message()
