// A simulation engine: one thread advances the clock of the model, and several observers compute
// on their own until the engine is told to stop.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

class Engine {
public:
    void advance(unsigned ticks)
    {
        for (unsigned i = 0; i < ticks; i++) {
            model_ = model_ * 1664525u + 1013904223u;
            ticks_.store(ticks_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        }
        running_.store(false, std::memory_order_release);
    }

    bool running() const { return running_.load(std::memory_order_acquire); }
    unsigned ticks() const { return ticks_.load(); }

private:
    std::uint32_t model_ = 1;
    std::atomic<bool> running_{true};
    std::atomic<unsigned> ticks_{0};
};

class Observer {
public:
    explicit Observer(const Engine &engine) : engine_(engine) {}
    virtual ~Observer() = default;

    void watch()
    {
        while (engine_.running())
            observe();
    }

    virtual unsigned result() const = 0;

protected:
    virtual void observe() = 0;

private:
    const Engine &engine_;
};

class Hasher final : public Observer {
public:
    using Observer::Observer;
    unsigned result() const override { return hash_ != 0; }

protected:
    void observe() override
    {
        unsigned h = hash_;
        for (int i = 0; i < 8; i++)
            h = (h ^ static_cast<unsigned>(i)) * 16777619u;
        hash_ = h | 1u;
    }

private:
    alignas(64) unsigned hash_ = 2166136261u;
};

int main()
{
    constexpr unsigned kTicks = 30000, kObservers = 7;
    auto engine = std::make_unique<Engine>();
    std::vector<std::unique_ptr<Observer>> observers;
    std::vector<std::thread> threads;

    for (unsigned i = 0; i < kObservers; i++)
        observers.push_back(std::make_unique<Hasher>(*engine));
    for (auto &observer : observers)
        threads.emplace_back([o = observer.get()] { o->watch(); });
    engine->advance(kTicks);
    unsigned alive = 0;
    for (auto &thread : threads)
        thread.join();
    for (const auto &observer : observers)
        alive += observer->result();
    std::printf("%u ticks, %u observers\n", engine->ticks(), alive);
}
