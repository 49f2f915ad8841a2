/*
 * Linked with every program of a build for coverage.py, whose code calls __sanitizer_cov_trace_pc
 * at the begin of each basic block: where it came is marked in a file that all processes of a
 * program share. So nothing is lost by processes that are killed, confined, or never exit, and
 * nothing depends on their environment.
 */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Of the program or library that this is linked with. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static unsigned char *visited; /* a byte for each of the text's */

void __sanitizer_cov_trace_pc(void) __attribute__((visibility("hidden")));

void __sanitizer_cov_trace_pc(void)
{
    const long place = (const char *)__builtin_return_address(0) - __ehdr_start;
    if (visited && !visited[place])
        visited[place] = 1;
}

/* Ahead of other constructors, which call the above. */
__attribute__((constructor(101))) static void visited_open(void)
{
    const size_t size = (size_t)(etext - __ehdr_start);
    char name[4096] = "", path[sizeof name + sizeof VISITED];
    Dl_info own;
    if (getauxval(AT_PHDR) - (uintptr_t)__ehdr_start < size) { /* whatever it is called by */
        if (readlink("/proc/self/exe", name, sizeof name - 1) < 0)
            return;
    } else if (dladdr(__ehdr_start, &own) && own.dli_fname) {
        snprintf(name, sizeof name, "%s", own.dli_fname);
    }
    const char *slash = strrchr(name, '/');
    snprintf(path, sizeof path, "%s/%s", VISITED, slash ? slash + 1 : name);
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return;
    if (ftruncate(fd, (off_t)size) == 0) {
        void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        visited = map == MAP_FAILED ? NULL : map;
    }
    close(fd);
}
