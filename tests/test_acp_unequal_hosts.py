"""libacp under Open MPI on several hosts: namespaces of this machine with names of their own."""

import os
import shutil
import sys
from pathlib import Path

import pytest

from ayatori import _core
from subprocesses import program_at, ran

LIBRARY = Path(_core.__file__).parent / "libacp.so.0"
OPEN = """
import ctypes, sys
acp = ctypes.CDLL(sys.argv[1])
acp.acp_error_message.restype = ctypes.c_char_p
if acp.acp_init(None, None) != 0:
    sys.exit(acp.acp_error_message().decode())
"""
AGENT = """host=$1
shift
exec unshare --uts sh -c "hostname $host; $*"
"""

pytestmark = pytest.mark.skipif(
    not shutil.which("mpirun.openmpi") or os.geteuid() != 0, reason="needs Open MPI, and root for hosts' names"
)


def said_on(hosts: str, ranks: int, folder: Path) -> str:
    """What the processes of a job say that can't open the library."""
    agent = program_at(folder / "agent", AGENT)
    mpirun = ["mpirun.openmpi", "--allow-run-as-root", "--host", hosts, "-np", str(ranks)]
    done = ran([*mpirun, "--mca", "plm_rsh_agent", str(agent), sys.executable, "-c", OPEN, str(LIBRARY)], seconds=120)
    assert done.returncode != 0
    return done.stderr


@pytest.mark.parametrize(
    ("hosts", "ranks", "refusal"),
    [("a:4,b:2,c:2", 8, "8 ranks on 3 hosts"), ("a:4,b:2,c:2,d:4", 12, "12 ranks on 4 hosts")],
)
def test_hosts_with_different_numbers_of_ranks_are_refused(
    hosts: str, ranks: int, refusal: str, tmp_path: Path
) -> None:
    """Every rank has a number on its host that would fit, were all hosts like its own."""
    assert refusal in said_on(hosts, ranks, tmp_path)


def test_hosts_alike_are_not_refused_for_that(tmp_path: Path) -> None:
    """Also where not all that were given are needed. Their addresses are what is missing here."""
    said = said_on("a:4,b:4,c:4", 8, tmp_path)
    assert "their addresses are not known" in said and "hosts, and the host of rank" not in said
