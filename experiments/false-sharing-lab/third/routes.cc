// A table of routes behind a pointer: all threads look routes up; now and then one puts a new table
// in place.
#include "shown.h"
#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned NETS = 64, LOOKUPS = 1500, CHANGES = 3;

struct OWN_LINE Table {
    unsigned version = 0;
    std::array<unsigned, NETS> gate{};
};

class Router
{
  public:
    Router()
    {
        publish(0);
    }
    ALONE void publish(unsigned version)
    {
        auto fresh = std::make_unique<Table>();
        fresh->version = version;
        for (unsigned n = 0; n < NETS; n++)
            fresh->gate[n] = (n * 5 + version) % NETS + (version << 8);
        current.store(fresh.get(), std::memory_order_release);
        tables.push_back(std::move(fresh));
    }
    bool route(unsigned address) const
    {
        const Table *t = current.load(std::memory_order_acquire);
        unsigned net = address * 2654435761u >> 26;
        unsigned gate = t->gate[net];
        return gate >> 8 == t->version && (gate & 255) == (net * 5 + t->version) % NETS;
    }
    unsigned versions() const
    {
        return unsigned(tables.size());
    }
    void show() const
    {
        for (const auto &t : tables)
            shown("publish()", t.get(), sizeof *t);
    }

  private:
    OWN_LINE std::atomic<const Table *> current{nullptr};
    OWN_LINE std::vector<std::unique_ptr<Table>> tables;
};

OWN_LINE Router router;

struct OWN_LINE Port {
    unsigned good = 0;
    void forward(unsigned me)
    {
        unsigned address = me;
        for (unsigned i = 0; i < LOOKUPS; i++) {
            for (int k = 0; k < 4; k++)
                address = address * 1664525u + 1013904223u;
            good += router.route(address);
            if (me == 0 && (i + 1) % (LOOKUPS / CHANGES) == 0)
                router.publish((i + 1) / (LOOKUPS / CHANGES));
        }
    }
};

} // namespace

int main(int argc, char **argv)
{
    unsigned n = unsigned(threads_asked(argc, argv, 8)), wrong = 0;
    std::vector<Port> ports(n);
    std::vector<std::thread> team;
    for (unsigned i = 0; i < n; i++)
        team.emplace_back(&Port::forward, &ports[i], i);
    for (std::thread &t : team)
        t.join();
    router.show();
    for (const Port &p : ports)
        wrong += p.good != LOOKUPS;
    printf("%u versions, %u wrong\n", router.versions(), wrong);
    return wrong || router.versions() != CHANGES + 1;
}
