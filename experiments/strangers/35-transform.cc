// Encrypts a text with a simple stream cipher, in parallel: every thread works on a local buffer
// and hands it over as a whole when it is done; at the end the text is decrypted and compared.
#include <cstdint>
#include <cstdio>
#include <future>
#include <numeric>
#include <string>
#include <vector>

class Cipher {
public:
    explicit Cipher(std::uint32_t key) : key_(key)
    {
        std::iota(std::begin(box_), std::end(box_), std::uint8_t{0});
        std::uint32_t x = key;
        for (int i = 255; i > 0; i--) {
            x = x * 1664525u + 1013904223u;
            std::swap(box_[i], box_[(x >> 8) % static_cast<unsigned>(i + 1)]);
        }
    }

    std::string apply(const std::string &text, std::size_t offset) const
    {
        std::string result(text.size(), '\0');
        for (std::size_t i = 0; i < text.size(); i++) {
            std::uint32_t k = key_ + static_cast<std::uint32_t>(offset + i);
            for (int round = 0; round < 4; round++)
                k = k * 16777619u ^ box_[(k >> 8 * round) & 0xff];
            result[i] = static_cast<char>(static_cast<std::uint8_t>(text[i]) ^ (k >> 16 & 0xff));
        }
        return result;
    }

private:
    std::uint32_t key_;
    std::uint8_t box_[256];
};

static std::string in_parallel(const Cipher &cipher, const std::string &text, std::size_t parts)
{
    std::vector<std::future<std::string>> futures;
    for (std::size_t p = 0; p < parts; p++) {
        const auto from = text.size() * p / parts, to = text.size() * (p + 1) / parts;
        futures.push_back(std::async(std::launch::async, [&cipher, &text, from, to] {
            const std::string own = text.substr(from, to - from);
            return cipher.apply(own, from);
        }));
    }
    std::string result;
    for (auto &future : futures)
        result += future.get();
    return result;
}

int main()
{
    std::string text;
    for (int i = 0; text.size() < 24000; i++)
        text += "line " + std::to_string(i) + " of the text\n";
    const Cipher cipher(0xc0ffee);
    const auto secret = in_parallel(cipher, text, 4);
    const bool same = in_parallel(cipher, secret, 4) == text;
    std::printf("%zu bytes, %s\n", secret.size(), same ? "same" : "different");
    return same ? 0 : 1;
}
