"""What a cluster lab is made of: subnets, trunks, gateways. No root is needed."""

import random
from pathlib import Path

import pytest

from ayatori import Network, open_source
from ayatori._core import Purpose
from ayatori.base.errors import Error
from ayatori.lab.cluster import Layout, find_routes, lay_out

EXAMPLES = Path(__file__).parents[2] / "examples/cluster"
PLANE = '[planes.{}]\nrate = "1Gbit/s"\n'


def network_of(text: str, folder: Path) -> Network:
    file = folder / "cluster.toml"
    file.write_text(text)
    return open_source(f"cluster:{file}")


def test_blades_reach_the_other_plane_through_the_gateways_of_their_chassis_in_turn() -> None:
    layout = lay_out(open_source(f"cluster:{EXAMPLES}/three-chassis.toml"))
    routes = find_routes(layout)
    names = {nic.address: host.name for host in layout.hosts for nic in host.interfaces}
    taken = {host.name: [names[way] for way in routes[i].values()] for i, host in enumerate(layout.hosts)}
    for chassis in ("chassis1", "chassis2", "chassis3"):
        blades = [taken[f"{chassis}-blade{i}"] for i in (1, 2)]
        assert sorted(blades) == [[f"{chassis}-gateway1"], [f"{chassis}-gateway2"]]
        assert taken[f"{chassis}-gateway1"] == taken[f"{chassis}-gateway2"] == []


def test_a_lab_has_no_fibre_channel(tmp_path: Path) -> None:
    text = '[planes.fibre]\nrate = "4GFC"\n' + PLANE.format("lan")
    for plane in ("fibre", "lan"):
        text += f'[[switches]]\nname = "{plane}-switch"\nplane = "{plane}"\n'
    text += '[[hosts]]\nname = "h[1-2]"\nlinks = [{ to = "fibre-switch" }, { to = "lan-switch" }]\n'
    (tmp_path / "fibre.toml").write_text(text)
    layout = lay_out(open_source(f"cluster:{tmp_path / 'fibre.toml'}", purpose=Purpose.sockets))
    assert layout.bridges == ["lan-switch"]
    assert [[nic.name for nic in host.interfaces] for host in layout.hosts] == [["lan0"], ["lan0"]]


def test_rates_are_divided_and_parallel_cables_are_one(tmp_path: Path) -> None:
    text = PLANE.format("lan") + '[[switches]]\nname = "core"\nplane = "lan"\n'
    text += '[[chassis]]\nname = "c[1-2]"\nbus = { plane = "lan" }\nlinks = [{ to = "core", cables = 3 }]\n'
    text += '[[chassis.blades]]\nname = "b1"\n'
    layout = lay_out(network_of(text, tmp_path), slower=10)
    assert [cable.bits_per_second for _, _, cable in layout.trunks] == [3e8, 3e8]
    assert {nic.cable.bits_per_second for host in layout.hosts for nic in host.interfaces} == {1e8}


def test_switches_in_a_circle_lose_a_cable_and_stay_joined(tmp_path: Path) -> None:
    text = PLANE.format("lan")
    for number, to in ((1, "s2"), (2, "s3"), (3, "s1")):
        text += f'[[switches]]\nname = "s{number}"\nplane = "lan"\nlinks = [{{ to = "{to}" }}]\n'
        text += f'[[hosts]]\nname = "h{number}"\nlinks = [{{ to = "s{number}" }}]\n'
    layout = lay_out(network_of(text, tmp_path))
    assert len(layout.trunks) == 2
    assert len(layout.left_out) == 1
    assert {nic.subnet for host in layout.hosts for nic in host.interfaces} == {0}


def test_switches_that_no_cable_joins_are_subnets_of_their_own(tmp_path: Path) -> None:
    chassis = '[[chassis]]\nname = "c[1-2]"\nbus = { plane = "lan" }\n[[chassis.blades]]\nname = "b"\n'
    with pytest.raises(Error, match="no path leads from host 'c1-b' to host 'c2-b'"):
        find_routes(lay_out(network_of(PLANE.format("lan") + chassis, tmp_path)))
    text = PLANE.format("lan") + PLANE.format("ib") + '[[switches]]\nname = "top"\nplane = "ib"\n' + chassis
    text += '[[chassis.blades]]\nname = "g"\nlinks = [{ to = "top" }]\n'
    layout = lay_out(network_of(text, tmp_path))
    assert len({nic.subnet for host in layout.hosts for nic in host.interfaces}) == 3
    assert_all_reach_all(layout)


@pytest.mark.parametrize(
    ("plane", "said"),
    [
        ('[planes.the-fast-network]\nrate = "1Gbit/s"\n', "no interface can be called 'the-fast-network0'"),
        ("[planes.lan]\n", "host 'h' has a cable without a rate on the plane 'lan'"),
    ],
)
def test_what_no_lab_can_have_is_said(plane: str, said: str, tmp_path: Path) -> None:
    text = plane + f'[[switches]]\nname = "s"\nplane = "{plane[8 : plane.index("]")]}"\n'
    text += '[[hosts]]\nname = "h"\nlinks = [{ to = "s" }]\n'
    with pytest.raises(Error, match=said):
        lay_out(network_of(text, tmp_path))


@pytest.mark.parametrize("seed", range(40))
def test_packets_that_follow_the_routes_pass_as_few_gateways_as_there_can_be(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    planes = [f"p{i}" for i in range(draw.randint(1, 5))]
    text = "".join(PLANE.format(plane) for plane in planes)
    text += "".join(f'[[switches]]\nname = "{plane}-{i}"\nplane = "{plane}"\n' for plane in planes for i in range(2))
    for number in range(draw.randint(2, 12)):
        switches = [f"{plane}-{draw.randint(0, 1)}" for plane in draw.sample(planes, draw.randint(1, len(planes)))]
        links = ", ".join(f'{{ to = "{switch}" }}' for switch in switches)
        text += f'[[hosts]]\nname = "h{number}"\nlinks = [{links}]\n'
    for plane in planes:  # a plane without hosts is an error of the file
        text += f'[[hosts]]\nname = "at-{plane}"\nlinks = [{{ to = "{plane}-0" }}]\n'
    layout = lay_out(network_of(text, tmp_path))
    if not all_are_joined(layout):
        with pytest.raises(Error, match="no path leads from host"):
            find_routes(layout)
    else:
        assert_all_reach_all(layout)


def subnets_of(layout: Layout) -> list[set[int]]:
    return [{nic.subnet for nic in host.interfaces} for host in layout.hosts]


def all_are_joined(layout: Layout) -> bool:
    parts = subnets_of(layout)
    for _ in range(len(parts)):
        for part in parts:
            for other in parts:
                if part & other:
                    part |= other
    return all(part == parts[0] for part in parts)


def assert_all_reach_all(layout: Layout) -> None:
    """Walks each packet by the routes; the fewest gateways come from trying ever more (Bellman and Ford)."""
    routes = find_routes(layout)
    subnets = subnets_of(layout)
    at = {nic.address: number for number, host in enumerate(layout.hosts) for nic in host.interfaces}
    for subnet in sorted(set().union(*subnets)):
        fewest = [0 if subnet in own else 99 for own in subnets]
        for _ in subnets:
            for number, own in enumerate(subnets):
                near = [fewest[other] + 1 for other, theirs in enumerate(subnets) if own & theirs]
                fewest[number] = min(fewest[number], *near)
        for number in range(len(layout.hosts)):
            place, passed = number, 0
            while subnet not in subnets[place]:
                place, passed = at[routes[place][subnet]], passed + 1
                assert passed <= len(layout.hosts)
            assert passed == fewest[number]
