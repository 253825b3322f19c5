"""A real Slurm of four nodes on this machine, for a script: tests/slurm/start.sh."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from subprocesses import ran

START = Path(__file__).parent / "slurm" / "start.sh"
NAMESPACES = "unshare --net --pid --mount --uts --ipc --fork --kill-child --mount-proc".split()
PROGRAMS = ("slurmctld", "slurmd", "munged", "srun", "ip", "unshare")
SECONDS = 90

# Under Slurm's PMIx, a rank may leave MPI_Init of Open MPI 4.1.4 while another is still in it: one job of two
# hundred. The other one ends with SIGSEGV if the first message comes over btl/tcp. libfabric keeps the message for it.
OPEN_MPI = (
    "export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi OMPI_MCA_btl=self OMPI_MCA_opal_common_ofi_provider_include='tcp;ofi_rxm'"
)
LAUNCHED_BY = {"openmpi": "pmix", "mpich": "pmi2"}
"""What srun offers to processes of each MPI, as Debian builds it: MPICH 4.0 asks by the first version of PMI, which
Slurm's plug-in for the second one answers, too."""


def why_impossible() -> str:
    if not all(map(shutil.which, PROGRAMS)):
        return "Slurm (slurm-wlm, munge) is not installed"
    if os.geteuid() != 0 or subprocess.run([*NAMESPACES, "ip", "link"], capture_output=True).returncode != 0:
        return "no namespaces without root"
    return ""


def in_slurm(folder: Path, script: str, variables: Mapping[str, str] = {}) -> str:
    """What the shell script prints, with srun and scontrol for the four nodes N0 to N3."""
    (folder / "script").write_text(script)
    command = [*NAMESPACES, "sh", str(START), str(folder), str(folder / "script")]
    done = ran(command, env={**variables, "TMPDIR": str(folder)}, seconds=SECONDS)
    logs = "".join(f"\n{log.name}: {log.read_text(errors='replace')[-800:]}" for log in (folder / "log").glob("*"))
    assert done.returncode == 0, done.stdout + done.stderr + logs
    return done.stdout
