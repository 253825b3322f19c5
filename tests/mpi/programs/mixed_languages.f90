! The same collective calls, from C on some ranks and from Fortran on others: all must execute the same. Prints "right" on
! rank 0. The first argument says where MPI is initialised: "c", "fortran", or "both", each on every other rank.
! COUNT_KIND is the kind of Fortran's counts.
program mixed_languages
  use mpi_f08
  use iso_c_binding
  implicit none

  interface
    subroutine init_in_c() bind(c)
    end subroutine
    subroutine sum_in_c(value, total) bind(c)
      import :: c_int
      integer(c_int) :: value, total
    end subroutine
    subroutine broadcast_in_c(value) bind(c)
      import :: c_int
      integer(c_int) :: value
    end subroutine
    subroutine barrier_in_c() bind(c)
    end subroutine
  end interface

  integer(COUNT_KIND), parameter :: one = 1
  integer :: rank, ranks, turn, value, total, first
  character(len=16) :: where_to, word

  call get_command_argument(1, where_to)
  if (where_to == 'both') then
    call get_environment_variable('OMPI_COMM_WORLD_RANK', word)
    if (word == '') call get_environment_variable('PMI_RANK', word)
    read (word, *) first
    where_to = merge('c      ', 'fortran', mod(first, 2) == 0)
  end if
  if (where_to == 'c') then
    call init_in_c()
  else
    call MPI_Init()
  end if
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  do turn = 1, 60
    value = rank + turn
    if (mod(rank + turn, 2) == 0) then
      call sum_in_c(value, total)
      value = merge(turn, 0, rank == 0)
      call broadcast_in_c(value)
      call barrier_in_c()
    else
      call MPI_Allreduce(value, total, one, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      value = merge(turn, 0, rank == 0)
      call MPI_Bcast(value, one, MPI_INTEGER, 0, MPI_COMM_WORLD)
      call MPI_Barrier(MPI_COMM_WORLD)
    end if
    if (total /= ranks * turn + ranks * (ranks - 1) / 2) call MPI_Abort(MPI_COMM_WORLD, 3)
    if (value /= turn) call MPI_Abort(MPI_COMM_WORLD, 4)
  end do
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize()
end program
