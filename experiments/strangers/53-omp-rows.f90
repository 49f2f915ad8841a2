! Smooths the rows of a field with OpenMP, each value by the one before it in its row. The threads
! share out the rows, as a programmer who is used to C would do.
module fields
  implicit none
  integer, parameter :: n = 32

contains

  subroutine fill(field)
    integer, intent(out) :: field(n, n)
    integer :: i, j

    do j = 1, n
       do i = 1, n
          field(i, j) = mod(7 * i + 13 * j, 101)
       end do
    end do
  end subroutine fill

  subroutine smooth(field, sweeps)
    integer, intent(inout) :: field(n, n)
    integer, intent(in) :: sweeps
    integer :: i, j, sweep

!$omp parallel private(i, j, sweep) shared(field)
    do sweep = 1, sweeps
!$omp do schedule(static, 1)
       do i = 1, n
          do j = 2, n
             field(i, j) = mod(field(i, j) + 3 * field(i, j - 1) + 1, 1009)
          end do
       end do
!$omp end do nowait
    end do
!$omp end parallel
  end subroutine smooth

  integer function largest(field)
    integer, intent(in) :: field(n, n)
    integer :: i, j

    largest = field(1, 1)
    do j = 1, n
       do i = 1, n
          if (field(i, j) > largest) largest = field(i, j)
       end do
    end do
  end function largest
end module fields

program rows
  use fields
  implicit none
  integer, allocatable :: heights(:, :)

  allocate (heights(n, n))
  call fill(heights)
  call smooth(heights, 60)
  print '(a, i0, a, i0)', 'sum ', sum(heights), ', largest ', largest(heights)
  deallocate (heights)
end program rows
