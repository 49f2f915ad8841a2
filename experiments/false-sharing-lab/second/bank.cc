// Transfers between accounts. An account is a line with its lock, which threads take where it is
// free.
#include "shown.h"

#include <atomic>
#include <thread>
#include <vector>

namespace
{

class LINE_ALIGNED Account
{
  public:
    bool try_hold()
    {
        return !held.exchange(true, std::memory_order_acquire);
    }
    void let_go()
    {
        held.store(false, std::memory_order_release);
    }
    void book(int amount)
    {
        balance += amount;
        last = amount;
        bookings++;
    }
    long worth() const
    {
        return balance;
    }

  private:
    std::atomic<bool> held{false};
    long balance = 1000;
    int last = 0;
    unsigned bookings = 0;
};

constexpr unsigned many = 12;
Account accounts[many];

void transfer(Account &from, Account &to, int amount)
{
    for (;;) {
        if (from.try_hold()) {
            if (to.try_hold())
                break;
            from.let_go();
        }
        for (int i = 0; i < 50; i++)
            asm volatile("");
    }
    from.book(-amount);
    to.book(amount);
    to.let_go();
    from.let_go();
}

void trade(unsigned seed)
{
    for (int i = 0; i < 1200; i++) {
        seed = seed * 1103515245u + 12345u;
        const unsigned from = (seed >> 16) % many,
                       to = (from + 1 + (seed >> 24) % (many - 1)) % many;
        transfer(accounts[from], accounts[to], static_cast<int>(seed >> 28));
    }
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned threads = static_cast<unsigned>(thread_count(argc, argv, 4));
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; t++)
        pool.emplace_back(trade, t + 1);
    for (auto &thread : pool)
        thread.join();
    long sum = 0;
    for (const auto &account : accounts)
        sum += account.worth();
    SHOW(accounts);
    printf("sum %ld\n", sum);
    return sum != 1000 * static_cast<long>(many);
}
