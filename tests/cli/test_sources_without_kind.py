"""A file or folder without its kind: every verb looks at the content, and says what it took it for."""

import json
import warnings
from pathlib import Path

import pytest

import ayatori
from ayatori.base.errors import SourceTaken
from ayatori.nwtopo import load

GOLDEN = Path(__file__).parents[1] / "golden"
EXAMPLES = Path(__file__).parents[2] / "examples"
TREE = "fattree:K=2,levels=2"
FILES = {
    "ib": GOLDEN / "infiniband/putty-log.txt",
    "slurm": GOLDEN / "slurm/scontrol-tree.txt",
    "lldp": GOLDEN / "lldp",
    "aws": GOLDEN / "aws/instance-topology.json",
    "topograph": GOLDEN / "topograph/graph.json",
    "slingshot": GOLDEN / "slingshot/hosts.txt",
    "aries": GOLDEN / "aries/two-groups.txt",
    "cluster": EXAMPLES / "cluster/three-chassis.toml",
}


@pytest.fixture
def fabric(tmp_path: Path, ayatori_command) -> Path:
    file = tmp_path / "fabric.txt"
    ayatori_command("convert", TREE, "--to", "ibnetdiscover", "--out", str(file)).good()
    return file


@pytest.mark.parametrize("kind", FILES)
def test_show_says_what_it_took_a_file_for(kind: str, ayatori_command) -> None:
    named = ayatori_command("show", f"{kind}:{FILES[kind]}", "--json")
    bare = ayatori_command("show", str(FILES[kind]), "--json")
    assert bare.stderr == f"taken for {kind}:{FILES[kind]}\n" + named.stderr
    assert (bare.status, bare.stdout) == (0, named.stdout)


@pytest.mark.parametrize("kind", ["json", "cache"])
def test_our_own_files_are_known(kind: str, tmp_path: Path, ayatori_command) -> None:
    file = tmp_path / "network"
    ayatori_command("convert", TREE, "--to", kind, "--out", str(file)).good()
    bare = ayatori_command("show", str(file))
    assert (bare.status, bare.stderr) == (0, f"taken for {kind}:{file}\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "show SOURCE --svg FILE",
        "convert SOURCE --to json",
        "convert SOURCE --to cache --out FILE",
        "route SOURCE",
        "check SOURCE --contiguous 4..4",
        "plan SOURCE --contiguous 4..4",
        "place SOURCE --free HOSTS --nodes 2",
        "simulate SOURCE --contiguous 4..4 --collective broadcast --algorithm binomial --bytes 1KiB",
        "choose SOURCE --contiguous 4..4 --collective broadcast --bytes 1KiB",
        "order SOURCE --job HOSTS --collective broadcast --algorithm binomial --bytes 1KiB",
    ],
)
def test_every_verb_says_it_once(arguments: str, fabric: Path, ayatori_command) -> None:
    (fabric.parent / "hosts").write_text("N0\nN1\nN2\nN3\n")
    places = {"SOURCE": str(fabric), "FILE": str(fabric.parent / "out"), "HOSTS": str(fabric.parent / "hosts")}
    outcome = ayatori_command(*(places.get(word, word) for word in arguments.split())).good()
    assert outcome.stderr.splitlines().count(f"taken for ib:{fabric}") == 1, outcome.stderr


def test_both_ends_of_a_difference(fabric: Path, ayatori_command) -> None:
    outcome = ayatori_command("show", str(fabric), "--diff", str(fabric))
    assert (outcome.status, outcome.stdout) == (0, "no difference\n")
    assert outcome.stderr == f"taken for ib:{fabric}\n" * 2


def test_the_name_may_be_relative(fabric: Path, ayatori_command) -> None:
    outcome = ayatori_command("show", "fabric.txt", cwd=fabric.parent)
    assert (outcome.status, outcome.stderr) == (0, "taken for ib:fabric.txt\n")


def test_what_is_unknown_or_ambiguous_is_an_error_that_names_kinds(tmp_path: Path, ayatori_command) -> None:
    other = tmp_path / "other"
    other.write_text("a letter, not a list\n")
    unknown = ayatori_command("show", str(other))
    assert unknown.status == 1
    error, hint = unknown.stderr.splitlines()
    assert error == f"error: {other}: its content is that of no known kind of network"
    assert hint.startswith("hint: name its kind: ") and "slurm:FILE (topology.conf, " in hint
    other.write_text("n1 slots=4\n")
    for verb in (["show"], ["check", "--contiguous", "2..2"], ["convert", "--to", "json"]):
        hosts = ayatori_command(*verb, str(other))
        assert (hosts.status, hosts.stderr) == (
            1,
            f"error: {other}: a list of hosts is not a network\nhint: give the hosts of a job by --job FILE\n",
        )
    both = tmp_path / "both"
    both.write_text("SwitchName=a Nodes=n1\nswitchguid=0x1(1)\n")
    for verb in (["show"], ["check", "--contiguous", "2..2"], ["convert", "--to", "json"]):
        ambiguous = ayatori_command(*verb, str(both))
        assert ambiguous.status == 1
        assert ambiguous.stderr == f"error: {both}: this could be ib or slurm\nhint: name its kind: ib:{both}\n"


def test_python_opens_it_too(fabric: Path) -> None:
    with pytest.warns(SourceTaken, match=f"taken for ib:{fabric}"):
        assert len(ayatori.open_source(str(fabric)).machines) == 8
    with pytest.warns(SourceTaken, match=f"taken for ib:{fabric}"):
        assert load(str(fabric)).source == f"ib:{fabric}"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ayatori.open_source(f"ib:{fabric}")


def test_a_job_by_a_rankfile_is_that_by_a_hostfile(fabric: Path, ayatori_command) -> None:
    ranks, hosts = fabric.parent / "ranks", fabric.parent / "hosts"
    ranks.write_text("rank 2=N5 slot=0\nrank 0=N3 slot=0:1\nrank 3=N3 slot=1\nrank 1=N0 slot=*\n")
    hosts.write_text("N3\nN0\nN5\nN3\n")
    jobs = [ayatori_command("check", f"ib:{fabric}", "--job", str(file), "--json").json() for file in (ranks, hosts)]
    assert [json.dumps(data).replace(str(ranks), str(hosts)) for data in jobs] == [json.dumps(jobs[1])] * 2
    out = fabric.parent / "plan.json"
    ayatori_command("plan", f"ib:{fabric}", "--job", str(ranks), "--out", str(out)).good()
    assert Path(f"{out}.hosts").read_text().split() == ["N3", "N0", "N5", "N3"]
    ranks.write_text("rank 0=N3 slot=0\nrank 2=N5 slot=0\n")
    refused = ayatori_command("check", f"ib:{fabric}", "--job", str(ranks))
    assert refused.stderr == f"error: {ranks}: rank 1 is not listed, but rank 2 in line 2\n"
