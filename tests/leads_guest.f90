! What arrays of Fortran lead to, for tests/leads.py: as leads_guest.c.
module work
  use iso_c_binding
  implicit none
  real(8), allocatable, target :: field(:,:)
  integer, pointer :: list(:)
  type cell
    integer :: n
    real(8), allocatable :: w(:)
  end type
  type(cell), allocatable, target :: cells(:)
  integer, target :: fixed(3,4)
contains
  subroutine says(at, name)
    type(c_ptr), value :: at
    character(*) :: name
    write (*,'(Z16,1X,A)') transfer(at, 0_c_intptr_t), name
  end subroutine
end module

program main
  use work
  implicit none
  integer, allocatable, target :: mine(:)
  real(8), pointer :: weight
  interface
    subroutine leave(status) bind(c, name='_exit')
      import :: c_int
      integer(c_int), value :: status
    end subroutine
  end interface
  allocate(field(10,20), list(30), cells(0:4), mine(-3:10))
  allocate(cells(2)%w(6))
  weight => cells(2)%w(4)
  call says(c_loc(field(3,5)), 'work::field(3,5)')
  call says(c_loc(list(7)), 'work::list(7)')
  call says(c_loc(cells(2)%n), 'work::cells(2)%n')
  call says(c_loc(weight), 'work::cells(2)%w(4)')
  call says(c_loc(fixed(2,3)), 'work::fixed(2,3)')
  call says(c_loc(mine(0)), 'mine(0) (local of MAIN__)')
  flush (6)
  call leave(0)
end program
