// A queue of jobs behind a spin lock. All workers take from the same end.
#include <atomic>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

class Spin {
public:
    void lock()
    {
        while (taken_.exchange(true, std::memory_order_acquire)) {
            // busy
        }
    }
    void unlock() { taken_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> taken_{false};
};

struct Job {
    unsigned from, to;
};

class JobQueue {
public:
    void add(Job job)
    {
        std::lock_guard<Spin> guard(spin_);
        jobs_.push_back(job);
    }

    std::optional<Job> take()
    {
        std::lock_guard<Spin> guard(spin_);
        if (jobs_.empty())
            return std::nullopt;
        Job job = jobs_.front();
        jobs_.pop_front();
        return job;
    }

private:
    Spin spin_;
    std::deque<Job> jobs_;
};

JobQueue queue;

unsigned digits_sum(const Job &job)
{
    unsigned sum = 0;
    for (unsigned n = job.from; n < job.to; n++)
        for (unsigned rest = n; rest != 0; rest /= 10)
            sum += rest % 10;
    return sum;
}

int main()
{
    constexpr unsigned kJobs = 5000, kWorkers = 6, kSize = 4;
    for (unsigned j = 0; j < kJobs; j++)
        queue.add({j * kSize % 1000, j * kSize % 1000 + kSize});

    std::atomic<unsigned> total{0};
    std::vector<std::thread> workers;
    for (unsigned w = 0; w < kWorkers; w++)
        workers.emplace_back([&total] {
            unsigned sum = 0;
            while (auto job = queue.take())
                sum += digits_sum(*job);
            total += sum;
        });
    for (auto &worker : workers)
        worker.join();
    std::printf("%u\n", total.load());
}
