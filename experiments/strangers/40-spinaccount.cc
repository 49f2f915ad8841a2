// Accounts with a small spin lock each. Most customers share a savings account with all others;
// its lock is taken for every booking.
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class SpinLock {
public:
    void lock()
    {
        while (flag_.test_and_set(std::memory_order_acquire))
            while (flag_.test(std::memory_order_relaxed)) {
            }
    }
    void unlock() { flag_.clear(std::memory_order_release); }

private:
    std::atomic_flag flag_ = ATOMIC_FLAG_INIT;
};

class Account {
public:
    explicit Account(std::string owner) : owner_(std::move(owner)) {}
    virtual ~Account() = default;

    void book(int amount)
    {
        std::lock_guard<SpinLock> guard(busy_);
        balance_ += amount;
        charge();
    }

    long balance() const { return balance_; }
    const std::string &owner() const { return owner_; }

protected:
    virtual void charge() {}
    long balance_ = 0;

private:
    SpinLock busy_;
    std::string owner_;
};

class Savings : public Account {
public:
    using Account::Account;

protected:
    void charge() override
    {
        bookings_++;
        if (bookings_ % 100 == 0)
            balance_ -= 1;
    }

private:
    unsigned bookings_ = 0;
};

static void customer(Account &account, int bookings)
{
    for (int i = 1; i <= bookings; i++)
        account.book(i % 3 == 0 ? -2 : 3);
}

int main()
{
    constexpr int kCustomers = 8, kBookings = 1500;
    const auto savings = std::make_unique<Savings>("family");
    std::vector<std::thread> threads;

    for (int i = 0; i < kCustomers; i++)
        threads.emplace_back(customer, std::ref(*savings), kBookings);
    for (auto &thread : threads)
        thread.join();
    std::printf("%s: %ld\n", savings->owner().c_str(), savings->balance());
}
