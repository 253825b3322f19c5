"""The routing engines of the installed OpenSM, and the files and options that each needs for a network."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from pathlib import Path

from ayatori._core import Network, Shape
from ayatori.lab.fabric.fabric import Engine
from ayatori.model.network import router_cables
from ayatori.processes import find_program, run_to_end

ENGINES: tuple[Engine, ...] = (
    "minhop",
    "updn",
    "dnup",
    "ftree",
    "lash",
    "dor",
    "torus-2QoS",
    "nue",
    "dfsssp",
    "sssp",
)
"""Those that we know how to start, in the order of OpenSM's manual."""
SEVERAL_LANES = "nue with VLs"
_SUPPORTED = re.compile(r"Supported engines: (.*?)\n\s*\n", re.DOTALL)
_HELP_SECONDS = 20.0
_MAX_CENTRES = 200
_LANES = 8
_LEAST_GROUP_PORTS = 16  # torus-2QoS's own default


@dataclass(frozen=True)
class EngineSetup:
    """How OpenSM is started: `name` is the row's, `given` says which files and options it gets.

    `unfit` says why this engine can't route this network, and is empty if nobody knows before it is tried.
    """

    name: str
    engine: Engine
    arguments: tuple[str | Path, ...] = ()
    given: str = ""
    unfit: str = ""
    lanes: bool = False
    """Its paths have service levels."""
    otherwise: EngineSetup | None = None
    """How to start it once more if it refuses."""


def installed_engines() -> list[Engine]:
    """Those of ENGINES that the installed OpenSM lists in its help; minhop is always there.

    Raises ProgramError if OpenSM is not installed.
    """
    said = run_to_end([find_program("opensm", "opensm"), "--help"], environment={"LC_ALL": "C"}, timeout=_HELP_SECONDS)
    match = _SUPPORTED.search(said.output + said.errors)
    listed = set(re.findall(r"[\w-]+", match[1] if match else ""))
    return [engine for engine in ENGINES if engine == "minhop" or engine in listed or (not listed)]


def setups(network: Network, folder: Path) -> list[EngineSetup]:
    """How each installed engine is started on `network`, which has GUIDs; files go to `folder`."""
    made = [_setup(engine, network, folder) for engine in installed_engines()]
    if any(setup.engine == "nue" for setup in made):
        options = ("-Q", "--nue_max_num_vls", str(_LANES))
        made.append(EngineSetup(SEVERAL_LANES, "nue", options, f"at most {_LANES} VLs", lanes=True))
    return made


def _setup(engine: Engine, network: Network, folder: Path) -> EngineSetup:
    if engine in ("updn", "ftree"):
        return _with_roots(engine, network, folder)
    if engine == "dor":
        return _with_port_order(network, folder)
    if engine == "torus-2QoS":
        return _with_torus(network, folder)
    if engine == "lash":
        mesh = ("--do_mesh_analysis",) if network.shape().kind == "grid" else ()
        return EngineSetup(engine, engine, ("-Q", *mesh), "mesh analysis" if mesh else "", lanes=True)
    if engine == "dfsssp":
        return EngineSetup(engine, engine, ("-Q",), lanes=True)
    return EngineSetup(engine, engine)


def _with_roots(engine: Engine, network: Network, folder: Path) -> EngineSetup:
    """OpenSM's own guess of the roots fails on many real trees, and updn refuses networks where it finds none."""
    levels = network.levels()

    def with_roots(roots: Sequence[int], given: str) -> EngineSetup:
        file = folder / f"{engine}-roots"
        file.write_text("".join(f"{network.guid(router):#018x}\n" for router in roots), encoding="utf-8")
        return EngineSetup(engine, engine, ("-a", file), given)

    if levels is not None and max(levels) > 0:
        roots = [router for router, level in enumerate(levels) if level == max(levels)]
        return with_roots(roots, f"{len(roots)} root GUIDs")
    alone = EngineSetup(engine, engine, given="the roots that OpenSM finds: the network is no tree")
    if engine == "ftree":
        return alone
    middle = _centre(network)
    return replace(alone, otherwise=with_roots([middle], f"one root in the middle, {network.name(middle)}"))


def _centre(network: Network) -> int:
    """Among the first switches with the most neighbours the one that the others are closest to."""
    neighbours: list[set[int]] = [set() for _ in range(network.router_count)]
    for a, b in router_cables(network):
        near, far = network.port(a).device, network.port(b).device
        neighbours[near].add(far)
        neighbours[far].add(near)
    most = max(map(len, neighbours))
    candidates = [router for router, own in enumerate(neighbours) if len(own) == most][:_MAX_CENTRES]
    return min(candidates, key=lambda router: _distances(neighbours, router))


def _distances(neighbours: Sequence[set[int]], start: int) -> int:
    """The sum of the distances of all switches; those out of reach are the farthest."""
    seen, reached, distance, total = {start}, {start}, 0, 0
    while reached:
        total += distance * len(reached)
        distance += 1
        reached = set().union(*(neighbours[router] for router in reached)) - seen
        seen |= reached
    return total + (len(neighbours) - len(seen)) * len(neighbours)


def _with_port_order(network: Network, folder: Path) -> EngineSetup:
    """Ports in the order of their dimensions, which OpenSM else takes from their numbers."""
    shape = network.shape()
    if shape.kind not in ("grid", "hyperx"):
        return EngineSetup("dor", "dor", given="no order of ports: the network has no dimensions")
    points = _points(shape)
    directions: dict[int, list[tuple[int, int, int]]] = {}
    for link in (link for ends in network.cables() for link in ends):
        port = network.port(link)
        here, there = points.get(port.device), points.get(network.port(port.peer).device)
        if here is None or there is None or here == there:
            continue
        axis = next(axis for axis in range(len(here)) if here[axis] != there[axis])
        step = (there[axis] - here[axis]) % shape.dimensions[axis]
        directions.setdefault(port.device, []).append((axis, step, port.number))
    lines = (
        f"{network.guid(router):#018x} {' '.join(str(number) for *_, number in sorted(ports))}\n"
        for router, ports in directions.items()
    )
    file = folder / "dor-ports"
    file.write_text("".join(lines), encoding="utf-8")
    return EngineSetup("dor", "dor", ("-O", file), "order of ports by dimension")


def _points(shape: Shape) -> dict[int, tuple[int, ...]]:
    """The coordinates of each router of a grid or HyperX."""
    coordinates = product(*(range(size) for size in shape.dimensions))
    return {router: point for router, point in zip(shape.at, coordinates, strict=False)}


def _with_torus(network: Network, folder: Path) -> EngineSetup:
    """torus-2QoS finds a torus from the links of one switch."""
    shape = network.shape()
    if shape.kind != "grid" or not 2 <= len(shape.dimensions) <= 3:
        return EngineSetup("torus-2QoS", "torus-2QoS", unfit="it routes tori and meshes of 2 or 3 dimensions only")
    text = torus_config(network, shape)
    if not text:
        return EngineSetup("torus-2QoS", "torus-2QoS", unfit="no switch has all of its cables to begin with")
    file = folder / "torus-2QoS.conf"
    file.write_text(text, encoding="utf-8")
    size = "x".join(map(str, shape.dimensions))
    return EngineSetup(
        "torus-2QoS", "torus-2QoS", ("-Q", "--torus_config", file), f"torus-2QoS.conf: {size}", lanes=True
    )


def torus_config(network: Network, shape: Shape) -> str:
    """torus-2QoS.conf for a grid of 2 or 3 dimensions; empty if no switch has all the cables that it must name."""
    points = _points(shape)
    at = {point: router for router, point in points.items()}
    cabled = {
        (network.port(a).device, network.port(b).device) for ends in network.cables() for a, b in (ends, ends[::-1])
    }
    seed = next((found for point in sorted(at) if (found := _seed(network, shape, at, cabled, point))), None)
    if seed is None:
        return ""
    sizes = " ".join(
        f"{size}{'t' if periodic else 'm'}" for size, periodic in zip(shape.dimensions, shape.periodic, strict=True)
    )
    missing = " 1" * (3 - len(shape.dimensions))
    hosts = -(-len(network.endpoints) // prod(shape.dimensions)) + 1
    return f"torus {sizes}{missing}\n{seed}portgroup_max_ports {max(_LEAST_GROUP_PORTS, 2 * hosts)}\n"


def _seed(
    network: Network,
    shape: Shape,
    at: dict[tuple[int, ...], int],
    cabled: set[tuple[int, int]],
    point: tuple[int, ...],
) -> str:
    """The lines of a switch's links in all dimensions; empty if one of its cables is missing."""
    lines = ""
    for axis, (name, size, periodic) in enumerate(zip("xyz", shape.dimensions, shape.periodic, strict=False)):
        if not periodic and point[axis] != 0:
            return ""
        for direction, step in (("p", 1), ("m", -1)):
            if direction == "m" and (not periodic or size <= 2):
                continue
            neighbour = at.get(_moved(point, axis, step, size))
            if neighbour is None or (at[point], neighbour) not in cabled:
                return ""
            lines += f"{name}{direction}_link {network.guid(at[point]):#018x} {network.guid(neighbour):#018x}\n"
    return lines


def _moved(point: Sequence[int], axis: int, step: int, size: int) -> tuple[int, ...]:
    return (*point[:axis], (point[axis] + step) % size, *point[axis + 1 :])
