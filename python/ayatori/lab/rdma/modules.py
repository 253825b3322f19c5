"""Kernel modules: what they need, and an order in which they can be loaded."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from ayatori.processes import ProgramError

_DEPENDS = re.compile(rb"(?:^|\0)depends=([^\0]*)\0")
_FILE = re.compile(r"(?P<name>[^/]+)\.ko(?P<packed>\.xz)?$")


def files_of(folder: Path) -> dict[str, Path]:
    """The module files below a folder, by the names of their modules ('-' and '_' are the same in them)."""
    found = ((_FILE.search(path.name), path) for path in folder.rglob("*.ko*"))
    return {match["name"].replace("-", "_"): path for match, path in found if match}


def read_module(path: Path) -> bytes:
    """The module as insmod takes it, unpacked if its file is packed."""
    data = path.read_bytes()
    return lzma.decompress(data) if path.suffix == ".xz" else data


def needed_by(module: bytes) -> list[str]:
    """The names of the modules that a module needs, which are in its section .modinfo."""
    found = _DEPENDS.search(module)
    return [name for name in found[1].decode().replace("-", "_").split(",") if name] if found else []


def load_order(wanted: Iterable[str], files: Mapping[str, Path], built_in: Iterable[str] = ()) -> dict[str, bytes]:
    """`wanted` modules and all that they need, each after what it needs; those that are built in are left out.

    Raises ProgramError for a module that has no file.
    """
    left_out = set(built_in)
    order: dict[str, bytes] = {}

    def add(name: str) -> None:
        if name in order or name in left_out:
            return
        if name not in files:
            raise ProgramError(f"the kernel has no module {name}")
        data = read_module(files[name])
        for needed in needed_by(data):
            add(needed)
        order[name] = data

    for name in wanted:
        add(name)
    return order


def built_into(folder: Path) -> list[str]:
    """The modules that are built into the kernel, as its list modules.builtin says."""
    lists = [path.read_text(encoding="utf-8") for path in folder.rglob("modules.builtin")]
    return [Path(line).name.removesuffix(".ko").replace("-", "_") for text in lists for line in text.splitlines()]
