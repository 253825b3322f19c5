"""Every verb's --json names its format and version, and prints what its type says; docs/json-output.md is that type."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

from ayatori.base.compiled import PROGRAMS
from ayatori.cli.app import app
from ayatori.cli.json_kinds import KINDS
from ayatori.cli.json_page import PAGE, page
from ayatori.cli.searching import CutData
from subprocesses import program_at
from typed_json import unlike

GOLDEN = Path(__file__).parent.parent / "golden"
PAPER = "fattree:K=6,levels=2,nodes=30"
CLUSTER = f"cluster:{Path(__file__).parents[2] / 'examples/cluster/three-chassis.toml'}"
SMALL = "fattree:K=2,levels=2"

EXAMPLES: dict[str, list[str]] = {
    "sources": ["sources"],
    "algorithms": ["algorithms allreduce"],
    "show": [
        f"show {PAPER}",
        "show torus:3x4",
        f"show {CLUSTER}",
        "show torus:400x400",
        "show ib:infiniband/2008-with-lids.txt",
    ],
    "differences": ["show torus:3x3 --diff torus:3x3,rate=4xNDR"],
    "route": [f"route {PAPER}"],
    "check": [f"check {PAPER}", f"check {PAPER} --contiguous 16..16", f"check {PAPER} --jobs jobs --background 1"],
    "compare": [f"compare {SMALL} --engines minhop,torus-2QoS,nue --jobs-per-size 2"],
    "plan": [f"plan {PAPER} --contiguous 16..16 --path-aware --lmc 0", f"plan {PAPER} --contiguous 16..16 --lmc 0"],
    "plan-with-running": [f"plan {PAPER} --job jobs/left --running jobs --state {{state}}"],
    "plan-jointly": [f"plan {PAPER} --jobs jobs --lmc 0"],
    "roce": [f"roce {PAPER} --contiguous 16..16"],
    "place": [f"place {PAPER} --nodes 6 --free free.hosts --running jobs"],
    "doctor": ["doctor"],
    "calibrate": ["calibrate --seconds 10ms --mpirun {mpirun} --mpicc true"],
    "tune": ["tune --collective barrier --seconds 10ms --out {state} -- mpirun.openmpi -np 2 --oversubscribe"],
    "choose": [f"choose {PAPER} --contiguous 4..4 --collective alltoall --bytes 1KiB"],
    "order": [f"order {PAPER} --job jobs/left --pattern ring --trials 20"],
    "mpi-table": [f"choose {PAPER} --contiguous 4..4 --collective allgather --bytes 1KiB --to intel"],
    "simulate": [
        f"simulate {PAPER} --contiguous 4..5 --collective alltoall --algorithm shift --bytes 1KiB",
        f"simulate {PAPER} --jobs jobs --background 1 --collective alltoall --algorithm shift --bytes 1KiB --rounds 3",
        "simulate torus:3x3 --contiguous 9..9 --collective broadcast --algorithm binomial --bytes 1KiB",
    ],
    "lab-fabric": [f"lab fabric {SMALL}"],
    "bench-incast": ["bench incast --senders 2 --messages 10 --repeats 1 --stacks ours"],
    "bench-pingpong": [],
    "bench-collectives": ["bench collectives --collective barrier,allreduce --bytes 8B --repeats 1 --ranks 2"],
    "bench-alltoall": ["bench alltoall --bytes 64B --repeats 1"],
    "bench-hpl": ["bench hpl --matrix-order 60 --nb 16 --mixed"],
    "estimate-hpl": ["estimate hpl --matrix-order 60 --nb 16 --grids 1x2 --seconds 10ms"],
    "estimate-hpl-paper": ["estimate hpl --paper"],
    "estimate-memory": ["estimate memory --processes 2,1Mi"],
    "estimate-in-network": [
        f"estimate in-network {PAPER} --contiguous 8..8 --collective allreduce,barrier --bytes 24B --late 10us"
    ],
    "bench-overlap": [
        "bench overlap --here --mpi openmpi --calls ibcast --bytes 8KiB --mechanisms none --repeats 1 --measurements 2",
        "bench overlap --here --mpi openmpi --task stencil --ways isend --matrix-order 16 --mechanisms none "
        "--repeats 1 --measurements 2 --iterations 2",
    ],
    "explain": ["explain --repeats 0 -- mpirun.openmpi -np 2 --oversubscribe {overlap} ibcast arithmetic 65536 2"],
    "bench-simulated-incast": ["bench simulated-incast --senders 3 --messages 20"],
    "bench-peers": ["bench peers --count 1000"],
    "demo": [f"demo {SMALL} --random-jobs 2"],
}
"""Of each kind the commands that show its keys."""
SWEEPS = [("calibrate", "calibrate --seconds 10ms")]
"""What takes long where ranks share cores; the example has what such a run printed."""
BETWEEN_HOSTS = {"bench pingpong"}
"""Verbs that need several hosts: tests/lab has their examples."""


def commands_with_json(command: click.Command, words: tuple[str, ...] = ()) -> Iterator[str]:
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands_with_json(inner, (*words, name))
    elif any("--json" in parameter.opts for parameter in command.params):
        yield " ".join(words)


def test_there_is_an_example_of_every_verb_with_json() -> None:
    verbs = set(commands_with_json(typer.main.get_command(app))) - BETWEEN_HOSTS
    commands = [command for examples in EXAMPLES.values() for command in examples]
    assert verbs == {verb for verb in verbs if any(f"{command} ".startswith(f"{verb} ") for command in commands)}
    assert len(verbs) >= 10


def test_every_kind_has_an_example_and_the_page_is_made_from_the_types() -> None:
    assert set(KINDS) == set(EXAMPLES)
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m ayatori.cli.json_page"


def test_what_is_unlike_its_type_is_found() -> None:
    cut = {"by": "time", "done": 1, "of": 2, "seconds": 1.5}
    assert list(unlike({"cut": [cut]}, dict[str, list[CutData] | None])) == []
    assert list(unlike(cut | {"more": 1}, CutData)) == [".more has no type"]
    assert list(unlike(cut | {"done": "1"}, CutData)) == [".done: '1' is no <class 'int'>"]
    assert list(unlike({}, CutData | None)) != []
    missing = {key: value for key, value in cut.items() if key != "of"}
    assert list(unlike(missing, CutData)) == [".of is not there"]


@pytest.fixture
def mpirun(tmp_path: Path) -> Path:
    """Prints what the program of `calibrate` printed once: of two ranks, or of more that take turns."""
    recorded = GOLDEN / "calibrate"
    script = f'case "$*" in --version) echo "Open MPI";; *--oversubscribed*) cat {recorded}/oversubscribed.jsonl;; '
    return program_at(tmp_path / "mpirun", f"{script}*) cat {recorded}/two-ranks.jsonl;; esac")


@pytest.mark.parametrize(
    ("kind", "command"),
    [
        *((kind, command) for kind, commands in EXAMPLES.items() for command in commands),
        *(pytest.param(*each, marks=pytest.mark.sweep) for each in SWEEPS),
    ],
)
def test_output_names_its_format_and_is_as_its_type_says(
    kind: str, command: str, tmp_path: Path, mpirun: Path, ayatori_command
) -> None:
    extra = ["--out-dir", str(tmp_path / "demo")] if kind == "demo" else []
    words = command.format(
        state=tmp_path / "running.json", overlap=PROGRAMS / "overlap_mpi_openmpi", mpirun=mpirun
    ).split()
    place = words.index("--") if "--" in words else len(words)
    outcome = ayatori_command(*words[:place], *extra, "--json", *words[place:], cwd=GOLDEN)
    assert outcome.status == (3 if kind == "differences" else 0), outcome.stderr
    data = json.loads(outcome.stdout)
    assert list(data.items())[:2] == [("format", f"ayatori-{kind}-output"), ("version", 1)]
    assert list(unlike({name: data[name] for name in list(data)[2:]}, KINDS[kind].type)) == []
