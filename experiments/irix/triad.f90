! A triad that counts itself with libperfex: graduated floating-point instructions and primary data
! cache misses, of a vector in the cache and of one that is not. Each result is checked.
program triad
  implicit none
  integer, parameter :: fp = 21, misses = 25, cycles = 0
  integer, parameter :: sizes(2) = [512, 16384]
  integer :: start_counters, read_counters, print_counters
  external :: start_counters, read_counters, print_counters
  double precision, allocatable :: a(:), b(:), c(:)
  integer*8 :: used, counted
  integer :: i, n

  do i = 1, 2
    n = sizes(i)
    allocate(a(n), b(n), c(n))
    a = 0; b = 1; c = 2
    call add(n)                                   ! pages and lines are there as far as they fit
    if (start_counters(cycles, fp) < 0) error stop 1
    call add(n)
    if (read_counters(cycles, used, fp, counted) < 0) error stop 1
    write (*, '(i6, a, f6.2)') n, ' elements: floating-point instructions for each', dble(counted) / n
    if (start_counters(cycles, misses) < 0) error stop 1
    call add(n)
    if (read_counters(cycles, used, misses, counted) < 0) error stop 1
    write (*, '(i6, a, f6.2)') n, ' elements: misses for each', dble(counted) / n
    write (*, '(i6, a, f6.1)') n, ' elements: cycles for each', dble(used) / n
    if (any(a /= 7)) error stop 2
    deallocate(a, b, c)
  end do

contains

  subroutine add(m)
    integer, intent(in) :: m
    integer :: k
    do k = 1, m
      a(k) = b(k) + 3 * c(k)
    end do
  end subroutine
end program
