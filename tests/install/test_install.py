"""What `./run install` puts into a prefix, used from outside of the tree as others do."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from ayatori import _core
from subprocesses import ran, said_by

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "release"

C_PROGRAM = r"""
#include <nwtopo.h>
#include <stdio.h>

int main(void) {
    nwtopo_topology_t topology;
    if (nwtopo_topology_init(&topology) != 0 || nwtopo_topology_load(topology) != 0) {
        fprintf(stderr, "%s\n", nwtopo_error_message());
        return 1;
    }
    printf("%s\n", nwtopo_topology_get_this_machine(topology)->attr->machine.hostname);
    nwtopo_topology_destroy(topology);
    return 0;
}
"""

CPP_PROGRAM = r"""
#include <iostream>
#include <nwtopo.hpp>

int main() {
  const nwtopo::Topology topology;
  std::cout << topology.this_machine()->attr->machine.hostname << '\n';
}
"""

CMAKE_PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(outside C CXX)
find_package(nwtopo 0.1 REQUIRED)
add_executable(in_c in_c.c)
target_link_libraries(in_c PRIVATE nwtopo::nwtopo)
set_target_properties(in_c PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF)
add_executable(in_cpp in_cpp.cpp)
target_link_libraries(in_cpp PRIVATE nwtopo::nwtopo)
set_target_properties(in_cpp PROPERTIES CXX_STANDARD 17 CXX_EXTENSIONS OFF)
"""

STRICT = ["-Wall", "-Wextra", "-pedantic", "-Werror"]


def run(*command: str | Path, **environment: str) -> str:
    return said_by([str(word) for word in command], env={**environment})


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installation that was moved after it was made."""
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip("build/release is not there: `./run build` makes it")
    first = tmp_path_factory.mktemp("install") / "first"
    run("cmake", "--install", BUILD, "--prefix", first, "--component", "development")
    return first.rename(first.parent / "moved")


@pytest.fixture(scope="module")
def library(prefix: Path) -> Path:
    return next(prefix.rglob("libnwtopo.so"))


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    (tmp_path / "in_c.c").write_text(C_PROGRAM)
    (tmp_path / "in_cpp.cpp").write_text(CPP_PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(CMAKE_PROJECT)
    return tmp_path


def expect_to_run(program: Path) -> None:
    """Without LD_LIBRARY_PATH: the documented line tells the program where its library is."""
    says = run(program, LD_LIBRARY_PATH="", NWTOPO_SOURCE="torus:4x6x16", NWTOPO_THIS_MACHINE="N3-0-15")
    assert says == "N3-0-15\n"


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
def test_programs_by_pkg_config(programs: Path, library: Path) -> None:
    flags = run("pkg-config", "--cflags", "--libs", "nwtopo", PKG_CONFIG_PATH=str(library.parent / "pkgconfig")).split()
    run("cc", "-std=c99", *STRICT, programs / "in_c.c", "-o", programs / "in_c", *flags)
    run("c++", "-std=c++17", *STRICT, programs / "in_cpp.cpp", "-o", programs / "in_cpp", *flags)
    expect_to_run(programs / "in_c")
    expect_to_run(programs / "in_cpp")


ALGORITHM = """
#include <ayatori_algorithm.h>
#include <ayatori_algorithm.h>

int ayatori_make_schedule(const struct ayatori_call *call, struct ayatori_schedule *schedule)
{
    uint32_t rank;
    if (call->algorithm[0] != 'f') return ayatori_refuse(schedule, "there is only flat");
    for (rank = 0; rank < call->ranks; rank++) {
        if (rank == call->root) continue;
        ayatori_step(schedule, call->root, 0);
        ayatori_send(schedule, rank, 0, 1);
        ayatori_step(schedule, rank, 0);
        ayatori_receive(schedule, call->root, 0, 1);
    }
    return 0;
}
"""
ACP_PROJECT = """
cmake_minimum_required(VERSION 3.16)
project(outside C)
find_package(acp 0.1 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE acp::acp)
"""

ACP_PROGRAM = r"""
#include <acp.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (acp_init(&argc, &argv) != 0) {
        fprintf(stderr, "%s\n", acp_error_message());
        return 1;
    }
    printf("%d of %d\n", acp_rank(), acp_procs());
    return acp_finalize() == 0 ? 0 : 1;
}
"""


@pytest.fixture
def acp_program(tmp_path: Path, library: Path) -> Path:
    """Linked by the line of docs/acp.md; nothing tells the loader where the library is."""
    if shutil.which("pkg-config") is None:
        pytest.skip("pkg-config is not installed")
    (tmp_path / "program.c").write_text(ACP_PROGRAM)
    line = "cc program.c $(pkg-config --cflags --libs acp) -o program"
    assert line in (ROOT / "docs" / "acp.md").read_text()
    folder = {"PKG_CONFIG_PATH": str(library.parent / "pkgconfig")}
    run("sh", "-euc", f"cd '{tmp_path}'; {line}", **folder)
    return tmp_path / "program"


def test_program_with_acp_runs_as_the_documented_line_links_it(acp_program: Path) -> None:
    assert run("env", "-u", "LD_LIBRARY_PATH", acp_program) == "0 of 1\n"


def test_program_with_acp_runs_under_ayatori_run(acp_program: Path) -> None:
    command = [sys.executable, "-m", "ayatori.cli", "acprun", "-n", "3", acp_program]
    says = run("env", "-u", "LD_LIBRARY_PATH", *command)
    assert sorted(says.splitlines()) == ["0 of 3", "1 of 3", "2 of 3"]


def test_program_with_acp_runs_as_find_package_links_it(tmp_path: Path, prefix: Path) -> None:
    (tmp_path / "program.c").write_text(ACP_PROGRAM)
    (tmp_path / "CMakeLists.txt").write_text(ACP_PROJECT)
    run("cmake", "-G", "Ninja", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    assert run("env", "-u", "LD_LIBRARY_PATH", tmp_path / "build" / "program") == "0 of 1\n"


@pytest.mark.parametrize(("compiler", "standard", "suffix"), [("cc", "-std=c99", "c"), ("c++", "-std=c++17", "cpp")])
def test_acp_header_compiles_alone(prefix: Path, tmp_path: Path, compiler: str, standard: str, suffix: str) -> None:
    source = tmp_path / f"only.{suffix}"
    source.write_text("#include <acp.h>\n#include <acp.h>\n")
    run(compiler, standard, *STRICT, f"-I{prefix / 'include'}", "-fsyntax-only", source)


@pytest.mark.parametrize(("compiler", "standard", "suffix"), [("cc", "-std=c99", "c"), ("c++", "-std=c++17", "cpp")])
def test_a_library_of_algorithms_needs_the_header_only(
    prefix: Path, tmp_path: Path, compiler: str, standard: str, suffix: str
) -> None:
    source = tmp_path / f"algorithm.{suffix}"
    source.write_text(ALGORITHM)
    library = tmp_path / "algorithm.so"
    hidden = ["-shared", "-fPIC", "-fvisibility=hidden", f"-I{prefix / 'include'}"]
    run(compiler, standard, *STRICT, *hidden, source, "-o", library)
    loaded = _core.load_algorithm(f"library:{library}:flat")
    schedule, reason = loaded.make("broadcast", 2, 100, _core.placement_of_ranks(5, 1), _core.AlgorithmOptions())
    assert schedule is not None and schedule.totals().messages == 4, reason


def test_ayatori_run_ends_all_when_one_fails() -> None:
    script = 'test "$ACP_RANK" = 1 && exit 7; sleep 60'
    command = [sys.executable, "-m", "ayatori.cli", "acprun", "-n", "3", "sh", "-c", script]
    done = ran(command, seconds=30)
    assert done.returncode == 7


def test_programs_by_find_package(programs: Path, prefix: Path) -> None:
    build = programs / "build"
    run("cmake", "-G", "Ninja", "-S", programs, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    expect_to_run(build / "in_c")
    expect_to_run(build / "in_cpp")


@pytest.mark.parametrize(
    "header", ["nwtopo.h", *(f"nwtopo/{topic}.h" for topic in ("export", "grid", "links", "queries"))]
)
def test_each_header_compiles_alone_and_twice(prefix: Path, tmp_path: Path, header: str) -> None:
    for compiler, standard, suffix in (("cc", "-std=c99", "c"), ("c++", "-std=c++17", "cpp")):
        source = tmp_path / f"only.{suffix}"
        source.write_text(f"#include <{header}>\n#include <nwtopo.h>\n#include <{header}>\nnwtopo_topology_t it;\n")
        run(compiler, standard, *STRICT, f"-I{prefix / 'include'}", "-fsyntax-only", source)


def test_installed_programs_write_and_read_a_cache(prefix: Path, tmp_path: Path) -> None:
    cache = tmp_path / "tree.cache"
    assert run(prefix / "bin" / "nwtopo-cache", "fattree:K=2", cache) == f"{cache}: 8 machines of fattree:K=2\n"
    assert "router#12 RS0" in run(prefix / "bin" / "nwtopo-ls", f"cache:{cache}")
    assert "this machine: machine#3 N3" in run(prefix / "bin" / "nwtopo-ls", "--this-machine", "3", f"cache:{cache}")


@pytest.fixture(scope="module")
def helped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prefix with the manual pages and completions, made by the function that `./run install` calls."""
    prefix = tmp_path_factory.mktemp("helped")
    (prefix / "lib" / "ayatori").mkdir(parents=True)
    (prefix / "lib" / "ayatori" / "venv").symlink_to(sys.prefix)
    (prefix / "bin").mkdir()
    (prefix / "bin" / "ayatori").symlink_to(Path(sys.prefix) / "bin" / "ayatori")
    run("sh", "-euc", f". '{ROOT}/scripts/install.sh'; install_help '{prefix}'")
    return prefix


def test_manual_pages_are_installed_where_man_looks(helped: Path) -> None:
    pages = {path.name for path in (helped / "share" / "man" / "man1").iterdir()}
    assert {"ayatori.1", "ayatori-show.1", "ayatori-lab-fabric.1", "ayatori-bench-simulated-incast.1"} <= pages
    if shutil.which("man"):
        assert "ayatori-check" in run("man", "-M", helped / "share" / "man", "ayatori-check")


def test_completion_is_installed_for_each_shell(helped: Path) -> None:
    share = helped / "share"
    script = share / "bash-completion" / "completions" / "ayatori"
    complete = "COMP_WORDS=(ayatori s); COMP_CWORD=1; _ayatori_completion ayatori; echo ${COMPREPLY[@]}"
    path = f"{helped / 'bin'}:{os.environ['PATH']}"
    assert run("bash", "-c", f". '{script}'; {complete}", PATH=path) == "show sources simulate\n"
    assert (share / "zsh" / "site-functions" / "_ayatori").read_text().startswith("#compdef ayatori\n")
    assert "complete --command ayatori" in (share / "fish" / "vendor_completions.d" / "ayatori.fish").read_text()


def exported(library: Path) -> dict[str, str]:
    """Functions and variables that the library defines, with the node of their version."""
    symbols = {}
    for line in run("objdump", "-T", library).splitlines():
        fields = line.split()
        if "*UND*" in fields or len(fields) < 4 or not re.match(r"[0-9a-f]{8,}$", fields[0]):
            continue
        symbols[fields[-1]] = fields[-2].strip("()")
    return symbols


def declared() -> set[str]:
    folder = ROOT / "src/nwtopo/include"
    # hwloc.h has no library behind it.
    texts = [path.read_text() for path in folder.rglob("*.h") if path.name != "hwloc.h"]
    without_comments = re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.S)
    return set(re.findall(r"\b(nwtopo_\w+)\(", without_comments))


def test_all_c_functions_are_there_with_their_version(library: Path) -> None:
    functions = {name: node for name, node in exported(library).items() if name.startswith("nwtopo_")}
    assert set(functions) == declared()
    assert set(functions.values()) == {"NWTOPO_0.2"}
