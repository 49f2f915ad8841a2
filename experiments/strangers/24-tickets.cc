// Sells tickets: eight box offices draw numbers from one dispenser until all seats are gone.
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>
#include <vector>

class Dispenser {
public:
    explicit Dispenser(int seats) : seats_(seats) {}

    /// The next seat's number, or -1 if the house is sold out.
    int draw()
    {
        const int seat = next_.fetch_add(1, std::memory_order_relaxed);
        return seat < seats_ ? seat : -1;
    }

private:
    const int seats_;
    alignas(64) std::atomic<int> next_{0};
};

struct alignas(64) BoxOffice {
    int sold = 0;
    long revenue = 0;

    void open(Dispenser &dispenser)
    {
        int n = 0;
        long money = 0;
        for (int seat; (seat = dispenser.draw()) >= 0;) {
            n++;
            money += price(seat);
        }
        sold = n;
        revenue = money;
    }

    static int price(int seat) { return seat % 100 < 20 ? 80 : seat % 100 < 60 ? 50 : 25; }
};

int main()
{
    constexpr int kSeats = 60000;
    constexpr int kOffices = 8;
    Dispenser dispenser(kSeats);
    std::vector<BoxOffice> offices(kOffices);
    std::vector<std::thread> threads;

    for (auto &office : offices)
        threads.emplace_back(&BoxOffice::open, &office, std::ref(dispenser));
    for (auto &thread : threads)
        thread.join();

    int sold = 0;
    long revenue = 0;
    for (const auto &office : offices) {
        sold += office.sold;
        revenue += office.revenue;
    }
    std::printf("%d tickets, %ld in all\n", sold, revenue);
    return sold == kSeats ? 0 : 1;
}
