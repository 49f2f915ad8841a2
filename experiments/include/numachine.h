/*
 * For programs that run on the simulated NUMAchine: markers, pages that are uncached or not
 * coherent, and the special functions of memory and network cache.
 *
 * Markers name the part you want counted:
 *
 *     NUMACHINE_BEGIN("sort");
 *     ...
 *     NUMACHINE_END("sort");
 *
 * Each marker is one write to /dev/numachine/mark ("+sort", "-sort"); it costs one system call. All
 * cards' counters are read at the same cycle, shortly after the marker. Names are literals of at
 * most 60 characters. Anywhere else the device does not exist and the markers do nothing; built
 * with -DNUMACHINE_OFF they leave no trace in the program.
 */
#ifndef NUMACHINE_H
#define NUMACHINE_H

#include <fcntl.h>
#include <unistd.h>

#ifdef NUMACHINE_OFF

#define NUMACHINE_BEGIN(name) ((void)0)
#define NUMACHINE_END(name)   ((void)0)

#else

/** Writes one marker. The device is opened at the first; two threads that both find it closed open
 * it twice, which does no harm. */
static inline void numachine_mark(const char *text, unsigned long length)
{
    static int device = -2; /* not tried yet; -1: not on the simulator */

    if (device == -2)
        device = open("/dev/numachine/mark", O_WRONLY);
    if (device >= 0 && write(device, text, length) < 0)
        device = -1;
}

#define NUMACHINE_BEGIN(name) numachine_mark("+" name, sizeof("+" name) - 1)
#define NUMACHINE_END(name)   numachine_mark("-" name, sizeof("-" name) - 1)

#endif

/*
 * Pages with an attribute of their own (docs/special-functions.md): zeroed memory whose loads and
 * stores all go to its home, or which is cached without coherence. Give it back with munmap. LL/SC,
 * and so atomic operations and locks, are bus errors there. Anywhere else it is ordinary memory.
 */
#include <sys/mman.h>

static inline void *numachine_pages(const char *device, unsigned long bytes)
{
    void *at = MAP_FAILED;
    int fd = -1;

#ifndef NUMACHINE_OFF
    fd = open(device, O_RDWR);
#else
    (void)device;
#endif
    if (fd >= 0) {
        at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    } else {
        at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    return at == MAP_FAILED ? 0 : at;
}

/** @return the memory, or NULL when there is none */
static inline void *numachine_uncached(unsigned long bytes)
{
    return numachine_pages("/dev/numachine/uncached", bytes);
}

static inline void *numachine_noncoherent(unsigned long bytes)
{
    return numachine_pages("/dev/numachine/noncoherent", bytes);
}

/*
 * Special functions (docs/special-functions.md). Open /dev/numachine/memory, write one or more
 * struct numachine_command; a write returns when the commands are taken, not when they are done. A
 * read gives a struct numachine_report as soon as a command of this descriptor has ended.
 */
enum numachine_function {
    NUMACHINE_INVALIDATE = 1, /* invalidate shared copies */
    NUMACHINE_EXCLUSIVE = 2,  /* a clean exclusive copy at memory */
    NUMACHINE_KILL = 3,       /* take dirty copies from their owners */
    NUMACHINE_WRITE_BACK = 4, /* write dirty lines back, their owners keep shared copies */
    NUMACHINE_PREFETCH = 5    /* into this station's network cache */
};

enum { NUMACHINE_SIGNAL = 1 /* SIGIO for the issuing thread at the end */ };

struct numachine_command {
    unsigned function, flags;
    unsigned long long address, length; /* [bytes] every line the range overlaps is meant */
};

struct numachine_report {
    unsigned long long commands; /* ended since the last read */
    unsigned long long lines;    /* treated by them */
};

#endif
