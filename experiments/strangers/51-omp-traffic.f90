! Cars at crossings: each thread simulates a crossing of its own and keeps its statistics in its
! element of an array of a derived type.
module crossings
  implicit none
  private
  public :: statistic, crossing_run, drive

  type :: statistic
     integer :: passed = 0
     integer :: waited = 0
     integer :: longest = 0
  end type statistic

contains

  subroutine drive(s, queue, green)
    type(statistic), intent(inout) :: s
    integer, intent(inout) :: queue
    logical, intent(in) :: green

    if (green .and. queue > 0) then
       queue = queue - 1
       s%passed = s%passed + 1
    else
       s%waited = s%waited + queue
    end if
    if (queue > s%longest) s%longest = queue
  end subroutine drive

  subroutine crossing_run(s, seed, steps, log)
    type(statistic), intent(inout) :: s
    integer, intent(in) :: seed, steps
    integer, intent(inout) :: log(:)
    integer :: queue, state, step

    queue = 0
    state = seed
    do step = 1, steps
       state = iand(state * 1103 + 12345, 1048575)
       if (iand(ishft(state, -12), 3) == 0) queue = queue + 1
       call drive(s, queue, iand(step, 4) /= 0)
       log(1 + mod(step, size(log))) = queue
    end do
  end subroutine crossing_run
end module crossings

program traffic
  use crossings
  use omp_lib
  implicit none
  integer, parameter :: most = 8, steps = 12000
  type(statistic), allocatable :: statistics(:)
  integer :: log(32)
  integer :: me

  allocate (statistics(0:most - 1))
!$omp parallel num_threads(most) private(me, log)
  me = omp_get_thread_num()
  log = 0
  call crossing_run(statistics(me), 17 * me + 5, steps, log)
!$omp end parallel
  print '(a, i0, a, i0, a, i0)', 'passed ', sum(statistics%passed), ', waited ', &
       sum(statistics%waited), ', longest queue ', maxval(statistics%longest)
end program traffic
