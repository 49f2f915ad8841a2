// A thread pool with a queue of std::function, and a program that gives it very many small tasks.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

class ThreadPool {
public:
    explicit ThreadPool(unsigned threads)
    {
        for (unsigned i = 0; i < threads; i++)
            workers_.emplace_back([this] { work(); });
    }

    ~ThreadPool()
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            stopping_ = true;
        }
        wake_.notify_all();
        for (auto &worker : workers_)
            worker.join();
    }

    void submit(std::function<void()> task)
    {
        {
            std::lock_guard<std::mutex> guard(mutex_);
            tasks_.push_back(std::move(task));
        }
        wake_.notify_one();
    }

private:
    void work()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> lock(mutex_);
                wake_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
                if (tasks_.empty())
                    return;
                task = std::move(tasks_.front());
                tasks_.pop_front();
            }
            task();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> tasks_;
    std::vector<std::thread> workers_;
    bool stopping_ = false;
};

int collatz(unsigned n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}

int main()
{
    constexpr unsigned kTasks = 4000;
    std::vector<int> steps(kTasks);
    {
        ThreadPool pool(6);
        for (unsigned i = 0; i < kTasks; i++)
            pool.submit([&steps, i] { steps[i] = collatz(i % 64 + 1); });
    }
    long sum = 0;
    for (int s : steps)
        sum += s;
    std::printf("%ld steps\n", sum);
}
