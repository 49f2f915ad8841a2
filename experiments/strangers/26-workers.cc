// Workers of several kinds, each an object with a virtual function. The boss makes them one after
// the other and lets each run in a thread of its own.
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

class Worker {
public:
    virtual ~Worker() = default;
    virtual void step(std::uint32_t input) = 0;

    void run(unsigned steps)
    {
        std::uint32_t x = 1;
        for (unsigned i = 0; i < steps; i++) {
            x = x * 69069u + 1u;
            step(x >> 8);
        }
    }

    std::uint32_t result() const { return result_; }

protected:
    std::uint32_t result_ = 0;
};

class Adder : public Worker {
public:
    void step(std::uint32_t input) override { result_ += input; }
};

class Counter : public Worker {
public:
    explicit Counter(std::uint32_t mask) : mask_(mask) {}
    void step(std::uint32_t input) override
    {
        if ((input & mask_) != 0)
            result_++;
    }

private:
    std::uint32_t mask_;
};

class Mixer : public Worker {
public:
    void step(std::uint32_t input) override
    {
        result_ = (result_ << 5 | result_ >> 27) ^ input;
    }
};

static std::unique_ptr<Worker> make_worker(unsigned number)
{
    switch (number % 3) {
    case 0:
        return std::make_unique<Adder>();
    case 1:
        return std::make_unique<Counter>(0xffu << number % 8);
    default:
        return std::make_unique<Mixer>();
    }
}

int main()
{
    constexpr unsigned kWorkers = 8, kSteps = 18000;
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<std::thread> threads;

    for (unsigned i = 0; i < kWorkers; i++)
        workers.push_back(make_worker(i));
    for (auto &worker : workers)
        threads.emplace_back([w = worker.get()] { w->run(kSteps); });
    for (auto &thread : threads)
        thread.join();
    std::uint32_t sum = 0;
    for (const auto &worker : workers)
        sum ^= worker->result();
    std::printf("%08x\n", static_cast<unsigned>(sum));
}
