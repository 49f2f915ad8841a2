! Two threads on a string, one with the odd and one with the even points: in each step they pull
! at them several times, which changes speeds, and then all points move.
module string
  implicit none
  integer, parameter :: points = 48, steps = 6, pulls = 20, margin = 32
  integer :: place(1 - margin:points + margin)
  integer :: speed(1 - margin:points + 2 * margin)
contains
  subroutine pluck()
    integer :: i
    speed = 0
    do i = 0, points + 1
      place(i) = min(i, points + 1 - i) * 96
    end do
  end subroutine pluck

  ! Where the speed of a thread's k-th point is.
  integer function at(k, me)
    integer, intent(in) :: k, me
#ifdef PADDED
    at = k + me * (points / 2 + margin)
#else
    at = 2 * k - 1 + me
#endif
  end function at

  subroutine pull(k, me)
    integer, intent(in) :: k, me
    integer :: i, part
    i = 2 * k - 1 + me
    do part = 2, 4
      call hasten(speed(at(k, me)), (place(i - 1) + place(i + 1)) / 2 - place(i), part)
    end do
  end subroutine pull

  subroutine hasten(v, distance, part)
    integer, intent(inout) :: v
    integer, intent(in) :: distance, part
    v = v + distance / (8 * part) ! shares: speed
  end subroutine hasten

  subroutine half(me)
    integer, intent(in) :: me
    integer :: k, s
    do s = 1, pulls
      do k = 1, points / 2
        call pull(k, me)
      end do
    end do
  end subroutine half

  ! All points move: main does this, alone.
  subroutine move()
    integer :: k, me
    do me = 0, 1
      do k = 1, points / 2
        place(2 * k - 1 + me) = place(2 * k - 1 + me) + speed(at(k, me)) / 64
      end do
    end do
  end subroutine move
end module string

program waves
  use string
  use omp_lib
  implicit none
  integer :: s, found(points)
  call omp_set_num_threads(2)
  write (*, '(a,z0,1x,i0)') 'object speed 0x', loc(speed), sizeof(speed)
  call pluck()
  do s = 1, steps
    !$omp parallel
    call half(omp_get_thread_num())
    !$omp end parallel
    call move()
  end do
  found = place(1:points)
  call pluck()
  do s = 1, steps
    call half(0)
    call half(1)
    call move()
  end do
  s = count(found /= place(1:points))
  print '(i0,a)', s, ' wrong'
  if (s /= 0) stop 1
end program waves
