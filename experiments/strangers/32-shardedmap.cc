// A map of strings to counts that is split into shards, each with a mutex of its own, so that
// threads rarely meet. Every thread counts the words of its own language.
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

template <typename Key, typename Value> class ShardedMap {
public:
    explicit ShardedMap(std::size_t shards) : shards_(shards) {}

    template <typename Change> void update(std::size_t shard, const Key &key, Change change)
    {
        Shard &s = shards_[shard % shards_.size()];
        std::lock_guard<std::mutex> guard(s.mutex);
        change(s.map[key]);
    }

    template <typename Visit> void for_each(Visit visit)
    {
        for (Shard &s : shards_) {
            std::lock_guard<std::mutex> guard(s.mutex);
            for (const auto &[key, value] : s.map)
                visit(key, value);
        }
    }

private:
    struct Shard {
        std::mutex mutex;
        std::map<Key, Value> map;
    };
    std::vector<Shard> shards_;
};

static const char *const kSyllables[] = {"ka", "lo", "mi", "ne", "ru", "to", "va", "zu"};

static void count_words(ShardedMap<std::string, int> &counts, std::size_t language, int words)
{
    unsigned x = 17 + static_cast<unsigned>(language);
    for (int i = 0; i < words; i++) {
        x = x * 1103515245u + 12345u;
        std::string word = kSyllables[x >> 29];
        word += kSyllables[language];
        counts.update(language, word, [](int &count) { count++; });
    }
}

int main()
{
    constexpr std::size_t kLanguages = 8;
    ShardedMap<std::string, int> counts(kLanguages);
    std::vector<std::thread> threads;

    for (std::size_t l = 0; l < kLanguages; l++)
        threads.emplace_back([&counts, l] { count_words(counts, l, 1500); });
    for (auto &thread : threads)
        thread.join();

    int words = 0, distinct = 0;
    counts.for_each([&](const std::string &, int count) {
        words += count;
        distinct++;
    });
    std::printf("%d words, %d of them distinct\n", words, distinct);
}
