// Counters that are thread_local, of a class as everybody has one: nothing is shared but the sum at
// the end.
#include "shown.h"

#include <atomic>
#include <thread>
#include <vector>

namespace
{

struct Tally {
    volatile unsigned hits = 0;
    volatile unsigned misses = 0;
};

thread_local Tally tally;
std::atomic<unsigned> all_hits{0}, all_misses{0};

void look_up(unsigned first)
{
    for (unsigned key = first; key < first + 6000; key++) {
        if (key * 2654435761u >> 30 == 0)
            tally.hits = tally.hits + 1;
        else
            tally.misses = tally.misses + 1;
    }
    all_hits += tally.hits;
    all_misses += tally.misses;
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned threads = static_cast<unsigned>(thread_count(argc, argv, 4));
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; t++)
        pool.emplace_back(look_up, t * 6000);
    for (auto &thread : pool)
        thread.join();
    printf("%u keys\n", all_hits + all_misses);
    return all_hits + all_misses != threads * 6000;
}
