/* Pipes between threads, poll and select, and ends that close. */
#include "guest.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>

enum { BYTES = 5000, ROOM = 0x10000, PAGE = 0x10000 };

static int ends[2];

static void *feed(void *arg)
{
    char block[100];

    for (int i = 0; i < BYTES; i += (int)sizeof block) {
        memset(block, 'a' + i / 100 % 26, sizeof block);
        CHECK(write(ends[1], block, sizeof block) == (ssize_t)sizeof block);
    }
    close(ends[1]);
    return arg;
}

static void *overfill(void *arg)
{
    static char much[ROOM + 100];

    CHECK(write(ends[1], much, sizeof much) == (ssize_t)sizeof much);
    return arg;
}

/* Buffers whose end is not there. What lies before may be moved (Linux) or not (qemu); whoever
 * waits for room goes on. */
static void ends_missing(void)
{
    pthread_t thread;
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ssize_t n;

    CHECK(page != MAP_FAILED && munmap(page + PAGE, PAGE) == 0 && pipe(ends) == 0);
    struct pollfd readable = {.fd = ends[0], .events = POLLIN};
    CHECK(write(ends[1], page + PAGE - 6, 20) == -1 && errno == EFAULT);
    CHECK(poll(&readable, 1, 0) == 0);
    pthread_create(&thread, NULL, overfill, NULL);
    n = read(ends[0], page + PAGE - 4096, 8192);
    CHECK(n == 4096 || (n == -1 && errno == EFAULT));
    CHECK(n == 4096 || read(ends[0], page, 4096) == 4096);
    pthread_join(thread, NULL);
    CHECK(read(ends[0], page, PAGE) == ROOM + 100 - 4096);
}

int main(void)
{
    pthread_t thread;
    char buffer[333];
    unsigned long hash = 5381;
    ssize_t n, total = 0;
    fd_set set;
    struct timeval none = {0, 0};

    CHECK(pipe(ends) == 0);
    struct pollfd readable = {.fd = ends[0], .events = POLLIN};
    CHECK(poll(&readable, 1, 0) == 0);
    pthread_create(&thread, NULL, feed, NULL);
    CHECK(poll(&readable, 1, -1) == 1 && readable.revents & POLLIN);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    CHECK(select(ends[0] + 1, &set, NULL, NULL, &none) == 1);
    while ((n = read(ends[0], buffer, sizeof buffer)) > 0) {
        total += n;
        for (ssize_t i = 0; i < n; i++)
            hash = (hash * 33 + (unsigned char)buffer[i]) & 0xffffffff;
    }
    pthread_join(thread, NULL);
    printf("%zd bytes, hash %lx\n", total, hash);
    ends_missing();
    signal(SIGPIPE, SIG_IGN);
    CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    return guest_result();
}
