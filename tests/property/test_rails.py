"""Machines with several NICs: messages by the ranks' own, on the receiver's rail, or over all rails."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import ayatori
from ayatori import _core
from ayatori.base.errors import Error
from ayatori.planning.plans import MULTIPATH, Messages, assess_jobs, contention, traffic_of_nics
from ayatori.planning.together import JobOnFabric, background, measure_together, picture_of_jobs
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model
from ayatori.prediction.simulation import simulate
from ayatori.prediction.together import ConcurrentSimulation

PLANES = "xgft:m=3,4;w=2,3"
"""Twelve hosts with two NICs each; no cable joins the rails."""
CALL = Call("alltoall", "shift", 1 << 20)
STRIPED = Model(rails="striped", link_latency=0, costs=FREE)


def two_rails() -> dict[str, Any]:
    """Twelve hosts with two NICs each, three hosts on two leaves of their own, and three spines for all leaves."""
    nodes: list[dict[str, Any]] = [{"kind": "router", "name": f"L{leaf}", "ports": 6} for leaf in range(8)]
    nodes += [{"kind": "router", "name": f"S{spine}", "ports": 8} for spine in range(3)]
    cables = [{"from": [leaf, 4 + spine], "to": [8 + spine, 1 + leaf]} for leaf, spine in product(range(8), range(3))]
    for host, rail in product(range(12), range(2)):
        guid = f"0x{(host + 1) * 4096 + rail * 16:016x}"
        name = f"N{host} HCA-{rail + 1}"
        cables.append({"from": [len(nodes), 1], "to": [host // 3 * 2 + rail, 1 + host % 3]})
        nodes.append({"kind": "nic", "name": name, "ports": 1, "machine": f"N{host}", "rail": rail, "guid": guid})
    head = {"format": "nwtopo-json", "version": 1, "direct": False, "planes": ["infiniband"]}
    return {**head, "nodes": nodes, "cables": [{**cable, "rate": "4xHDR"} for cable in cables]}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("rails") / "two-rails.json"
    file.write_text(json.dumps(two_rails()), encoding="utf-8")
    return f"json:{file}"


@pytest.fixture(scope="module")
def network(source: str) -> ayatori.Network:
    return ayatori.open_source(source)


@pytest.mark.parametrize("method", ["base-lids", "multipath"])
def test_rails_that_no_cable_joins_need_no_paths_between_them(method: str) -> None:
    planes = ayatori.open_source(PLANES)
    job = hosts(planes, [0, 5], 2)
    one, both = hosts(planes, [0, 5], 1), seconds(planes, job, "aligned", method)
    assert seconds(planes, one, "striped", method) == pytest.approx(seconds(planes, one, "own", method) / 2, rel=1e-5)
    # Three steps, in each of which a NIC sends one message.
    assert both == pytest.approx(3 * seconds(planes, one, "own", method))
    with pytest.raises(Error, match="no cables lead from"):
        seconds(planes, job, "own", method)
    [spread] = assess_jobs(planes, ayatori.make_routes(planes), [job], MULTIPATH, Messages(rails="striped"))
    assert spread.contention.free


def hosts(network: ayatori.Network, numbers: list[int], ppn: int) -> ayatori.Job:
    return _core.job_of_hosts(network, [(f"N{number}", ppn) for number in numbers], "here")


def seconds(network: ayatori.Network, job: ayatori.Job, rails: str, method: str = "pair") -> float:
    return simulate(network, job, CALL, method, Model(rails=rails, link_latency=0, costs=FREE)).seconds


@pytest.mark.parametrize("method", ["base-lids", "pair", "multipath"])
def test_a_message_over_two_rails_takes_half_of_the_time(network: ayatori.Network, method: str) -> None:
    job = hosts(network, [0, 5], 1)
    one = seconds(network, job, "own", method)
    assert seconds(network, job, "aligned", method) == pytest.approx(one)
    assert seconds(network, job, "striped", method) == pytest.approx(one / 2, rel=1e-5)


def test_a_rank_of_each_machine_uses_a_nic_of_its_own_by_default(network: ayatori.Network) -> None:
    """Both ranks of a machine send at once, each by its NIC."""
    job = hosts(network, [0, 5], 2)
    assert job.rank_count == 4
    endpoints = job.endpoints(network)
    assert len(set(endpoints)) == 4
    by_default = simulate(network, job, CALL, model=Model()).seconds
    assert simulate(network, job, CALL, model=Model(rails="own")).seconds == by_default


def test_aligned_messages_leave_by_the_rail_on_which_they_arrive(network: ayatori.Network) -> None:
    job = hosts(network, [0, 5, 9], 2)
    nics, steps = traffic_of_nics(network, job, _core.shift_all_to_all(6), "aligned")
    assert nics.rank_count == 6
    crossing = 0
    for step in range(steps.step_count):
        for message in steps.messages(step):
            if message.from_rank // 2 != message.to_rank // 2:
                assert message.from_rank % 2 == message.to_rank % 2
                crossing += 1
    assert crossing == 6 * 4


@pytest.mark.parametrize("rails", ["aligned", "striped"])
def test_contention_is_that_of_the_nics(network: ayatori.Network, rails: str) -> None:
    job = hosts(network, [0, 1, 4, 7, 8, 11], 1)
    routes = ayatori.make_routes(network)
    nics, steps = traffic_of_nics(network, job, _core.shift_all_to_all(6), rails)
    base = contention(network, routes, nics, _core.Plan.base_lids(12), steps)
    [unplanned] = assess_jobs(network, routes, [job], None, Messages(rails=rails))
    assert unplanned.contention.relative_bandwidth == base.relative_bandwidth
    [planned] = assess_jobs(network, routes, [job], "pair", Messages(rails=rails))
    assert planned.contention.relative_bandwidth >= base.relative_bandwidth
    [spread] = assess_jobs(network, routes, [job], MULTIPATH, Messages(rails=rails))
    assert spread.contention.free


def test_several_jobs_are_striped_too(network: ayatori.Network) -> None:
    jobs = [JobOnFabric("left", hosts(network, [0, 5], 1)), JobOnFabric("right", hosts(network, [1, 10], 1))]
    everybody = [*jobs, *background(network, jobs, 0.5)]
    measured = measure_together(network, ayatori.make_routes(network, 0), everybody, 20, rails="striped")
    assert all(0 < each.together <= each.alone for each in measured.jobs)
    concurrent = ConcurrentSimulation(network, everybody, CALL, model=STRIPED, rounds=2).run()
    alone = simulate(network, jobs[0].job, CALL, model=STRIPED)
    assert concurrent.jobs[0].alone.seconds == alone.seconds
    assert concurrent.jobs[0].seconds >= alone.seconds * (1 - 1e-9)


def test_the_picture_shows_every_nic_of_a_job(network: ayatori.Network) -> None:
    jobs = [JobOnFabric("left", hosts(network, [0, 5], 1)), JobOnFabric("right", hosts(network, [1, 10], 1))]
    drawn = picture_of_jobs(network, jobs, []).decode()
    assert drawn.count(", left</title>") == 4
    assert drawn.count(", right</title>") == 4


def test_what_cannot_be_is_refused(network: ayatori.Network) -> None:
    with pytest.raises(Error, match="no use of rails 'all'"):
        simulate(network, hosts(network, [0, 5], 1), CALL, model=Model(rails="all", link_latency=0, costs=FREE))
    torus = ayatori.open_source("torus:3x3")
    with pytest.raises(Error, match="have no rails"):
        simulate(
            torus,
            ayatori.contiguous_jobs(torus, [4])[0],
            CALL,
            model=STRIPED,
        )
    with pytest.raises(Error, match="own NICs"):
        simulate(
            network,
            hosts(network, [0, 5], 1),
            Call("alltoall", "path-aware", 1024),
            model=STRIPED,
        )


def test_the_command_line_offers_them(ayatori_command, source: str) -> None:
    for verb in (["check"], ["simulate", "--collective", "alltoall", "--algorithm", "shift"]):
        ayatori_command(*verb[:1], source, *verb[1:], "--contiguous", "4..4", "--rails", "striped").good()
        ayatori_command(*verb[:1], source, *verb[1:], "--contiguous", "4..4", "--rails", "all").refused(
            2, "one of own, aligned, striped"
        )


@pytest.fixture
def hostfile(tmp_path: Path) -> str:
    file = tmp_path / "job"
    file.write_text("".join(f"N{number} slots=2\n" for number in (0, 1, 4, 7, 8, 11)), encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("rails", ["aligned", "striped"])
@pytest.mark.parametrize("method", ["rule", "pair"])
def test_a_plan_of_nics_is_written_and_measured_again(
    ayatori_command, source: str, hostfile: str, tmp_path: Path, rails: str, method: str
) -> None:
    file = tmp_path / "plan.json"
    job = [source, "--job", hostfile, "--rails", rails, "--method", method]
    planned = ayatori_command("plan", *job, "--json", "--out", str(file), "--report", str(tmp_path / "report")).good()
    saved = json.loads(file.read_text(encoding="utf-8"))
    assert saved["of_nics"] is True
    assert len(saved["ranks"]) == 12
    assert (tmp_path / "report" / "report.html").exists()
    for again in (["--plan", str(file)], ["--jobs", str(file)]):
        found = ayatori_command("check", source, *again, "--rails", rails, "--json").json()
        expected = json.loads(planned.stdout)["relative_bandwidth"]["mean"]
        alone = found["together"]["alone"]["mean"] if "together" in found else found["relative_bandwidth"]["mean"]
        assert alone == pytest.approx(expected)


def test_a_plan_of_nics_is_refused_where_ranks_send_by_their_own(
    ayatori_command, source: str, hostfile: str, tmp_path: Path
) -> None:
    of_nics, of_ranks = tmp_path / "nics.json", tmp_path / "ranks.json"
    for file, rails in ((of_nics, "aligned"), (of_ranks, "own")):
        ayatori_command("plan", source, "--job", hostfile, "--rails", rails, "--out", str(file)).good()
    call = ["--collective", "alltoall", "--algorithm", "shift", "--rounds", "2"]
    for verb in (["check", source, "--plan"], ["check", source, "--jobs"], ["simulate", source, *call, "--jobs"]):
        ayatori_command(*verb, str(of_nics)).refused(
            1, "has a plan with paths between NICs: --rails aligned or striped"
        )
        ayatori_command(*verb, str(of_ranks), "--rails", "aligned").refused(
            1, "has a plan with paths between ranks: --rails own"
        )


@pytest.mark.parametrize("rails", ["aligned", "striped"])
def test_jobs_of_nics_are_planned_beside_others_and_placed(
    ayatori_command, source: str, hostfile: str, tmp_path: Path, rails: str
) -> None:
    running, file = tmp_path / "running", tmp_path / "plan.json"
    running.mkdir()
    (running / "other").write_text("N2\nN5\nN9\n", encoding="utf-8")
    beside = [source, "--running", str(running), "--rails", rails]
    told = ayatori_command("plan", *beside, "--job", hostfile, "--out", str(file), "--json").json()
    assert told["ranks"] == 12
    assert told["relative_bandwidth"] >= told["without_plan"]
    assert json.loads(file.read_text(encoding="utf-8"))["of_nics"] is True
    (tmp_path / "free").write_text("N3\nN6\nN10\n", encoding="utf-8")
    assert {
        proposal["ranks"]
        for proposal in ayatori_command(
            "place", *beside, "--nodes", "2", "--free", str(tmp_path / "free"), "--json"
        ).json()["proposals"]
    } == {4}
