/*
 * One thread changes the rights of pages, while the others wait for each other's lines.
 *
 *     unmapping_guest N    0: it only asks for its number, 1: of a page that nobody has, 2: of one
 * that it has had
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 6, TURNS = 400, WORDS = 4096, PAGE = 0x10000 };

static _Atomic uint32_t word[WORDS];

static void *share(void *seed)
{
    uint32_t drawn = (uint32_t)(uintptr_t)seed;
    for (int i = 0; i < TURNS; i++) {
        drawn = drawn * 1664525u + 1013904223u;
        _Atomic uint32_t *w = &word[drawn >> 8 & (WORDS - 1)];
        if (drawn >> 30)
            (void)atomic_load(w);
        else
            atomic_store(w, drawn);
    }
    return 0;
}

/* What differs is worked out without a branch or a load: both execute the same instructions on the
 * same lines. */
int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    char *const pages =
        mmap(0, 8 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *const page = (char *)(((uintptr_t)pages + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    char *const at = page + (argv[argc - 1][0] - '0') * 4 * PAGE;

    page[4 * PAGE] = 1;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], 0, share, (void *)(i + 1));
    for (int i = 0; i < TURNS; i++)
        syscall(SYS_mprotect, at, PAGE, PROT_READ | PROT_WRITE);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(thread[i], 0);
    return 0;
}
