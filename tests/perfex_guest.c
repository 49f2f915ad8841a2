/*
 * libperfex from a program's side; irix.py runs it, with T5_EVENT0 and T5_EVENT1 too. What it finds
 * wrong is its output, but for what libperfex itself says.
 */
#include "guests/guest.h"

#include <irix/perfex.h>
#include <pthread.h>
#include <unistd.h>

enum { CYCLES = 0, GRADUATED = 15, LOADS = 18, STORES = 19 };

static __attribute__((noinline)) void store(int n)
{
    volatile char place;

    for (int i = 0; i < n; i++)
        place = 1;
    (void)place;
}

static void pairs(void)
{
    long long a = -1, b = -1;
    const int first = start_counters(STORES, GRADUATED);

    CHECK(first > 0);
    store(10000);
    CHECK(read_counters(STORES, &a, GRADUATED, &b) == first);
    CHECK(a >= 10000 && a < 10100 && b > a);
    CHECK(read_counters(STORES, &a, GRADUATED, &b) == -1); /* it has stopped */
    CHECK(start_counters(GRADUATED, STORES) > first);      /* in any order */
    store(20000);
    CHECK(read_counters(GRADUATED, &b, STORES, &a) > 0);
    CHECK(a >= 20000 && a < 20100 && b > a);
    CHECK(print_counters(GRADUATED, b, STORES, a) == 0);
}

static void refused(void)
{
    static const int bad[][2] = {
        {STORES, LOADS}, {CYCLES, GRADUATED}, {0, 0}, {-1, 17}, {0, 32}, {32, 0}, {17, -1}};
    long long a, b;

    for (unsigned i = 0; i < COUNT(bad); i++) {
        errno = 0;
        CHECK(start_counters(bad[i][0], bad[i][1]) == -1 && errno == EINVAL);
        CHECK(print_counters(bad[i][0], 1, bad[i][1], 1) == -1);
    }
    CHECK(read_counters(0, &a, 16, &b) == -1 && errno == EINVAL);
}

/* T5_EVENT0 = 19 and T5_EVENT1 = 15 whatever is asked for. */
static void environment(void)
{
    long long a = -1, b = -1;

    CHECK(start_counters(9, 25) > 0);
    store(10000);
    CHECK(read_counters(9, &a, 25, &b) > 0);
    CHECK(a >= 10000 && a < 10100 && b > a);
    CHECK(print_counters(9, a, 25, b) == 0);
}

static void write_table(const char *text)
{
    FILE *f = fopen("/tmp/costs", "w");

    CHECK(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void costs(void)
{
    static const char *const bad[] = {"19 1 2 3\n",          "32 1 2 3 clks\n",  "-1 1 2 3 clks\n",
                                      "19 1 2 x clks\n",     "19 1 2 3 hours\n", "19 1 -2 3 clks\n",
                                      "19 1 2 3 clks and\n", "19 1 2 nan clks\n"};

    CHECK(print_costs(GRADUATED, 1, STORES, 1) == -1 && errno == EINVAL);
    CHECK(load_costs("/tmp/none") == -1 && errno == ENOENT);
    for (unsigned i = 0; i < COUNT(bad); i++) {
        write_table(bad[i]);
        CHECK(load_costs("/tmp/costs") == -1 && errno == EINVAL);
    }
    write_table(
        "# event typical minimum maximum\n\n19 1 0.5 100 clks # a store\n15 10 5 20 nsec\n");
    CHECK(load_costs("/tmp/costs") == 0);
    CHECK(print_costs(GRADUATED, 1000000, STORES, 1500000) == 0);
}

static void *other(void *arg)
{
    long long a = 0, b = 0;

    CHECK(read_counters(STORES, &a, GRADUATED, &b) == -1); /* another's */
    CHECK(start_counters(STORES, GRADUATED) > 0);
    store(50000);
    CHECK(read_counters(STORES, &a, GRADUATED, &b) > 0);
    CHECK(a >= 50000 && a < 50500);
    return arg;
}

static void threads(void)
{
    long long a = 0, b = 0;
    pthread_t thread;

    CHECK(start_counters(STORES, GRADUATED) > 0);
    pthread_create(&thread, NULL, other, NULL);
    store(10000);
    CHECK(read_counters(STORES, &a, GRADUATED, &b) > 0);
    CHECK(a >= 10000 && a < 12000);
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*part)(void);
    } parts[] = {{"pairs", pairs},
                 {"refused", refused},
                 {"environment", environment},
                 {"costs", costs},
                 {"threads", threads}};

    for (unsigned i = 0; argc > 1 && i < COUNT(parts); i++)
        if (strcmp(parts[i].name, argv[1]) == 0) {
            parts[i].part();
            return guest_result();
        }
    return 99;
}
