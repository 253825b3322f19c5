"""The modulefile of `./run install`, loaded by the `module` command that is here: Environment Modules or Lmod."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from subprocesses import ran, said_by

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "release"
INITS = ("/usr/share/modules/init/bash", "/usr/share/lmod/lmod/init/bash")
PROGRAM = """
#include <acp.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (acp_init(&argc, &argv) != 0) return 1;
    printf("%d of %d\\n", acp_rank(), acp_procs());
    return acp_finalize() == 0 ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def init() -> str:
    """The script that defines `module` in bash."""
    home = os.environ.get("MODULESHOME")
    for script in (*([f"{home}/init/bash"] if home else []), *INITS):
        if Path(script).exists():
            return script
    pytest.skip("there is neither environment-modules nor lmod")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `./run install` fills it, with the command line of the build."""
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip("build/release is not there: `./run build` makes it")
    prefix = tmp_path_factory.mktemp("modules") / "prefix"
    said_by(["cmake", "--install", BUILD, "--prefix", prefix, "--component", "development"])
    (prefix / "bin" / "ayatori").symlink_to(Path(sys.prefix) / "bin" / "ayatori")
    said_by(["sh", "-euc", '. scripts/install.sh; install_module "$1"', "sh", prefix], cwd=ROOT)
    return prefix


def after_load(init: str, prefix: Path, script: str, cwd: Path | None = None) -> str:
    """What a script prints in a bash in which the module is loaded, and that has no paths of these tests."""
    lines = [f". {init}", f"module use {prefix}/share/modulefiles", "module load ayatori || exit 1", script]
    clean = ["env", "-u", "LD_LIBRARY_PATH", "-u", "PKG_CONFIG_PATH", "PATH=/usr/local/bin:/usr/bin:/bin"]
    return said_by([*clean, "bash", "-c", "\n".join(lines)], cwd)


def test_the_command_line_is_found(init: str, prefix: Path) -> None:
    printed = after_load(init, prefix, "command -v ayatori; ayatori --version").splitlines()
    version = (prefix / "share/modulefiles/ayatori").iterdir()
    assert printed == [f"{prefix}/bin/ayatori", f"ayatori {next(version).name}"]


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
def test_a_program_compiles_by_pkg_config_and_runs_without_the_module(init: str, prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "program.c").write_text(PROGRAM)
    line = "cc program.c $(pkg-config --cflags --libs acp) -o program"
    assert line in (ROOT / "docs/install.md").read_text(encoding="utf-8")
    assert after_load(init, prefix, line, tmp_path) == ""
    assert said_by(["env", "-u", "LD_LIBRARY_PATH", tmp_path / "program"]) == "0 of 1\n"


def test_unload_leaves_nothing(init: str, prefix: Path) -> None:
    assert str(prefix / "bin") in after_load(init, prefix, "env")
    left = after_load(init, prefix, "module unload ayatori; module unuse $MODULEPATH; env")
    assert str(prefix) not in left.replace(f"{prefix}/share/modulefiles", "")


def test_a_prefix_may_have_characters_that_tcl_reads(tmp_path: Path) -> None:
    if shutil.which("tclsh") is None:
        pytest.skip("tclsh is not installed")
    prefix = tmp_path / "a b$c[d]{e;f#"
    (prefix / "lib" / "pkgconfig").mkdir(parents=True)
    said_by(["sh", "-euc", '. scripts/install.sh; install_module "$1"', "sh", prefix], cwd=ROOT)
    (file,) = (prefix / "share/modulefiles/ayatori").iterdir()
    script = tmp_path / "prints.tcl"
    script.write_text(
        "proc module-whatis args {}\nproc conflict args {}\n"
        'proc prepend-path {name value} {puts "$name=$value"}\nsource [lindex $argv 0]\n'
    )
    done = ran(["tclsh", script, file])
    assert done.stdout.splitlines() == [
        f"PATH={prefix}/bin",
        f"CMAKE_PREFIX_PATH={prefix}",
        f"PKG_CONFIG_PATH={prefix}/lib/pkgconfig",
    ], done.stderr
