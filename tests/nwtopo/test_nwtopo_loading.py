"""Which source load() opens, which machines of it, and which of them is this one."""

import warnings
from pathlib import Path

import pytest
from small_networks import TREE, names

from ayatori import Error, nwtopo


def test_the_environment_names_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NWTOPO_SOURCE", "full:3")
    assert nwtopo.load().source == "full:3"
    assert nwtopo.load("full:4").source == "full:4"


def test_what_can_not_be_loaded_says_why() -> None:
    with pytest.raises(Error, match="unknown kind"):
        nwtopo.load("fatree:K=2")
    with pytest.raises(Error, match="no such machine|no machine named 'N99'"):
        nwtopo.load(TREE).machine("N99")
    with pytest.raises(Error, match="no router named 'N0'"):
        nwtopo.load(TREE).router("N0")
    for id in (-1, 44, 1 << 64):
        with pytest.raises(Error, match="no object"):
            nwtopo.load(TREE).object_by_id(id)


def test_this_machine_is_found_by_name_or_id(monkeypatch: pytest.MonkeyPatch) -> None:
    assert nwtopo.load(TREE, this_machine="N7").this_machine.name == "N7"
    assert nwtopo.load(TREE, this_machine="9").this_machine.name == "N9"
    monkeypatch.setenv("NWTOPO_THIS_MACHINE", "N3")
    assert nwtopo.load(TREE).this_machine.name == "N3"
    monkeypatch.setenv("NWTOPO_THIS_MACHINE", "elsewhere")
    with pytest.raises(Error, match="this machine, 'elsewhere' by NWTOPO_THIS_MACHINE, is not in"):
        _ = nwtopo.load(TREE).this_machine


def test_a_named_source_is_cut_to_the_job_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "N[1-3]")
    assert len(nwtopo.load(TREE).machines) == 32
    assert names(nwtopo.load(TREE, hosts=nwtopo.Hosts.of_job).machines) == ["N1", "N2", "N3"]


def test_machines_have_other_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    aliases = tmp_path / "aliases"
    aliases.write_text("N1 ip-10-0-0-1\n10.0.0.2 N2.site two\n")
    tree = nwtopo.load(TREE, aliases=aliases, this_machine="two")
    assert tree.machine("IP-10-0-0-1.site").name == "N1"
    assert tree.this_machine.name == "N2"
    assert tree.shrink(tree.machines[:2]).machine("ip-10-0-0-1").name == "N1"
    with pytest.raises(Error, match="no machine named 'two'"):
        tree.shrink(tree.machines[:2]).machine("two")
    with pytest.raises(Error, match="no machine named 'two'"):
        nwtopo.load(TREE).machine("two")
    monkeypatch.setenv("AYATORI_ALIASES", str(aliases))
    monkeypatch.setenv("SLURM_JOB_NODELIST", "two,ip-10-0-0-1")
    assert names(nwtopo.load(TREE, hosts=nwtopo.Hosts.of_job).machines) == ["N1", "N2"]
    assert nwtopo.from_buffer(tree.export_buffer()).machine("two").name == "N2"
    aliases.write_text("N1 x\nN2 x\n")
    with pytest.raises(Error, match="aliases:2: 'x' stands for two hosts"):
        nwtopo.load(TREE)


FABRIC = """switchguid=0x10(10)
Switch 2 "S-10" # "leaf" base port 0 lid 1 lmc 0
[1] "H-20"[1](21) # "n1 HCA-1" lid 2 4xHDR
ibwarn: [7] mad_rpc: _do_madrpc failed
caguid=0x20
Ca 1 "H-20" # "n1 HCA-1"
[1](21) "S-10"[1] # lid 2 lmc 0 "leaf" lid 1 4xHDR
"""


def test_what_the_source_skipped_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "fabric.txt"
    path.write_text(FABRIC, encoding="utf-8")
    with pytest.warns(nwtopo.SourceWarning, match="fabric.txt:4: skipped, .*_do_madrpc failed") as told:
        topology = nwtopo.load(f"ib:{path}")
    assert [str(line.message) for line in told] == topology.warnings
    assert told[0].filename == __file__
    assert topology.shrink([topology.machine("n1")]).warnings == topology.warnings
    with pytest.warns(nwtopo.SourceWarning):
        assert nwtopo.from_buffer(topology.export_buffer()).warnings == topology.warnings


def test_a_source_that_was_read_completely_has_no_warnings() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nwtopo.load(TREE).warnings == []
