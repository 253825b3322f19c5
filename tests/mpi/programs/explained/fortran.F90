! A late rank in a nonblocking broadcast, from each of Fortran's three interfaces.
program fortran
#ifdef USE_F08
  use mpi_f08
  implicit none
  type(MPI_Request) :: request
  type(MPI_Status) :: status
#else
#ifdef USE_MPI
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: request, status(MPI_STATUS_SIZE)
#endif
  integer :: rank, value(1), error

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  value(1) = rank
  if (rank == 0) call sleep(1)
  call MPI_Ibcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, error)
  call MPI_Wait(request, status, error)
  call MPI_Finalize(error)
end program
