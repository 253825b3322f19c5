"""What messages, copies and reductions cost on this machine: measured by MPI, fitted, checked."""
