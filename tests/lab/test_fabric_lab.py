"""The fabric lab on real ibsim, OpenSM, infiniband-diags and ibdmchk: tables, paths, and what is refused."""

import os
import subprocess
from pathlib import Path

import pytest
from sample_fabric import (
    GUIDS_PER_HOST,
    HOST_GUID,
    HOSTS,
    HOSTS_PER_LEAF,
    LEAF_GUID,
    LEAVES,
    ROOT_GUID,
    ROOTS,
    guid2lid_text,
    host_port_guid,
    lfts_text,
    node,
    tree,
    two_path_lids,
    two_path_tables,
    write,
)

from ayatori.lab.fabric import ProgramError, SimulatedFabric, parse_guid2lid, parse_lfts
from ayatori.processes import find_program


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_an_engine_routes_and_its_tables_are_in_the_switches(fabric: SimulatedFabric, engine: str) -> None:
    run = fabric.run_opensm(engine)
    assert (run.engine, run.refusal, run.errors, run.warnings) == (engine, "", (), ())
    tables = parse_lfts(fabric.read_tables())
    assert tables == parse_lfts(run.lfts_dump)
    assert len(tables) == LEAVES + ROOTS
    report = fabric.ibdmchk(run)
    assert report.paths_ok and report.credit_loop_free
    assert [(check.path, check.pairs) for check in report.checks] == [(0, HOSTS * (HOSTS - 1))]


def test_own_tables_with_two_paths_are_loaded_and_read_back(fabric: SimulatedFabric, tmp_path: Path) -> None:
    fabric.run_opensm("minhop")  # gives other LIDs first
    tables = write(tmp_path / "ours.lfts", lfts_text(two_path_tables(), two_path_lids()))
    guid2lid = write(tmp_path / "lids", guid2lid_text(two_path_lids()))
    run = fabric.run_opensm("file", tables=tables, lmc=1, guid2lid=guid2lid)
    assert (run.engine, run.lmc, run.errors, run.warnings) == ("file", 1, (), ())
    assert parse_guid2lid(run.guid2lid.read_text()) == two_path_lids()
    assert parse_lfts(fabric.read_tables()) == two_path_tables()
    report = fabric.ibdmchk(run)
    assert report.paths_ok and report.credit_loop_free
    assert [(check.path, check.pairs) for check in report.checks] == [(0, 30), (1, 30)]


def test_ibdmchk_finds_a_hole_on_one_path(fabric: SimulatedFabric, tmp_path: Path) -> None:
    broken = two_path_tables()
    del broken[ROOT_GUID + 1][8 + 2 * 5 + 1]  # root 1 forgets the second LID of host 5
    tables = write(tmp_path / "ours.lfts", lfts_text(broken, two_path_lids()))
    guid2lid = write(tmp_path / "lids", guid2lid_text(two_path_lids()))
    report = fabric.ibdmchk(fabric.run_opensm("file", tables=tables, lmc=1, guid2lid=guid2lid))
    assert not report.paths_ok and not report.credit_loop_free
    assert [check.missing for check in report.checks] == [0, HOSTS - HOSTS_PER_LEAF]


def test_ibdmchk_finds_a_credit_loop(tmp_path: Path) -> None:
    size = 5
    ring = "".join(
        node(
            "Switch",
            f"L{at}",
            LEAF_GUID + at,
            [(f"H{at}", 1), (f"L{(at + 1) % size}", 3), (f"L{(at - 1) % size}", 2)],
        )
        + node("Ca", f"H{at}", HOST_GUID + at * GUIDS_PER_HOST, [(f"L{at}", 1)])
        for at in range(size)
    )
    lids = {LEAF_GUID + at: (1 + at, 1 + at) for at in range(size)}
    lids |= {host_port_guid(at): (1 + size + at, 1 + size + at) for at in range(size)}
    clockwise = {
        LEAF_GUID + at: {1 + to: 0 if to == at else 2 for to in range(size)}
        | {1 + size + to: 1 if to == at else 2 for to in range(size)}
        for at in range(size)
    }
    tables = write(tmp_path / "ring.lfts", lfts_text(clockwise, lids))
    guid2lid = write(tmp_path / "lids", guid2lid_text(lids))
    with SimulatedFabric(ring) as fabric:
        report = fabric.ibdmchk(fabric.run_opensm("file", tables=tables, guid2lid=guid2lid))
    assert report.paths_ok and not report.credit_loop_free
    assert report.checks[0].credit_loop


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [("0x0008 099 #", "Invalid port 99"), ("0x0zzz 001 #", "bad.lfts:2: cannot parse lid")],
)
def test_refused_tables_are_reported_with_the_reason(
    fabric: SimulatedFabric, tmp_path: Path, wrong: str, reason: str
) -> None:
    header = f"Unicast lids [0-8] of switch Lid 1 guid 0x{LEAF_GUID:016x} (''):"
    with pytest.raises(ProgramError, match="OpenSM refused the tables") as error:
        fabric.run_opensm("file", tables=write(tmp_path / "bad.lfts", f"{header}\n{wrong}\n"))
    assert reason in error.value.cause
    assert fabric.run_opensm("minhop").engine == "minhop"  # and the lab goes on


def test_tables_of_an_unknown_switch_are_a_warning(fabric: SimulatedFabric, tmp_path: Path) -> None:
    text = lfts_text(two_path_tables() | {0x999999: {1: 1}}, two_path_lids())
    guid2lid = write(tmp_path / "lids", guid2lid_text(two_path_lids()))
    run = fabric.run_opensm("file", tables=write(tmp_path / "more.lfts", text), lmc=1, guid2lid=guid2lid)
    assert "cannot find switch 0000000000999999" in run.warnings[0]


def test_lids_that_opensm_does_not_honour_are_an_error(fabric: SimulatedFabric, tmp_path: Path) -> None:
    odd = guid2lid_text({host_port_guid(0): (9, 10)})
    with pytest.raises(ProgramError, match="did not honour") as error:
        fabric.run_opensm(lmc=1, guid2lid=write(tmp_path / "lids", odd))
    assert "not 9-10" in error.value.cause


def test_lids_for_ports_that_are_not_there_are_a_warning(fabric: SimulatedFabric, tmp_path: Path) -> None:
    lids = write(tmp_path / "lids", guid2lid_text({host_port_guid(0): (8, 8), HOST_GUID: (9, 9)}))
    assert fabric.run_opensm(guid2lid=lids).warnings == (f"lids: no port 0x{HOST_GUID:016x}",)


def test_an_engine_that_gives_up_is_refused_or_falls_back(fabric: SimulatedFabric) -> None:
    with pytest.raises(ProgramError, match="OpenSM refused to route with ftree") as error:
        fabric.run_opensm("ftree", lmc=1)
    assert error.value.cause == "LMC > 0 is not supported by fat-tree routing."
    run = fabric.run_opensm("ftree", lmc=1, fallback=True)
    assert (run.engine, run.refusal) == ("minhop", error.value.cause)


def test_more_lids_than_there_are_is_found_before_the_run(fabric: SimulatedFabric) -> None:
    with pytest.raises(ProgramError, match="LMC 8 does not exist"):
        fabric.run_opensm(lmc=8)
    with SimulatedFabric(tree(2, 1, 200)) as large, pytest.raises(ProgramError, match="LMC 7 does not fit"):
        large.run_opensm(lmc=7)


def test_the_last_lid_of_a_table_is_read_where_dump_fts_forgets_it(fabric: SimulatedFabric, tmp_path: Path) -> None:
    run = fabric.run_opensm(guid2lid=write(tmp_path / "lids", guid2lid_text({host_port_guid(5): (64, 64)})))
    dumped = parse_lfts(run.lfts_dump)
    assert {max(table) for table in dumped.values()} == {64}
    assert parse_lfts(fabric.read_tables()) == dumped


def test_what_is_discovered_makes_the_same_fabric_again(fabric: SimulatedFabric) -> None:
    fabric.run_opensm(lmc=1)
    discovered = fabric.discover()
    with SimulatedFabric(discovered) as again:
        rediscovered = again.discover()
    lines = [sorted(line for line in text.split("\n") if line[:1] != "#") for text in (discovered, rediscovered)]
    assert lines[0] == lines[1]
    assert sum(line.startswith("Switch") for line in lines[0]) == LEAVES + ROOTS
    assert sum(line.startswith("Ca") for line in lines[0]) == HOSTS


def test_any_libibumad_program_can_join(fabric: SimulatedFabric) -> None:
    lids = parse_guid2lid(fabric.run_opensm().guid2lid.read_text())
    ends = [str(lids[host_port_guid(host)][0]) for host in (0, HOSTS - 1)]
    trace = subprocess.run(
        [find_program("ibtracert", "infiniband-diags"), "-C", "ibsim0", *ends],
        env=os.environ | fabric.environment(),
        cwd=fabric.folder,
        stdout=subprocess.PIPE,
        text=True,
        timeout=20,
        check=True,
    )
    assert "L2 of a tree" in trace.stdout


def test_a_link_that_only_one_end_knows_is_refused_by_ibsim() -> None:
    with (
        pytest.raises(ProgramError, match="ibsim refused the fabric") as error,
        SimulatedFabric(tree().replace('"L2"[2]', '"L2"[1]')),
    ):
        pass
    assert "is not connected to" in error.value.cause


def test_nodes_that_nobody_sees_are_a_warning() -> None:
    island = node("Switch", "X", 0x400000, [("Y", 1)]) + node("Ca", "Y", 0x500000, [("X", 1)])
    with SimulatedFabric(tree() + island) as fabric:
        assert 'cannot be reached from "H0": X, Y' in fabric.warnings()[0]
