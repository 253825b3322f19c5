"""The commands that both READMEs and the page of all commands show for one's own fabric, with hostfiles as users have
them: what they promise is counted again by a walk through what they wrote, with the ranks as the file they wrote starts
them."""

import random
import re
import shlex
from pathlib import Path

import pytest

from files_walk import FilesWalk, WrittenPlan, bandwidth_of_shift

ROOT = Path(__file__).parent.parent
FABRIC = "fattree:K=6,levels=2,nodes=30"
STARTS_PROGRAMS = {"run", "calibrate", "doctor", "bench", "explain", "demo"}
"""Verbs that start programs or labs: tests of their own do."""
HOSTS = sorted(f"N{host}" for host in random.Random(17).sample(range(30), 16))
ORDERS = {
    "alphabetical": HOSTS,
    "reversed": HOSTS[::-1],
    "shuffled": random.Random(1).sample(HOSTS, 16),
}


def commands_of(page: str) -> list[list[str]]:
    """Those that are indented and about fabric.txt, in order, without their comments."""
    lines = re.findall(r"^    (ayatori .*ib:fabric\.txt.*)$", (ROOT / page).read_text(), re.MULTILINE)
    return [shlex.split(line, comments=True)[1:] for line in lines]


def test_both_readmes_show_the_same_commands() -> None:
    assert commands_of("README.md") == commands_of("README.ja.md")


@pytest.fixture(params=ORDERS)
def folder(request: pytest.FixtureRequest, tmp_path: Path, ayatori_command) -> Path:
    """With the files that the commands name."""
    (tmp_path / "hostfile").write_text("".join(f"{host}\n" for host in ORDERS[request.param]))
    (tmp_path / "jobs").mkdir()
    others = [f"N{host}" for host in range(30) if f"N{host}" not in HOSTS]
    (tmp_path / "jobs/other").write_text("".join(f"{host}\n" for host in others[:4]))
    (tmp_path / "free").write_text("".join(f"{host}\n" for host in [*HOSTS, *others[4:]]))
    for word, file in (("ibsim", "fabric.txt"), ("json", "fabric.json")):
        ayatori_command("convert", FABRIC, "--to", word, "--out", str(tmp_path / file)).good()
    return tmp_path


def test_the_commands_do_what_they_promise(folder: Path, ayatori_command) -> None:
    hosts = (folder / "hostfile").read_text().split()
    printed = {}
    for words in [*commands_of("README.md"), *commands_of("docs/your-fabric.md")]:
        if words[0] in STARTS_PROGRAMS:
            continue
        done = ayatori_command(*words, cwd=folder).good()
        printed[shlex.join(words)] = done.stdout
    walk = FilesWalk(folder / "fabric.json", folder / "tables/lfts")
    (promise,) = (text for command, text in printed.items() if command.startswith("plan") and "plan.json" in command)
    written = WrittenPlan(folder / "plan.json")
    for result in ("plan.json", "choice.json"):
        assert (folder / f"{result}.hosts").read_text().split() == hosts
    found, free = bandwidth_of_shift(walk, hosts, written)
    assert f"mean {float(found):.4f}" in promise.split("with the plan")[1]
    assert free
    assert sorted((folder / "ordered").read_text().split()) == sorted(hosts)
