"""Every connection of a program that runs under libayatori_paths.so goes where the plan of its job says."""

import json
import platform
import random
import zlib
from itertools import combinations
from pathlib import Path

import plans
import pytest
import verbs

from ayatori._core import PathNumbering

HOSTS = [f"N{i}" for i in range(30)]
UNKNOWN_LID = 0xBF00


@pytest.fixture(scope="module", params=["rule", "colour", "pair"])
def plan(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> plans.PlanOfTest:
    """By paper 1's numbering, with which plans of all methods take many LIDs of a port."""
    folder = tmp_path_factory.mktemp("plan")
    return plans.made(folder, request.param, HOSTS, numbering=PathNumbering.by_root)


@pytest.fixture(scope="module")
def several_ranks(tmp_path_factory: pytest.TempPathFactory) -> plans.PlanOfTest:
    """In which ranks of one host have paths of their own, as older plans do."""
    plan = plans.made(tmp_path_factory.mktemp("plan"), "pair", HOSTS[:14], 3)
    document = json.loads(plan.path.read_text(encoding="utf-8"))
    pairs = plan.path.with_name(document["pairs"])
    written = pairs.read_bytes()
    width, draw = written[12], random.Random(5)
    bits = sum(draw.randrange(1 << plan.lmc) << width * place for place in range(len(plan.ports) ** 2))
    changed = written[:13] + bits.to_bytes(len(written) - 17, "little")
    pairs.write_bytes(changed + zlib.crc32(changed).to_bytes(4, "little"))
    document["pairs_crc32"] = f"0x{zlib.crc32(changed):08x}"
    plan.path.write_text(json.dumps(document), encoding="utf-8")
    return plans.read(plan.path)


def settings(plan: plans.PlanOfTest, **others: str) -> dict[str, str]:
    return {"AYATORI_PLAN": str(plan.path), **others}


def to_each(plan: plans.PlanOfTest, source: int, seed: int) -> tuple[list[str], list[int]]:
    """A queue pair and an address handle for each other rank, by any of its LIDs, with and without a GID."""
    draw = random.Random(seed)
    lines, destinations = [], []
    for destination in draw.sample(range(len(plan.ports)), len(plan.ports)):
        if destination == source:
            continue
        port = plan.ports[destination]
        for kind in (f"qp {draw.randrange(1 << 24)}", "ah"):
            lid = port.lid + draw.randrange(1 << plan.lmc)
            lines.append(f"{kind} {lid} {draw.choice([0, port.guid])} 0")
            destinations.append(destination)
    return lines, destinations


def test_all_pairs_of_30_nodes_get_the_planned_lids(programs: verbs.Programs, plan: plans.PlanOfTest) -> None:
    assert len({bits for row in plan.bits for bits in row}) > 2
    seen = 0
    for source, port in enumerate(plan.ports):
        lines, destinations = to_each(plan, source, seed=source)
        found, said = programs.run("linked", port, lines, settings(plan))
        assert said == ""
        for address, destination in zip(found, destinations, strict=True):
            assert address.dlid == plan.dlid(source, destination)
            assert port.lid + address.path_bits == plan.dlid(destination, source), "the peer's check of our LID"
            seen += 1
    assert seen == 2 * 30 * 29


@pytest.mark.parametrize("way", verbs.WAYS)
def test_programs_come_to_the_functions_in_different_ways(
    programs: verbs.Programs, plan: plans.PlanOfTest, way: str
) -> None:
    lines, destinations = to_each(plan, 4, seed=1)
    found, said = programs.run(way, plan.ports[4], lines, settings(plan))
    assert said == ""
    assert [address.dlid for address in found] == [plan.dlid(4, destination) for destination in destinations]


def lids_as_given(programs: verbs.Programs, port: verbs.Port, lines: list[str], variables: dict[str, str]) -> str:
    """What was said by a run in which every address stayed as the program had it."""
    found, said = programs.run("linked", port, lines, variables)
    assert [(address.dlid, address.path_bits) for address in found] == [(int(line.split()[-3]), 0) for line in lines]
    return said


def test_without_a_plan_nothing_happens(programs: verbs.Programs, plan: plans.PlanOfTest) -> None:
    lines, _ = to_each(plan, 4, seed=2)
    assert lids_as_given(programs, plan.ports[4], lines, {}) == ""
    assert lids_as_given(programs, plan.ports[4], lines, {"AYATORI_PLAN": ""}) == ""
    assert "no such file" in lids_as_given(programs, plan.ports[4], lines, {"AYATORI_PLAN": "/nowhere"}).lower()


def test_unknown_peers_pass_untouched(programs: verbs.Programs, plan: plans.PlanOfTest) -> None:
    lines = [f"qp 7 {UNKNOWN_LID} 0 0", f"ah {UNKNOWN_LID} 0x1234 0", "ah 49153 0 0", f"qp 1 {plan.ports[4].lid} 0 0"]
    assert lids_as_given(programs, plan.ports[4], lines, settings(plan)) == ""
    stranger = verbs.Port(0x999, UNKNOWN_LID, plan.lmc)
    assert lids_as_given(programs, stranger, to_each(plan, 4, seed=3)[0], settings(plan)) == ""


def test_one_lid_a_port_leaves_all_as_it_is(programs: verbs.Programs, plan: plans.PlanOfTest, tmp_path: Path) -> None:
    lines, _ = to_each(plan, 4, seed=4)
    port = plan.ports[4]
    said = lids_as_given(programs, verbs.Port(port.guid, port.lid, 0), lines, settings(plan))
    assert f"made for LID {port.lid} and LMC {plan.lmc} of port {port.guid:#018x}, which now has" in said
    document = json.loads(plan.path.read_text(encoding="utf-8")) | {"lmc": 0, "method": "base-lids"}
    for rank in document["ranks"]:
        rank |= {"path_bits": 0, "lid": rank["base_lid"]}
    (tmp_path / "plan.json").write_text(json.dumps(document), encoding="utf-8")
    assert lids_as_given(programs, port, lines, {"AYATORI_PLAN": str(tmp_path / "plan.json")}) == ""


def test_queue_pairs_of_two_nodes_take_all_their_planned_paths(
    programs: verbs.Programs, several_ranks: plans.PlanOfTest
) -> None:
    plan = several_ranks

    def planned_between(here: int, there: int) -> set[tuple[int, int]]:
        ranks = [(3 * here + i, 3 * there + j) for i in range(3) for j in range(3)]
        return {(plan.bits[i][j], plan.bits[j][i]) for i, j in ranks}

    here, there = max(combinations(range(14), 2), key=lambda pair: len(planned_between(*pair)))
    planned = planned_between(here, there)
    assert len(planned) > 1
    count = len(planned)
    port, peer = plan.ports[3 * here], plan.ports[3 * there]
    both_ends = []
    for source, destination, first, peers in ((port, peer, 500, 900), (peer, port, 900, 500)):
        lines = [f"qp {peers + i} {destination.lid} 0 0" for i in range(count)]
        found, _ = programs.run("linked", source, lines, settings(plan), first_queue_pair=first)
        both_ends.append([(address.dlid - destination.lid, address.path_bits) for address in found])
    assert set(both_ends[0]) == planned
    assert [(back, forth) for forth, back in both_ends[1]] == both_ends[0], "each sends from where the other sends"


@pytest.mark.parametrize("way", verbs.WAYS)
def test_a_device_at_the_address_of_one_that_was_closed_has_its_own_paths(
    programs: verbs.Programs, plan: plans.PlanOfTest, way: str
) -> None:
    """Closed and opened again as every other port of the fabric, with one connection to the same peer each."""
    peer = 5
    sources = [rank for rank in range(len(plan.ports)) if rank != peer]
    connection = f"qp 900 {plan.ports[peer].lid} 0 0"
    lines = [connection]
    for source in sources[1:]:
        port = plan.ports[source]
        lines += [f"other {port.guid} {port.lid} -", connection]
    found, said = programs.run(way, plan.ports[sources[0]], lines, settings(plan))
    assert said == ""
    taken = [(address.dlid, address.path_bits) for address in found]
    assert taken == [(plan.dlid(source, peer), plan.bits[peer][source]) for source in sources]
    assert len(set(taken)) > 1


@pytest.mark.parametrize("variable", ["AYATORI_PATHS_PER_PAIR", "NCCL_IB_QPS_PER_CONNECTION"])
def test_more_paths_than_planned_are_taken_where_they_are_asked_for(
    programs: verbs.Programs, plan: plans.PlanOfTest, variable: str
) -> None:
    lines = [f"qp {900 + i} {plan.ports[9].lid} 0 0" for i in range(4)]
    found, _ = programs.run("linked", plan.ports[2], lines, settings(plan, **{variable: "4"}), first_queue_pair=300)
    assert len({address.dlid for address in found}) == 4
    assert plan.dlid(2, 9) in {address.dlid for address in found}


def test_a_wrong_number_of_paths_is_told(programs: verbs.Programs, plan: plans.PlanOfTest) -> None:
    lines = [f"qp 900 {plan.ports[9].lid} 0 0"]
    found, said = programs.run("linked", plan.ports[2], lines, settings(plan, AYATORI_PATHS_PER_PAIR="some"))
    assert "AYATORI_PATHS_PER_PAIR=some is not a number from 1 to 128" in said
    assert found[0].dlid == plan.dlid(2, 9)


def test_what_was_applied_is_written_at_the_end(
    programs: verbs.Programs, plan: plans.PlanOfTest, tmp_path: Path
) -> None:
    lines = [f"qp 900 {plan.ports[9].lid} 0 0", f"qp 901 {plan.ports[9].lid} 0 0", f"ah {UNKNOWN_LID} 0 0"]
    programs.run("linked", plan.ports[2], lines, settings(plan, AYATORI_PATHS_LOG=str(tmp_path)))
    (record,) = tmp_path.iterdir()
    document = json.loads(record.read_text(encoding="utf-8"))
    guid = f"{plan.ports[2].guid:#018x}"
    slid = plan.dlid(9, 2)
    assert document["format"] == "ayatori-applied"
    assert document["connections"] == [
        {"kind": "queue-pair", "port_guid": guid, "slid": slid, "dlid": plan.dlid(2, 9), "planned": True, "count": 2},
        {"kind": "address-handle", "port_guid": guid, "slid": plan.ports[2].lid, "dlid": UNKNOWN_LID, "planned": False,
         "count": 1},
    ]  # fmt: skip


RANKS = {
    "Open MPI": ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    "Hydra": ("PMI_RANK", "PMI_SIZE"),
    "srun": ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    "torchrun": ("RANK", "WORLD_SIZE"),
}


@pytest.mark.parametrize("launcher", RANKS)
def test_a_plan_that_must_fit_ends_processes_of_another_job_before_they_connect(
    programs: verbs.Programs, launcher: str, tmp_path: Path
) -> None:
    """The first machine of the plan has the name of this one, so that its ranks 0 to 2 are here."""
    plan = plans.made(tmp_path, "pair", HOSTS[:14], 3)
    document = json.loads(plan.path.read_text(encoding="utf-8"))
    document["machines"][0]["host"] = platform.node()
    plan.path.write_text(json.dumps(document), encoding="utf-8")
    lines, destinations = to_each(plan, 2, seed=3)
    there = [(line, rank) for line, rank in zip(lines, destinations, strict=True) if rank > 2]

    def run(rank: int, ranks: int, status: int, **others: str) -> tuple[int, str]:
        names = RANKS[launcher]
        told = {names[0]: str(rank), names[1]: str(ranks), "LOCAL_RANK": "0", "AYATORI_PLAN_MUST_FIT": "1"} | others
        found, said = programs.run(
            "linked", plan.ports[2], [line for line, _ in there], settings(plan, **told), status=status
        )
        return len(found), said

    assert run(2, 42, 0) == (len(there), "")
    end = f"ayatori: {platform.node()}: the process ends, since the plan can't be used: "
    assert run(2, 41, 1) == (0, f"{end}{plan.path} is for 42 ranks, and these are 41\n")
    assert run(3, 42, 1) == (0, f"{end}rank 3 is on {platform.node()}, and in {plan.path} on {HOSTS[1]}\n")
    count, said = run(2, 42, 1, AYATORI_PLAN="/nowhere")
    assert count == 0 and said.startswith(end) and "/nowhere" in said
    # Spawned processes are another job, of which nobody knew; and a variable of the user's own demands nothing.
    assert run(0, 1, 0, PMI_SPAWNED="1")[1] == ""
    assert run(0, 1, 0, OMPI_MCA_ess_base_jobid=str(7339 * 65536 + 2))[1] == ""
    assert run(0, 1, 0, PMIX_NAMESPACE="prterun-a-b@c-1234@2")[1] == ""
    assert run(2, 41, 1, PMIX_NAMESPACE="prterun-a-b@c-1234@1")[0] == 0
    assert run(3, 41, 0, AYATORI_PLAN_MUST_FIT="")[1] == ""
