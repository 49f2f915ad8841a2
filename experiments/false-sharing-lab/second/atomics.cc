// Progress of several threads in a std::vector of atomics.
#include "shown.h"

#include <atomic>
#include <thread>
#include <vector>

namespace
{

struct Cell {
    APART std::atomic<unsigned> value{0};
};

constexpr unsigned items = 3000;

void process(Cell &progress)
{
    for (unsigned i = 0; i < items; i++) {
        unsigned x = i;
        for (int k = 0; k < 6; k++)
            x = x * 5 + 1;
        progress.value.fetch_add(1 + (x & 0), std::memory_order_relaxed); /* shares: track() */
    }
}

unsigned track(unsigned threads)
{
    std::vector<Cell> progress(threads);
    std::vector<std::thread> pool;
    for (auto &cell : progress)
        pool.emplace_back(process, std::ref(cell));
    for (auto &thread : pool)
        thread.join();
    show_object("track()", progress.data(), progress.size() * sizeof(Cell));
    unsigned sum = 0;
    for (const auto &cell : progress)
        sum += cell.value;
    return sum;
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned threads = static_cast<unsigned>(thread_count(argc, argv, 2));
    const unsigned sum = track(threads);
    printf("items %u\n", sum);
    return sum == threads * items ? 0 : 1;
}
