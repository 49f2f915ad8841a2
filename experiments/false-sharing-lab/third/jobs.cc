// A job system: each worker has its queue of jobs in one vector, and takes from others when its own
// is empty.
#include "shown.h"
#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

constexpr int JOBS = 600;

class Deque
{
  public:
    void put(int jobs)
    {
        bottom = jobs;
    }
    // The next job's number from 1, or 0.
    int take()
    {
        std::lock_guard<std::mutex> hold(lock); // shares: main()
        if (top == bottom)
            return 0;
        taken++;      // shares: main()
        return ++top; // shares: main()
    }
    int was_taken() const
    {
        return taken;
    }

  private:
    APART std::mutex lock;
    int top = 0, bottom = 0, taken = 0;
};

struct OWN_LINE Result {
    unsigned sum = 0;
};

unsigned run_job(unsigned job)
{
    unsigned x = job;
    for (int i = 0; i < 40; i++)
        x = x * 1664525u + 1013904223u;
    return x >> 8 & 0xff;
}

void work(std::vector<Deque> &deques, Result &result, unsigned me)
{
    unsigned n = unsigned(deques.size());
    for (unsigned i = 0; i < n; i++) {
        Deque &from = deques[(me + i) % n];
        while (int job = from.take())
            result.sum += run_job(unsigned(job));
    }
}

} // namespace

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 4), taken = 0;
    std::vector<Deque> deques((unsigned(n)));
    std::vector<Result> results((unsigned(n)));
    std::vector<std::thread> workers;
    for (int i = 0; i < n; i++)
        deques[unsigned(i)].put(JOBS);
    shown("main()", deques.data(), deques.size() * sizeof(Deque));
    for (unsigned i = 0; i < unsigned(n); i++)
        workers.emplace_back(work, std::ref(deques), std::ref(results[i]), i);
    for (std::thread &w : workers)
        w.join();
    unsigned sum = 0, right = 0;
    for (const Result &r : results)
        sum += r.sum;
    for (unsigned j = 1; j <= JOBS; j++)
        right += run_job(j);
    for (const Deque &d : deques)
        taken += d.was_taken();
    printf("%d jobs\n", taken);
    return taken != n * JOBS || sum != right * unsigned(n);
}
