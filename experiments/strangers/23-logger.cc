// A logger that all threads share. Lines are put into a buffer of fixed size under a mutex; the
// oldest are overwritten.
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

enum class Level { debug, info, warning };

class Logger {
public:
    static constexpr std::size_t kLines = 32, kWidth = 40;

    void log(Level level, unsigned thread, unsigned number)
    {
        char text[kWidth];
        format(text, level, thread, number);
        std::lock_guard<std::mutex> guard(mutex_);
        std::memcpy(lines_[next_].data(), text, kWidth);
        next_ = (next_ + 1) % kLines;
        count_++;
    }

    unsigned count() const
    {
        std::lock_guard<std::mutex> guard(mutex_);
        return count_;
    }

private:
    static void format(char (&text)[kWidth], Level level, unsigned thread, unsigned number)
    {
        static const char letters[] = "DIW";
        std::memset(text, ' ', kWidth);
        text[0] = letters[static_cast<int>(level)];
        text[2] = static_cast<char>('0' + thread);
        for (int at = 10; at > 4; at--, number /= 10)
            text[at] = static_cast<char>('0' + number % 10);
        text[kWidth - 1] = '\0';
    }

    mutable std::mutex mutex_;
    std::array<std::array<char, kWidth>, kLines> lines_{};
    std::size_t next_ = 0;
    unsigned count_ = 0;
};

class Component {
public:
    Component(Logger &logger, unsigned number) : logger_(logger), number_(number) {}

    void run(unsigned steps) const
    {
        for (unsigned s = 0; s < steps; s++)
            logger_.log(s % 50 == 0 ? Level::warning : s % 2 ? Level::debug : Level::info, number_, s);
    }

private:
    Logger &logger_;
    unsigned number_;
};

int main()
{
    constexpr unsigned kComponents = 8, kSteps = 900;
    auto logger = std::make_unique<Logger>();
    std::vector<Component> components;
    std::vector<std::thread> threads;

    for (unsigned c = 0; c < kComponents; c++)
        components.emplace_back(*logger, c);
    for (const auto &component : components)
        threads.emplace_back([&component] { component.run(kSteps); });
    for (auto &thread : threads)
        thread.join();
    std::printf("%u lines\n", logger->count());
}
