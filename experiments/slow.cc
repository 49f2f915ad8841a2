/*
 * A C++ program that is slow on many processors: eight threads count, each in its own element of a
 * vector, and now and then one adds to a total under a mutex.
 *
 * README.md, "My program is in C++", finds out which of the two is to blame.
 */
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

constexpr int threads = 8, numbers = 4000;

struct Count {
    long n = 0;
};

class Tally
{
  public:
    explicit Tally(int workers) : counts(workers)
    {
    }
    void work(int me)
    {
        for (int n = 0; n < numbers; n++) {
            step(counts[me].n);
            if (n % 500 == 0) {
                std::lock_guard<std::mutex> hold(lock);
                total++;
            }
        }
    }
    long sum() const
    {
        long all = 0;
        for (const Count &count : counts)
            all += count.n;
        return all;
    }

  private:
    static void step(volatile long &count)
    {
        count = count + 1;
    }
    std::vector<Count> counts;
    std::mutex lock;
    long total = 0;
};

int main()
{
    Tally tally(threads);
    std::vector<std::thread> worker;
    for (int t = 0; t < threads; t++)
        worker.emplace_back([&tally, t] { tally.work(t); });
    for (std::thread &w : worker)
        w.join();
    std::printf("%ld of %d\n", tally.sum(), threads * numbers);
}
