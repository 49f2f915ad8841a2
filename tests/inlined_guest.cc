// A program whose hot lines are all in functions that were inlined, of its own and of the library:
// one of them from two places. Nobody has written the destructor of Request.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <pthread.h>
#include <vector>

namespace {

class Histogram {
public:
    explicit Histogram(size_t bins) : bins_(bins) {}

    void add(unsigned value)
    {
        bins_[value % bins_.size()]++;
    }

    int most() const
    {
        std::vector<int> all;
        for (const auto &bin : bins_)
            all.push_back(bin.load());
        std::sort(all.begin(), all.end(), [](int a, int b) { return a > b; });
        return all[0];
    }

private:
    std::vector<std::atomic<int>> bins_;
};

struct Request {
    std::shared_ptr<int> of;
};

struct Job {
    Histogram *histogram;
    unsigned seed;
    std::shared_ptr<int> of;
};

inline unsigned next_of(unsigned &seed)
{
    seed = seed * 1103515245u + 12345u;
    return seed >> 16;
}

void *work(void *argument)
{
    Job *job = static_cast<Job *>(argument);
    for (int i = 0; i < 200; i++) {
        job->histogram->add(next_of(job->seed));
        if (i % 2 == 0)
            job->histogram->add(3);
        Request request{job->of};
    }
    return nullptr;
}

} // namespace

int main()
{
    Histogram histogram(6);
    Job jobs[4];
    pthread_t thread[4];
    auto of = std::make_shared<int>(1);
    for (unsigned i = 0; i < 4; i++) {
        jobs[i] = {&histogram, i, of};
        pthread_create(&thread[i], nullptr, work, &jobs[i]);
    }
    for (pthread_t t : thread)
        pthread_join(t, nullptr);
    volatile unsigned seeds = 0;
    std::for_each(jobs, jobs + 4, [&](const Job &job) {
        seeds = seeds + job.seed; // written, though the compiler calls its function its own
    });
    std::printf("%d\n", histogram.most() > 0);
    return 0;
}
