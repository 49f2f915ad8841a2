// An arena: one block of memory from malloc, out of which objects are cut one after the other and
// which is given back as a whole. The tasks of a scheduler live in it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <thread>
#include <utility>
#include <vector>

class Arena {
public:
    explicit Arena(std::size_t size)
        : begin_(static_cast<char *>(std::malloc(size))), next_(begin_), end_(begin_ + size)
    {
        if (begin_ == nullptr)
            throw std::bad_alloc();
    }
    ~Arena() { std::free(begin_); }
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;

    template <typename T, typename... Arguments> T *make(Arguments &&...arguments)
    {
        auto at = (reinterpret_cast<std::uintptr_t>(next_) + alignof(T) - 1) & ~(alignof(T) - 1);
        char *from = reinterpret_cast<char *>(at);
        if (from + sizeof(T) > end_)
            throw std::bad_alloc();
        next_ = from + sizeof(T);
        return new (from) T(std::forward<Arguments>(arguments)...);
    }

private:
    char *begin_, *next_, *end_;
};

struct Task {
    Task(int id, int length) : id(id), left(length) {}

    int id;
    int left;
    unsigned done = 0;
    unsigned state = 1;
};

static void run_slice(Task *task)
{
    task->state = task->state * 69069u + static_cast<unsigned>(task->id);
    if ((task->state >> 30) != 3)
        task->done++;
    task->left--;
}

int main()
{
    constexpr int kTasks = 8, kLength = 12000;
    Arena arena(4096);
    std::vector<Task *> tasks;
    std::vector<std::thread> threads;

    for (int i = 0; i < kTasks; i++)
        tasks.push_back(arena.make<Task>(i, kLength));
    for (Task *task : tasks)
        threads.emplace_back([task] {
            void (*volatile step)(Task *) = run_slice;
            while (task->left > 0)
                step(task);
        });
    for (auto &thread : threads)
        thread.join();
    unsigned done = 0;
    for (const Task *task : tasks)
        done += task->done;
    std::printf("%u slices done\n", done);
}
