"""The wheel and the Debian package for others, and what they need of a machine."""

import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ayatori.processes import open_mpi_as_root
from subprocesses import AYATORI, ran, said_by

ROOT = Path(__file__).parents[2]
RUNTIME = r"lib(c|m|dl|pthread|rt)\.so.*|ld-linux-.*"
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


def made_wheel(machine: str) -> Path:
    """As `./run wheel` left it: it compiles everything once more, for longer than a test may take."""
    wheels = sorted((ROOT / "build/dist").glob(f"ayatori-*-cp312-*_{machine}.whl"))
    if not wheels:
        pytest.skip(f"`./run wheel {machine}` was not here")
    return wheels[-1]


@pytest.fixture(scope="module", params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def wheel() -> Path:
    return made_wheel("x86_64")


@pytest.fixture(scope="module")
def unpacked(machine: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(made_wheel(machine)) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_is_for_glibc_2_28(machine: str) -> None:
    wheel = made_wheel(machine)
    assert re.fullmatch(rf"ayatori-[\d.]+-cp312-abi3-manylinux_2_28_{machine}\.whl", wheel.name)
    said = " ".join(said_by([sys.executable, "-m", "auditwheel", "show", wheel]).split())
    oldest = re.search(rf'following platform tag: "manylinux_2_(\d+)_{machine}"', said)
    assert oldest is not None and int(oldest[1]) <= 28, said


def test_the_wheel_holds_each_library_once_and_none_of_an_mpi(unpacked: Path) -> None:
    inside = [path.relative_to(unpacked / "ayatori") for path in unpacked.rglob("*.so*")]
    plugins = {
        f"mpi/{mpi}/libayatori_{name}.so" for mpi in ("openmpi", "mpich") for name in ("mpi", "mpi_engine", "trace")
    }
    assert plugins | {"libacp.so.0", "libayatori-nettle.so.8"} <= set(map(str, inside))
    assert not [path for path in inside if re.search(r"\.so\.\d+\.|mpich\.so|stdc|fmt|yaml", path.name)]


def test_what_the_wheel_needs_is_in_it_or_in_every_linux(unpacked: Path) -> None:
    inside = {path.name for path in unpacked.rglob("*.so*")}
    programs = [path for path in unpacked.glob("ayatori/programs/*") if path.read_bytes()[:4] == b"\x7fELF"]
    for library in {*unpacked.rglob("*.so*"), *programs}:
        said = said_by(["readelf", "-dV", library])
        needed = re.findall(r"NEEDED.*\[(.*)\]", said)
        assert not [name for name in needed if name not in inside and not re.fullmatch(RUNTIME, name)], library
        versions = [tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", said)]
        assert max(versions, default=(2,)) <= (2, 28), library


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


MPI_PROGRAM = """
#include <mpi.h>
int main(int argc, char** argv) {
    int one = 1, sum = 0, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != ranks;
}
"""


def pythons_here() -> list[str]:
    """Of each version that the wheel is for, the first that is found: on the PATH, or made by pyenv."""
    found: dict[str, str] = {}
    of_pyenv = map(str, Path.home().glob(".pyenv/versions/*/bin/python"))
    for name in ("python3", *(f"python3.{minor}" for minor in range(10, 15)), *of_pyenv):
        asked = ran([name, "-c", "import sys; print(*sys.version_info[:2], sep='.')"]) if shutil.which(name) else None
        if asked is not None and asked.returncode == 0:
            found.setdefault(asked.stdout.strip(), name)
    return [found[version] for version in sorted(found) if re.fullmatch(r"3\.1[2-9]", version)]


@pytest.mark.sweep
@pytest.mark.parametrize("python", pythons_here())
def test_the_wheel_works_with_every_python_here(wheel: Path, python: str, tmp_path: Path) -> None:
    said_by([python, "-m", "venv", tmp_path / "v"])
    said_by([tmp_path / "v/bin/pip", "install", "-q", wheel])
    ayatori = tmp_path / "v/bin/ayatori"
    tree = "fattree:K=6,levels=2,nodes=30"
    assert "fat tree, 2 levels, 5 leaves x 6 spines" in said_by([ayatori, "show", tree])
    (tmp_path / "hostfile").write_text(HOSTS.replace(" ", "\n") + "\n")
    said = said_by([ayatori, "plan", tree, "--job", tmp_path / "hostfile", "--out", tmp_path / "plan.json"])
    assert "bandwidth     mean 1.0000" in said
    said_by([ayatori, "check", tree])
    (tmp_path / "here").write_text("localhost\n")
    assert ran([ayatori, "doctor", "--hosts", tmp_path / "here"]).returncode in (0, 3)  # 3: it found something
    (tmp_path / "program.c").write_text(MPI_PROGRAM)
    for mpirun in filter(shutil.which, ("mpirun.openmpi", "mpirun.mpich")):
        said_by([mpirun.replace("mpirun", "mpicc"), tmp_path / "program.c", "-o", tmp_path / mpirun])
        job = [ayatori, "run", "--verbose", mpirun, "-np", "2", tmp_path / mpirun]
        done = ran(job, env={"AYATORI_ALLREDUCE": "recursive-doubling", **open_mpi_as_root()})
        assert done.returncode == 0, done.stderr
        assert "allreduce" in done.stderr and "recursive-doubling" in done.stderr


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
