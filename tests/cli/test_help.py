"""The command line explains itself: help, completion, manual pages; and its output fits 100 columns."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import click
import pytest
import typer
from test_option_names import COMMANDS

import ayatori
from ayatori import _core
from ayatori.cli.app import app
from ayatori.cli.man_pages import write_man_pages
from ayatori.cli.output import WIDTH, fitted, grouped, saying_what_is_done, wrapped
from ayatori.cli.sources import ABOUT

PAPER = "fattree:K=6,levels=2,nodes=30"
WITH_SOURCE = [
    "show",
    "convert",
    "route",
    "check",
    "compare",
    "plan",
    "roce",
    "place",
    "order",
    "choose",
    "simulate",
    "lab fabric",
    "demo",
]


def test_there_is_a_list_of_the_kinds_of_sources(ayatori_command) -> None:
    text = ayatori_command("sources").stdout
    kinds = _core.source_kinds()
    assert [line for line in text.splitlines() if line and line[0] != " "] == [synopsis for _, synopsis in kinds]
    assert list(ABOUT) == [kind for kind, _ in kinds]


@pytest.mark.parametrize("verb", WITH_SOURCE)
def test_help_says_what_each_argument_is(verb: str, ayatori_command) -> None:
    """Some versions of click lose the help of Typer's arguments: pyproject.toml leaves them out."""
    command = typer.main.get_command(app)
    for word in verb.split():
        command = command.commands[word]
    shown = re.sub(r"[\s│]+", "", ayatori_command(*verb.split(), "--help").stdout)
    for parameter in command.params:
        assert parameter.help and re.sub(r"\s+", "", parameter.help) in shown, parameter.name


def test_there_is_a_list_of_the_algorithms(ayatori_command) -> None:
    listed = ayatori_command("algorithms", "--json").json()["algorithms"]
    assert [(each["collective"], each["algorithm"]) for each in listed] == [
        (each.collective, each.name) for each in _core.algorithms()
    ]
    text = ayatori_command("algorithms", "barrier").stdout
    assert re.findall(r"^\S.*$", text, re.MULTILINE) == ["barrier"] and "\n  dissemination " in text


VERBS = set(
    "Check Choose Comment Compare Continue Draw Estimate Explain Find List Make Measure Model Plan Predict Print "
    "Propose Rank Record Report Run Show Simulate Solve Start Use Write".split()
)
MOST_OF_A_PANEL = 12


def helps() -> Iterator[tuple[str, click.Option]]:
    for name, command in COMMANDS.items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                yield f"{name} {option.opts[0]}", option


def test_help_of_commands_and_flags_begins_with_a_verb() -> None:
    groups = {"lab": "Run", "bench": "Measure", "estimate": "Estimate"}
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    for name, verb in groups.items():
        assert (root.commands[name].help or "").startswith(f"{verb} ")
    for name, command in COMMANDS.items():
        assert (command.help or "").split()[0] in VERBS, name
    for name, option in helps():
        assert not option.is_flag or (option.help or "").split()[0] in VERBS, name


def test_help_of_other_options_begins_with_a_verb_or_names_the_value() -> None:
    """Never "Writes", "The file", a word of the value itself, or what another option has to be."""
    for name, option in helps():
        text = option.help or ""
        first = text.split()[0]
        assert text[0].isupper() and text.endswith("."), name
        assert first not in {"A", "An", "The", *(f"{verb}s" for verb in VERBS - {"Plan", "Rank", "Run"})}, name


def test_options_stand_in_panels_by_purpose() -> None:
    for name, command in COMMANDS.items():
        panels: dict[str, list[str]] = {}
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                panels.setdefault(getattr(option, "rich_help_panel", None) or "", []).append(option.opts[0])
        assert max(map(len, panels.values()), default=0) <= MOST_OF_A_PANEL, (name, panels)
        if "--job" in panels.get("", []):
            assert panels[""].index("--job") <= 3, name


def test_completion_of_bash_offers_verbs_and_options(ayatori_command) -> None:
    def offered(words: str, at: int) -> list[str]:
        environment = {"_AYATORI_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
        return ayatori_command(env=environment).stdout.split()

    assert offered("ayatori s", 1) == ["show", "sources", "simulate"]
    assert "--host-pattern" in offered("ayatori show --h", 2)


def test_a_manual_page_of_each_command_has_all_of_its_options(tmp_path: Path) -> None:
    pages = {path.stem: path.read_text() for path in write_man_pages(tmp_path)}
    root = typer.main.get_command(app)
    assert isinstance(root, click.Group)
    assert {f"ayatori-{name}" for name in root.commands} | {"ayatori", "ayatori-lab-fabric"} <= set(pages)
    for name, command in root.commands.items():
        page = pages[f"ayatori-{name}"].replace("\\-", "-")
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[0] in page, (name, parameter.opts)
    check = pages["ayatori-check"].replace("\\-", "-")
    assert "[default: shift]" in check and "\\e[" not in check
    assert "Network, such as fattree:K=6,levels=2,nodes=30 or ib:FILE" in check


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_manual_pages_are_clean_roff(tmp_path: Path) -> None:
    for path in write_man_pages(tmp_path):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(path)], capture_output=True, text=True, check=True)
        assert done.stderr == "", path


PRINTING = [
    f"show {PAPER}",
    "show ib:infiniband/full-fields.txt",
    f"check {PAPER} --random-jobs 20 --job-size 16",
    f"plan {PAPER} --random-jobs 20 --job-size 16 --method rule",
    f"route {PAPER}",
    "choose torus:3x3 --contiguous 9..9 --collective broadcast,allreduce --bytes 1KiB..4KiB",
    f"simulate {PAPER} --random-jobs 5 --job-size 16 --collective alltoall --algorithm shift --bytes 1KiB",
]


@pytest.mark.parametrize("command", PRINTING)
def test_output_fits_100_columns(command: str, ayatori_command) -> None:
    outcome = ayatori_command(*command.split(), cwd=Path(__file__).parent.parent / "golden").good()
    assert max(map(len, outcome.stdout.splitlines())) <= WIDTH == 100


def test_tables_that_are_too_wide_say_what_is_missing() -> None:
    columns, rows, said = fitted(["name", *"abc"], [["x" * 120, "1", "2", "3"], ["short", "4", "5", "6"]])
    assert (columns, rows[1]) == (["name", *"abc"], ["short", "4", "5", "6"])
    assert rows[0][0].endswith("x…") and "names in full" in said
    columns, _, said = fitted(["name", *(["y" * 30] * 6)], [["x"] * 7])
    assert len(columns) < 7 and f"{7 - len(columns)} more columns" in said
    assert fitted(["a", "b"], [["c", "d"]]) == (["a", "b"], [["c", "d"]], "")


def test_long_sentences_go_on_indented_and_lose_no_word() -> None:
    text = "  note: " + " ".join(f"word{i}" for i in range(60))
    lines = wrapped(text)
    assert len(lines) > 3 and all(line.startswith("      ") for line in lines[1:])
    assert " ".join(lines).split() == text.split()


def test_repeated_faults_are_one_sentence() -> None:
    faults = [f"the host n{i} has 1 rail, most have 2" for i in range(11)]
    faults += ["leaf-1 has 3 cables to hosts, most have 4", "something else"]
    texts = grouped(faults)
    assert texts == [
        "11 hosts have 1 rail, most have 2: n0, n1, n2, n3, …",
        "leaf-1 has 3 cables to hosts, most have 4",
        "something else",
    ]


def test_what_takes_long_is_said_again_until_it_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with saying_what_is_done(every_seconds=0.02) as doing:
        doing("first")
        doing("second")
        said = capsys.readouterr().err
        while said.count("second (0 s)\n") < 2:
            sleep(0.001)
            said += capsys.readouterr().err
    assert said.startswith("first\nsecond\nsecond (0 s)\n")


def test_the_top_level_offers_simulate_and_choose() -> None:
    network = ayatori.open_source("torus:3x3")
    [job] = ayatori.contiguous_jobs(network, [9])
    model = ayatori.Model(link_latency=1e-6, costs=ayatori.FREE)
    simulation = ayatori.simulate(network, job, ayatori.Call("broadcast", "binomial", 1024), model=model)
    [ranking] = ayatori.choose(ayatori.Predictor(network, model=model), job, [("broadcast", 1024)]).rankings
    binomial = next(candidate for candidate in ranking.ranked if candidate.algorithm == "binomial")
    assert simulation.seconds == pytest.approx(binomial.seconds)
    assert set(ayatori.__all__) <= set(dir(ayatori))
    for name in ayatori.__all__:
        assert getattr(ayatori, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        ayatori.nonsense  # noqa: B018


def test_objects_say_what_they_are() -> None:
    network = ayatori.open_source(PAPER)
    routes = ayatori.make_routes(network, 0)
    [job] = ayatori.contiguous_jobs(network, [16])
    assert repr(network) == "<Network of 30 machines, 11 routers and 60 links>"
    assert repr(job) == "<Job of 16 ranks on 16 machines>"
    assert repr(routes) == "<Routes: 41 LIDs on 11 routers>"
    assert repr(ayatori.check(network, routes)) == "<TableCheck: good>"
    assert network._repr_html_().startswith("<svg")
    assert ayatori.open_source("torus:70x70")._repr_html_().startswith("<svg")
    stub = Path(_core.__file__).parent / "_core.pyi"
    stub = stub if stub.exists() else Path(ayatori.__file__).parent / "_core.pyi"
    assert "def make_plan(network: Network, routes: Routes," in stub.read_text()
