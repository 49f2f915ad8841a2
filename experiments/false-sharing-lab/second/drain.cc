// A service: first all threads compute by themselves, then each empties its queue, whose small
// heads lie in one vector.
#include "shown.h"

#include <array>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned items = 2500;

struct APART Head {
    volatile unsigned position = 0;
    volatile unsigned sum = 0;
};

class Service
{
  public:
    explicit Service(unsigned threads) : heads(threads)
    {
        show_object("Service()", heads.data(), heads.size() * sizeof(Head));
    }
    void serve(unsigned me)
    {
        std::array<unsigned, items> queue{};
        unsigned x = 1;
        for (auto &item : queue)
            for (int k = 0; k < 14; k++)
                item = x = x * 5 + 3;
        Head &head = heads[me];
        while (head.position < items) {
            head.sum = head.sum + queue[head.position] % 8; /* shares: Service() */
            head.position = head.position + 1;              /* shares: Service() */
        }
    }
    bool same() const
    {
        for (const auto &head : heads)
            if (head.sum != heads[0].sum || head.position != items)
                return false;
        return true;
    }

  private:
    std::vector<Head> heads;
};

} // namespace

int main(int argc, char **argv)
{
    const unsigned threads = static_cast<unsigned>(thread_count(argc, argv, 2));
    Service service(threads);
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; t++)
        pool.emplace_back([&service, t] { service.serve(t); });
    for (auto &thread : pool)
        thread.join();
    puts(service.same() ? "same" : "different");
    return service.same() ? 0 : 1;
}
