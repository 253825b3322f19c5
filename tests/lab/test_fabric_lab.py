"""The fabric lab on real ibsim, OpenSM, infiniband-diags and ibdmchk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ayatori.lab import processes
from ayatori.lab.fabric import Fabric, LabError, parse_guid2lid, parse_lfts

LEAVES, ROOTS, HOSTS_PER_LEAF = 3, 2, 2
HOSTS = LEAVES * HOSTS_PER_LEAF
LEAF_GUID, ROOT_GUID, HOST_GUID, GUIDS_PER_HOST = 0x200000, 0x300000, 0x100000, 0x10

Tables = dict[int, dict[int, int]]


def node(kind: str, name: str, guid: int, links: list[tuple[str, int]]) -> str:
    """One node: `links` are the name and port at the other end of ports 1, 2, ..."""
    base = "switchguid" if kind == "Switch" else "caguid"
    ports = "".join(f'[{port}] "{other}"[{far}]\n' for port, (other, far) in enumerate(links, 1))
    return f'{base}=0x{guid:x}\n{kind} {len(links)} "{name}" # "{name} of a tree"\n{ports}\n'


def tree(leaves: int = LEAVES, roots: int = ROOTS, hosts: int = HOSTS_PER_LEAF) -> str:
    """A two-level tree: hosts at the first ports of each leaf, then the roots."""
    text = ""
    for leaf in range(leaves):
        down = [(f"H{leaf * hosts + host}", 1) for host in range(hosts)]
        up = [(f"R{root}", leaf + 1) for root in range(roots)]
        text += node("Switch", f"L{leaf}", LEAF_GUID + leaf, down + up)
    for root in range(roots):
        text += node("Switch", f"R{root}", ROOT_GUID + root, [(f"L{leaf}", hosts + root + 1) for leaf in range(leaves)])
    for host in range(leaves * hosts):
        guid = HOST_GUID + host * GUIDS_PER_HOST
        text += node("Ca", f"H{host}", guid, [(f"L{host // hosts}", host % hosts + 1)])
    return text


def host_port_guid(host: int) -> int:
    """ibsim numbers the ports of an adapter from its node GUID."""
    return HOST_GUID + host * GUIDS_PER_HOST + 1


def two_path_lids() -> dict[int, tuple[int, int]]:
    """LIDs for LMC 1: one for each switch, an aligned pair for each host."""
    switches = [LEAF_GUID + leaf for leaf in range(LEAVES)] + [ROOT_GUID + root for root in range(ROOTS)]
    lids = {guid: (lid, lid) for lid, guid in enumerate(switches, 1)}
    return lids | {host_port_guid(host): (8 + 2 * host, 9 + 2 * host) for host in range(HOSTS)}


def two_path_tables() -> Tables:
    """Path j of every host goes over root j; switches are reached over root 0."""
    leaves = {LEAF_GUID + leaf: leaf_table(leaf) for leaf in range(LEAVES)}
    return leaves | {ROOT_GUID + root: root_table(root) for root in range(ROOTS)}


def leaf_table(leaf: int) -> dict[int, int]:
    up = HOSTS_PER_LEAF + 1
    table = {1 + other: 0 if other == leaf else up for other in range(LEAVES)}
    table |= {1 + LEAVES + root: up + root for root in range(ROOTS)}
    for host in range(HOSTS):
        for path in range(2):
            table[8 + 2 * host + path] = host % HOSTS_PER_LEAF + 1 if host // HOSTS_PER_LEAF == leaf else up + path
    return table


def root_table(root: int) -> dict[int, int]:
    table = {1 + leaf: leaf + 1 for leaf in range(LEAVES)}
    table |= {1 + LEAVES + other: 0 if other == root else 1 for other in range(ROOTS)}
    return table | {8 + lid: lid // (2 * HOSTS_PER_LEAF) + 1 for lid in range(2 * HOSTS)}


def lfts_text(tables: Tables, lids: dict[int, tuple[int, int]]) -> str:
    """The tables as OpenSM's file engine reads them, each entry with the GUID of the port that owns the LID."""
    owner = {lid: guid for guid, (low, high) in lids.items() for lid in range(low, high + 1)}
    return "".join(
        f"Unicast lids [0-{max(table)}] of switch Lid 0 guid 0x{guid:016x} (''):\n"
        + "".join(f"0x{lid:04x} {port:03d} # portguid 0x{owner[lid]:016x}: ''\n" for lid, port in sorted(table.items()))
        for guid, table in tables.items()
    )


def guid2lid_text(lids: dict[int, tuple[int, int]]) -> str:
    return "".join(f"0x{guid:016x} 0x{low:04x} 0x{high:04x}\n\n" for guid, (low, high) in lids.items())


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def processes_of(socket_name: str) -> list[int]:
    """The running processes of one lab, whoever their parent is."""
    mark = f"IBSIM_SOCKNAME={socket_name}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:  # it has just ended, or is not ours
            continue
    return found


def wait_until_gone(socket_name: str) -> None:
    deadline = time.monotonic() + 20
    while alive := processes_of(socket_name):
        assert time.monotonic() < deadline, f"still there: {alive}"
        time.sleep(0.01)


@pytest.fixture
def fabric() -> Iterator[Fabric]:
    with Fabric(tree()) as fabric:
        yield fabric


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_an_engine_routes_and_its_tables_are_in_the_switches(fabric: Fabric, engine: str) -> None:
    run = fabric.run_opensm(engine)
    assert (run.engine, run.refusal, run.errors, run.warnings) == (engine, "", (), ())
    tables = parse_lfts(fabric.read_tables())
    assert tables == parse_lfts(run.lfts_dump)
    assert len(tables) == LEAVES + ROOTS
    report = fabric.ibdmchk(run)
    assert report.paths_ok and report.credit_loop_free
    assert [(check.path, check.pairs) for check in report.checks] == [(0, HOSTS * (HOSTS - 1))]


def test_own_tables_with_two_paths_are_loaded_and_read_back(fabric: Fabric, tmp_path: Path) -> None:
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


def test_ibdmchk_finds_a_hole_on_one_path(fabric: Fabric, tmp_path: Path) -> None:
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
    with Fabric(ring) as fabric:
        report = fabric.ibdmchk(fabric.run_opensm("file", tables=tables, guid2lid=guid2lid))
    assert report.paths_ok and not report.credit_loop_free
    assert report.checks[0].credit_loop


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [("0x0008 099 #", "Invalid port 99"), ("0x0zzz 001 #", "bad.lfts:2: cannot parse lid")],
)
def test_refused_tables_are_reported_with_the_reason(fabric: Fabric, tmp_path: Path, wrong: str, reason: str) -> None:
    header = f"Unicast lids [0-8] of switch Lid 1 guid 0x{LEAF_GUID:016x} (''):"
    with pytest.raises(LabError, match="OpenSM refused the tables") as error:
        fabric.run_opensm("file", tables=write(tmp_path / "bad.lfts", f"{header}\n{wrong}\n"))
    assert reason in error.value.cause
    assert fabric.run_opensm("minhop").engine == "minhop"  # and the lab goes on


def test_tables_of_an_unknown_switch_are_a_warning(fabric: Fabric, tmp_path: Path) -> None:
    text = lfts_text(two_path_tables() | {0x999999: {1: 1}}, two_path_lids())
    guid2lid = write(tmp_path / "lids", guid2lid_text(two_path_lids()))
    run = fabric.run_opensm("file", tables=write(tmp_path / "more.lfts", text), lmc=1, guid2lid=guid2lid)
    assert "cannot find switch 0000000000999999" in run.warnings[0]


def test_lids_that_opensm_does_not_honour_are_an_error(fabric: Fabric, tmp_path: Path) -> None:
    odd = guid2lid_text({host_port_guid(0): (9, 10)})
    with pytest.raises(LabError, match="did not honour") as error:
        fabric.run_opensm(lmc=1, guid2lid=write(tmp_path / "lids", odd))
    assert "not 9-10" in error.value.cause


def test_lids_for_ports_that_are_not_there_are_a_warning(fabric: Fabric, tmp_path: Path) -> None:
    lids = write(tmp_path / "lids", guid2lid_text({host_port_guid(0): (8, 8), HOST_GUID: (9, 9)}))
    assert fabric.run_opensm(guid2lid=lids).warnings == (f"lids: no port 0x{HOST_GUID:016x}",)


def test_an_engine_that_gives_up_is_refused_or_falls_back(fabric: Fabric) -> None:
    with pytest.raises(LabError, match="OpenSM refused to route with ftree") as error:
        fabric.run_opensm("ftree", lmc=1)
    assert error.value.cause == "LMC > 0 is not supported by fat-tree routing."
    run = fabric.run_opensm("ftree", lmc=1, fallback=True)
    assert (run.engine, run.refusal) == ("minhop", error.value.cause)


def test_more_lids_than_there_are_is_found_before_the_run(fabric: Fabric) -> None:
    with pytest.raises(LabError, match="LMC 8 does not exist"):
        fabric.run_opensm(lmc=8)
    with Fabric(tree(2, 1, 200)) as large, pytest.raises(LabError, match="LMC 7 does not fit"):
        large.run_opensm(lmc=7)


def test_the_last_lid_of_a_table_is_read_where_dump_fts_forgets_it(fabric: Fabric, tmp_path: Path) -> None:
    run = fabric.run_opensm(guid2lid=write(tmp_path / "lids", guid2lid_text({host_port_guid(5): (64, 64)})))
    dumped = parse_lfts(run.lfts_dump)
    assert {max(table) for table in dumped.values()} == {64}
    assert parse_lfts(fabric.read_tables()) == dumped


def test_what_is_discovered_makes_the_same_fabric_again(fabric: Fabric) -> None:
    fabric.run_opensm(lmc=1)
    discovered = fabric.discover()
    with Fabric(discovered) as again:
        rediscovered = again.discover()
    lines = [sorted(line for line in text.split("\n") if line[:1] != "#") for text in (discovered, rediscovered)]
    assert lines[0] == lines[1]
    assert sum(line.startswith("Switch") for line in lines[0]) == LEAVES + ROOTS
    assert sum(line.startswith("Ca") for line in lines[0]) == HOSTS


def test_two_labs_at_once_do_not_meet() -> None:
    with Fabric(tree()) as one, Fabric(tree(4, 2, 3)) as two, ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda fabric: fabric.run_opensm("updn"), (one, two)))
        tables = [parse_lfts(fabric.read_tables()) for fabric in (one, two)]
    assert [len(table) for table in tables] == [5, 6]
    assert [len(table[LEAF_GUID]) for table in tables] == [5 + 6, 6 + 12]
    assert all(run.engine == "updn" for run in runs)


def test_any_libibumad_program_can_join(fabric: Fabric) -> None:
    lids = parse_guid2lid(fabric.run_opensm().guid2lid.read_text())
    ends = [str(lids[host_port_guid(host)][0]) for host in (0, HOSTS - 1)]
    trace = subprocess.run(
        [processes.find_program("ibtracert", "infiniband-diags"), "-C", "ibsim0", *ends],
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
        pytest.raises(LabError, match="ibsim refused the fabric") as error,
        Fabric(tree().replace('"L2"[2]', '"L2"[1]')),
    ):
        pass
    assert "is not connected to" in error.value.cause


def test_nodes_that_nobody_sees_are_a_warning() -> None:
    island = node("Switch", "X", 0x400000, [("Y", 1)]) + node("Ca", "Y", 0x500000, [("X", 1)])
    with Fabric(tree() + island) as fabric:
        assert 'cannot be reached from "H0": X, Y' in fabric.warnings()[0]


def test_a_missing_program_names_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(processes, "_SYSTEM_FOLDERS", ())
    with pytest.raises(LabError, match="ibsim is not installed") as error, Fabric(tree()):
        pass
    assert error.value.hint == "apt-get install ibsim-utils"


def test_a_dead_simulator_is_reported(fabric: Fabric) -> None:
    os.kill(fabric.pid, signal.SIGKILL)
    with pytest.raises(LabError, match="ibsim ended unexpectedly"):
        fabric.run_opensm()


def test_opensm_is_time_limited_and_ended(fabric: Fabric) -> None:
    os.kill(fabric.pid, signal.SIGSTOP)
    try:
        with pytest.raises(LabError, match="opensm did not end within 0.5 s"):
            fabric.run_opensm(timeout=0.5)
        assert processes_of(fabric.environment()["IBSIM_SOCKNAME"]) == [fabric.pid]
    finally:
        os.kill(fabric.pid, signal.SIGCONT)


def test_an_exception_cleans_up() -> None:
    with pytest.raises(RuntimeError), Fabric(tree()) as fabric:
        name, folder = fabric.environment()["IBSIM_SOCKNAME"], fabric.folder
        assert processes_of(name) == [fabric.pid] and folder.exists()
        raise RuntimeError
    assert not processes_of(name) and not folder.exists()


HOLDER = """
import sys, time
from ayatori.lab.fabric import Fabric
from ayatori.lab.processes import Child, find_program
with Fabric(sys.stdin.read()) as fabric:
    environment = fabric.environment()
    sleeper = [find_program("sleep", "coreutils"), "1000"]
    child = Child(sleeper, folder=fabric.folder, environment=environment, output=fabric.folder / "out")
    print(environment["IBSIM_SOCKNAME"], fabric.folder, flush=True)
    try:
        time.sleep(1000)
    finally:
        child.stop()
"""


@pytest.mark.parametrize("killer", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_a_killed_holder_of_a_lab(killer: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin and holder.stdout
        holder.stdin.write(tree())
        holder.stdin.close()
        name, folder = holder.stdout.readline().split()
        assert len(processes_of(name)) == 2
        holder.send_signal(killer)
    wait_until_gone(name)
    if killer == signal.SIGINT:
        assert not Path(folder).exists()
    else:
        subprocess.run(["rm", "-r", folder], check=True)
