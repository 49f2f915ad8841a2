// A parallel reduction as a template: any iterator, any operation. Partial results are collected
// in a vector and combined at the end.
#include <cstdio>
#include <functional>
#include <iterator>
#include <numeric>
#include <thread>
#include <vector>

template <typename Iterator, typename T, typename Operation>
void reduce_range(Iterator first, Iterator last, T &result, Operation operation)
{
    for (; first != last; ++first)
        result = operation(result, *first);
}

template <typename Iterator, typename T, typename Operation>
T parallel_reduce(Iterator first, Iterator last, T start, unsigned threads, Operation operation)
{
    const auto length = std::distance(first, last);
    std::vector<T> partial(threads, start);
    std::vector<std::thread> pool;

    for (unsigned t = 0; t < threads; t++) {
        auto from = std::next(first, length * t / threads);
        auto to = std::next(first, length * (t + 1) / threads);
        pool.emplace_back([from, to, &out = partial[t], operation] {
            reduce_range(from, to, out, operation);
        });
    }
    for (auto &thread : pool)
        thread.join();
    return std::accumulate(partial.begin(), partial.end(), start, operation);
}

int main()
{
    using Function = std::function<unsigned(unsigned, unsigned)>;
    const Function operations[] = {
        [](unsigned a, unsigned b) { return (a + b) % 65521u; },
        [](unsigned a, unsigned b) { return a ^ b; },
        [](unsigned a, unsigned b) { return a > b ? a : b; },
    };
    std::vector<unsigned> numbers(16000);
    unsigned x = 99;
    for (auto &n : numbers) {
        x = x * 1664525u + 1013904223u;
        n = x >> 16;
    }
    for (const auto &operation : operations)
        std::printf("%u\n", parallel_reduce(numbers.begin(), numbers.end(), 0u, 8, operation));
}
