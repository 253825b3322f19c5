"""What `plan` promises is what the ranks get that its start file starts: counted by a walk of its own through the files
that were written, for hostfiles as users have them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from files_walk import FilesWalk, WrittenPlan, bandwidth_of_shift
from thoroughness import tries

FABRIC = "fattree:K=6,levels=2,nodes=30"


def hostfile_of(seed: int) -> tuple[str, list[str]]:
    """A hostfile of 16 of 30 hosts in random order, and the host of each rank that it stands for: one rank a host, all
    hosts twice, or unequal slots."""
    dice = random.Random(seed)
    hosts = [f"N{host}" for host in dice.sample(range(30), 16)]
    kind = seed % 3
    if kind == 0:
        return "".join(f"{host}\n" for host in hosts), hosts
    if kind == 1:
        return "".join(f"{host}\n" for host in hosts[:8] * 2), hosts[:8] * 2
    slots = [dice.choice([1, 1, 2, 3]) for _ in hosts]
    text = "".join(f"{host} slots={count}\n" for host, count in zip(hosts, slots, strict=True))
    return text, [host for host, count in zip(hosts, slots, strict=True) for _ in range(count)]


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory, ayatori_command) -> FilesWalk:
    folder = tmp_path_factory.mktemp("fabric")
    done = ayatori_command("convert", FABRIC, "--to", "json", "--out", str(folder / "fabric.json"))
    assert done.status == 0, done.stderr
    done = ayatori_command("route", FABRIC, "--out-dir", str(folder / "tables"))
    assert done.status == 0, done.stderr
    return FilesWalk(folder / "fabric.json", folder / "tables/lfts")


@pytest.mark.parametrize("seed", range(tries(24, 100)))
def test_a_plan_promises_what_the_ranks_of_the_hostfile_get(
    seed: int, walk: FilesWalk, tmp_path: Path, ayatori_command
) -> None:
    text, ranks = hostfile_of(seed)
    (tmp_path / "hosts").write_text(text)
    plan = tmp_path / "p.json"
    done = ayatori_command("plan", FABRIC, "--job", str(tmp_path / "hosts"), "--out", str(plan), "--json")
    assert done.status == 0, done.stderr
    promised = json.loads(done.stdout)
    written = WrittenPlan(plan)
    assert (tmp_path / "p.json.hosts").read_text().split() == ranks
    assert written.hosts == ranks
    found, free = bandwidth_of_shift(walk, ranks, written)
    assert promised["relative_bandwidth"]["mean"] == pytest.approx(float(found), rel=1e-9)
    assert (promised["free"] == 1) == free
    assert free, f"seed {seed}: the tree has a path for each pair"
