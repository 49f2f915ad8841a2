// Numerical integration: each thread adds in variables of its own and gives its part to main as its
// result.
#include "shown.h"
#include <array>
#include <future>
#include <vector>

namespace
{

constexpr unsigned STEPS = 1500;

struct Polynomial {
    std::array<long, 4> coefficients;
    long operator()(long x) const
    {
        long y = 0;
        for (long c : coefficients)
            y = (y * x >> 10) + c;
        return y;
    }
};

OWN_LINE const Polynomial f{{300, 0, 700, 1024}};

struct Range {
    long from, to;
};

Range part(unsigned i, unsigned n)
{
    return {long(i) * 1024 / long(n), long(i + 1) * 1024 / long(n)};
}

long integrate(Range range)
{
    std::vector<long> samples;
    samples.reserve(64);
    long sum = 0;
    for (unsigned s = 0; s < STEPS; s++) {
        long x = range.from + (range.to - range.from) * long(s) / long(STEPS);
        samples.push_back(f(x));
        if (samples.size() == 64) {
            for (long y : samples)
                sum += y * (range.to - range.from) / 1024;
            samples.clear();
        }
    }
    for (long y : samples)
        sum += y * (range.to - range.from) / 1024;
    return sum / long(STEPS);
}

} // namespace

int main(int argc, char **argv)
{
    unsigned n = unsigned(threads_asked(argc, argv, 4));
    std::vector<std::future<long>> parts;
    long sum = 0, right = 0;
    for (unsigned i = 0; i < n; i++)
        parts.push_back(std::async(std::launch::async, integrate, part(i, n)));
    for (std::future<long> &p : parts)
        sum += p.get();
    for (unsigned i = 0; i < n; i++)
        right += integrate(part(i, n));
    printf("integral %ld\n", sum);
    return sum != right;
}
