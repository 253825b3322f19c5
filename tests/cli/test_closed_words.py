"""A word that is none of a closed set is refused with status 2. The hint is the word that was meant, on one line."""

from pathlib import Path

import pytest

from ayatori.base.errors import UnknownWord

TREE = "fattree:K=2,levels=2"
JOB = "--contiguous 4..4"
CALL = "--collective allreduce --algorithm ring"

WORDS = [
    ("show torsu:4x4", "torus"),
    ("show fat-tree:K=2", "fattree"),
    (f"show {TREE} --diff torsu:4", "torus"),
    ("doctor --network cluser:x", "cluster"),
    ("run --network toruss:4 true", "torus"),
    ("run --plan auto:torsu:4 true", "torus"),
    ("run --progress thred true", "thread"),
    (f"convert {TREE} --to graphm", "graphml"),
    (f"simulate {TREE} --collective all-reduce --algorithm ring", "allreduce"),
    (f"simulate {TREE} --collective MPI_Allreduce --algorithm ring", "allreduce"),
    (f"simulate {TREE} --collective bcast --algorithm binomial", "broadcast"),
    (f"simulate {TREE} --collective allreduce --algorithm rings", "ring"),
    (f"simulate {TREE} {CALL} --steps drfit", "drift"),
    (f"simulate {TREE} {CALL} --rails stripd", "striped"),
    (f"simulate {TREE} {CALL} --method adaptiv", "adaptive"),
    (f"simulate {TREE} {CALL} --order netwrok", "network"),
    (f"choose {TREE} --collective alltoall,broadcst", "broadcast"),
    (f"choose {TREE} --collective alltoall --bytes 1KiB {JOB} --to opnmpi --out x", "openmpi"),
    ("order {tree} --job {hosts} --pattern rign", "ring"),
    ("order {tree} --job {hosts} --collective allreduce --algorithm rabenseiffner", "rabenseifner"),
    ("order {tree} --job {hosts} --pattern ring --to coordinate --out x", "coordinates"),
    (f"plan {TREE} {JOB} --method puir", "pair"),
    (f"plan {TREE} {JOB} --pattern shfit", "shift"),
    (f"plan {TREE} {JOB} --rails alinged", "aligned"),
    (f"check {TREE} {JOB} --method multi-path", "multipath"),
    (f"check {TREE} {JOB} --pattern neighbor", "neighbour"),
    (f"compare {TREE} --engines ftre", "ftree"),
    (f"compare {TREE} --order gven --jobs-per-size 1", "given"),
    (f"roce {TREE} {JOB} --hash crc-32", "crc32"),
    ("algorithms all_gather", "allgather"),
    (f"lab fabric {TREE} --engine updown", "updn"),
    (f"estimate in-network {TREE} --collective all-reduce", "allreduce"),
    ("bench hpl --preset paper-3", "paper3"),
    ("bench hpl --broadcast 1rng --matrix-order 100", "1ring"),
    ("bench overlap --here --task stencl", "stencil"),
    ("bench overlap --here --kernel arithmetics", "arithmetic"),
    ("bench overlap --here --calls iall-reduce", "iallreduce"),
    ("bench overlap --here --task stencil --ways persistant", "persistent"),
    ("bench overlap --here --mechanisms tread", "thread"),
    ("bench overlap --here --mpi open-mpi", "openmpi"),
    ("bench collectives --mpi open-mpi", "openmpi"),
    ("bench collectives --collective bcast", "broadcast"),
    ("bench incast --stacks our", "ours"),
    ("shwo torus:4", "show"),
    ("bench incst", "incast"),
    ("show torus:4 --jsno", "--json"),
]


@pytest.mark.parametrize(("line", "meant"), WORDS)
def test_the_word_that_was_meant_is_named(line: str, meant: str, tmp_path: Path, ayatori_command) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("N0\nN1\nN2\n")
    words = [word.format(tree=TREE, hosts=hosts) for word in line.split()]
    outcome = ayatori_command(*words, cwd=tmp_path)
    assert (outcome.status, outcome.stdout) == (2, ""), outcome
    assert f"did you mean '{meant}'" in outcome.stderr.lower(), outcome.stderr


RANGES = [
    (f"choose {TREE} --collective allreduce --bytes", "1KiB-4KiB", "1KiB..4KiB"),
    (f"choose {TREE} --collective allreduce --bytes", "8B,1KiB...4KiB", "1KiB..4KiB"),
    ("bench collectives --bytes", "8B:1.5KiB", "8B..1.5KiB"),
    (f"estimate in-network {TREE} --bytes", "8B…1KiB", "8B..1KiB"),
    (f"check {TREE} --contiguous", "2-4", "2..4"),
]


@pytest.mark.parametrize(("command", "written", "right"), RANGES)
def test_the_right_form_of_a_range_is_named(command: str, written: str, right: str, ayatori_command) -> None:
    ayatori_command(*command.split(), written).refused(2, f"hint: a range is written {right}\n")


def test_one_size_is_asked_for_where_a_command_takes_one(ayatori_command) -> None:
    for text in ("1KiB..4KiB", "1KiB,4KiB", "1KiB-4KiB"):
        ayatori_command("simulate", TREE, *CALL.split(), "--bytes", text).refused(2, f"'{text}' is not one size")


def test_a_word_that_is_near_to_none_gets_the_list() -> None:
    assert UnknownWord("order", "alphabetical", ["given", "network"]).hint == "one of given, network"
    assert UnknownWord("algorithm", "x", ["ring"], "`ayatori algorithms`").hint == "`ayatori algorithms`"
