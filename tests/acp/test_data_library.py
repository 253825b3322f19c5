"""The ACP project's data library over libacp, by examples/acp_data_library.c. ACP_PREFIX is where it was installed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from subprocesses import said_by

ROOT = Path(__file__).parents[2]
LIBRARIES = ROOT / "build/release/lib"
PREFIX = Path(os.environ.get("ACP_PREFIX", ""))
SECONDS = 120

pytestmark = [
    pytest.mark.skipif(not (PREFIX / "lib/libacpml.a").is_file(), reason="ACP_PREFIX: no folder with lib/libacpml.a"),
    pytest.mark.skipif(not (LIBRARIES / "libacp.so").exists(), reason="build/release is not there: `./run build`"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("data") / "data_library"
    sources = [Path(__file__).with_name("data_library.c"), ROOT / "examples/acp_data_library.c"]
    libraries = [f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-lacp", PREFIX / "lib/libacpml.a"]
    subprocess.run(["cc", "-I", PREFIX / "include", *sources, "-o", made, *libraries], check=True, timeout=SECONDS)
    return made


@pytest.mark.parametrize("wires", ["shm", "udp"])
@pytest.mark.parametrize("procs", [1, 3])
def test_data_structures_are_right_in_memory_of_any_rank(program: Path, procs: int, wires: str) -> None:
    command = [sys.executable, "-m", "ayatori.processes", str(procs), str(program)]
    output = said_by(command, env={"ACP_WIRES": wires, "ACP_TIMEOUT": "20"})
    assert output == "vectors, lists, maps and sets are right\n"
