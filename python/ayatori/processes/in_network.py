"""Reductions in switches (NVIDIA's SHARP) by an Open MPI that offers them: whether all libraries of it are there, and
the settings that switch it on. MPICH has no way to them.

Open MPI reaches SHARP by HCOLL (HPC-X; HCOLL_ENABLE_SHARP=1 probes whether the fabric has it, and uses it then) or by
UCC (whose transport layer for it is off unless it is named). Sources: NVIDIA's "Using NVIDIA SHARP with Open MPI" and
"with UCC" (SHARP 3.10), Open MPI's documentation of its component ucc."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

_SHARP = "libsharp_coll.so"
_SYSTEM_FOLDERS = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/local/lib",
)


@dataclass(frozen=True)
class _Way:
    """How Open MPI comes to SHARP."""

    name: str
    component: str
    """Of Open MPI."""
    libraries: tuple[str, ...]
    home: str
    """The variable that HPC-X's modules set."""
    settings: Mapping[str, str]


_WAYS = (
    _Way(
        "HCOLL",
        "mca_coll_hcoll.so",
        ("libhcoll.so",),
        "HPCX_HCOLL_DIR",
        {"OMPI_MCA_coll_hcoll_enable": "1", "HCOLL_ENABLE_SHARP": "1"},
    ),
    _Way(
        "UCC",
        "mca_coll_ucc.so",
        ("libucc.so", "ucc/libucc_tl_sharp.so"),
        "HPCX_UCC_DIR",
        {
            "OMPI_MCA_coll_ucc_enable": "1",
            "OMPI_MCA_coll_ucc_priority": "100",
            "OMPI_UCC_CL_BASIC_TLS": "ucp,sharp",
        },
    ),
)


@dataclass(frozen=True)
class InNetwork:
    """What switches reductions in switches on; nothing where they can't be, for the reason `why_not`."""

    by: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    why_not: str = ""


def find_in_network(launcher: str, family: str | None, environment: Mapping[str, str] = os.environ) -> InNetwork:
    """For the MPI of this launcher. What the environment sets already is left as it is. Whether the fabric's switches
    and its aggregation manager take part is found out by the library itself, when the job starts."""
    if family != "openmpi":
        return InNetwork(why_not="only Open MPI has components (hcoll, ucc) that reduce in switches")
    folders = _component_folders(launcher, environment)
    ways = [way for way in _WAYS if any((folder / way.component).exists() for folder in folders)]
    if not ways:
        return InNetwork(why_not="this Open MPI was built without the components hcoll and ucc")
    missing = []
    for way in ways:
        needed = (*way.libraries, _SHARP)
        gone = [name for name in needed if not _is_there(name, way, folders, environment)]
        if not gone:
            settings = {name: value for name, value in way.settings.items() if name not in environment}
            return InNetwork(way.name, settings)
        missing.append(f"{way.name}: {', '.join(gone)} not found")
    return InNetwork(why_not="; ".join(missing))


def _component_folders(launcher: str, environment: Mapping[str, str]) -> list[Path]:
    """Of the MPI that the launcher belongs to."""
    found = [Path(environment[name]) / "lib/openmpi" for name in ("OPAL_PREFIX", "HPCX_MPI_DIR") if name in environment]
    path = shutil.which(launcher, path=environment.get("PATH"))
    if path is not None:
        home = Path(path).resolve().parent
        found.append(home.parent / "lib/openmpi")
        info = next((one for one in ("ompi_info", "ompi_info.openmpi") if (home / one).exists()), None)
        if info is not None:
            words = [str(home / info), "--parsable", "--path", "pkglibdir"]
            said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
            found += [Path(line.split(":", 2)[2]) for line in said.splitlines() if line.startswith("path:pkglibdir:")]
    return found


def _is_there(library: str, way: _Way, folders: list[Path], environment: Mapping[str, str]) -> bool:
    """In any version, where the loader would look for it, or in the homes that HPC-X's modules name."""
    folder, name = os.path.split(library)
    return any(list((place / folder).glob(f"{name}*")) for place in _library_folders(way, folders, environment))


def _library_folders(way: _Way, folders: list[Path], environment: Mapping[str, str]) -> Iterator[Path]:
    yield from (Path(word) for word in environment.get("LD_LIBRARY_PATH", "").split(":") if word)
    for variable in (way.home, "HPCX_SHARP_DIR"):
        if variable in environment:
            yield Path(environment[variable]) / "lib"
    yield from (folder.parent for folder in folders)
    yield from map(Path, _SYSTEM_FOLDERS)
    yield from Path("/opt/mellanox").glob("*/lib")
