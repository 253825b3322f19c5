"""Whoever has no plan loses nothing by tables with several LIDs a port: base LIDs have the entries of LMC 0."""

import re
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori._core import Job, Plan
from ayatori.planning.concurrent import unplanned
from ayatori.planning.placement import Wanted, propose
from bench.validation.never_worse import PacketWalk, shift_loads

GOLDEN = Path(__file__).parent.parent / "golden"
FABRICS = [
    line.split()[1]
    for line in (GOLDEN / "fabrics.txt").read_text().splitlines()
    if line and line[0] != "#" and "full:1" not in line
]
"""Formulas, and what ibnetdiscover printed in different years."""


def base_entries(lfts: Path) -> dict[tuple[str, str], str]:
    """Port by switch and destination, by their GUIDs, of each destination's lowest LID, from a file for OpenSM."""
    entries: dict[tuple[str, str], str] = {}
    switch = ""
    for line in lfts.read_text().splitlines():
        if found := re.search(r"^Unicast lids .* guid (0x\w+)", line):
            switch = found[1]
        elif found := re.match(r"0x\w+ (\d+) # .* portguid (0x\w+)", line):
            entries.setdefault((switch, found[2]), found[1])
    return entries


@pytest.mark.parametrize("source", FABRICS)
def test_base_lids_have_the_entries_of_lmc_0_in_the_files_for_opensm(source: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(GOLDEN)
    network = ayatori.open_source(source)
    written = []
    for lmc in range(5):
        file = tmp_path / f"lfts-{lmc}"
        _core.write_tables(network, ayatori.make_routes(network, lmc), str(file))
        written.append(base_entries(file))
    assert len(written[0]) == network.router_count * (len(network.endpoints) + network.router_count) or "ib:" in source
    for entries in written[1:]:
        assert entries == written[0]


def test_place_counts_the_ways_that_jobs_without_a_plan_keep() -> None:
    """On tables of one LID a port, which the others had before: what is called isolated shares no link with them."""
    network = ayatori.open_source("fattree:K=6,levels=2,nodes=30")
    before, routes = PacketWalk(network, ayatori.make_routes(network, 0)), ayatori.make_routes(network)
    names = [machine.name for machine in network.machines]
    jobs = [_core.job_of_hosts(network, [(names[i], 1) for i in hosts], "job") for hosts in ((0, 7), (1, 12, 13, 20))]
    free = [(name, 1) for i, name in enumerate(names) if i not in (0, 7, 1, 12, 13, 20)]
    running = [unplanned(network, routes, f"job {i}", job) for i, job in enumerate(jobs)]
    theirs = set().union(*(links_of(before, job, Plan.base_lids(job.rank_count)) for job in jobs))
    for nodes in (3, 8, 16):
        for proposal in propose(network, routes, _core.job_of_hosts(network, free, "free"), Wanted(nodes), running):
            placed = proposal.placed
            mine = links_of(PacketWalk(network, routes), placed.job, placed.plan)
            assert placed.isolated == mine.isdisjoint(theirs)


def links_of(walk: PacketWalk, job: Job, plan: Plan) -> set[int]:
    return {link for loads in shift_loads(walk, job, plan) for link in loads}
