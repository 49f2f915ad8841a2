// Energy of a one-dimensional chain of springs with OpenMP and std::vector: each thread adds up
// the energy of its springs, by kind.
#include <cstdio>
#include <omp.h>
#include <vector>

struct Spring {
    int from, to;
    int stiffness;
};

struct Chain {
    std::vector<int> position;
    std::vector<Spring> springs;

    explicit Chain(int n) : position(n)
    {
        unsigned x = 11;
        for (int i = 0; i < n; i++) {
            x = x * 69069u + 5u;
            position[i] = 100 * i + static_cast<int>(x >> 27);
        }
        for (int i = 0; i + 1 < n; i++)
            springs.push_back({i, i + 1, 1 + i % 3});
    }
};

struct Energy {
    long long stretched = 0, compressed = 0;
};

static Energy total_energy(const Chain &chain, int rounds)
{
    std::vector<Energy> energies(omp_get_max_threads());
    Energy total;

    for (int r = 0; r < rounds; r++) {
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < chain.springs.size(); i++) {
            const Spring &s = chain.springs[i];
            Energy &mine = energies[omp_get_thread_num()];
            const int length = chain.position[s.to] - chain.position[s.from] - 100;
            if (length > 0)
                mine.stretched += static_cast<long long>(s.stiffness) * length * length;
            else
                mine.compressed += static_cast<long long>(s.stiffness) * length * length;
        }
    }
    for (const auto &e : energies) {
        total.stretched += e.stretched;
        total.compressed += e.compressed;
    }
    return total;
}

int main()
{
    const Chain chain(4000);
    const Energy energy = total_energy(chain, 12);
    std::printf("%lld %lld\n", energy.stretched, energy.compressed);
}
