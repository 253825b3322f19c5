"""Options are called the same in all verbs, mean the same, and take their values in the same units."""

import keyword
import re
from collections.abc import Iterator

import click
import pytest
import typer

from ayatori.base.units import parse_bytes
from ayatori.cli.app import app
from ayatori.cli.execution import UsageError

PAPER = "fattree:K=6,levels=2,nodes=30"


def commands(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, (*words, name))
    else:
        yield " ".join(words), command


COMMANDS = dict(commands(typer.main.get_command(app)))


def options_of(command: click.Command) -> dict[str, click.Option]:
    return {option.opts[0]: option for option in command.params if isinstance(option, click.Option)}


def uses(name: str) -> dict[str, click.Option]:
    """The verbs that have an option of this name."""
    return {verb: options_of(command)[name] for verb, command in COMMANDS.items() if name in options_of(command)}


NAMES = sorted({name for command in COMMANDS.values() for name in options_of(command)})


ALSO = {"--traffic": ["--pattern"]}
"""`plan` takes several patterns, and calls what they are together traffic; `check` and others take one pattern."""


def one_of(metavar: str | None) -> str | None:
    """What a list takes many of: `SIZE[,SIZE…]` is many a SIZE. Without words that may stand instead: `FILE|auto`."""
    return re.sub(r"\[,.*\]$|\|[a-z].*$", "", metavar) if metavar else metavar


def test_there_are_options_to_look_at() -> None:
    assert len(COMMANDS) >= 14 and len(NAMES) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_an_option_takes_the_same_in_all_verbs(name: str) -> None:
    kinds = {verb: (type(option.type), one_of(option.metavar), option.is_flag) for verb, option in uses(name).items()}
    assert len(set(kinds.values())) == 1, kinds


@pytest.mark.parametrize("name", NAMES)
def test_an_option_has_one_name_that_says_what_python_calls_it(name: str) -> None:
    for verb, option in uses(name).items():
        assert option.opts == [name, *ALSO.get(name, [])], (verb, option.opts)
        if keyword.iskeyword(name[2:]):
            assert option.name and option.name.startswith(f"{name[2:]}_"), verb
        elif re.fullmatch(r"--[a-z]+(-[a-z]+)*", name):
            assert option.name in (name[2:].replace("-", "_"), f"{name[2:]}_"), verb
        else:
            assert name == "-n", verb  # as mpirun has it


@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_takes_a_word_or_a_path_says_which(name: str) -> None:
    """What is written is FILE for `--out`, DIR for `--out-dir`; what is read is FILE or HOSTFILE."""
    for verb, option in uses(name).items():
        if name.startswith("--out") or name == "--trace" or name == "--svg":
            assert option.metavar == ("DIR" if name == "--out-dir" else "FILE"), verb
        elif isinstance(option.type, click.Path) or "path" in option.type.name:
            assert one_of(option.metavar) in ("FILE", "HOSTFILE", "PATH", "DIR"), (verb, option.metavar)


def test_a_dash_is_stdout_or_refused() -> None:
    paths = [
        (verb, name, option)
        for verb, command in COMMANDS.items()
        for name, option in options_of(command).items()
        if isinstance(option.type, click.Path)
    ]
    assert {(verb, name) for verb, name, option in paths if option.type.allow_dash} == {
        ("convert", "--out"),
        ("show", "--svg"),
    }
    for verb, name, option in paths:
        value = ["-"] if option.multiple else "-"
        if option.type.allow_dash:
            assert str(option.process_value(click.Context(COMMANDS[verb]), value)) == "-"
        else:
            with pytest.raises(UsageError, match=f"{name} names a "):
                option.process_value(click.Context(COMMANDS[verb]), value)


def test_sizes_times_and_rates_are_words_with_units() -> None:
    for name in NAMES:
        for verb, option in uses(name).items():
            if one_of(option.metavar) in ("SIZE", "TIME", "RATE"):
                assert option.type.name == "text", (verb, name)
    for name in ("--bytes", "--chunk", "--eager"):
        assert {one_of(option.metavar) for option in uses(name).values()} == {"SIZE"}, name
    for name in ("--link-latency", "--latency", "--overhead", "--timer"):
        assert {option.metavar for option in uses(name).values()} == {"TIME"}, name
    assert [parse_bytes(text) for text in ("1M", "1MiB", "1mib", "1 mib")] == [2**20] * 4


def test_verbs_with_a_source_take_a_host_pattern() -> None:
    for verb, command in COMMANDS.items():
        takes_source = any(isinstance(p, click.Argument) and "SOURCE" in (p.metavar or "") for p in command.params)
        assert takes_source == ("--host-pattern" in options_of(command)), verb


def test_jobs_are_named_by_the_same_options() -> None:
    """Who takes random jobs takes their size and seed, too; who takes a hostfile takes ranks and their order."""
    for verb in uses("--random-jobs"):
        assert {"--job-size", "--seed"} <= set(options_of(COMMANDS[verb])), verb
    for verb in uses("--job"):
        assert {"--ppn", "--order"} <= set(options_of(COMMANDS[verb])), verb
    for option in uses("--seed").values():
        assert option.default == 1


def test_bench_takes_sizes_with_units(ayatori_command) -> None:
    outcome = ayatori_command("bench", "simulated-incast", "--senders", "2", "--messages", "3", "--bytes", "1k")
    assert outcome.stdout.startswith("2 processes send 3 messages of 1 KiB each to one with 1 receive buffer\n")
