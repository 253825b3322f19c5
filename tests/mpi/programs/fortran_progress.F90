! fortran_progress MODE: rank 0 sends, and waits for it; rank 1 has posted the receive and then computes, in mode "calls"
! with calls of MPI_Comm_rank in between, until the data are there or it has waited long enough. Rank 1 prints "moved" or
! "stood still" and, in mode "thread", after it has ended the request, whether the thread goes on looking.
program fortran_progress
  use iso_c_binding, only: c_long
#include "fortran_interface.inc"
  interface
    integer(c_long) function pauses_of_thread() bind(c)
      use iso_c_binding, only: c_long
    end function
    subroutine compute_for_ms(milliseconds) bind(c)
      use iso_c_binding, only: c_int
      integer(c_int), value :: milliseconds
    end subroutine
  end interface
  integer, parameter :: words = 4 * 1024 * 1024, tag = 5
  integer, allocatable, asynchronous, volatile :: values(:)
  integer :: rank, error
  character(len=16) :: mode
  REQUEST :: request

  call get_command_argument(1, mode)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  allocate(values(words))
  values = merge(1, 0, rank == 0)
  if (rank == 0) then
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Isend(values, words, MPI_INTEGER, 1, tag, MPI_COMM_WORLD, request, error)
  else
    call MPI_Irecv(values, words, MPI_INTEGER, 0, tag, MPI_COMM_WORLD, request, error)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call compute_until_it_is_there()
  end if
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  if (values(words) /= 1) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  if (rank == 1 .and. mode == 'thread') call tell_whether_thread_looks()
  call MPI_Finalize(error)

contains

  subroutine compute_until_it_is_there()
    double precision :: enough
    integer :: ignored
    enough = MPI_Wtime() + 20
    do while (values(words) == 0 .and. MPI_Wtime() < enough)
      if (mode == 'calls') call MPI_Comm_rank(MPI_COMM_WORLD, ignored, error)
    end do
    print '(a)', trim(merge('moved      ', 'stood still', values(words) == 1))
  end subroutine

  ! It goes to sleep some 50 ms after the last request is over, and would look again every 600 us at least.
  subroutine tell_whether_thread_looks()
    integer(c_long) :: before
    call compute_for_ms(500)
    before = pauses_of_thread()
    call compute_for_ms(500)
    print '(a)', trim(merge('it looks ', 'it sleeps', pauses_of_thread() - before > 20))
  end subroutine
end program
