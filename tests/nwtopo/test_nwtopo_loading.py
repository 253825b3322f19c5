"""Which source load() opens, which machines of it, and which of them is this one."""

from __future__ import annotations

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
            nwtopo.load(TREE).object(id)


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
    assert names(nwtopo.load(TREE, this_job=True).machines) == ["N1", "N2", "N3"]
    with pytest.raises(Error, match="exclude each other"):
        nwtopo.load(TREE, this_job=True, whole_system=True)
