"""What makes an MPI send its messages over the transport: our provider of libfabric, which Open MPI can use."""

from __future__ import annotations

import os
from pathlib import Path

from ayatori.processes.errors import ProgramError

PROVIDER = "ayatori"
MESSAGES = "sm,pt2pt"
"""One-sided communication by messages, and by shared memory where all ranks of a window share it. osc/rdma of Open MPI
4.1.4 crashes in programs that MPI allows (docs/libfabric.md)."""


def transport_variables(family: str | None, folder: Path) -> dict[str, str]:
    """What the user has set stays. Raises ProgramError for another MPI, or if the build has no provider."""
    if family != "openmpi":
        raise ProgramError(
            f"{family or 'a program without MPI'} can't send over the transport",
            "Debian's MPICH sends by UCX" if family == "mpich" else "",
            "ayatori run --transport mpirun.openmpi -n 4 PROGRAM",
        )
    if not (folder / f"lib{PROVIDER}-fi.so").exists():
        raise ProgramError(
            "this build has no provider of libfabric", hint="apt-get install libfabric-dev, then ./run build"
        )
    folders = filter(None, (str(folder), os.environ.get("FI_PROVIDER_PATH", "")))
    wanted = open_mpi_variables(os.environ.get("OMPI_MCA_osc", MESSAGES))
    return {
        "FI_PROVIDER_PATH": ":".join(folders),
        **{name: os.environ.get(name, value) for name, value in wanted.items()},
    }


def open_mpi_variables(one_sided: str) -> dict[str, str]:
    """Of Open MPI over the provider. One-sided communication goes by the components that `one_sided` names, as
    OMPI_MCA_osc does."""
    variables = {
        "OMPI_MCA_pml": "cm",
        "OMPI_MCA_mtl": "ofi",
        "OMPI_MCA_osc": one_sided,
        "OMPI_MCA_btl": "self",
        "OMPI_MCA_opal_common_ofi_provider_include": PROVIDER,
    }
    if "rdma" in one_sided:
        variables["OMPI_MCA_btl"] = "ofi,self"
        variables["OMPI_MCA_osc_rdma_acc_use_amo"] = "0"  # btl/ofi ends a program that asks for other atomics than sums
    return variables
