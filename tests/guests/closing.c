/*
 * Descriptors closed while another thread waits in a call that uses them: the call goes on with the
 * file it began with, and what the file holds (a pipe's end) lasts as long.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FULL = 65536 };

static int ends[2];

/** Long enough for the other thread to be in its call. */
static void settle(void)
{
    usleep(20000);
}

static void *reads(void *arg)
{
    static char text[64];
    const ssize_t n = read(ends[0], text, sizeof text - 1);

    (void)arg;
    text[n > 0 ? n : 0] = '\0';
    return n < 0 ? (void *)strerror(errno) : text;
}

static void *reads_vector(void *arg)
{
    static char one[4], two[64];
    const struct iovec v[2] = {{one, 3}, {two, 60}};
    const ssize_t n = readv(ends[0], v, 2);

    (void)arg;
    return n == 8 && memcmp(one, "the", 3) == 0 ? "readv: right" : "readv: wrong";
}

static void *polls(void *arg)
{
    struct pollfd p = {.fd = ends[0], .events = POLLIN};
    const int n = poll(&p, 1, 5000);

    (void)arg;
    return n == 1 && (p.revents & (POLLIN | POLLNVAL)) == POLLIN ? "poll: ready" : "poll: wrong";
}

static void *selects(void *arg)
{
    fd_set set;
    struct timeval long_time = {5, 0};

    (void)arg;
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    return select(ends[0] + 1, &set, NULL, NULL, &long_time) == 1 ? "select: ready"
                                                                  : "select: wrong";
}

/** Fills the pipe and goes on writing. */
static void *writes(void *arg)
{
    static char block[FULL + 5000];

    (void)arg;
    return write(ends[1], block, sizeof block) == (ssize_t)sizeof block ? "write: whole"
                                                                        : "write: short";
}

/** Closes the end a thread reads from, then writes to the other: it is still read from. */
static void close_reader(void *(*reader)(void *), const char *what)
{
    pthread_t thread;
    void *result;
    int keep;

    CHECK(pipe(ends) == 0);
    keep = fcntl(ends[0], F_DUPFD, 100); /* so that poll and select have somebody to write for */
    pthread_create(&thread, NULL, reader, NULL);
    settle();
    CHECK(close(ends[0]) == 0);
    if (reader == reads || reader == reads_vector)
        close(keep);
    /* Whoever opens now gets the number, and perhaps the memory, of what was closed. */
    CHECK(open("/dev/null", O_RDONLY) == ends[0]);
    CHECK(write(ends[1], "the word", 8) == 8);
    pthread_join(thread, &result);
    printf("%s: %s\n", what, (char *)result);
    close(ends[0]), close(ends[1]), close(keep);
}

static void close_both(void)
{
    pthread_t thread;
    void *result;

    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, reads, NULL);
    settle();
    CHECK(close(ends[0]) == 0 && close(ends[1]) == 0);
    pthread_join(thread, &result);
    printf("both closed: \"%s\"\n", (char *)result);
}

static void close_writer(void)
{
    static char block[4096];
    pthread_t thread;
    void *result;
    size_t total = 0;
    ssize_t n;

    CHECK(pipe(ends) == 0);
    pthread_create(&thread, NULL, writes, NULL);
    settle();
    CHECK(close(ends[1]) == 0);
    while ((n = read(ends[0], block, sizeof block)) > 0)
        total += (size_t)n;
    pthread_join(thread, &result);
    printf("writer closed: %s, %zu bytes\n", (char *)result, total);
    close(ends[0]);
}

static void replace(void)
{
    pthread_t thread;
    void *result;
    int other[2], null = open("/dev/null", O_RDONLY);

    CHECK(pipe(ends) == 0 && pipe(other) == 0);
    pthread_create(&thread, NULL, reads, NULL);
    settle();
    CHECK(dup2(null, ends[0]) == ends[0]);
    CHECK(write(ends[1], "old file", 8) == 8);
    pthread_join(thread, &result);
    printf("dup2: %s\n", (char *)result);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    close_reader(reads, "reader closed");
    close_reader(reads_vector, "reader closed");
    close_reader(polls, "reader closed");
    close_reader(selects, "reader closed");
    close_both();
    close_writer();
    replace();
    return guest_result();
}
