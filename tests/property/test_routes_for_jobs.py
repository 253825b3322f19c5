"""Tables made for the jobs that run: `ayatori route --for`."""

import random
from collections import Counter
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.planning.routes import make_routes_explained

PAPER = "fattree:K=6,levels=2,nodes=30"


@pytest.mark.parametrize("seed", range(10))
def test_each_job_is_spread_over_the_paths_by_itself(seed: int) -> None:
    """Seen from a leaf that neither job uses: the hosts of each are reached by all six ways up, evenly."""
    network = ayatori.open_source(PAPER)
    hosts = random.Random(seed).sample(range(24), 22)
    jobs = [
        _core.job_of_hosts(network, [(f"N{host}", 1) for host in sorted(part)], "test")
        for part in (hosts[:13], hosts[13:])
    ]
    made = make_routes_explained(network, 0, jobs)
    assert ayatori.check(network, made.routes).ok
    unused_leaf = network.router_of(network.endpoints[29])
    for job in jobs:
        lids = [made.routes.base_lid(port) for port in job.endpoints(network)]
        ways = Counter(made.routes.out(unused_leaf, lid) for lid in lids)
        assert len(ways) == 6
        assert max(ways.values()) - min(ways.values()) == 1


def test_route_for_jobs_counts_the_entries_that_change(tmp_path: Path, ayatori_command) -> None:
    """Entries of the 16 hosts of a contiguous job stay; a job of every other host moves."""
    running, out = tmp_path / "running", tmp_path / "tables"
    running.mkdir()
    (running / "first").write_text("\n".join(f"N{host}" for host in range(16)))
    arguments = ("route", PAPER, "--lmc", "0", "--json")
    same = ayatori_command(*arguments, "--for", str(running)).json()
    assert (same["running"], same["changed_entries"], same["entries"]) == (1, 0, 11 * 41)
    (running / "second").write_text("\n".join(f"N{host}" for host in range(17, 30, 2)))
    moved = ayatori_command(*arguments, "--for", str(running), "--out-dir", str(out)).json()
    assert (moved["running"], moved["tables_ok"]) == (2, True)
    network = ayatori.open_source(PAPER)
    plain, made = ayatori.make_routes(network, 0), ayatori.read_routes(network, out / "lfts")
    entries = [(router, lid) for router in range(network.router_count) for lid in range(1, 42)]
    assert 0 < moved["changed_entries"] == sum(plain.out(*entry) != made.out(*entry) for entry in entries)
