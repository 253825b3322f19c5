"""What MPI programs did, as libayatori_trace.so has written it down."""
