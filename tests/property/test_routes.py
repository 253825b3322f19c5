"""Our tables and checker against slow, simple oracles in Python."""

from collections import deque

from hypothesis import given, note, settings
from hypothesis import strategies as st

import ayatori
from ayatori import _core
from thoroughness import tries

MAX_EXAMPLES = tries(15)


@st.composite
def tree_sources(draw: st.DrawFn) -> str:
    """Small fat trees: K-ary trees with hosts missing at the end, XGFTs with parallel cables."""
    if draw(st.booleans()):
        k, levels = draw(st.integers(2, 4)), draw(st.integers(2, 3))
        full = 2 * k**levels
        return f"fattree:K={k},levels={levels},nodes={draw(st.integers(1, min(full, 60)))}"
    children = [draw(st.integers(1, 4)) for _ in range(2)]
    parents = draw(st.integers(1, 3))
    cables = draw(st.integers(1, 2))
    return f"xgft:h=2;m={children[0]},{children[1]};w=1,{parents};p=1,{cables}"


Peers = list[dict[int, int]]
"""Of each device: output port number -> peer port id."""


def neighbours(network: ayatori.Network) -> Peers:
    """Found from the list of cables."""
    found: Peers = [{} for _ in range(network.device_count)]
    for ends in network.cables():
        for here, there in (ends, ends[::-1]):
            found[network.port(here).device][network.port(here).number] = there
    return found


def arrives(network: ayatori.Network, peers: Peers, routes: ayatori.Routes, router: int, lid: int, goal: int) -> bool:
    """Follows one packet, one router at a time."""
    goal_node = network.port(goal).device
    for _ in range(network.router_count + 1):
        if router == goal_node:
            return True
        out = routes.out(router, lid)
        peer = peers[router].get(out)
        if peer is None:
            return False
        if peer == goal:
            return True
        router = network.port(peer).device
        if router >= network.router_count:
            return False
    return False


@settings(max_examples=MAX_EXAMPLES)
@given(source=tree_sources(), lmc=st.integers(0, 3))
def test_every_lid_is_reached_from_every_router(source: str, lmc: int) -> None:
    network = ayatori.open_source(source)
    routes = ayatori.make_routes(network, lmc)
    peers = neighbours(network)
    for endpoint in network.endpoints:
        base = routes.base_lid(endpoint)
        assert base % 2**lmc == 0
        for lid in range(base, base + 2**lmc):
            for router in range(network.router_count):
                assert arrives(network, peers, routes, router, lid, endpoint), (router, lid)
    assert ayatori.check(network, routes).ok


@settings(max_examples=MAX_EXAMPLES)
@given(source=tree_sources(), data=st.data())
def test_checker_sees_what_a_simulated_packet_sees(source: str, data: st.DataObject) -> None:
    """Corrupt one entry by rerouting it, and count broken (router, LID) pairs by hand."""
    network = ayatori.open_source(source)
    routes = ayatori.make_routes(network, 0)
    endpoint = data.draw(st.sampled_from(network.endpoints))
    router = data.draw(st.integers(0, network.router_count - 1))
    port = data.draw(st.integers(1, 8))
    lid = routes.base_lid(endpoint)
    text = dump(network, routes, {(router, lid): port})
    try:
        broken = _core.parse_tables(text, "corrupted", network)
    except ayatori.Error as error:
        note(error.message)  # a port that does not exist or has no cable is refused by the reader
        assert "port" in error.message
        return
    peers = neighbours(network)
    unreached = sum(
        not arrives(network, peers, broken, here, broken.base_lid(owner), owner)
        for owner in network.endpoints
        for here in range(network.router_count)
    )
    assert ayatori.check(network, broken).unreachable == unreached


def dump(network: ayatori.Network, routes: ayatori.Routes, changes: dict[tuple[int, int], int]) -> str:
    """Tables in the format of opensm-lfts.dump, written by this test alone."""
    owners = [(endpoint, "Channel Adapter") for endpoint in network.endpoints]
    lines = []
    for router in range(network.router_count):
        guid = network.guid(router)
        lines.append(
            f"Unicast lids [0-{routes.last_lid}] of switch Lid 0 guid {guid:#018x} ('{network.name(router)}'):"
        )
        for port, kind in owners:
            lid = routes.base_lid(port)
            out = changes.get((router, lid), routes.out(router, lid))
            lines.append(f"{lid:#06x} {out:03d} # {kind} portguid {network.port(port).guid:#018x}: 'x'")
    return "\n".join(lines) + "\n"


def hops_by_search(network: ayatori.Network, peers: Peers, start: int) -> dict[int, int]:
    """Breadth-first distances between routers."""
    distance = {start: 0}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        for peer in peers[here].values():
            there = network.port(peer).device
            if there < network.router_count and there not in distance:
                distance[there] = distance[here] + 1
                queue.append(there)
    return distance


@settings(max_examples=MAX_EXAMPLES)
@given(source=tree_sources())
def test_routes_between_hosts_of_a_regular_tree_are_shortest(source: str) -> None:
    network = ayatori.open_source(source)
    routes = ayatori.make_routes(network, 0)
    peers = neighbours(network)
    for endpoint in network.endpoints:
        leaf = network.router_of(endpoint)
        distances = hops_by_search(network, peers, leaf)
        for start in {network.router_of(other) for other in network.endpoints}:
            hops, router = 0, start
            while router != leaf:
                out = routes.out(router, routes.base_lid(endpoint))
                router = network.port(peers[router][out]).device
                hops += 1
            assert hops == distances[start]
