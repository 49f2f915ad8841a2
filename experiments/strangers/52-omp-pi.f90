! Integrates a function from 0 to 1 by the midpoint rule, with OpenMP. Each thread adds to its own
! element of an array of partial sums. Without an argument the integral is pi.
module functions
  implicit none

  abstract interface
     real(8) function integrand(x)
       real(8), intent(in) :: x
     end function integrand
  end interface

contains

  real(8) function circle(x)
    real(8), intent(in) :: x

    circle = 4.0d0 / (1.0d0 + x * x)
  end function circle

  real(8) function parabola(x)
    real(8), intent(in) :: x

    parabola = 3.0d0 * x * x
  end function parabola
end module functions

program midpoint
  use functions
  use omp_lib
  implicit none
  integer, parameter :: steps = 40000, most = 16
  procedure(integrand), pointer :: f
  real(8) :: partial(0:most - 1)
  real(8) :: h
  integer :: i, me, threads

  f => circle
  if (command_argument_count() > 0) f => parabola
  partial = 0.0d0
  h = 1.0d0 / steps
  threads = 1
!$omp parallel private(i, me) shared(partial, h, threads, f)
  me = omp_get_thread_num()
!$omp single
  threads = omp_get_num_threads()
!$omp end single
!$omp do schedule(static)
  do i = 1, steps
     partial(me) = partial(me) + f((i - 0.5d0) * h)
  end do
!$omp end do
!$omp end parallel
  print '(f10.6)', h * sum(partial(0:threads - 1))
end program midpoint
