/*
 * A std::vector with an element for each thread.
 */
#include "../false-sharing-lab/first/lab.h"

#include <vector>

enum { ROUNDS = 500 };

struct LAB_APART Slot {
    unsigned hits = 0, misses = 0;
};

static std::vector<Slot> slots(LAB_THREADS_MAX);

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        volatile Slot &mine = slots[me];
        if (i % 3)
            mine.hits = mine.hits + 1;
        else
            mine.misses = mine.misses + 1;
        lab_think(30);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= slots[t].hits + slots[t].misses == ROUNDS;
    return lab_end(good);
}
