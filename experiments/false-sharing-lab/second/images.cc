// An image that several threads use: each takes and drops references to it all the time. The count
// is one word.
#include "shown.h"

#include <atomic>
#include <thread>
#include <vector>

namespace
{

class LINE_ALIGNED Image
{
  public:
    void take()
    {
        references.fetch_add(1, std::memory_order_relaxed);
    }
    void drop()
    {
        references.fetch_sub(1, std::memory_order_acq_rel);
    }
    int count() const
    {
        return references.load();
    }

  private:
    std::atomic<int> references{1};
};

class Reference
{
  public:
    explicit Reference(Image *image) : image(image)
    {
        image->take();
    }
    ~Reference()
    {
        image->drop();
    }
    Reference(const Reference &) = delete;
    Reference &operator=(const Reference &) = delete;

  private:
    Image *image;
};

void show(Image *image)
{
    for (int frame = 0; frame < 400; frame++) {
        const Reference held(image);
        for (int i = 0; i < 30; i++)
            asm volatile("");
    }
}

} // namespace

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 4);
    auto *image = new Image;
    std::vector<std::thread> pool;
    for (int t = 0; t < threads; t++)
        pool.emplace_back(show, image);
    for (auto &thread : pool)
        thread.join();
    show_object("main()", image, sizeof *image);
    const int left = image->count();
    printf("references left: %d\n", left);
    delete image;
    return left != 1;
}
