"""What makes an MPI send its messages over the transport: our provider of libfabric."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from ayatori.processes.errors import ProgramError
from ayatori.processes.mpi_job import LAUNCHERS

PROVIDER = "ayatori"
ONE_SIDED = ("sm,pt2pt", "sm,rdma")
"""One-sided communication: by memory that all ranks of a window share, and otherwise by messages. osc/rdma of Open MPI
4.1.4 crashes in programs that MPI allows (docs/libfabric.md). Open MPI 5 has nothing else between hosts."""
_USERS = ("OMPI_MCA_osc", "OMPI_MCA_btl", "OMPI_MCA_osc_rdma_acc_use_amo", "MPIR_CVAR_NOLOCAL", "I_MPI_FABRICS")
"""What users may want otherwise: messages between hosts go over the transport all the same."""


def transport_variables(command: Sequence[str], family: str | None, folder: Path) -> dict[str, str]:
    """For a launcher's words. The user's environment chooses BTLs, one-sided communication and what is sent within a
    host, and no other transport. Raises ProgramError for words that choose another transport, for an MPI without what
    it needs, for programs without MPI, or if the build has no provider."""
    if family is None:
        raise ProgramError(
            "a program without MPI can't send over the transport", hint="ayatori run --transport mpirun -n 4 PROGRAM"
        )
    if not (folder / f"lib{PROVIDER}-fi.so").exists():
        raise ProgramError(
            "this build has no provider of libfabric", hint="apt-get install libfabric-dev, then ./run build"
        )
    in_words = _parameters(command)
    wanted = _of_open_mpi(command, in_words) if family == "openmpi" else _of_mpich(command)
    for variable, value in wanted.items():
        name = variable.removeprefix("OMPI_MCA_")
        if variable not in _USERS and in_words.get(name, value) != value:
            raise ProgramError(
                f"{name}={in_words[name]} for {command[0]} sends past the transport",
                hint=f"leave out {name}, or --transport",
            )
    users = {name: os.environ[name] for name in _USERS if os.environ.get(name)}
    folders = filter(None, (str(folder), os.environ.get("FI_PROVIDER_PATH", "")))
    return {"FI_PROVIDER_PATH": ":".join(folders), **wanted, **users}


def _of_open_mpi(command: Sequence[str], in_words: Mapping[str, str]) -> dict[str, str]:
    only_ours = {"FI_PROVIDER": PROVIDER} if "FI_PROVIDER" in os.environ else {}
    one_sided = _one_sided(in_words.get("osc") or os.environ.get("OMPI_MCA_osc"), components_of_open_mpi(command))
    return only_ours | open_mpi_variables(one_sided)


def _of_mpich(command: Sequence[str]) -> dict[str, str]:
    """Also of Intel MPI, which has MPICH's ABI. Both would send through memory of their own within a host."""
    # What was sent arrives while its sender computes.
    ours = {"FI_PROVIDER": PROVIDER, "MPIR_CVAR_CH4_OFI_ENABLE_DATA_AUTO_PROGRESS": "1"}
    if "Intel(R) MPI" in (_said_by(Path(command[0]).name, "--version", command) or ""):
        return {**ours, "I_MPI_OFI_PROVIDER": PROVIDER, "I_MPI_FABRICS": "ofi"}
    said = _said_by("mpichversion", "-device", command)
    device = (said or "").partition(":")[2].strip()
    if "ofi" not in device:
        raise ProgramError(
            "this MPICH can't send over the transport",
            f"its device is {device}, not ch4:ofi" if device else "there is no mpichversion that tells its device",
            "mpirun of an MPICH that was configured with --with-device=ch4:ofi, or of Open MPI",
        )
    return {**ours, "MPIR_CVAR_CH4_NETMOD": "ofi", "MPIR_CVAR_NOLOCAL": "1"}


def _parameters(command: Sequence[str]) -> dict[str, str]:
    """Those of Open MPI, and variables, that are words of the launcher, which count more than our variables."""
    found = {}
    for option, name, value in zip(command, command[1:], [*command[2:], ""], strict=False):
        variable, equals, its_value = name.partition("=")
        if option in ("--mca", "-mca", "--gmca", "-gmca"):
            found[name] = value
        elif option in ("-genv", "-env"):
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


def _one_sided(wanted: str | None, components: AbstractSet[str]) -> str:
    """The components for one-sided communication: those that are wanted, or the first of ONE_SIDED that Open MPI has.
    Raises ProgramError if it lacks one that is needed."""
    chosen = wanted or next((words for words in ONE_SIDED if _named(words) <= components), ONE_SIDED[-1])
    for component in sorted(({"pml/cm", "mtl/ofi"} | _named(chosen)) - components):
        framework = component.partition("/")[0]
        has = ", ".join(sorted(other for other in components if other.startswith(f"{framework}/")))
        raise ProgramError(f"this Open MPI has no {component}", f"it has {has}" if has else "")
    return chosen


def _named(one_sided: str) -> set[str]:
    """What OMPI_MCA_osc needs. "^rdma" names what is not to be used."""
    if one_sided.startswith("^"):
        return set()
    named = {f"osc/{name}" for name in one_sided.split(",") if name}
    return named | ({"btl/ofi"} if "osc/rdma" in named else set())


def components_of_open_mpi(command: Sequence[str]) -> set[str]:
    """As the ompi_info in the launcher's folder lists them, or else the first on PATH. Raises ProgramError if there is
    none."""
    said = _said_by("ompi_info", "--parsable", command)
    if said is None:
        raise ProgramError("can't tell which components Open MPI has: there is no ompi_info", hint="PATH")
    fields = (line.split(":") for line in said.splitlines() if line.startswith("mca:"))
    return {f"{words[1]}/{words[2]}" for words in fields if words[3:4] == ["version"]}


def _said_by(name: str, option: str, command: Sequence[str]) -> str | None:
    """What a program of the launcher's installation prints; None if there is none."""
    words = (word for word in command if Path(word).name.startswith(LAUNCHERS))
    launchers = [Path(found) for word in words if (found := shutil.which(word))]
    places = [place / name for one in launchers for place in (one.parent, one.resolve().parent)]
    program = next((str(place) for place in places if place.exists()), shutil.which(name))
    if program is None:
        return None
    return subprocess.run([program, option], capture_output=True, text=True, check=False).stdout
