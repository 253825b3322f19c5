"""NICs of machines with two rails: where links name them, and how far they are from each other."""

from itertools import product
from pathlib import Path

import pytest

from ayatori import Error, nwtopo


def write_two_rails(path: Path) -> str:
    """Two hosts with two adapters each, on a leaf for each rail, and a spine; as ibnetdiscover prints it."""
    lines = []
    for rail in (0, 1):
        lines.append(f'Switch\t4 "S-000000000000010{rail}"\t\t# "leaf-{rail}" base port 0 lid {rail + 1} lmc 0')
        for host in (0, 1):
            guid = f"1070fd03000{host}0{rail}00"
            lines.append(
                f'[{host + 1}]\t"H-{guid}"[1]({guid}) \t\t# "gpu-{host} mlx5_{rail}" lid {10 + 2 * host + rail} 4xHDR'
            )
        lines += [f'[4]\t"S-0000000000000102"[{rail + 1}]\t\t# "spine" lid 3 4xHDR', ""]
    lines.append('Switch\t4 "S-0000000000000102"\t\t# "spine" base port 0 lid 3 lmc 0')
    lines += [f'[{rail + 1}]\t"S-000000000000010{rail}"[4]\t\t# "leaf-{rail}" lid {rail + 1} 4xHDR' for rail in (0, 1)]
    for rail, host in product((0, 1), repeat=2):
        guid = f"1070fd03000{host}0{rail}00"
        lines += ["", f'Ca\t1 "H-{guid}"\t\t# "gpu-{host} mlx5_{rail}"']
        lid = 10 + 2 * host + rail
        lines.append(
            f'[1]({guid}) \t"S-000000000000010{rail}"[{host + 1}]'
            f'\t\t# lid {lid} lmc 0 "leaf-{rail}" lid {rail + 1} 4xHDR'
        )
    path.write_text("\n".join(lines) + "\n")
    return f"ib:{path}"


def test_links_and_machines_tell_their_nics(tmp_path: Path) -> None:
    topology = nwtopo.load(write_two_rails(tmp_path / "rails"))
    host = topology.machine("gpu-1")
    assert [(nic.index, nic.rail, nic.device) for nic in host.nics] == [(0, 0, "mlx5_0"), (1, 1, "mlx5_1")]
    for nic, link in zip(host.nics, host.links, strict=True):
        assert (link.from_nic, link.rail, link.from_device, link.from_guid) == (
            nic.index,
            nic.rail,
            nic.device,
            nic.guid,
        )
        assert (link.to_nic, link.to_device) == (None, "")
        assert topology.nic_by_guid(nic.guid) == nic
    assert topology.links()["from_nic"].max() == nwtopo.NO_NIC
    assert topology.object_by_guid(host.nics[1].guid) == host
    with pytest.raises(Error, match="no NIC has the GUID 0x5"):
        topology.nic_by_guid(5)
    with pytest.raises(Error, match="no router or NIC has the GUID 0x5"):
        topology.object_by_guid(5)


def test_nic_hops_and_nearest_nic(tmp_path: Path) -> None:
    topology = nwtopo.load(write_two_rails(tmp_path / "rails"))
    here, there = topology.machine("gpu-0"), topology.machine("gpu-1")
    for a, b in product(here.nics, there.nics):
        assert topology.nic_hops(a, b) == (2 if a.rail == b.rail else 4)
    assert [topology.nearest_nic(nic, there) for nic in here.nics] == there.nics
    one_rail = nwtopo.load(topology.source, faults="gpu-1:mlx5_1")
    assert one_rail.nearest_nic(one_rail.machine("gpu-0").nics[1], one_rail.machine("gpu-1")).index == 0
