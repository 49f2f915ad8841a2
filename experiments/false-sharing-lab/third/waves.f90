! Two threads on a string, one with the odd and one with the even points. How fast a point moves is its thread's
! own affair; where it is, its neighbours want to know.
module string
  implicit none
  integer, parameter :: points = 96, steps = 60, margin = 32
  integer :: place(1 - margin:points + margin)
  integer :: speed(1 - margin:points + 2 * margin)
contains
  subroutine pluck()
    integer :: i
    speed = 0
    do i = 0, points + 1
      place(i) = min(i, points + 1 - i) * 48
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

  subroutine move(k, me)
    integer, intent(in) :: k, me
    integer :: i
    i = 2 * k - 1 + me
    place(i) = place(i) + speed(at(k, me)) / 4
  end subroutine move

  subroutine half(me)
    integer, intent(in) :: me
    integer :: k, s
    do s = 1, steps
      do k = 1, points / 2
        call pull(k, me)
      end do
      !$omp barrier
      do k = 1, points / 2
        call move(k, me)
      end do
      !$omp barrier
    end do
  end subroutine half
end module string

program waves
  use string
  use omp_lib
  implicit none
  integer :: k, s, me, found(points)
  call omp_set_num_threads(2)
  write (*, '(a,z0,1x,i0)') 'object place 0x', loc(place), sizeof(place)
  write (*, '(a,z0,1x,i0)') 'object speed 0x', loc(speed), sizeof(speed)
  call pluck()
  !$omp parallel
  call half(omp_get_thread_num())
  !$omp end parallel
  found = place(1:points)
  call pluck()
  do s = 1, steps
    do me = 0, 1
      do k = 1, points / 2
        call pull(k, me)
      end do
    end do
    do me = 0, 1
      do k = 1, points / 2
        call move(k, me)
      end do
    end do
  end do
  s = count(found /= place(1:points))
  print '(i0,a)', s, ' wrong'
  if (s /= 0) stop 1
end program waves
