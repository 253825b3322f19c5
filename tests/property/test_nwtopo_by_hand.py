"""nwtopo's distances, routes, cuts and subsets against slow answers of the test's own, on 50 random networks.

The oracle sees a network as the rows of Topology.links(). Distances are by breadth-first search, cuts by the maximum
flow of Edmonds and Karp. What a subset keeps is what src/nwtopo/include/nwtopo.h says of nwtopo_topology_shrink().
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Set
from pathlib import Path
from random import Random

import pytest

from ayatori import _core, nwtopo, open_source
from ayatori.nwtopo import NO_NIC, UNREACHABLE, Obj, Topology

GOLDEN = Path(__file__).parent.parent / "golden"
FILES = [
    f"ib:{GOLDEN}/infiniband/full-fields.txt",
    f"ib:{GOLDEN}/infiniband/ndr.txt",
    f"lldp:{GOLDEN}/lldp",
    f"slurm:{GOLDEN}/slurm/three-levels.conf",
    f"json:{GOLDEN.parent.parent}/src/nwtopo/fuzz/corpus/json/purposes.json",
]
KINDS = ["formula", "formula", "damaged", "damaged", "unknown rates", "faults", "mixed", "mixed", "direct", "file"]

Arc = tuple[int, int, int, int]  # from, to, bytes a second (0: not known), the NIC that it leaves


def lengths(random: Random, most: int) -> str:
    return "x".join(str(random.randint(2, most)) for _ in range(random.randint(1, 3)))


def formula(random: Random) -> str:
    return random.choice(
        [
            f"torus:{lengths(random, 4)}",
            f"mesh:{lengths(random, 4)}",
            f"torus:{lengths(random, 3)},hosts=2",
            f"full:{random.randint(2, 9)}",
            f"full:{random.randint(2, 5)},hosts=2",
            f"hyperx:{random.randint(2, 4)}x{random.randint(2, 4)},hosts=2",
            f"hypercube:{random.randint(2, 4)}",
            f"fattree:K={random.randint(2, 3)},levels=2",
            "fattree:K=2,levels=3",
            f"xgft:h=2;m={random.randint(2, 4)},{random.randint(2, 4)};w={random.randint(1, 2)},{random.randint(1, 3)}",
            f"dragonfly:g={random.randint(2, 5)},a=2,p=2,h=2",
            "dragonfly+:g=3,l=2,s=2,p=2,h=2",
        ]
    )


def saved(tmp_path: Path, network: object) -> str:
    path = tmp_path / "network.json"
    path.write_text(json.dumps(network))
    return f"json:{path}"


def damaged(random: Random, tmp_path: Path, keeps_rates: bool) -> str:
    """A network without some of its cables, or of which some rates are not known, or all."""
    network = json.loads(_core.export_network(open_source(formula(random)), "json"))
    cables = network["cables"]
    routers = {i for i, node in enumerate(network["nodes"]) if node["kind"] == "router"}
    missing = random.random() / 3
    network["cables"] = [
        cable for cable in cables if random.random() > missing or not {cable["from"][0], cable["to"][0]} <= routers
    ]
    unknown = 0.0 if keeps_rates else random.choice([0.1, 0.5, 1.0])
    for cable in network["cables"]:
        cable["rate"] = random.choice(["4xEDR", "4xHDR", "25Gbit/s"])
        if random.random() < unknown:
            del cable["rate"]
    return saved(tmp_path, network)


def mixed(random: Random, tmp_path: Path) -> str:
    """Routers cabled at random, on one or two planes, and hosts with NICs on any of them."""
    nodes: list[dict[str, object]] = []
    cables: list[dict[str, object]] = []
    rails: dict[str, int] = defaultdict(int)
    planes = random.randint(1, 2)
    for plane in range(planes):
        routers = range(len(nodes), len(nodes) + random.randint(2, 8))
        nodes += [{"kind": "router", "name": f"r{i}", "ports": 60, "plane": plane} for i in routers]
        used = dict.fromkeys(routers, 0)

        def plug(a: int, b: int, port: int, used: dict[int, int] = used) -> None:
            used[a] += 1
            cables.append({"from": [a, used[a]], "to": [b, port], "rate": random.choice(["4xEDR", "4xHDR"])})

        for _ in range(random.randint(len(routers), 2 * len(routers))):
            a, b = random.sample(routers, 2)
            used[b] += 1
            plug(a, b, used[b])
        for _ in range(random.randint(4, 10)):
            host = f"h{random.randint(0, 9)}"
            nodes.append(
                {"kind": "nic", "name": host, "ports": 1, "machine": host, "rail": rails[host], "plane": plane}
            )
            rails[host] += 1
            plug(random.choice(routers), len(nodes) - 1, 1)
    # Devices of a plane stand together, and routers before NICs.
    head = {"format": "nwtopo-json", "version": 1, "direct": False, "planes": [f"p{i}" for i in range(planes)]}
    order = sorted(range(len(nodes)), key=lambda i: nodes[i]["kind"] != "router")
    place = {old: new for new, old in enumerate(order)}
    for cable in cables:
        for end in ("from", "to"):
            device, port = cable[end]  # type: ignore[misc]
            cable[end] = [place[device], port]
    return saved(tmp_path, {**head, "nodes": [nodes[i] for i in order], "cables": cables})


def direct(random: Random, tmp_path: Path) -> str:
    """Machines with built-in routers, cabled at random or without some of a torus's or full network's cables."""
    source = random.choice([f"torus:{lengths(random, 4)}", f"full:{random.randint(4, 9)}", "torus:5x4", "mesh:3x5"])
    network = json.loads(_core.export_network(open_source(source), "json"))
    routers = {i for i, node in enumerate(network["nodes"]) if node["kind"] == "router"}
    between = [cable for cable in network["cables"] if {cable["from"][0], cable["to"][0]} <= routers]
    gone = random.sample(range(len(between)), random.randint(1, max(1, len(between) // 4)))
    network["cables"] = [cable for cable in network["cables"] if cable not in [between[i] for i in gone]]
    return saved(tmp_path, network)


def with_faults(random: Random) -> Topology:
    source = formula(random)
    whole = nwtopo.load(source)
    objects = [obj for height in range(whole.max_height + 1) for obj in whole.objects(height) if obj.links]
    faults = [f"{obj.name}:{random.choice(obj.links).from_port}" for obj in random.sample(objects, 2)]
    return nwtopo.load(source, faults=",".join(faults))


def network_of(kind: str, random: Random, tmp_path: Path) -> Topology:
    if kind == "faults":
        return with_faults(random)
    if kind == "damaged" or kind == "unknown rates":
        return nwtopo.load(damaged(random, tmp_path, kind == "damaged"))
    if kind == "mixed":
        return nwtopo.load(mixed(random, tmp_path))
    if kind == "direct":
        return nwtopo.load(direct(random, tmp_path))
    return nwtopo.load(random.choice(FILES) if kind == "file" else formula(random))


# ---- the oracle


class Oracle:
    """The links of a topology that are up, and what one may go through."""

    def __init__(self, topology: Topology) -> None:
        machines = {obj.id for obj in topology.machines}
        self.arcs: list[Arc] = []
        forwarding: set[int] = set()
        for row in topology.links():
            start, nic = int(row["from"]), int(row["from_nic"])
            if start not in machines or nic == NO_NIC:
                forwarding.add(start)  # a router, or a machine whose router is built in
            if row["up"]:
                self.arcs.append((start, int(row["to"]), int(row["bandwidth"]), nic))
        self.forwarding = forwarding

    def part(self, allowed: Set[int]) -> list[Arc]:
        return [arc for arc in self.arcs if arc[0] in allowed and arc[1] in allowed]

    def distances(self, start: int, arcs: Iterable[Arc]) -> dict[int, int]:
        beyond = defaultdict(list)
        for here, there, *_ in arcs:
            beyond[here].append(there)
        found, queue = {start: 0}, deque([start])
        while queue:
            here = queue.popleft()
            if here != start and here not in self.forwarding:
                continue
            for there in beyond[here]:
                if there not in found:
                    found[there] = found[here] + 1
                    queue.append(there)
        return found

    def flow(self, a: Set[int], b: Set[int], arcs: list[Arc], capacities: list[int]) -> tuple[int, int]:
        """Of Edmonds and Karp: the maximum flow, and the number of links from what a still reaches to the rest."""
        room: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        usable = [here in a or here in self.forwarding for here, *_ in arcs]
        for arc, capacity, use in zip(arcs, capacities, usable, strict=True):
            if use:
                room[arc[0]][arc[1]] += capacity
        everything = sum(capacities) + 1
        total = 0
        while True:
            came_from = dict.fromkeys(a, -1)
            queue = deque(a)
            end = None
            while queue and end is None:
                here = queue.popleft()
                for there, left in room[here].items():
                    if left > 0 and there not in came_from:
                        came_from[there] = here
                        queue.append(there)
                        if there in b:
                            end = there
                            break
            if end is None:
                crossing = sum(
                    use and arc[0] in came_from and arc[1] not in came_from
                    for arc, use in zip(arcs, usable, strict=True)
                )
                return total, crossing
            way = []
            here = end
            while came_from[here] >= 0:
                way.append((came_from[here], here))
                here = came_from[here]
            width = min([everything, *(room[here][there] for here, there in way)])
            for here, there in way:
                room[here][there] -= width
                room[there][here] += width
            total += width

    def cut(self, a: Set[int], b: Set[int], arcs: list[Arc]) -> tuple[float, int]:
        """Bandwidth and number of links; a bandwidth of 0 is not known, or there is no path."""
        rates = [rate for _, _, rate, _ in arcs]
        infinite = sum(rates) * len(rates) + 1
        most, links = self.flow(a, b, arcs, [rate or infinite for rate in rates])
        if most == self.flow(a, b, arcs, rates)[0]:
            return most, links
        return 0, self.flow(a, b, arcs, [1] * len(arcs))[1]

    def injection(self, machines: Set[int], arcs: list[Arc]) -> float:
        total = 0
        for machine in machines:
            rates = [rate for start, _, rate, _ in arcs if start == machine]
            if machine in self.forwarding:
                rates = rates[:1]  # of machines with built-in routers: one NIC
            if 0 in rates:
                return 0
            total += sum(rates)
        return total


def travelled(base: Topology, oracle: Oracle, part: Topology, chosen: Set[int]) -> set[int]:
    """What packets of a subset go through: by the header of nwtopo_topology_shrink()."""
    present = {obj.id for height in range(part.max_height + 1) for obj in part.objects(height)}
    if not chosen & oracle.forwarding:
        return present
    if part.root is not None and part.root.type == "grid":
        lengths, start = part.root.dimensions, part.root.reference_coordinates
        whole = base.object_by_id(part.root.id)
        inside = present.copy()
        for obj in base.machines:
            if whole not in obj.parents:
                continue  # of another part
            coords = zip(base.coords(obj, whole), start, lengths, whole.dimensions, strict=True)
            if all((c - s) % full < length for c, s, length, full in coords):
                inside.add(obj.id)
        return inside
    ways = {machine: oracle.distances(machine, oracle.arcs) for machine in chosen}
    far = float("inf")
    return present | {
        obj.id
        for obj in base.machines
        for a in chosen
        for b in chosen
        if ways[a].get(obj.id, far) + ways[b].get(obj.id, far) == ways[a].get(b, -1)
    }


def routers_on_ways(oracle: Oracle, ends: Iterable[int]) -> set[int]:
    ways = {end: oracle.distances(end, oracle.arcs) for end in ends}
    far = float("inf")
    return {
        router
        for router in oracle.forwarding
        for a in ways
        for b in ways
        if a != b and ways[a].get(router, far) + ways[b].get(router, far) == ways[a].get(b, -1)
    }


def compare_distances(oracle: Oracle, topology: Topology, objects: list[Obj], arcs: list[Arc]) -> None:
    matrix = topology.distances(objects)
    for i, a in enumerate(objects):
        found = oracle.distances(a.id, arcs)
        for j, b in enumerate(objects):
            expected = found.get(b.id)
            assert topology.hops(a, b) == expected
            assert matrix[i, j] == (UNREACHABLE if expected is None else expected)
            if expected is not None and i < 3:
                route = next(topology.routes(a, b))
                assert len(route) == expected


def compare_cut(random: Random, oracle: Oracle, topology: Topology, arcs: list[Arc]) -> None:
    machines = list(topology.machines)
    if len(machines) < 2:
        return
    random.shuffle(machines)
    size = random.randint(1, len(machines) // 2)
    a, b = machines[:size], machines[size : size + random.randint(1, len(machines) - size)]
    a_ids, b_ids = {obj.id for obj in a}, {obj.id for obj in b}
    cut = topology.cut(a, b)
    assert (cut.bandwidth, cut.num_links) == oracle.cut(a_ids, b_ids, arcs)
    sides = oracle.injection(a_ids, arcs), oracle.injection(b_ids, arcs)
    assert cut.injection == (min(sides) if all(sides) else 0)
    assert cut.oversubscription == (cut.injection / cut.bandwidth if cut.bandwidth else 0)


def compare_subset(base: Topology, oracle: Oracle, part: Topology, chosen: Set[int]) -> list[Arc]:
    """What is in the subset; gives the links that its packets travel by."""
    assert {obj.id for obj in part.machines} == chosen
    present = {obj.id for height in range(part.max_height + 1) for obj in part.objects(height)}
    shown = sorted((int(row["from"]), int(row["to"]), int(row["bandwidth"])) for row in part.links() if row["up"])
    assert shown == sorted(arc[:3] for arc in oracle.part(present))
    routers = {id for id in present if part.object_by_id(id).type == "router"}
    if not chosen & oracle.forwarding:
        attached = {above.id for id in chosen for above in base.object_by_id(id).parents if above.type == "router"}
        assert routers_on_ways(oracle, chosen) <= routers
        assert routers <= attached | routers_on_ways(oracle, chosen) | routers_on_ways(oracle, attached)
    return oracle.part(travelled(base, oracle, part, chosen))


@pytest.mark.parametrize("seed", range(50))
def test_answers_are_those_of_slow_searches(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    kind = KINDS[seed % len(KINDS)]
    base = network_of(kind, random, tmp_path)
    oracle = Oracle(base)
    print(f"seed {seed}, {kind}: {base!r}")
    routers = [obj for height in range(1, base.max_height + 1) for obj in base.objects(height) if obj.type == "router"]
    objects = [*base.machines, *routers]
    compare_distances(oracle, base, random.sample(objects, min(12, len(objects))), oracle.arcs)
    for _ in range(3):
        compare_cut(random, oracle, base, oracle.arcs)
    for _ in range(3):
        machines = list(base.machines)
        chosen = random.sample(machines, random.randint(1, min(8, len(machines))))
        part = base.shrink(chosen)
        arcs = compare_subset(base, oracle, part, {obj.id for obj in chosen})
        compare_distances(oracle, part, chosen, arcs)
        compare_cut(random, oracle, part, arcs)
