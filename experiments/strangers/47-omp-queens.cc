// Counts the solutions of the n queens problem with OpenMP tasks: one task for each place of the
// first two queens. The number of positions that were tried is counted as well.
#include <atomic>
#include <cstdio>
#include <omp.h>

class Queens {
public:
    explicit Queens(int n) : n_(n), all_((1u << n) - 1) {}

    void solve()
    {
#pragma omp parallel
#pragma omp single
        for (int first = 0; first < n_; first++)
            for (int second = 0; second < n_; second++) {
#pragma omp task firstprivate(first, second)
                start(first, second);
            }
    }

    unsigned solutions() const { return solutions_; }
    unsigned tried() const { return tried_; }

private:
    struct Board {
        unsigned columns, left, right;
        Board with(unsigned queen) const
        {
            return {columns | queen, (left | queen) << 1, (right | queen) >> 1};
        }
        unsigned taken() const { return columns | left | right; }
    };

    void start(int first, int second)
    {
        Board board{0, 0, 0};
        board = board.with(1u << first);
        if ((board.taken() & 1u << second) == 0)
            place(board.with(1u << second), 2);
    }

    void place(const Board &board, int row)
    {
        if (row == n_) {
            solutions_++;
            return;
        }
        for (unsigned free = all_ & ~board.taken(); free != 0; free &= free - 1) {
            tried_++;
            place(board.with(free & -free), row + 1);
        }
    }

    const int n_;
    const unsigned all_;
    alignas(64) std::atomic<unsigned> tried_{0};
    alignas(64) std::atomic<unsigned> solutions_{0};
};

int main()
{
    Queens queens(9);
    queens.solve();
    std::printf("%u solutions, %u positions\n", queens.solutions(), queens.tried());
    return queens.solutions() == 352 ? 0 : 1;
}
