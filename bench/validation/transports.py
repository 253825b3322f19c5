"""By which transport Open MPI sends: variables of a run."""

from __future__ import annotations

from collections.abc import Mapping

from ayatori.processes.transport import open_mpi_variables
from bench.harness.programs import ROOT

_FOLDER = {"FI_PROVIDER_PATH": str(ROOT / "build" / "release" / "libfabric")}
_BY_MESSAGES = {**_FOLDER, **open_mpi_variables("pt2pt")}
_BY_REMOTE_MEMORY = {**_FOLDER, **open_mpi_variables("rdma")}

_OTHER_PROVIDER = {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi", "OMPI_MCA_btl": "self", "OMPI_MCA_osc": "pt2pt"}

_ANY_UCX = {"OMPI_MCA_pml_ucx_tls": "any", "OMPI_MCA_pml_ucx_devices": "any"}
"""Otherwise Open MPI takes UCX over adapters alone."""

PEERS: Mapping[str, Mapping[str, str]] = {
    "tcp;ofi_rxm": {**_OTHER_PROVIDER, "OMPI_MCA_opal_common_ofi_provider_include": "tcp;ofi_rxm"},
    "udp;ofi_rxd": {**_OTHER_PROVIDER, "OMPI_MCA_opal_common_ofi_provider_include": "udp;ofi_rxd"},
    "UCX over tcp": {"OMPI_MCA_pml": "ucx", "OMPI_MCA_osc": "pt2pt", "UCX_TLS": "tcp,self", **_ANY_UCX},
    "tcp": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_osc": "pt2pt"},
}

TRANSPORTS: Mapping[str, Mapping[str, str]] = {
    **PEERS,
    "vader-rdma": {  # what fails here, too, is a fault of osc/rdma
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "vader,self",
        "OMPI_MCA_osc": "rdma",
        "OMPI_MCA_osc_rdma_acc_use_amo": "0",
    },
    "ayatori": _BY_MESSAGES,
    "ayatori-rdma": _BY_REMOTE_MEMORY,
    "ayatori-udp": {**_BY_MESSAGES, "ACP_WIRES": "udp"},
    "ayatori-udp-rdma": {**_BY_REMOTE_MEMORY, "ACP_WIRES": "udp"},
}
"""ayatori: the provider of libfabric, over shared memory within a host and UDP between hosts."""
