// Each thread of a parser counts in an object of its own; but all objects come from new, one after
// the other.
#include "shown.h"
#include <memory>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned LINES = 110;

OWN_LINE const char text[] = "f(g(a, b), h(c(d)))";

class Tally
{
  public:
    virtual ~Tally() = default;
    virtual void see(char c) = 0;
    virtual unsigned value() const = 0;
};

class Letters : public Tally
{
  public:
    ALONE void see(char c) override
    {
        if (c >= 'a' && c <= 'z')
            count++; // shares: tally_make()
    }
    unsigned value() const override
    {
        return count;
    }

  private:
    APART unsigned count = 0;
};

class Depth : public Tally
{
  public:
    ALONE void see(char c) override
    {
        if (c == '(')
            depth++; // shares: tally_make()
        else if (c == ')')
            depth--; // shares: tally_make()
        if (depth > deepest)
            deepest = depth; // shares: tally_make()
    }
    unsigned value() const override
    {
        return unsigned(deepest);
    }

  private:
    APART int depth = 0;
    int deepest = 0;
};

ALONE std::unique_ptr<Tally> tally_make(unsigned i)
{
    Tally *made;
    if (i % 2) {
        made = new Depth;
        shown("tally_make()", made, sizeof(Depth));
    } else {
        made = new Letters;
        shown("tally_make()", made, sizeof(Letters));
    }
    return std::unique_ptr<Tally>(made);
}

void parse(Tally &tally)
{
    for (unsigned line = 0; line < LINES; line++)
        for (const char *c = text; *c; c++)
            tally.see(*c);
}

} // namespace

int main(int argc, char **argv)
{
    unsigned n = unsigned(threads_asked(argc, argv, 6)), wrong = 0;
    std::vector<std::unique_ptr<Tally>> tallies(n);
    std::vector<std::thread> team;
    for (unsigned i = 0; i < n; i++)
        tallies[i] = tally_make(i);
    for (unsigned i = 0; i < n; i++)
        team.emplace_back(parse, std::ref(*tallies[i]));
    for (std::thread &t : team)
        t.join();
    for (unsigned i = 0; i < n; i++)
        wrong += tallies[i]->value() != (i % 2 ? 3u : 8 * LINES - LINES);
    printf("%u wrong\n", wrong);
    return wrong != 0;
}
