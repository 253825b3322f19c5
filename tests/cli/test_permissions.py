"""Files and folders that commands write have the permissions that the umask leaves."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TREE = "fattree:K=2,levels=2,nodes=8"
COMMANDS = (
    ("convert", TREE, "--to", "json", "--out", "net.json"),
    ("convert", TREE, "--to", "dot", "--out", "net.dot"),
    ("convert", TREE, "--to", "cache", "--out", "net.cache"),
    ("show", TREE, "--svg", "net.svg"),
    ("route", TREE, "--out-dir", "made/tables"),
    ("plan", TREE, "--contiguous", "4..4", "--out", "plan.json"),
    ("plan", TREE, "--jobs", "jobs", "--out", "plans"),
    ("plan", TREE, "--job", "jobs/a", "--running", "running", "--out", "another.json"),
    ("order", TREE, "--job", "jobs/a", "--collective", "allreduce", "--algorithm", "ring", "--out", "ordered"),
)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def permissions(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("mask", [0o027, 0o002, 0o077])
def test_files_and_folders_have_what_the_umask_leaves(
    mask: int, ayatori_command: Callable[..., Any], tmp_path: Path
) -> None:
    here = tmp_path / "here"
    with umask(mask):
        (here / "jobs").mkdir(parents=True)
        (here / "running").mkdir()
        (here / "jobs" / "a").write_text("N0\nN1\n")
        (here / "jobs" / "b").write_text("N2\nN3\n")
        for words in COMMANDS:
            ayatori_command(*words, cwd=here).good()
    written = list(here.rglob("*"))
    assert {word for words in COMMANDS for word in words if word.startswith(("net.", "plan.json"))} <= {
        path.name for path in written
    }
    assert any(path.name == ".ayatori-running.json" for path in written)
    for path in written:
        assert permissions(path) == (0o777 if path.is_dir() else 0o666) & ~mask, path


def test_a_file_that_is_replaced_keeps_its_permissions(ayatori_command: Callable[..., Any], tmp_path: Path) -> None:
    words = [["convert", TREE, "--to", "json", "--out", "net.json"], ["route", TREE, "--out-dir", "tables"]]
    for command in words:
        ayatori_command(*command, cwd=tmp_path).good()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    for path in files:
        path.chmod(0o640)
    for command in words:
        ayatori_command(*command, cwd=tmp_path).good()
    assert {permissions(path) for path in files} == {0o640}
