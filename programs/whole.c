/* Reads files that are small enough to be held: sources, headers, libraries, executables. */
#include "programs/whole.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 1 << 30 /**< [bytes] of a file: what is larger is no such file */ };

/** Reads up to `most` bytes. @return how many there were; -1: it failed */
static ssize_t whole_fill(int fd, char *bytes, size_t most)
{
    size_t have = 0;
    for (ssize_t n; have < most; have += (size_t)n) {
        n = read(fd, bytes + have, most - have);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0)
            return n < 0 ? -1 : (ssize_t)have;
    }
    return (ssize_t)have;
}

bool prog_whole_read(const char *path, struct prog_whole *whole)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *whole = (struct prog_whole){0};
    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST) {
        whole->bytes = sim_alloc((size_t)st.st_size + 1, 1);
        const ssize_t n = whole_fill(fd, whole->bytes, (size_t)st.st_size);
        whole->count = n < 0 ? 0 : (size_t)n;
        if (n != st.st_size) { /* an error, or it became shorter meanwhile */
            free(whole->bytes);
            *whole = (struct prog_whole){0};
        }
    }
    close(fd);
    return whole->bytes;
}
