"""Every shared library that is installed: what it exports, and which libraries of others it needs."""

import re
import sys
from pathlib import Path

import pytest

from subprocesses import AYATORI, ran, said_by

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "release"

C_API = {
    "libnwtopo.so": r"nwtopo_\w+",
    "libacp.so": r"acp_\w+",
    "libacp_verbs.so": r"ayatori_open_adapter_wire|ayatori_find_adapter_memory",
    "libayatori-fi.so": r"fi_prov_ini",
    # What stands before functions of others has their names.
    "libayatori_mpi.so": r"P?MPI_\w+|p?mpi_\w+|ayatori_mpi_force|ayatori_mpi_join_ucx_progress|ucp_worker_progress",
    "libayatori_trace.so": r"P?MPI_\w+|p?mpi_\w+",
    "libayatori_probe.so": r"P?MPI_\w+|p?mpi_\w+",
    "libayatori_yields.so": r"ucp_worker_progress",
    "libayatori_paths.so": r"ibv_modify_qp|ibv_create_ah|ibv_close_device|dlvsym",
    "libhpcc_only_hpl.so": r"malloc",
    **{f"libcollectives_tuned_{family}_main.so": "main" for family in ("openmpi", "mpich")},
    # Each is loaded by one that knows it.
    "libayatori_mpi_engine.so": r"ayatori_mpi_engine_start|ayatori_mpi_engine_force",
    "libayatori_paths_engine.so": r"ayatori_paths_engine_start",
    "_core.so": r"PyInit__core",
    "_acp.so": r"PyInit__acp",
    "_mpi.so": r"PyInit__mpi",
}
"""By library, which symbols it exports."""

RUNTIME = r"libc|libm|libdl|libpthread|librt|ld-linux-.*|libstdc\+\+|libgcc_s"
NEEDED = {
    "libnwtopo.so": "libfmt",
    "libacp.so": "libfmt|libnettle",
    "libacp_verbs.so": "libfmt|libnettle",
    "libayatori-fi.so": "libfabric|libfmt|libnettle",
    "libayatori_mpi_engine.so": "libfmt|libnettle",
    "libayatori_paths_engine.so": "libfmt",
    "_core.so": "libfmt",
    "_acp.so": "libfmt|libnettle",
    "_mpi.so": "libfmt|libnettle",
}
"""By library, what it needs besides the runtimes of C and C++."""


def name_of(library: Path) -> str:
    """libnwtopo.so for libnwtopo.so.0.1.0, _core.so for _core.cpython-311-x86_64-linux-gnu.so."""
    return re.sub(r"\.(cpython-.*\.so|so[.\d]*|abi3\.so)$", ".so", library.name)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip("build/release is not there: `./run build` makes it")
    prefix = tmp_path_factory.mktemp("installed")
    for component in ("development", "python"):
        said_by(["cmake", "--install", BUILD, "--prefix", prefix / component, "--component", component])
    return [path for path in prefix.rglob("*.so*") if not path.is_symlink() and "programs" not in path.parts] + [
        path for path in prefix.rglob("programs/*.so")
    ]


def test_only_c_leaves_a_library(libraries: list[Path]) -> None:
    assert {name_of(library) for library in libraries} >= {"libnwtopo.so", "libacp.so", "_core.so"}
    for library in libraries:
        lines = [line.split() for line in said_by(["nm", "-D", "--defined-only", library]).splitlines()]
        exported = {name.partition("@")[0] for _, kind, name in lines if kind != "A"}  # A: names of versions
        assert exported, library
        others = [name for name in exported if not re.fullmatch(C_API[name_of(library)], name)]
        assert not others, f"{library}: {len(others)} of {len(exported)}: {sorted(others)[:5]}"


def test_libraries_need_the_runtime_and_what_is_said_here(libraries: list[Path]) -> None:
    for library in libraries:
        needed = re.findall(r"NEEDED.*\[(.*?)\.so", said_by(["readelf", "-d", library]))
        allowed = f"{RUNTIME}|{NEEDED.get(name_of(library), RUNTIME)}"
        assert not [name for name in needed if not re.fullmatch(allowed, name)], (library, needed)


UNLOADED = """
import ctypes, _ctypes, sys
library = ctypes.CDLL(sys.argv[1])
_ctypes.dlclose(library._handle)
print(sys.argv[1] in open("/proc/self/maps").read())
"""


def test_libnwtopo_can_be_unloaded(libraries: list[Path]) -> None:
    """std::regex and other templates would leave symbols behind that are the only ones of a process, and keep it."""
    library = next(path for path in libraries if name_of(path) == "libnwtopo.so")
    assert said_by([sys.executable, "-c", UNLOADED, library]) == "False\n"


def test_live_discovery_says_which_package_it_misses(tmp_path: Path) -> None:
    """The loader finds a file that is no library first."""
    (tmp_path / "libibnetdisc.so.5").write_text("")
    done = ran([*AYATORI, "show", "ib:live"], env={"LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 1 and "libibnetdisc.so.5 can't be loaded" in done.stderr
    assert "hint: apt-get install libibnetdisc5" in done.stderr


OPENED = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.acp_error_message.restype = ctypes.c_char_p
print(library.acp_init(None, None), library.acp_error_message().decode())
"""


def test_an_adapter_says_which_package_it_misses(libraries: list[Path], tmp_path: Path) -> None:
    """libacp, and what it loads for adapters, need no libibverbs before one is opened."""
    library = next(path for path in libraries if name_of(path) == "libacp.so")
    job = {"ACP_WIRES": "verbs", "ACP_RANK": "0", "ACP_PROCS": "1"}
    missing = ": apt-get install libibverbs1 ibverbs-providers"
    (tmp_path / "libibverbs.so.1").write_text("")
    said = said_by([sys.executable, "-c", OPENED, library], env=job | {"LD_LIBRARY_PATH": str(tmp_path)})
    assert said.startswith("-1 libibverbs.so.1 can't be loaded") and missing in said
    said_by(["cc", "-shared", "-x", "c", "/dev/null", "-o", tmp_path / "libibverbs.so.1"])  # as one that is too old
    said = said_by([sys.executable, "-c", OPENED, library], env=job | {"LD_LIBRARY_PATH": str(tmp_path)})
    assert "undefined symbol: ibv_get_device_list, version IBVERBS_1.1" in said and missing in said
