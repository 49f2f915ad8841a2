/* The address space: mmap, munmap, mprotect and what happens when one reaches beyond. */
#include "guest.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static sigjmp_buf back;
static volatile int code;
static void *volatile where;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    code = info->si_code;
    where = info->si_addr;
    siglongjmp(back, 1);
}

static void reach(const char *what, volatile char *at, int write)
{
    code = 0;
    where = (void *)at;
    if (sigsetjmp(back, 1) == 0) {
        if (write)
            *at = 1;
        else
            (void)*at;
    }
    printf("%s: %s, address right %d\n", what,
           code == 0             ? "fine"
           : code == SEGV_MAPERR ? "not mapped"
           : code == SEGV_ACCERR ? "not allowed"
                                 : "?",
           where == (void *)at);
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    char *map = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    CHECK(map != MAP_FAILED && (uintptr_t)map % page == 0);
    sigaction(SIGSEGV, &action, NULL);
    for (size_t i = 0; i < 4 * page; i += 97)
        CHECK(map[i] == 0);
    memset(map, 7, 4 * page);
    map[page + 5] = 7; /* its line is dirty in the primary cache, whatever the page size */
    CHECK(mprotect(map + page, page, PROT_READ) == 0);
    reach("read of a read-only page", map + page, 0);
    reach("write to a read-only page", map + page + 5, 1);
    CHECK(mprotect(map + page, page, PROT_READ | PROT_WRITE) == 0);
    reach("write after it is writable", map + page + 5, 1);
    CHECK(mprotect(map + 2 * page, page, PROT_NONE) == 0);
    reach("read of a forbidden page", map + 2 * page, 0);
    CHECK(munmap(map + 2 * page, page) == 0);
    reach("read of a page given back", map + 2 * page, 0);
    reach("write next to it", map + 3 * page, 1);
    CHECK(map[page + 5] == 1 && map[page + 6] == 7 && map[3 * page] == 1);
    char *again = mmap(map + 2 * page, page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    CHECK(again == map + 2 * page && again[0] == 0);
    char *grown = mremap(map, 4 * page, 16 * page, MREMAP_MAYMOVE);
    CHECK(grown != MAP_FAILED && grown[page + 5] == 1 && grown[15 * page] == 0);
    CHECK(munmap(grown, 16 * page) == 0);
    CHECK(munmap((char *)1, page) == -1 && errno == EINVAL);
    char *brk = sbrk(3 * (intptr_t)page);
    CHECK(brk != (char *)-1);
    brk[3 * page - 1] = 1;
    CHECK((char *)sbrk(0) == brk + 3 * page);
    return guest_result();
}
