! What Fortran declares, for tests/declared.py: as declared_guest.c.
module shared
  use iso_c_binding
  implicit none
  integer, target :: counts(4)             ! declares counts
  integer, allocatable, target :: rows(:)  ! declares rows
  type cell                                ! declares cell
    integer :: n
  end type
  type(cell), allocatable, target :: cells(:)
contains
  subroutine says(at, name)
    type(c_ptr), value :: at
    character(*) :: name
    write (*,'(Z16,1X,A)') transfer(at, 0_c_intptr_t), name
  end subroutine
end module

program main
  use shared
  implicit none
  interface
    subroutine leave(status) bind(c, name='_exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface
  integer, target :: first, second, third
  common /block/ first, second             ! declares block
  common third                             ! declares blank
  integer, save, target :: saved(5)        ! declares saved
  allocate(rows(9), cells(3))
  call says(c_loc(counts(2)), 'counts')
  call says(c_loc(rows(3)), 'rows')
  call says(c_loc(cells(3)), 'cell')
  call says(c_loc(second), 'block')
  call says(c_loc(third), 'blank')
  call says(c_loc(saved(2)), 'saved')
  flush (6)
  call leave(0)
end program
