! Collectives from Fortran, some in place: caught or passed, their results are right. Prints "right" on rank 0.
program fortran_mpifh
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, error, i, turn
  integer :: values(4), sums(4)
  integer, allocatable :: all(:)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate(all(ranks))
  do turn = 1, 40
    values = rank + turn
    call MPI_Allreduce(values, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(sums /= ranks * turn + ranks * (ranks - 1) / 2)) call MPI_Abort(MPI_COMM_WORLD, 3, error)
    call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(values /= sums)) call MPI_Abort(MPI_COMM_WORLD, 4, error)
    all(rank + 1) = rank * turn
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (any(all /= [(i * turn, i = 0, ranks - 1)])) call MPI_Abort(MPI_COMM_WORLD, 5, error)
    values = merge(turn, 0, rank == ranks - 1)
    call MPI_Bcast(values, 4, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, error)
    if (any(values /= turn)) call MPI_Abort(MPI_COMM_WORLD, 6, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize(error)
end program
