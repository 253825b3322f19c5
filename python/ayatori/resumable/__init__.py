"""Long runs: their results are saved as they come, taken up after an interruption, and shared by MPI processes."""

from ayatori.base.errors import Interrupted
from ayatori.resumable.computation import compute, compute_each, is_first_process, mpi_processes
from ayatori.resumable.saved_results import SavedResults, partial_file
from ayatori.resumable.signals import end_calls_of_the_core, interrupt, terminate

__all__ = [
    "Interrupted",
    "SavedResults",
    "compute",
    "compute_each",
    "end_calls_of_the_core",
    "interrupt",
    "is_first_process",
    "mpi_processes",
    "partial_file",
    "terminate",
]
