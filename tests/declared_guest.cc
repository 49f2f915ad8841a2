// What C++ declares, for tests/declared.py: as declared_guest.c.
#include <cstdio>
#include <unistd.h>
#include <vector>

static void says(const volatile void *at, const char *what)
{
    printf("%lx %s\n", (unsigned long)at, what);
}

template <typename T> struct Pool { // declares Pool
    T each[4];
    static int made;
    static inline int known[2]; // declares known
};
template <typename T> int Pool<T>::made; // declares made

namespace worker
{
int count[3]; // declares count
class Cell /* declares worker-Cell */
{
    int n;

  public:
    static int all; // no definition
};
int Cell::all; // declares all
} // namespace worker

class Cell /* declares Cell */
{
    short n[9];
};

static Pool<int> *ints;
static Pool<Cell> *cells;
static Cell *cell;
static worker::Cell *inner;
static std::vector<int> *numbers; // declares numbers
static std::vector<Pool<int>> pools(3);

namespace
{
__attribute__((noinline)) int *hidden()
{
    static int calls; // declares calls
    calls++;
    return &calls;
}
} // namespace

int main()
{
    ints = new Pool<int>[2];
    cells = new Pool<Cell>;
    cell = new Cell;
    inner = new worker::Cell;
    numbers = new std::vector<int>(20);
    auto count = [](int *given) { return given; };
    says(&ints[1].each[2], "Pool");
    says(&cells->each[2], "Pool");
    says(cell, "Cell");
    says(inner, "worker-Cell");
    says(&(*numbers)[5], "numbers");
    says(&pools[2].each[1], "Pool");
    says(&Pool<int>::made, "made");
    says(&Pool<int>::known[1], "known");
    says(count(&worker::count[1]), "count");
    says(&worker::Cell::all, "all");
    says(hidden(), "calls");
    fflush(stdout);
    _exit(0);
}
