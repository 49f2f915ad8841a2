/*
 * A vector of vectors: each thread appends to its own, which writes the end in its head, and the
 * heads lie beside each other. The elements themselves are far apart.
 */
#include "../false-sharing-lab/first/lab.h"

#include <vector>

enum { ROUNDS = 500 };

struct LAB_APART Results {
    std::vector<unsigned> found;
};

static std::vector<Results> results(LAB_THREADS_MAX);

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        results[me].found.push_back(i);
        __asm__ volatile("" ::: "memory");
        lab_think(40);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    for (Results &r : results)
        r.found.reserve(ROUNDS + 16);
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= results[t].found.size() == ROUNDS;
    return lab_end(good);
}
