"""Long runs whose partial results are saved, taken up again, and shared by MPI processes."""
