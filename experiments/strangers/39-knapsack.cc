// Knapsacks by dynamic programming: each thread solves problems of its own with a table of its own,
// and adds the best value to its own result when it has finished.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>
#include <thread>
#include <vector>

struct Item {
    unsigned weight, value;
};

class Problem {
public:
    explicit Problem(unsigned seed, unsigned items)
    {
        std::minstd_rand random(seed);
        for (unsigned i = 0; i < items; i++)
            items_.push_back({1 + static_cast<unsigned>(random() % 30),
                              1 + static_cast<unsigned>(random() % 100)});
    }

    unsigned best(unsigned capacity) const
    {
        std::vector<unsigned> table(capacity + 1, 0);
        for (const auto &item : items_)
            for (unsigned c = capacity; c >= item.weight; c--)
                table[c] = std::max(table[c], table[c - item.weight] + item.value);
        return table[capacity];
    }

private:
    std::vector<Item> items_;
};

class Solver {
public:
    Solver(unsigned first, unsigned last) : first_(first), last_(last) {}

    void operator()()
    {
        unsigned sum = 0;
        for (unsigned seed = first_; seed < last_; seed++)
            sum += Problem(seed, 24).best(200);
        sum_ = sum;
    }
    unsigned sum() const { return sum_; }

private:
    unsigned first_, last_, sum_ = 0;
};

int main()
{
    constexpr unsigned kThreads = 4, kProblems = 12;
    std::vector<Solver> solvers;
    std::vector<std::thread> threads;

    for (unsigned t = 0; t < kThreads; t++)
        solvers.emplace_back(t * kProblems + 1, (t + 1) * kProblems + 1);
    for (auto &solver : solvers)
        threads.emplace_back(std::ref(solver));
    for (auto &thread : threads)
        thread.join();
    unsigned sum = 0;
    for (const auto &solver : solvers)
        sum += solver.sum();
    std::printf("%u\n", sum);
}
