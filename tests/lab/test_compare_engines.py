"""`ayatori compare` with OpenSM in the lab; its figures, walked once more by code that shares nothing with ours."""

import json
import shutil
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.lab.fabric import SimulatedFabric, SweepOptions
from ayatori.lab.fabric.engines import EngineSetup, installed_engines, setups
from ayatori.lab.fabric.verification import PortGuids, net_text, with_guids
from ayatori.processes import ProgramError, find_program
from ayatori.study.tables import lanes_of
from walked_network import walker_of


def lacks_programs() -> bool:
    try:
        return not all(find_program(name, name) for name in ("opensm", "ibsim", "ibdmchk"))
    except ProgramError:
        return True


pytestmark = pytest.mark.skipif(lacks_programs(), reason="OpenSM, ibsim or ibdmchk is not installed")
TREE = "fattree:K=4,levels=2"
LINES = ["minhop", "updn", "dnup", "ftree", "lash", "dor", "torus-2QoS", "nue", "dfsssp", "sssp"]


def test_every_engine_is_a_row_or_says_why_not(ayatori_command) -> None:
    outcome = ayatori_command("compare", "torus:5x3", "--jobs-per-size", "3", "--job-sizes", "6,12", "--json").good()
    found = json.loads(outcome.stdout)
    rows = {row["name"]: row for row in found["rows"]}
    assert set(rows) == {"ours", "ours with a plan", *installed_engines(), "nue with VLs"}
    assert found["without_lab"] == ""
    assert rows["ours"]["vls"] == 1
    assert rows["torus-2QoS"]["vls"] == 2
    assert rows["torus-2QoS"]["given"] == "torus-2QoS.conf: 5x3"
    assert "fell back to minhop" in rows["ftree"]["refusal"], "a torus has no roots"
    assert rows["updn"]["refusal"] == "" and "one root" in rows["updn"]["given"]
    assert rows["minhop"]["unreachable_pairs"] == 0
    assert set(rows["sssp"]["relative_bandwidth"]) == {"6 hosts", "12 hosts"}
    assert "without a plan" in found["best"] or "are the best" in found["best"]


def test_an_engine_that_takes_too_long_says_so(ayatori_command) -> None:
    outcome = ayatori_command("compare", TREE, "--engines", "minhop", "--engine-seconds", "1ms", "--json").good()
    rows = {row["name"]: row for row in json.loads(outcome.stdout)["rows"]}
    assert "did not end within" in rows["minhop"]["refusal"]


@pytest.mark.parametrize(("source", "sizes"), [(TREE, (4, 8)), ("torus:3x3", (5, 9))])
def test_the_walker_confirms_each_row(source: str, sizes: tuple[int, int], ayatori_command) -> None:
    words = ("--engines", "minhop,sssp,dor", "--jobs-per-size", "4", "--job-sizes", ",".join(map(str, sizes)))
    found = json.loads(ayatori_command("compare", source, *words, "--seed", "7", "--json").good().stdout)
    known = ayatori.open_source(source)
    for row in found["rows"]:
        if row["name"] == "ours with a plan":
            continue
        network, routes = known, ayatori.make_routes(known, 0)
        if row["name"] != "ours":
            network, routes = tables_by(source, row["name"])
        walker = walker_of(network, routes)
        assert row["longest_route"] == walker.longest + 2, row
        assert row["balance"] == pytest.approx(walker.balance())
        assert row["idle_links"] == walker.idle_links()
        places = {endpoint: number for number, endpoint in enumerate(network.endpoints)}
        for size in sizes:
            jobs = _core.random_jobs(network, 4, size, 0, 7, False)
            walked = [walker.bandwidth(places[port] for port in job.endpoints(network)) for job in jobs]
            measured = row["relative_bandwidth"][f"{size} hosts"]
            assert measured["mean"] == pytest.approx(sum(walked) / len(walked)), (row["name"], size)
            assert measured["min"] == pytest.approx(min(walked))


def tables_by(source: str, engine: str) -> tuple[_core.Network, _core.Routes]:
    """Tables of an engine, made once more."""
    known = ayatori.open_source(source)
    with SimulatedFabric(net_text(known)) as fabric:
        network = with_guids(fabric, known)
        (setup,) = [setup for setup in setups(network, fabric.folder) if setup.name == engine]
        run = fabric.run_opensm(setup.engine, more=SweepOptions(setup.arguments))
        return network, _core.parse_tables(PortGuids(network).from_ibsim(run.lfts_dump), engine, network)


@pytest.mark.parametrize("source", ["torus:3x4", "hyperx:3x3,hosts=2"])
def test_ibdmchk_agrees_on_virtual_lanes(source: str) -> None:
    """With the SLs that OpenSM's SA answers and the VLs of its switches; and of the same tables on one VL."""
    known = ayatori.open_source(source)
    seen = set()
    with SimulatedFabric(net_text(known)) as fabric:
        network = with_guids(fabric, known)
        guids = PortGuids(network)
        for setup in setups(network, fabric.folder):
            if setup.unfit or not setup.lanes:
                continue
            run = fabric.run_opensm(setup.engine, more=SweepOptions(setup.arguments, ask_paths=True))
            routes = _core.parse_tables(guids.from_ibsim(run.lfts_dump), setup.name, network)
            lanes = lanes_of(network, routes, run, guids)
            one_lane = _core.check_lanes(network, routes, None, None)
            assert lanes.paths_without_sl == lanes.discarded == 0
            assert lanes.deadlock_free == fabric.ibdmchk(run, lanes=True).credit_loop_free, setup.name
            assert one_lane.deadlock_free == fabric.ibdmchk(run).credit_loop_free, setup.name
            seen |= {lanes.deadlock_free, one_lane.deadlock_free}
    assert True in seen


def test_ibdmchk_sees_a_loop_on_lanes_where_we_do(tmp_path: Path, ayatori_command) -> None:
    """The SLs of a torus, all set to 0: both see a cycle again. `check` reads what OpenSM wrote."""
    known = ayatori.open_source("torus:5x4")
    with SimulatedFabric(net_text(known)) as fabric:
        network = with_guids(fabric, known)
        (setup,) = [setup for setup in setups(network, fabric.folder) if setup.name == "torus-2QoS"]
        run = fabric.run_opensm(setup.engine, more=SweepOptions(setup.arguments, ask_paths=True))
        guids = PortGuids(network)
        source = tmp_path / "fabric"
        source.write_text(net_text(network))
        (tmp_path / "lfts").write_text(guids.from_ibsim(run.lfts_dump))
        levels = guids.from_ibsim(run.path_sls.read_text())
        (tmp_path / "sl").write_text(levels)
        assert run.sl_to_vl is not None
        shutil.copy(run.sl_to_vl, tmp_path / "vl")
        assert fabric.ibdmchk(run, lanes=True).credit_loop_free
        paths = [line.split() for line in run.path_sls.read_text().splitlines()]
        run.path_sls.write_text("".join(f"{guid} {lid} 0\n" for guid, lid, _ in paths))
        assert not fabric.ibdmchk(run, lanes=True).credit_loop_free
    words = ("check", f"ib:{source}", "--lfts", str(tmp_path / "lfts"))
    lanes = ("--path-sl", str(tmp_path / "sl"), "--sl-to-vl", str(tmp_path / "vl"))
    outcome = ayatori_command(*words, *lanes, "--json")
    assert outcome.status == 3, "programs that never ask for a path send at SL 0"
    found = json.loads(outcome.stdout)["lanes"]
    assert found["deadlock_free"] and not found["deadlock_free_at_sl_0"]
    assert [use["vl"] for use in found["used"]] == [0, 1]
    shown = ayatori_command(*words, *lanes).stdout
    assert "by their SLs  free" in shown and "all at SL 0   POSSIBLE: a cycle of" in shown


def test_engines_get_the_files_that_they_need(tmp_path: Path) -> None:
    def made(source: str) -> dict[str, EngineSetup]:
        with SimulatedFabric(net_text(known := ayatori.open_source(source))) as fabric:
            network = with_guids(fabric, known)
        return {setup.name: setup for setup in setups(network, tmp_path)}

    tree = made(TREE)
    assert tree["ftree"].given == tree["updn"].given == "4 root GUIDs"
    assert len((tmp_path / "ftree-roots").read_text().splitlines()) == 4
    assert "tori and meshes" in tree["torus-2QoS"].unfit
    torus = made("torus:3x4x2")
    assert torus["torus-2QoS"].unfit == ""
    config = (tmp_path / "torus-2QoS.conf").read_text().splitlines()
    assert config[0] == "torus 3t 4t 2m" or config[0] == "torus 3t 4t 2t"
    assert {line.split()[0] for line in config[1:]} >= {"xp_link", "xm_link", "yp_link", "ym_link", "zp_link"}
    assert "--do_mesh_analysis" in torus["lash"].arguments
    assert len((tmp_path / "dor-ports").read_text().splitlines()) == 24
