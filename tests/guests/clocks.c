/* Clocks and sleeping: time goes forward, sleeps last at least as long as asked, clocks agree. */
#include "guest.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static uint64_t now(clockid_t clock)
{
    struct timespec t = {0, 0};
    CHECK(clock_gettime(clock, &t) == 0);
    CHECK(t.tv_nsec >= 0 && t.tv_nsec < 1000000000);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void forward(clockid_t clock)
{
    uint64_t last = now(clock);
    for (int i = 0; i < 50; i++) {
        uint64_t next = now(clock);
        CHECK(next >= last);
        last = next;
    }
}

static void sleeps(void)
{
    struct timespec wait = {0, 3000000}, bad = {0, 1000000000}, until;
    uint64_t before = now(CLOCK_MONOTONIC);

    CHECK(nanosleep(&wait, NULL) == 0);
    CHECK(now(CLOCK_MONOTONIC) - before >= 3000000);
    CHECK(nanosleep(&bad, NULL) == -1 && errno == EINVAL);
    before = now(CLOCK_MONOTONIC) + 2000000;
    until.tv_sec = (time_t)(before / 1000000000);
    until.tv_nsec = (long)(before % 1000000000);
    CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == 0);
    CHECK(now(CLOCK_MONOTONIC) >= before);
}

/* time() and gettimeofday() may read a clock that is behind by a tick of the kernel: a second
 * earlier. */
static bool near(uint64_t one, uint64_t other)
{
    return one <= other + 1 && other <= one + 1;
}

int main(void)
{
    struct timeval tv;
    struct timespec resolution;

    forward(CLOCK_MONOTONIC);
    forward(CLOCK_REALTIME);
    sleeps();
    CHECK(gettimeofday(&tv, NULL) == 0);
    uint64_t real = now(CLOCK_REALTIME) / 1000000000;
    CHECK(near(real, (uint64_t)tv.tv_sec));
    CHECK(near(real, (uint64_t)time(NULL)));
    CHECK(clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0);
    CHECK(clock() != (clock_t)-1);
    printf("done\n");
    return guest_result();
}
