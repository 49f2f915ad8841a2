/* Epolls that watch epolls, in rows and by many paths; and a timer that tells nobody. */
#include "guest.h"

#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { LAYERS = 5, WIDE = 40, LONGEST = 1000, NANOSECONDS = 30, TIMES = 100 };

static int add(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

/** A row built from its end that is looked at: each new one is empty. */
static void row(int length, int twice)
{
    static int e[LONGEST];
    struct epoll_event event;
    int refused = 0;

    for (int i = 0; i < length; i++)
        CHECK((e[i] = epoll_create1(0)) >= 0);
    for (int i = 0; i + 1 < length; i++) {
        refused += add(e[i], e[i + 1]) < 0;
        if (twice)
            refused += add(e[i], dup(e[i + 1])) < 0;
    }
    printf("row of %d: %d refused, %d ready\n", length, refused, epoll_wait(e[0], &event, 1, 0));
    for (int fd = e[0]; fd < 1024; fd++)
        close(fd);
}

/** Every epoll of a layer watches all of the next: few epolls, many paths. */
static void layers(void)
{
    int e[LAYERS][WIDE], refused = 0;
    struct epoll_event event;

    for (int l = 0; l < LAYERS; l++)
        for (int i = 0; i < WIDE; i++)
            CHECK((e[l][i] = epoll_create1(0)) >= 0);
    for (int l = 0; l + 1 < LAYERS; l++)
        for (int i = 0; i < WIDE; i++)
            for (int k = 0; k < WIDE; k++)
                refused += add(e[l][i], e[l + 1][k]) < 0;
    printf("layers: %d refused, %d ready\n", refused, epoll_wait(e[0][0], &event, 1, 0));
}

/** Two ways to one pipe. */
static void diamond(void)
{
    const int top = epoll_create1(0), left = epoll_create1(0), right = epoll_create1(0);
    struct epoll_event event[2];
    int ends[2];

    CHECK(pipe(ends) == 0);
    CHECK(add(top, left) == 0 && add(top, right) == 0);
    CHECK(add(left, ends[0]) == 0 && add(right, ends[0]) == 0);
    printf("diamond: %d ready", epoll_wait(top, event, 2, 0));
    CHECK(write(ends[1], "x", 1) == 1);
    printf(", then %d\n", epoll_wait(top, event, 2, 0));
}

static void silent_timer(void)
{
    static int word;
    struct sigevent nobody = {.sigev_notify = SIGEV_NONE};
    struct itimerspec often = {{0, NANOSECONDS}, {0, NANOSECONDS}}, once = {{0, 0}, {0, 1}}, left;
    timer_t t;

    CHECK(timer_create(CLOCK_MONOTONIC, &nobody, &t) == 0);
    CHECK(timer_settime(t, 0, &often, NULL) == 0);
    for (int i = 0; i < TIMES; i++)
        __sync_fetch_and_add(&word, 1);
    CHECK(timer_gettime(t, &left) == 0);
    printf("added %d, %d\n", word, left.it_value.tv_nsec < 2 * NANOSECONDS);
    CHECK(timer_settime(t, 0, &once, NULL) == 0);
    usleep(1);
    CHECK(timer_gettime(t, &left) == 0);
    printf("once: %ld left\n", left.it_value.tv_nsec);
}

int main(void)
{
    row(10, 0);
    row(LONGEST, 0);
    row(40, 1);
    layers();
    diamond();
    silent_timer();
    return 0;
}
