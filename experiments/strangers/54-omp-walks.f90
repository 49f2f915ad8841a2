! Random walks on a line, with OpenMP. Every step, and every walk that comes back to the origin, is
! counted in a module's variable; what is far from the origin is put into a histogram at the end of
! each walk.
module walks
  implicit none
  integer, parameter :: classes = 8
  integer, save :: returns = 0
  integer, save :: steps_done = 0
  integer, save :: ends(0:classes - 1) = 0

contains

  subroutine walk(seed, length)
    integer, intent(in) :: seed, length
    integer :: x, state, i

    x = 0
    state = seed
    do i = 1, length
       state = iand(state * 1103 + 12345, 1048575)
       if (iand(ishft(state, -10), 1) == 0) then
          x = x - 1
       else
          x = x + 1
       end if
!$omp atomic
       steps_done = steps_done + 1
       if (x == 0) then
!$omp atomic
          returns = returns + 1
       end if
    end do
    call arrive(abs(x) / 4)
  end subroutine walk

  subroutine arrive(class)
    integer, intent(in) :: class
    integer :: c

    c = min(class, classes - 1)
!$omp atomic
    ends(c) = ends(c) + 1
  end subroutine arrive
end module walks

program main
  use walks
  implicit none
  integer :: w

!$omp parallel do schedule(static)
  do w = 1, 640
     call walk(w * 7919, 60)
  end do
!$omp end parallel do
  print '(i0, a, i0, a)', returns, ' returns in ', steps_done, ' steps'
  print '(a, 8(1x, i0))', 'ends:', ends
end program main
