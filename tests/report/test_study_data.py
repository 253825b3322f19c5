"""What a study tells the report of a real network: positions, faults, the job's NICs and its steps."""

import json
from pathlib import Path
from typing import Any

import pytest
from sample_study import study_of

from ayatori import _core, open_source
from ayatori.model.jobs import random_jobs
from ayatori.model.network import drawing_as_data
from ayatori.planning.improvement import Effort, TablesInUse, improve_jobs
from ayatori.planning.routes import make_routes, make_routes_explained
from ayatori.planning.together import JobOnFabric, measure_together
from ayatori.report import write_report
from ayatori.study.comparison import MAX_STEPS
from ayatori.study.pictures import plan_as_study, together_as_study

RAILS = "xgft:h=2;m=6,4;w=2,3"  # two NICs a host
GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.mark.parametrize(
    "source", [RAILS, "fattree:K=4,levels=3", "torus:3x4", "hyperx:3x3,hosts=2", "dragonfly:g=9,a=4,p=2,h=2", "full:4"]
)
def test_drawing_as_data_places_every_router_nic_and_cable(source: str) -> None:
    network = open_source(source)
    fabric = drawing_as_data(network)
    drawing = fabric["drawing"]
    assert len(drawing["boxes"]) == len(drawing["labels"]) == len(fabric["routers"]) == network.router_count
    assert sorted(cable // 2 for bundle in drawing["bundles"] for cable in bundle["cables"]) == list(
        range(len(fabric["links"]))
    )
    assert [dot[0] for dot in drawing["dots"]] == ([] if network.direct else sorted(range(len(fabric["hosts"]))))


def test_drawing_as_data_begins_a_bundle_at_the_end_that_its_cables_name() -> None:
    fabric = drawing_as_data(open_source("fattree:K=4,levels=3"))
    index = {router["name"]: i for i, router in enumerate(fabric["routers"])}
    for bundle in fabric["drawing"]["bundles"]:
        for cable in bundle["cables"]:
            link = fabric["links"][cable // 2]
            ends = (link["a"], link["b"]) if cable % 2 == 0 else (link["b"], link["a"])
            near, far = (fabric["drawing"]["boxes"][index[name]]["y"] for name in ends)
            assert abs(bundle["points"][1] - near) < abs(bundle["points"][1] - far)


def test_drawing_as_data_says_why_there_is_none(tmp_path: Path) -> None:
    nics = [{"kind": "nic", "name": f"{name} HCA-1", "ports": 1, "machine": name, "guid": guid}
            for name, guid in (("a", "0x10"), ("b", "0x20"))]  # fmt: skip
    cable = {"from": [0, 1], "to": [1, 1], "rate": "4xHDR"}
    network = {"format": "nwtopo-json", "version": 1, "planes": ["ib"], "nodes": nics, "cables": [cable]}
    (tmp_path / "two.json").write_text(json.dumps(network))
    fabric = drawing_as_data(open_source(f"json:{tmp_path / 'two.json'}"))
    assert fabric["not_drawn"] == "the network has no router to draw" and "drawing" not in fabric
    assert open_source(f"json:{tmp_path / 'two.json'}")._repr_html_().startswith("<pre>")


@pytest.mark.parametrize(
    "source", [pytest.param("torus:70x70", marks=pytest.mark.sweep), "dragonfly:g=201,a=20,p=1,h=10"]
)
def test_drawing_as_data_of_many_routers_has_a_box_for_several(source: str) -> None:
    fabric = drawing_as_data(open_source(source))
    drawing = fabric["drawing"]
    assert len(drawing["box_of"]) == len(drawing["labels"]) == len(fabric["routers"])
    assert set(drawing["box_of"]) == set(range(len(drawing["boxes"]))) and len(drawing["boxes"]) < 1500
    assert len(drawing["box_names"]) == len(drawing["boxes"])
    drawn = sorted(cable // 2 for bundle in drawing["bundles"] for cable in bundle["cables"])
    assert drawn == list(range(len(fabric["links"])))


def test_faults_are_what_is_irregular_or_degraded_but_not_why_there_is_no_shape() -> None:
    assert drawing_as_data(open_source("dragonfly:g=9,a=4,p=2,h=2"))["faults"] == []
    faults = drawing_as_data(open_source(f"ib:{GOLDEN / 'infiniband/ndr.txt'}"))["faults"]
    assert any("spine-1" in fault for fault in faults)


def test_study_names_the_nic_of_every_rank_and_the_loads_of_every_step(tmp_path: Path) -> None:
    data = study_of("fattree:K=4,levels=2", 8)
    job, hosts = data["worst_job"], data["fabric"]["hosts"]
    assert [hosts[index]["name"] for index in job["endpoints"]] == job["hosts"]
    assert sorted([job["step"], *(step["step"] for step in job["steps"])]) == list(range(7))
    assert all(step["before"] for step in job["steps"])
    (tmp_path / "study-1.json").write_text(json.dumps(data))
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert page.count('class="host mine"') == 8 + 1  # and the key


def test_study_of_a_large_job_keeps_so_many_steps() -> None:
    job = study_of("fattree:K=12,levels=2", 100)["worst_job"]
    steps = [step["step"] for step in job["steps"]]
    assert MAX_STEPS // 2 <= len(steps) <= MAX_STEPS and job["step"] not in steps


def jobs_together(source: str, sizes: list[int]) -> dict[str, Any]:
    network = open_source(source)
    names = [machine.name for machine in network.machines]
    jobs = []
    for number, size in enumerate(sizes):
        hosts = [(name, 1) for name in names[number :: len(sizes)][:size]]
        jobs.append(JobOnFabric(f"job {number}", _core.job_of_hosts(network, hosts, "test")))
    routes = make_routes(network, 0)
    measured = measure_together(network, routes, jobs, rounds=5)
    return together_as_study(network, routes, source, jobs, measured, "own")


def test_together_as_study_names_every_cable_that_two_jobs_use() -> None:
    together = jobs_together("fattree:K=4,levels=2", [6, 5, 7])["together"]
    users = {}
    for job in together["jobs"]:
        for cable in job["cables"]:
            users.setdefault(cable, []).append(job["name"])
    assert {shared["cable"]: shared["jobs"] for shared in together["shared"]} == {
        cable: names for cable, names in users.items() if len(names) > 1
    }
    assert [len(job["hosts"]) for job in together["jobs"]] == [6, 5, 7]


@pytest.mark.parametrize("source", ["fattree:K=4,levels=2", "torus:4x4", RAILS, "dragonfly:g=9,a=4,p=2,h=2"])
def test_a_report_of_several_jobs_has_each_job_and_the_cables_that_they_share(source: str, tmp_path: Path) -> None:
    study = jobs_together(source, [5, 5])
    (tmp_path / "study-1.json").write_text(json.dumps(study))
    page = write_report(tmp_path).read_text()
    assert page.count("data-of=") >= 2 and "job 0</" in page and "job 1</" in page
    assert ("job 0 and job 1" in page) == bool(study["together"]["shared"])


def test_plan_as_study_has_the_tables_in_use_beside_ours_and_the_plan() -> None:
    network = open_source("fattree:K=4,levels=2")
    jobs = random_jobs(network, 6, 10, seed=2)
    one_lid, many_lids = make_routes(network, 0), make_routes_explained(network).routes
    in_use = TablesInUse(one_lid, "of the fabric")
    improvements = improve_jobs(network, in_use, many_lids, jobs, Effort("pair"))
    ours = [improvement.without for improvement in improvements]
    study = plan_as_study(network, "a fabric", in_use, ours, many_lids, "pair", improvements)
    assert list(study["methods"]) == ["tables in use", "base-lids", "pair"]
    assert "of the fabric" in study["methods"]["tables in use"]
    assert list(study["random"]["relative_bandwidth"]) == list(study["methods"])
    assert all(
        planned <= bound + 1e-9
        for planned, bound in zip(study["random"]["relative_bandwidth"]["pair"], study["random"]["bound"], strict=True)
    )
    worst = study["worst_job"]
    assert worst["before"]["method"] == "tables in use" and worst["after"]["method"] == "pair"
    assert worst["before"]["relative_bandwidth"] == min(study["random"]["relative_bandwidth"]["tables in use"])
