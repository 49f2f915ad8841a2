// A simulation that first settles, each thread with its own neighbourhood, and is measured only
// afterwards: then all threads write their measurements beside each other.
#include "shown.h"
#include <array>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned SITES = 96, SETTLE = 16, MEASURE = 16;

struct Measurement {
    APART unsigned ups = 0;
    unsigned changes = 0;
};

class OWN_LINE Chain
{
  public:
    explicit Chain(unsigned seed)
    {
        for (unsigned i = 0; i < SITES; i++)
            spin[i] = static_cast<unsigned char>((i * 2654435761u ^ seed * 40503u) >> 13 & 1);
    }
    unsigned step(unsigned i) const
    {
        return unsigned(spin[(i + 1) % SITES] + spin[(i + SITES - 1) % SITES] + spin[i]) % 2;
    }
    void settle()
    {
        for (unsigned t = 0; t < SETTLE; t++)
            for (unsigned i = 0; i < SITES; i++)
                spin[i] = static_cast<unsigned char>(step(i));
    }
    ALONE void measure(Measurement &m)
    {
        for (unsigned t = 0; t < MEASURE; t++)
            for (unsigned i = 0; i < SITES; i++)
                update(m, i);
    }

  private:
    std::array<unsigned char, SITES> spin;

    ALONE void update(Measurement &m, unsigned i)
    {
        unsigned to = step(i);
        m.ups += to;                // shares: measurements
        m.changes += to != spin[i]; // shares: measurements
        spin[i] = static_cast<unsigned char>(to);
    }
};

OWN_LINE Measurement measurements[MOST];

void run(Chain &chain, unsigned me)
{
    chain.settle();
    chain.measure(measurements[me]);
}

} // namespace

int main(int argc, char **argv)
{
    unsigned n = unsigned(threads_asked(argc, argv, 4)), wrong = 0;
    std::vector<Chain> chains;
    std::vector<std::thread> team;
    for (unsigned i = 0; i < n; i++)
        chains.emplace_back(i);
    shown("measurements", measurements, sizeof measurements);
    for (unsigned i = 0; i < n; i++)
        team.emplace_back(run, std::ref(chains[i]), i);
    for (std::thread &t : team)
        t.join();
    for (unsigned i = 0; i < n; i++) {
        Chain again(i);
        Measurement m;
        again.settle();
        again.measure(m);
        wrong += m.ups != measurements[i].ups || m.changes != measurements[i].changes;
    }
    printf("%u chains wrong\n", wrong);
    return wrong != 0;
}
