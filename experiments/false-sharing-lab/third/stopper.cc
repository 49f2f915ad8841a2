// Workers look at a flag, which tells them to stop, between the pieces of their work. The one that
// will set it measures time meanwhile, and the ticks that it counts are beside the flag.
#include "shown.h"
#include <atomic>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned TICKS = 2200, PIECE = 25;

struct Control {
    std::atomic<bool> stop{false};
    APART std::atomic<unsigned> ticks{0};
    unsigned late = 0;
};

struct OWN_LINE Worker {
    unsigned pieces = 0, state = 0;
    void piece()
    {
        for (unsigned i = 0; i < PIECE; i++)
            state = state * 1103515245u + 12345u;
        pieces++;
    }
};

class Bench
{
  public:
    explicit Bench(unsigned n) : workers(n)
    {
    }
    void work(unsigned me)
    {
        while (!control.stop.load(std::memory_order_relaxed))
            workers[me].piece();
    }
    void measure()
    {
        unsigned x = 0;
        for (unsigned i = 0; i < TICKS; i++) {
            for (unsigned k = 0; k < PIECE; k++)
                x = x * 69069u + 1;
            if (x & 1)
                control.late++;                                    // shares: control
            control.ticks.store(i + 1, std::memory_order_relaxed); // shares: control
        }
        control.stop.store(true); // shares: control
    }
    bool right() const
    {
        return control.ticks.load() == TICKS && control.late <= TICKS && control.stop.load();
    }

    static Control control;

  private:
    std::vector<Worker> workers;
};

OWN_LINE Control Bench::control;

} // namespace

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 2);
    if (n < 2)
        return 2;
    Bench bench(unsigned(n - 1));
    std::vector<std::thread> team;
    shown("control", &Bench::control, sizeof Bench::control);
    for (unsigned i = 0; i + 1 < unsigned(n); i++)
        team.emplace_back(&Bench::work, &bench, i);
    team.emplace_back(&Bench::measure, &bench);
    for (std::thread &t : team)
        t.join();
    printf("%s\n", bench.right() ? "right" : "wrong");
    return bench.right() ? 0 : 1;
}
