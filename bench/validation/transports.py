"""By which transport an MPI sends: variables of a run."""

from __future__ import annotations

from collections.abc import Mapping

from ayatori.base.compiled import PROVIDERS
from ayatori.processes.transport import components_of_open_mpi, transport_variables
from bench.harness.installed_mpi import InstalledMpi

PEERS = ("tcp;ofi_rxm", "udp;ofi_rxd", "UCX over tcp", "tcp")
"""The last is the MPI's own, and for MPICH libfabric's."""
OURS = ("ayatori", "ayatori-udp")
"""The provider of libfabric, over shared memory within a host and UDP between hosts, and over UDP alone."""
BY_REMOTE_MEMORY = ("vader-rdma", "ayatori-rdma", "ayatori-udp-rdma")
"""One-sided communication of an Open MPI that would do it by messages. What fails by the first, too, is a fault of
osc/rdma."""
TRANSPORTS = (*PEERS, *OURS, *BY_REMOTE_MEMORY)

_ANY_UCX = {"OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
"""Otherwise Open MPI takes UCX over adapters alone."""


def transports_of(mpi: InstalledMpi) -> Mapping[str, Mapping[str, str]]:
    """Those of TRANSPORTS that it has. One-sided communication goes by messages if the MPI can do so, and not past the
    transport: Open MPI's osc/sm is not used. Raises ProgramError for an MPI without libfabric."""
    return _of_open_mpi(mpi) if mpi.family == "openmpi" else _of_mpich(mpi)


def _of_mpich(mpi: InstalledMpi) -> dict[str, dict[str, str]]:
    ours = transport_variables([mpi.program("mpirun")], mpi.family, PROVIDERS)
    by_libfabric = {
        name: value for name, value in ours.items() if name in ("MPIR_CVAR_CH4_NETMOD", "MPIR_CVAR_NOLOCAL")
    }
    providers = {name: {**by_libfabric, "FI_PROVIDER": name} for name in ("tcp", "tcp;ofi_rxm", "udp;ofi_rxd")}
    return {**providers, "ayatori": ours, "ayatori-udp": {**ours, "ACP_WIRES": "udp"}}


def _of_open_mpi(mpi: InstalledMpi) -> dict[str, dict[str, str]]:
    launcher = mpi.program("mpirun")

    def ours(one_sided: str) -> dict[str, str]:
        return transport_variables([launcher, "--mca", "osc", one_sided], mpi.family, PROVIDERS)

    has_messages = "osc/pt2pt" in components_of_open_mpi([launcher])
    usual = "pt2pt" if has_messages else "rdma"
    found = {"ayatori": ours(usual)}
    if has_messages:
        found["ayatori-rdma"] = ours("rdma")
    found |= {name.replace("ayatori", "ayatori-udp"): {**own, "ACP_WIRES": "udp"} for name, own in found.items()}
    by_ob1 = {"OMPI_MCA_pml": "ob1"}
    return {
        **{name: {**ours(usual), "OMPI_MCA_opal_common_ofi_provider_include": name} for name in PEERS[:2]},
        "UCX over tcp": {"OMPI_MCA_pml": "ucx", "OMPI_MCA_osc": usual, "UCX_TLS": "tcp,self", **_ANY_UCX},
        "tcp": {**by_ob1, "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_osc": usual},
        "vader-rdma": {
            **by_ob1,
            "OMPI_MCA_btl": "vader,self",
            "OMPI_MCA_osc": "rdma",
            "OMPI_MCA_osc_rdma_acc_use_amo": "0",
        },
        **found,
    }
