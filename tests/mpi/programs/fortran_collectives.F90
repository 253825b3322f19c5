! Collectives from Fortran, some in place, some that do not block: caught or passed, their results are right. Prints
! "right" on rank 0.
program fortran_collectives
#include "fortran_interface.inc"
  integer :: rank, ranks, error, i, turn
  integer :: values(4), sums(4)
  integer, allocatable :: all(:)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  allocate(all(ranks))
  do turn = 1, 40
    call try_blocking()
    call try_not_blocking()
  end do
  if (rank == 0) print '(a)', 'right'
  call MPI_Finalize(error)

contains

  subroutine expect(holds, number)
    logical, intent(in) :: holds
    integer, intent(in) :: number
    if (.not. holds) call MPI_Abort(MPI_COMM_WORLD, number, error)
  end subroutine

  subroutine try_blocking()
    values = rank + turn
    call MPI_Allreduce(values, sums, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect(all_equal(sums, ranks * turn + ranks * (ranks - 1) / 2), 3)
    call MPI_Allreduce(MPI_IN_PLACE, values, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call expect(.not. any(values /= sums), 4)
    all(rank + 1) = rank * turn
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect(.not. any(all /= [(i * turn, i = 0, ranks - 1)]), 5)
    values = merge(turn, 0, rank == ranks - 1)
    call MPI_Bcast(values, 4, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, error)
    call expect(all_equal(values, turn), 6)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine

  subroutine try_not_blocking()
    integer, asynchronous :: summed(4), in_place(4), from_last(4)
    REQUEST :: requests(5)
    values = rank + turn
    in_place = values
    all(rank + 1) = rank * turn
    from_last = merge(turn, 0, rank == ranks - 1)
    call MPI_Iallreduce(values, summed, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), error)
    call MPI_Iallreduce(MPI_IN_PLACE, in_place, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), error)
    call MPI_Iallgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, requests(3), error)
    call MPI_Ibcast(from_last, 4, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, requests(4), error)
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(5), error)
    if (mod(rank + turn, 2) == 0) then
      call MPI_Waitall(5, requests, MPI_STATUSES_IGNORE, error)
    else
      do i = 5, 1, -1
        call MPI_Wait(requests(i), MPI_STATUS_IGNORE, error)
      end do
    end if
    call expect(all_equal(summed, ranks * turn + ranks * (ranks - 1) / 2), 7)
    call expect(.not. any(in_place /= summed), 8)
    call expect(.not. any(all /= [(i * turn, i = 0, ranks - 1)]), 9)
    call expect(all_equal(from_last, turn), 10)
  end subroutine

  logical function all_equal(found, expected)
    integer, intent(in) :: found(:), expected
    all_equal = .not. any(found /= expected)
  end function
end program
