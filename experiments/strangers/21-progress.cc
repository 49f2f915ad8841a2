// Progress of a batch of jobs: each thread has an atomic counter in a vector, which a display could
// read at any time.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

class Batch {
public:
    Batch(unsigned threads, unsigned items) : progress_(threads), items_(items)
    {
        for (auto &p : progress_)
            p.store(0);
    }

    template <typename Job> void run(Job job)
    {
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < progress_.size(); t++)
            threads.emplace_back(&Batch::work<Job>, this, t, job);
        for (auto &thread : threads)
            thread.join();
    }

    unsigned done() const
    {
        unsigned sum = 0;
        for (const auto &p : progress_)
            sum += p.load();
        return sum;
    }

private:
    template <typename Job> void work(std::size_t thread, Job job)
    {
        for (unsigned i = 0; i < items_; i++) {
            job(i);
            progress_[thread].fetch_add(1, std::memory_order_relaxed);
        }
    }

    std::vector<std::atomic<unsigned>> progress_;
    unsigned items_;
};

static unsigned gcd(unsigned a, unsigned b)
{
    while (b != 0) {
        const unsigned rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int main()
{
    Batch batch(8, 5000);
    batch.run([](unsigned i) {
        volatile unsigned result = gcd(i * 12u, 1u << i % 8);
        (void)result;
    });
    std::printf("%u items\n", batch.done());
    return batch.done() == 8 * 5000 ? 0 : 1;
}
