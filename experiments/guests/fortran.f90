! Fortran with OpenMP: heat in a plate, and a product of matrices.
!
!     fortran N STEPS
!
!   touch    each thread writes the rows that it will have, which gives these their homes
!   heat     each element becomes the mean of its four neighbours, STEPS times; the result is held
!            to what one thread computes
!   product  a matrix times its inverse
!
! Each is a region: a name written to /dev/numachine/mark, "+heat" where it begins and "-heat" where
! it ends. Anywhere else than on the simulator that file does not exist, and nothing is written.

module marks
  implicit none
  private
  integer :: device = 0
  public :: mark

contains

  subroutine mark(text)
    character(len=*), intent(in) :: text
    integer :: status
    if (device == 0) then
      open (newunit=device, file='/dev/numachine/mark', status='old', action='write', &
            access='stream', form='unformatted', iostat=status)
      if (status /= 0) device = -1
    end if
    ! newunit gives numbers below -1
    if (device /= -1) then
      write (device) text
      flush (device)
    end if
  end subroutine mark

end module marks

program fortran
  use marks
  implicit none
  integer :: n, steps
  logical :: bad, good
  double precision, allocatable :: plate(:, :), alone(:, :)

  bad = .false.
  n = number(1, 64)
  steps = number(2, 4)
  allocate (plate(0:n + 1, 0:n + 1), alone(0:n + 1, 0:n + 1))
  call mark('+touch')
  call begin(plate)
  call mark('-touch')
  call mark('+heat')
  call heat(plate, .true.)
  call mark('-heat')
  call begin(alone)
  call heat(alone, .false.)
  call check('heat', all(plate == alone) .and. plate(1, n/2) > 0)
  call mark('+product')
  call product_of_inverse(n, good)
  call mark('-product')
  call check('product', good)
  if (bad) stop 1

contains

  integer function number(at, otherwise)
    integer, intent(in) :: at, otherwise
    character(len=16) :: text
    integer :: status
    number = otherwise
    call get_command_argument(at, text)
    if (text /= '') then
      read (text, *, iostat=status) number
      if (status /= 0 .or. number < 2) number = otherwise
    end if
  end function number

  subroutine check(name, good)
    character(len=*), intent(in) :: name
    logical, intent(in) :: good
    print '(a, ": ", a)', name, merge('right', 'WRONG', good)
    bad = bad .or. .not. good
  end subroutine check

  ! One edge is hot.
  subroutine begin(t)
    double precision, intent(out) :: t(0:, 0:)
    integer :: j
    !$omp parallel do schedule(static)
    do j = 0, n + 1
      t(:, j) = 0
      t(0, j) = 100
    end do
  end subroutine begin

  subroutine heat(t, together)
    double precision, intent(inout) :: t(0:, 0:)
    logical, intent(in) :: together
    double precision, allocatable :: next(:, :)
    integer :: i, j, step
    allocate (next(0:n + 1, 0:n + 1))
    do step = 1, steps
      !$omp parallel do schedule(static) private(i) if (together)
      do j = 1, n
        do i = 1, n
          next(i, j) = (t(i - 1, j) + t(i + 1, j) + t(i, j - 1) + t(i, j + 1))/4
        end do
      end do
      !$omp parallel do schedule(static) if (together)
      do j = 1, n
        t(1:n, j) = next(1:n, j)
      end do
    end do
  end subroutine heat

  ! A triangle of ones, and its inverse: 1 on the diagonal and -1 above it. All numbers are whole.
  subroutine product_of_inverse(n, good)
    integer, intent(in) :: n
    logical, intent(out) :: good
    double precision, allocatable :: a(:, :), b(:, :), c(:, :)
    integer :: i, j
    allocate (a(n, n), b(n, n), c(n, n))
    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      do i = 1, n
        a(i, j) = merge(1, 0, i <= j)
        b(i, j) = merge(1, 0, i == j) - merge(1, 0, i + 1 == j)
      end do
      c(:, j) = 0
    end do
    !$omp parallel do schedule(static) private(i)
    do j = 1, n
      do i = 1, n
        c(:, j) = c(:, j) + a(:, i)*b(i, j)
      end do
    end do
    good = sum(c) == n .and. all([(c(i, i) == 1, i=1, n)])
  end subroutine product_of_inverse

end program fortran
