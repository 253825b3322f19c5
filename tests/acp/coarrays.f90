! Puts, gets, atomics and sums of coarrays, whose values are checked. Each image ends the program at a wrong one.
program coarrays
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, error_unit
  implicit none
  integer, parameter :: each = 3000, adds = 25
  integer :: block(each)[*], fetched(each), total, next, previous, me, images, i
  integer(atomic_int_kind) :: counter[*]
  real(kind(1d0)) :: halves

  me = this_image()
  images = num_images()
  next = merge(1, me + 1, me == images)
  previous = merge(images, me - 1, me == 1)

  block = 0
  counter = 0
  sync all

  ! Put: the whole block of the next image, and then every third element of it.
  block(:)[next] = [(value_of(me, i), i = 1, each)]
  sync all
  call check(all(block == [(value_of(previous, i), i = 1, each)]), 'put')
  sync all
  block(1:each:3)[next] = -me
  sync all
  call check(all(block(1:each:3) == -previous) .and. block(2) == value_of(previous, 2), 'strided put')

  ! Get: the block of each image.
  do i = 1, images
    fetched(:) = block(:)[i]
    call check(fetched(1) == -merge(images, i - 1, i == 1), 'get')
  end do
  fetched(:) = block(:)[next]
  call check(all(fetched(2:each:3) == [(value_of(me, i), i = 2, each, 3)]), 'all of a get')
  sync all

  ! Atomics: all images count at the first. (atomic_fetch_add of OpenCoarrays 2.10 returns nothing, with any MPI.)
  do i = 1, adds
    call atomic_add(counter[1], 1)
  end do
  sync all
  call atomic_ref(total, counter[1])
  call check(total == adds * images, 'atomic_add')

  ! Collectives.
  total = me
  call co_sum(total)
  call check(total == images * (images + 1) / 2, 'co_sum')
  halves = me / 2d0
  call co_max(halves)
  call check(halves == images / 2d0, 'co_max')
  total = merge(4711, 0, me == images)
  call co_broadcast(total, source_image=images)
  call check(total == 4711, 'co_broadcast')

  sync all
  if (me == 1) print '(a, i0, a)', 'all values are right on ', images, ' images'

contains

  pure integer function value_of(image, i)
    integer, intent(in) :: image, i
    value_of = image * 100000 + i
  end function value_of

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(2a, i0)') what, ' is wrong on image ', me
    error stop 1
  end subroutine check
end program coarrays
