/*
 * Memory of the host: large pages, and the end without any.
 */
#include "base/alloc.h"

#include <malloc.h>
#include <stdbool.h>
#include <unistd.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /**< Linux 6.1; an older one refuses it */
#endif

void sim_no_memory(void)
{
    fputs("numachine: error: out of memory; the machine or the program is too large here\n",
          stderr);
    fflush(stderr);
    _exit(SIM_EXIT_MEMORY);
}

/* Does the host keep any page of this stretch? */
static bool begun(void *at, size_t bytes)
{
    enum { SMALLEST = 4096 };
    unsigned char there[SIM_LARGE_PAGE / SMALLEST] = {0};
    return mincore(at, bytes, there) == 0 && memchr(there, 1, sizeof there);
}

void sim_expect_full(void *reserved, size_t bytes)
{
    char *const end = (char *)reserved + bytes;
    char *at = (char *)reserved + -(uintptr_t)reserved % SIM_LARGE_PAGE;
    if (madvise(reserved, bytes, MADV_HUGEPAGE)) /* for what is not there yet */
        return;
    for (; end - at >= SIM_LARGE_PAGE; at += SIM_LARGE_PAGE)
        if (begun(at, SIM_LARGE_PAGE)) /* to be refused costs as much as a large page */
            (void)madvise(at, SIM_LARGE_PAGE, MADV_COLLAPSE);
}

void sim_heap_large(void)
{
    enum {
        FIRST = 4096,               /**< [bytes] in a small page: what malloc() writes at once */
        APART = 1 << 20,            /**< design: [bytes] of a block that has a mapping to itself */
        LARGE = 4 * SIM_LARGE_PAGE, /**< design: [bytes] most runs need one page or two */
    };
    char *const end = sbrk(0);
    const size_t gap = -((uintptr_t)end + FIRST) % SIM_LARGE_PAGE;

    if (sbrk((intptr_t)gap) != end)
        return;
    mallopt(M_MMAP_THRESHOLD, APART);
    mallopt(M_TRIM_THRESHOLD, 2 * LARGE);
    mallopt(M_TOP_PAD, FIRST + LARGE);
    void *volatile small = malloc(1);
    free(small);
    (void)madvise(end + gap + FIRST, LARGE, MADV_HUGEPAGE);
}
