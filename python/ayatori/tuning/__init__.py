"""Which algorithms are faster than the MPI's own on this machine, by measuring (`ayatori tune`)."""
