"""The ranks of the start file get what `plan` predicts: counted by a walk of its own through the files
that were written, for hostfiles as users have them."""

from pathlib import Path

import pytest

from files_walk import FilesWalk, WrittenPlan, bandwidth_of_shift
from hostfiles import random_hostfile
from thoroughness import tries

FABRIC = "fattree:K=6,levels=2,nodes=30"


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory, ayatori_command) -> FilesWalk:
    folder = tmp_path_factory.mktemp("fabric")
    ayatori_command("convert", FABRIC, "--to", "json", "--out", str(folder / "fabric.json")).good()
    ayatori_command("route", FABRIC, "--out-dir", str(folder / "tables")).good()
    return FilesWalk(folder / "fabric.json", folder / "tables/lfts")


@pytest.mark.parametrize("seed", range(tries(24, 100)))
def test_a_plan_predicts_what_the_ranks_of_the_hostfile_get(
    seed: int, walk: FilesWalk, tmp_path: Path, ayatori_command
) -> None:
    text, ranks = random_hostfile(seed)
    (tmp_path / "hosts").write_text(text)
    plan = tmp_path / "p.json"
    predicted = ayatori_command("plan", FABRIC, "--job", str(tmp_path / "hosts"), "--out", str(plan), "--json").json()
    written = WrittenPlan(plan)
    assert (tmp_path / "p.json.hosts").read_text().split() == ranks
    assert written.hosts == ranks
    found, free = bandwidth_of_shift(walk, ranks, written)
    assert predicted["relative_bandwidth"]["mean"] == pytest.approx(float(found), rel=1e-9)
    assert (predicted["free"] == 1) == free
    assert free, f"seed {seed}: the tree has a path for each pair"
