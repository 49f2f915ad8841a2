// A queue of orders under a mutex and a condition: one thread takes orders, others fill them.
#include "shown.h"
#include <array>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned ROOM = 16, ORDERS = 240;

struct Order {
    unsigned number = 0;
    std::array<unsigned char, 24> goods{};
};

class Desk
{
  public:
    void put(const Order &order)
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return length < ROOM; });
        orders[(first + length++) % ROOM] = order;
        changed.notify_all();
    }
    bool take(Order &order)
    {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [this] { return length > 0 || closed; });
        if (length == 0)
            return false;
        order = orders[first];
        first = (first + 1) % ROOM;
        length--;
        changed.notify_all();
        return true;
    }
    void close()
    {
        std::lock_guard<std::mutex> hold(lock);
        closed = true;
        changed.notify_all();
    }

  private:
    OWN_LINE std::mutex lock;
    OWN_LINE std::condition_variable changed;
    OWN_LINE unsigned first = 0, length = 0;
    bool closed = false;
    OWN_LINE std::array<Order, ROOM> orders;
};

OWN_LINE Desk desk;

struct OWN_LINE Clerk {
    unsigned filled = 0;
    unsigned long weight = 0;
    void work()
    {
        Order o;
        while (desk.take(o)) {
            for (unsigned char g : o.goods)
                for (int i = 0; i < 8; i++)
                    weight += unsigned(g >> i & 1);
            filled++;
        }
    }
};

unsigned long receive()
{
    unsigned long weight = 0;
    for (unsigned n = 0; n < ORDERS; n++) {
        Order o;
        o.number = n;
        for (unsigned char &g : o.goods) {
            g = static_cast<unsigned char>(n * 7 + unsigned(&g - o.goods.data()));
            for (int i = 0; i < 8; i++)
                weight += unsigned(g >> i & 1);
        }
        desk.put(o);
    }
    desk.close();
    return weight;
}

} // namespace

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 3);
    if (n < 2)
        return 2;
    std::vector<Clerk> clerks(unsigned(n - 1));
    std::vector<std::thread> team;
    shown("desk", &desk, sizeof desk);
    for (Clerk &c : clerks)
        team.emplace_back(&Clerk::work, &c);
    unsigned long weight = receive(), filled = 0;
    for (std::thread &t : team)
        t.join();
    for (const Clerk &c : clerks) {
        filled += c.filled;
        weight -= c.weight;
    }
    printf("%lu orders\n", filled);
    return filled != ORDERS || weight != 0;
}
