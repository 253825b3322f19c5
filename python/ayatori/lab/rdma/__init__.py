"""Real verbs without an RDMA adapter: Debian's kernel in QEMU, with Soft-RoCE and netem, and this machine's files."""

from ayatori.lab.rdma.machine import MAX_HOSTS, MachineSettings, require_memory, run_command
from ayatori.lab.rdma.parts import Parts, missing_packages, prepare_parts

__all__ = [
    "MAX_HOSTS",
    "MachineSettings",
    "Parts",
    "missing_packages",
    "prepare_parts",
    "require_memory",
    "run_command",
]
