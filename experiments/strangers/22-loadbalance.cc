// A load balancer's simulation: every worker draws requests and serves those that its cache of
// recent answers has; it keeps a record of hits and misses, from which the report is made.
#include <array>
#include <cstdint>
#include <iostream>
#include <thread>
#include <vector>

namespace {

struct WorkerStats {
    std::uint32_t hits = 0;
    std::uint32_t misses = 0;
    std::uint32_t evictions = 0;
};

class Random {
public:
    explicit Random(std::uint32_t seed) : state_(seed) {}
    std::uint32_t operator()(std::uint32_t bound)
    {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return state_ % bound;
    }

private:
    std::uint32_t state_;
};

class AnswerCache {
public:
    bool lookup(std::uint32_t key) const { return slots_[key % slots_.size()] == key; }
    bool insert(std::uint32_t key)
    {
        auto &slot = slots_[key % slots_.size()];
        const bool evicted = slot != 0;
        slot = key;
        return evicted;
    }

private:
    std::array<std::uint32_t, 61> slots_{};
};

class Balancer {
public:
    Balancer(unsigned workers, unsigned requests) : stats_(workers), requests_(requests) {}

    void run()
    {
        std::vector<std::thread> threads;
        for (unsigned w = 0; w < stats_.size(); w++)
            threads.emplace_back([this, w] { serve(w); });
        for (auto &thread : threads)
            thread.join();
    }

    void report(std::ostream &out) const
    {
        WorkerStats sum;
        for (const auto &s : stats_) {
            sum.hits += s.hits;
            sum.misses += s.misses;
            sum.evictions += s.evictions;
        }
        out << sum.hits << " hits, " << sum.misses << " misses, " << sum.evictions
            << " evictions\n";
    }

private:
    void serve(unsigned worker)
    {
        Random random(88172645u + worker);
        AnswerCache cache;
        for (unsigned i = 0; i < requests_; i++) {
            const std::uint32_t key = 1 + random(96);
            if (cache.lookup(key)) {
                stats_[worker].hits++;
                continue;
            }
            stats_[worker].misses++;
            if (cache.insert(key))
                stats_[worker].evictions++;
        }
    }

    std::vector<WorkerStats> stats_;
    unsigned requests_;
};

} // namespace

int main()
{
    Balancer balancer(8, 12000);
    balancer.run();
    balancer.report(std::cout);
}
