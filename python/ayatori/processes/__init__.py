"""Child processes: started, watched, ended, and gone when this process is gone, even if it is killed by SIGKILL."""

from ayatori.processes.child import Child, Ended, run_program, run_to_end
from ayatori.processes.errors import ProgramError
from ayatori.processes.in_network import InNetwork, find_in_network
from ayatori.processes.local_job import run_job
from ayatori.processes.mpi_job import (
    YIELDING,
    MpiJob,
    family_of,
    library_of,
    mpi_job,
    mpirun_of,
    other_launcher,
    plugin_for,
)
from ayatori.processes.programs import find_program, first_error, last_line, last_words, open_mpi_as_root
from ayatori.processes.supervised import Command, Supervised

__all__ = [
    "YIELDING",
    "Child",
    "Command",
    "Ended",
    "InNetwork",
    "MpiJob",
    "ProgramError",
    "Supervised",
    "family_of",
    "find_in_network",
    "find_program",
    "first_error",
    "last_line",
    "last_words",
    "library_of",
    "mpi_job",
    "mpirun_of",
    "other_launcher",
    "open_mpi_as_root",
    "plugin_for",
    "run_job",
    "run_program",
    "run_to_end",
]
