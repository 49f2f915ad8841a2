/*
 * Counters that are atomic, in a std::unique_ptr to an array: each thread adds to its own.
 */
#include "../false-sharing-lab/first/lab.h"

#include <atomic>
#include <memory>

enum { ROUNDS = 300 };

struct LAB_APART Counter {
    std::atomic<unsigned> value{0};
};

static std::unique_ptr<Counter[]> counters;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        counters[me].value.fetch_add(1, std::memory_order_relaxed);
        lab_think(40);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    counters.reset(new Counter[LAB_THREADS_MAX]);
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= counters[t].value == ROUNDS;
    return lab_end(good);
}
