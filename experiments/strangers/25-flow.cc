// Statistics of a flow of packets through three stages, in one object that all stages hold by
// shared_ptr. Each stage counts its own kind of event.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

class FlowStats {
public:
    void received() { bump(received_); }
    void forwarded() { bump(forwarded_); }
    void dropped() { bump(dropped_); }
    void print() const
    {
        std::printf("%u received, %u forwarded, %u dropped\n", received_.load(), forwarded_.load(),
                    dropped_.load());
    }

private:
    // There is one writer of each.
    static void bump(std::atomic<unsigned> &counter)
    {
        counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    std::atomic<unsigned> received_{0};
    std::atomic<unsigned> forwarded_{0};
    std::atomic<unsigned> dropped_{0};
};

class Stage {
public:
    explicit Stage(std::shared_ptr<FlowStats> stats) : stats_(std::move(stats)) {}
    virtual ~Stage() = default;

    void run(unsigned packets)
    {
        std::uint32_t packet = 1;
        for (unsigned i = 0; i < packets; i++) {
            packet = packet * 1664525u + 1013904223u;
            handle(packet >> 16);
        }
    }

protected:
    virtual void handle(std::uint32_t packet) = 0;
    FlowStats &stats() { return *stats_; }

private:
    std::shared_ptr<FlowStats> stats_;
};

struct Receiver : Stage {
    using Stage::Stage;
    void handle(std::uint32_t) override { stats().received(); }
};

struct Router : Stage {
    using Stage::Stage;
    void handle(std::uint32_t packet) override
    {
        if (packet % 16 != 0)
            stats().forwarded();
    }
};

struct Filter : Stage {
    using Stage::Stage;
    void handle(std::uint32_t packet) override
    {
        if (packet % 3 != 0)
            stats().dropped();
    }
};

int main()
{
    constexpr unsigned kPackets = 36000;
    auto stats = std::make_shared<FlowStats>();
    std::vector<std::unique_ptr<Stage>> stages;
    stages.push_back(std::make_unique<Receiver>(stats));
    stages.push_back(std::make_unique<Router>(stats));
    stages.push_back(std::make_unique<Filter>(stats));

    std::vector<std::thread> threads;
    for (auto &stage : stages)
        threads.emplace_back([&stage] { stage->run(kPackets); });
    for (auto &thread : threads)
        thread.join();
    stats->print();
}
