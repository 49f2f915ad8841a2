! Fluxes through cells: each thread adds up what passes its own boundary, in an array by threads.
module channel
  implicit none
  integer, parameter :: most = 64, cells = 64, steps = 40
#ifdef PADDED
  integer, parameter :: stride = 32
#else
  integer, parameter :: stride = 1
#endif
  integer :: border_before(64)
  integer :: passed(stride, most)
  integer :: border_behind(64)
contains
  subroutine start(height, seed)
    integer, intent(out) :: height(cells)
    integer, intent(in) :: seed
    integer :: i
    do i = 1, cells
      height(i) = mod(i * 37 + seed * 11, 200)
    end do
  end subroutine start

  ! One cell gives a part of the difference to the next.
  subroutine flow(height, i, me, factor)
    integer, intent(inout) :: height(cells)
    integer, intent(in) :: i, me, factor
    integer :: next, part
    next = mod(i, cells) + 1
    part = (height(i) - height(next)) / 4
    height(i) = height(i) - part
    height(next) = height(next) + part
    if (factor > 0) passed(1, me) = passed(1, me) + abs(part) + factor ! shares: passed
  end subroutine flow

  subroutine run(height, me, factor)
    integer, intent(inout) :: height(cells)
    integer, intent(in) :: me, factor
    integer :: i, s
    do s = 1, steps
      do i = 1, cells
        call flow(height, i, me, factor)
      end do
    end do
  end subroutine run
end module channel

program fluxes
  use channel
  use omp_lib
  implicit none
  character(len=8) :: argument
  integer :: n, i, me, wrong, water(cells), found(most)
  n = 4
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  if (n < 1 .or. n > most) stop 2
  border_before = 0
  border_behind = 0
  passed = 0
  wrong = 0
  call omp_set_num_threads(n)
  write (*, '(a,z0,1x,i0)') 'object passed 0x', loc(passed), sizeof(passed)
  !$omp parallel private(me, water)
  me = omp_get_thread_num() + 1
  call start(water, me)
  call run(water, me, 1)
  !$omp end parallel
  found(1:n) = passed(1, 1:n)
  do i = 1, n
    passed(1, i) = 0
    call start(water, i)
    call run(water, i, 1)
    if (passed(1, i) /= found(i)) wrong = wrong + 1
    if (sum(water) < 0) wrong = wrong + 1
  end do
  print '(i0,a)', wrong, ' wrong'
  if (wrong /= 0) stop 1
end program fluxes
