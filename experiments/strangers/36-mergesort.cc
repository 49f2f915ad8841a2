// Merge sort: the vector is cut into as many pieces as there are threads. Each thread sorts a copy
// of its piece; then pairs of pieces are merged, half as many threads in each round.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

using Piece = std::vector<unsigned>;

static void merge_sort(Piece &data)
{
    Piece other(data.size());
    for (std::size_t width = 1; width < data.size(); width *= 2) {
        for (std::size_t at = 0; at < data.size(); at += 2 * width) {
            const auto middle = std::min(at + width, data.size());
            const auto end = std::min(at + 2 * width, data.size());
            std::merge(data.begin() + at, data.begin() + middle, data.begin() + middle,
                       data.begin() + end, other.begin() + at);
        }
        data.swap(other);
    }
}

static std::unique_ptr<Piece> merged(std::unique_ptr<Piece> a, std::unique_ptr<Piece> b)
{
    auto result = std::make_unique<Piece>(a->size() + b->size());
    std::merge(a->begin(), a->end(), b->begin(), b->end(), result->begin());
    return result;
}

int main()
{
    constexpr unsigned kThreads = 4, kNumbers = 16000;
    std::vector<unsigned> numbers(kNumbers);
    unsigned x = 2463534242u;
    for (auto &n : numbers) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        n = x;
    }

    std::vector<std::unique_ptr<Piece>> pieces(kThreads);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < kThreads; t++)
        threads.emplace_back([&, t] {
            auto piece = std::make_unique<Piece>(numbers.begin() + kNumbers / kThreads * t,
                                                 numbers.begin() + kNumbers / kThreads * (t + 1));
            merge_sort(*piece);
            pieces[t] = std::move(piece);
        });
    for (auto &thread : threads)
        thread.join();

    while (pieces.size() > 1) {
        std::vector<std::unique_ptr<Piece>> next(pieces.size() / 2);
        threads.clear();
        for (std::size_t i = 0; i < next.size(); i++)
            threads.emplace_back([&, i] {
                next[i] = merged(std::move(pieces[2 * i]), std::move(pieces[2 * i + 1]));
            });
        for (auto &thread : threads)
            thread.join();
        pieces = std::move(next);
    }
    std::printf("%s, smallest %u\n",
                std::is_sorted(pieces[0]->begin(), pieces[0]->end()) ? "sorted" : "not sorted",
                pieces[0]->front());
}
