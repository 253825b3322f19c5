"""What makes an MPI send its messages over the transport: our provider of libfabric, which Open MPI can use."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ayatori.processes.errors import ProgramError

PROVIDER = "ayatori"
MESSAGES = "sm,pt2pt"
"""One-sided communication by messages, and by shared memory where all ranks of a window share it. osc/rdma of Open MPI
4.1.4 crashes in programs that MPI allows (docs/libfabric.md)."""
_USERS = ("OMPI_MCA_osc", "OMPI_MCA_btl", "OMPI_MCA_osc_rdma_acc_use_amo")
"""What users may want otherwise: messages go over the transport all the same."""


def transport_variables(command: Sequence[str], family: str | None, folder: Path) -> dict[str, str]:
    """For a launcher's words. The user's environment chooses BTLs and one-sided communication, and no other transport.
    Raises ProgramError for another MPI, for words that choose another transport, or if the build has no provider."""
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
    in_words = _parameters(command)
    wanted = open_mpi_variables(in_words.get("osc") or os.environ.get("OMPI_MCA_osc") or MESSAGES)
    for variable, value in wanted.items():
        name = variable.removeprefix("OMPI_MCA_")
        if variable not in _USERS and in_words.get(name, value) != value:
            raise ProgramError(
                f"{name}={in_words[name]} for {command[0]} sends past the transport",
                hint=f"leave out {name}, or --transport",
            )
    users = {name: os.environ[name] for name in _USERS if os.environ.get(name)}
    folders = filter(None, (str(folder), os.environ.get("FI_PROVIDER_PATH", "")))
    only_ours = {"FI_PROVIDER": PROVIDER} if "FI_PROVIDER" in os.environ else {}
    return {"FI_PROVIDER_PATH": ":".join(folders), **only_ours, **wanted, **users}


def _parameters(command: Sequence[str]) -> dict[str, str]:
    """Those of Open MPI that are words of the launcher, which count more than variables."""
    found = {}
    for option, name, value in zip(command, command[1:], [*command[2:], ""], strict=False):
        variable, equals, its_value = name.partition("=")
        if option in ("--mca", "-mca", "--gmca", "-gmca"):
            found[name] = value
        elif option == "-x" and equals:
            found[variable.removeprefix("OMPI_MCA_")] = its_value
    return found


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
