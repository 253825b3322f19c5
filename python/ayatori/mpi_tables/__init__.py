"""Tables for the selectors that MPI libraries have themselves (docs/mpi-tables.md)."""
