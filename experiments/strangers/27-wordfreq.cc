// Letter frequencies in a std::map that is filled with all keys beforehand, so that threads may
// change the counts of different letters at the same time without a lock.
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

struct Entry {
    unsigned count = 0;
    unsigned last = 0;
};

using Frequencies = std::map<char, Entry>;

static const std::string kLetters = "abcdefgh";

static std::string make_text(std::size_t length)
{
    std::string text;
    text.reserve(length);
    unsigned x = 4711;
    for (std::size_t i = 0; i < length; i++) {
        x = x * 1103515245u + 12345u;
        text.push_back(kLetters[(x >> 28) % kLetters.size()]);
    }
    return text;
}

static void count_letter(const std::string &text, char letter, Frequencies &frequencies)
{
    const auto found = frequencies.find(letter);
    if (found == frequencies.end())
        return;
    Entry &entry = found->second;
    for (unsigned at = 0; at < text.size(); at++)
        if (text[at] == letter) {
            entry.count++;
            entry.last = at;
        }
}

int main()
{
    const std::string text = make_text(40000);
    Frequencies frequencies;
    for (char letter : kLetters)
        frequencies.emplace(letter, Entry());

    std::vector<std::thread> threads;
    for (char letter : kLetters)
        threads.emplace_back(count_letter, std::cref(text), letter, std::ref(frequencies));
    for (auto &thread : threads)
        thread.join();

    for (const auto &[letter, entry] : frequencies)
        std::printf("%c %u (%u)\n", letter, entry.count, entry.last);
}
