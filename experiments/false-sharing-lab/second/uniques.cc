// Each thread has a parser of its own, in a std::unique_ptr. The small parsers come from new, one
// after the other.
#include "shown.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace
{

class APART Parser
{
  public:
    virtual ~Parser() = default;
    void feed(char c)
    {
        column++; /* shares: parsers() */
        if (c == '(')
            depth++; /* shares: parsers() */
        if (c == ')')
            depth--; /* shares: parsers() */
    }
    bool balanced() const
    {
        return depth == 0;
    }
    unsigned read() const
    {
        return column;
    }

  private:
    volatile unsigned column = 0;
    volatile int depth = 0;
};

using Parsers = std::vector<std::unique_ptr<Parser>>;

Parsers parsers(unsigned n)
{
    Parsers made;
    made.reserve(n);
    for (unsigned i = 0; i < n; i++)
        made.push_back(std::make_unique<Parser>());
    for (const auto &parser : made)
        show_object("parsers()", parser.get(), sizeof(Parser));
    return made;
}

} // namespace

int main(int argc, char **argv)
{
    const unsigned threads = static_cast<unsigned>(thread_count(argc, argv, 4));
    std::string text;
    for (int i = 0; i < 250; i++)
        text += "(a (b) (c (d)))";
    Parsers all = parsers(threads);
    std::vector<std::thread> pool;
    for (const auto &parser : all)
        pool.emplace_back([&text, p = parser.get()] {
            for (const char c : text)
                p->feed(c);
        });
    for (auto &thread : pool)
        thread.join();
    bool good = true;
    for (const auto &parser : all)
        good = good && parser->balanced() && parser->read() == text.size();
    puts(good ? "balanced" : "not balanced");
    return good ? 0 : 1;
}
