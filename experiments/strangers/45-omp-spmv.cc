// Sparse matrix times vector with OpenMP, in the format of compressed rows. The matrix is made by
// the constructor; the product is computed a few times, as an iterative solver would.
#include <cstdio>
#include <omp.h>
#include <vector>

class SparseMatrix {
public:
    SparseMatrix(int n, int per_row) : n_(n), start_(n + 1)
    {
        unsigned x = 19;
        for (int row = 0; row < n; row++) {
            start_[row] = static_cast<int>(column_.size());
            for (int k = 0; k < per_row; k++) {
                x = x * 69069u + 1u;
                const int away = static_cast<int>(x >> 27) - 16;
                const int column = row + away < 0 || row + away >= n ? row : row + away;
                column_.push_back(column);
                value_.push_back(static_cast<signed char>((x >> 20) % 7 - 3));
            }
        }
        start_[n] = static_cast<int>(column_.size());
    }

    int size() const { return n_; }

    void multiply(const std::vector<int> &in, std::vector<int> &out) const
    {
#pragma omp parallel for schedule(static)
        for (int row = 0; row < n_; row++) {
            int sum = 0;
            for (int k = start_[row]; k < start_[row + 1]; k++)
                sum += value_[k] * in[column_[k]];
            out[row] = sum % 1000;
        }
    }

private:
    int n_;
    std::vector<int> start_, column_;
    std::vector<signed char> value_;
};

int main()
{
    constexpr int kRows = 8000, kPerRow = 8, kRounds = 5;
    const SparseMatrix matrix(kRows, kPerRow);
    std::vector<int> x(kRows, 1), y(kRows);

    for (int round = 0; round < kRounds; round++) {
        matrix.multiply(x, y);
        x.swap(y);
    }
    long sum = 0;
    for (int value : x)
        sum += value;
    std::printf("%ld\n", sum);
}
