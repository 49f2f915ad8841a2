// Histograms of a picture: each thread fills small rows of its own, taken from the heap one after
// the other; in a second phase, the longer one, each equalises its stripe with the sum of all rows.
#include "shown.h"
#include <numeric>
#include <thread>
#include <vector>

namespace
{

constexpr unsigned SHADES = 6, PIXELS = 1600, PASSES = 6;

class Histogram
{
  public:
    ALONE Histogram() : count(static_cast<unsigned *>(GET(SHADES * sizeof(unsigned))))
    {
        for (unsigned s = 0; s < SHADES; s++)
            count[s] = 0;
    }
    Histogram(Histogram &&other) noexcept : count(other.count)
    {
        other.count = nullptr;
    }
    ~Histogram()
    {
        free(count);
    }
    ALONE void note(unsigned shade)
    {
        count[shade]++; // shares: Histogram()
    }
    unsigned operator[](unsigned shade) const
    {
        return count[shade];
    }
    const unsigned *data() const
    {
        return count;
    }

  private:
    unsigned *count;
};

struct OWN_LINE Stripe {
    unsigned char pixel[PIXELS], even[PIXELS];
    unsigned long light = 0;
    explicit Stripe(unsigned seed)
    {
        for (unsigned i = 0; i < PIXELS; i++)
            pixel[i] = static_cast<unsigned char>((i * 2654435761u + seed * 40503u) >> 24);
    }
};

void count(const Stripe &from, Histogram &to)
{
    for (unsigned char p : from.pixel)
        to.note(p * SHADES / 256);
}

void equalise(Stripe &stripe, const std::vector<Histogram> &all)
{
    unsigned below[SHADES + 1] = {0};
    for (unsigned s = 0; s < SHADES; s++) {
        below[s + 1] = below[s];
        for (const Histogram &h : all)
            below[s + 1] += h[s];
    }
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned i = 0; i < PIXELS; i++) {
            unsigned lower = below[stripe.pixel[i] * SHADES / 256];
            stripe.even[i] = static_cast<unsigned char>(lower * 255ul / below[SHADES]);
        }
    stripe.light = std::accumulate(stripe.even, stripe.even + PIXELS, 0ul);
}

template <typename Work> void each(unsigned n, Work work)
{
    std::vector<std::thread> team;
    for (unsigned i = 0; i < n; i++)
        team.emplace_back(work, i);
    for (std::thread &t : team)
        t.join();
}

} // namespace

int main(int argc, char **argv)
{
    unsigned n = unsigned(threads_asked(argc, argv, 4)), all = 0;
    std::vector<Stripe> stripes;
    std::vector<Histogram> rows(n);
    for (unsigned i = 0; i < n; i++)
        stripes.emplace_back(i);
    for (const Histogram &h : rows)
        shown("Histogram()", h.data(), SHADES * sizeof(unsigned));
    each(n, [&](unsigned i) { count(stripes[i], rows[i]); });
    each(n, [&](unsigned i) { equalise(stripes[i], rows); });
    for (const Histogram &h : rows)
        for (unsigned s = 0; s < SHADES; s++)
            all += h[s];
    bool even = true;
    for (const Stripe &s : stripes)
        even = even && s.light > 80ul * PIXELS && s.light < 130ul * PIXELS;
    printf("%u pixels\n", all);
    return all != n * PIXELS || !even;
}
