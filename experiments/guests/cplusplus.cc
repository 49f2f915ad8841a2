/*
 * C++: threads of the standard library, its mutex and condition variable, vectors, an exception.
 *
 *     cplusplus THREADS N
 *
 *   count   all add to one number under a std::mutex
 *   atomic  all add to one std::atomic
 *   sort    a vector sorted in parts, which pairs of threads merge
 *   queue   one thread gives numbers through a queue with a std::condition_variable
 *
 * Each is a region, and checks its result.
 */
#include <numachine.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

/* Runs `work(0)`, `work(1)` ... in threads, and waits for them. */
template <class Work> void in_threads(unsigned threads, Work work)
{
    std::vector<std::thread> all;
    for (unsigned me = 0; me < threads; me++)
        all.emplace_back(work, me);
    for (std::thread &one : all)
        one.join();
}

/* An exception, so that unwinding is used, too. */
void check(const char *name, bool good)
{
    std::printf("%s: %s\n", name, good ? "right" : "WRONG");
    if (!good)
        throw std::runtime_error(name);
}

bool count(unsigned threads, unsigned n)
{
    std::mutex mutex;
    unsigned long sum = 0;
    in_threads(threads, [&](unsigned) {
        for (unsigned i = 0; i < n; i++) {
            std::lock_guard<std::mutex> guard(mutex);
            sum++;
        }
    });
    return sum == static_cast<unsigned long>(threads) * n;
}

bool count_atomic(unsigned threads, unsigned n)
{
    std::atomic<unsigned> sum{0};
    in_threads(threads, [&](unsigned) {
        for (unsigned i = 0; i < n; i++)
            sum++;
    });
    return sum == threads * n;
}

bool sort(unsigned threads, unsigned n)
{
    std::vector<unsigned> all(static_cast<std::size_t>(threads) * n);
    unsigned random = 1;
    for (unsigned &one : all)
        one = random = random * 1664525 + 1013904223;
    const unsigned long sum = std::accumulate(all.begin(), all.end(), 0UL);
    in_threads(threads,
               [&](unsigned me) { std::sort(&all[me * n], &all[me * n] + n); });
    for (unsigned step = 1; step < threads; step *= 2)
        in_threads((threads + 2 * step - 1) / (2 * step), [&](unsigned pair) {
            auto at = [&](unsigned part) { return all.begin() + std::min(part, threads) * n; };
            const unsigned first = 2 * step * pair;
            std::inplace_merge(at(first), at(first + step), at(first + 2 * step));
        });
    return std::is_sorted(all.begin(), all.end()) &&
                      std::accumulate(all.begin(), all.end(), 0UL) == sum;
}

bool queue(unsigned threads, unsigned n)
{
    std::mutex mutex;
    std::condition_variable filled;
    std::deque<unsigned> waiting;
    std::vector<unsigned long> sum(threads);
    in_threads(threads + 1, [&](unsigned me) {
        if (me == threads) { /* gives the numbers, and then a 0 for each */
            for (unsigned i = 1; i <= n + threads; i++) {
                std::lock_guard<std::mutex> guard(mutex);
                waiting.push_back(i <= n ? i : 0);
                filled.notify_one();
            }
            return;
        }
        for (unsigned got = 1; got; sum[me] += got) {
            std::unique_lock<std::mutex> lock(mutex);
            filled.wait(lock, [&] { return !waiting.empty(); });
            got = waiting.front();
            waiting.pop_front();
        }
    });
    return std::accumulate(sum.begin(), sum.end(), 0UL) ==
                       static_cast<unsigned long>(n) * (n + 1) / 2;
}

unsigned number(int argc, char **argv, int at, unsigned otherwise)
{
    const unsigned n = argc > at ? static_cast<unsigned>(std::stoul(argv[at])) : 0;
    return n ? n : otherwise;
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned threads = number(argc, argv, 1, std::thread::hardware_concurrency());
    const unsigned n = number(argc, argv, 2, 100);
    try {
        NUMACHINE_BEGIN("count");
        const bool count_good = count(threads, n);
        NUMACHINE_END("count");
        NUMACHINE_BEGIN("atomic");
        const bool count_atomic_good = count_atomic(threads, n);
        NUMACHINE_END("atomic");
        NUMACHINE_BEGIN("sort");
        const bool sort_good = sort(threads, n);
        NUMACHINE_END("sort");
        NUMACHINE_BEGIN("queue");
        const bool queue_good = queue(threads, n);
        NUMACHINE_END("queue");
        check("count", count_good);
        check("atomic", count_atomic_good);
        check("sort", sort_good);
        check("queue", queue_good);
    } catch (const std::exception &wrong) {
        std::fprintf(stderr, "wrong: %s\n", wrong.what());
        return 1;
    }
    return 0;
}
