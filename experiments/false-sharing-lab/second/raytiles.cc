// Threads draw tiles of a picture; a tile's row of 24 bytes lies beside those of its neighbours,
// who have other threads.
#include "shown.h"

#include <cstdint>
#include <thread>
#include <vector>

namespace
{

constexpr int tile = 24, height = 3, passes = 24;

struct APART TileRow {
    volatile std::uint8_t pixels[tile];
};

class Picture
{
  public:
    explicit Picture(int tiles) : width(tiles), rows(static_cast<std::size_t>(tiles * height))
    {
        show_object("Picture()", rows.data(), rows.size() * sizeof(TileRow));
    }
    void draw(int column)
    {
        for (int pass = 0; pass < passes; pass++)
            for (int y = 0; y < height; y++)
                for (int x = 0; x < tile; x++)
                    blend(rows[static_cast<std::size_t>(y * width + column)].pixels[x],
                          x * y + pass);
    }
    unsigned long sum() const
    {
        unsigned long all = 0;
        for (const auto &row : rows)
            for (const auto &pixel : row.pixels)
                all += pixel;
        return all;
    }

  private:
    static void blend(volatile std::uint8_t &pixel, int colour)
    {
        for (int ray = 0; ray < 8; ray++)
            pixel =
                static_cast<std::uint8_t>((pixel * 3 + colour + ray) / 4); /* shares: Picture() */
    }
    int width;
    std::vector<TileRow> rows;
};

} // namespace

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    Picture alone(1), picture(threads);
    alone.draw(0);
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; t++)
        pool.emplace_back([&picture, t] { picture.draw(t); });
    for (auto &thread : pool)
        thread.join();
    const unsigned long expected = alone.sum() * static_cast<unsigned long>(threads);
    printf("sum %lu of %lu\n", picture.sum() / static_cast<unsigned long>(threads), alone.sum());
    return picture.sum() != expected;
}
