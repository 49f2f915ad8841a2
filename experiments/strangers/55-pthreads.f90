! Threads of POSIX from Fortran, through the interface to C: each thread throws dice and counts how
! often each number came in its own column of a table.
module posix
  use, intrinsic :: iso_c_binding
  implicit none

  interface
     integer(c_int) function pthread_create(thread, attributes, start, argument) &
          bind(c, name='pthread_create')
       import :: c_int, c_long, c_ptr, c_funptr
       integer(c_long), intent(out) :: thread
       type(c_ptr), value :: attributes
       type(c_funptr), value :: start
       type(c_ptr), value :: argument
     end function pthread_create

     integer(c_int) function pthread_join(thread, result) bind(c, name='pthread_join')
       import :: c_int, c_long, c_ptr
       integer(c_long), value :: thread
       type(c_ptr), value :: result
     end function pthread_join
  end interface
end module posix

module dice
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: players = 6, throws = 14000
  integer, save :: tally(6, players) = 0
  integer(c_int), target, save :: numbers(players)

contains

  subroutine throw_once(state, column)
    integer, intent(inout) :: state
    integer, intent(inout) :: column(6)
    integer :: face

    state = iand(state * 1103 + 12345, 1048575)
    face = 1 + mod(ishft(state, -8), 6)
    column(face) = column(face) + 1
  end subroutine throw_once

  recursive function play(argument) result(nothing) bind(c)
    type(c_ptr), value :: argument
    type(c_ptr) :: nothing
    integer(c_int), pointer :: number
    integer :: state, i

    call c_f_pointer(argument, number)
    state = 1000 + number
    do i = 1, throws
       call throw_once(state, tally(:, number))
    end do
    nothing = c_null_ptr
  end function play
end module dice

program game
  use posix
  use dice
  implicit none
  integer(c_long) :: threads(players)
  integer :: p, failed

  do p = 1, players
     numbers(p) = p
     failed = pthread_create(threads(p), c_null_ptr, c_funloc(play), c_loc(numbers(p)))
     if (failed /= 0) stop 1
  end do
  do p = 1, players
     failed = pthread_join(threads(p), c_null_ptr)
  end do
  print '(6(i0, 1x), a, i0)', sum(tally, dim=2), 'of ', sum(tally)
end program game
