// k-means in one dimension and a half: each thread adds its points to its own sums, which lie in
// one vector.
#include "shown.h"
#include <memory>
#include <thread>
#include <vector>

namespace
{

constexpr int CENTRES = 3, POINTS = 240, ROUNDS = 4;

struct Sum {
    long x = 0, y = 0;
    unsigned points = 0;
};

struct Partial {
    APART Sum sum[CENTRES];
};

struct Centre {
    long x, y;
};

class Clustering
{
  public:
    ALONE explicit Clustering(unsigned threads) : partials(threads)
    {
        for (int c = 0; c < CENTRES; c++)
            centres[c] = {c * 300 + 50, 500};
    }
    void assign(unsigned me)
    {
        Partial &mine = partials[me];
        for (unsigned i = 0; i < POINTS; i++) {
            long x = long((me * POINTS + i) * 7919 % 1000), y = long(i * 104729 % 1000);
            add(mine.sum[nearest(x, y)], x, y);
        }
    }
    unsigned move()
    {
        unsigned all = 0;
        for (int c = 0; c < CENTRES; c++) {
            Sum total;
            for (Partial &p : partials) {
                total.x += p.sum[c].x;
                total.y += p.sum[c].y;
                total.points += p.sum[c].points;
                p.sum[c] = Sum();
            }
            if (total.points)
                centres[c] = {total.x / long(total.points), total.y / long(total.points)};
            all += total.points;
        }
        return all;
    }
    void show() const
    {
        shown("Clustering()", partials.data(), partials.size() * sizeof(Partial));
    }

  private:
    OWN_LINE Centre centres[CENTRES];
    OWN_LINE std::vector<Partial> partials;

    static ALONE void add(Sum &s, long x, long y)
    {
        s.x += x;   // shares: Clustering()
        s.y += y;   // shares: Clustering()
        s.points++; // shares: Clustering()
    }
    int nearest(long x, long y) const
    {
        int best = 0;
        long least = -1;
        for (int c = 0; c < CENTRES; c++) {
            long dx = x - centres[c].x, dy = y - centres[c].y, d = dx * dx + dy * dy;
            if (least < 0 || d < least) {
                least = d;
                best = c;
            }
        }
        return best;
    }
};

} // namespace

int main(int argc, char **argv)
{
    unsigned n = unsigned(threads_asked(argc, argv, 4)), wrong = 0;
    auto clustering = std::make_unique<Clustering>(n);
    clustering->show();
    for (int r = 0; r < ROUNDS; r++) {
        std::vector<std::thread> team;
        for (unsigned i = 0; i < n; i++)
            team.emplace_back(&Clustering::assign, clustering.get(), i);
        for (std::thread &t : team)
            t.join();
        wrong += clustering->move() != n * POINTS;
    }
    printf("%u rounds wrong\n", wrong);
    return wrong != 0;
}
