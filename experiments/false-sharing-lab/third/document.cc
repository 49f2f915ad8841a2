// A document with a count of references in front of its text: one thread reads the text, the other
// hands references out and takes them back.
#include "shown.h"
#include <atomic>
#include <thread>
#include <utility>

namespace
{

constexpr unsigned HANDLES = 900, READS = 1400;

struct Document {
    std::atomic<unsigned> references{1};
    APART unsigned char style[16];
    unsigned char length = 0;
};

class Handle
{
  public:
    explicit Handle(Document *document) : to(document)
    {
    }
    Handle(const Handle &other) : to(other.to)
    {
        to->references.fetch_add(1, std::memory_order_relaxed); // shares: compose()
    }
    Handle(Handle &&other) noexcept : to(std::exchange(other.to, nullptr))
    {
    }
    Handle &operator=(const Handle &) = delete;
    ~Handle()
    {
        if (to && to->references.fetch_sub(1, std::memory_order_acq_rel) == 1) // shares: compose()
            delete to;
    }
    const Document *operator->() const
    {
        return to;
    }

  private:
    Document *to;
};

ALONE Handle compose()
{
    Document *d = new Document;
    for (unsigned i = 0; i < sizeof d->style; i++)
        d->style[i] = static_cast<unsigned char>(i * 3);
    d->length = sizeof d->style;
    return Handle(d);
}

ALONE unsigned copies(const Handle &document)
{
    Handle one(document);
    unsigned x = 1;
    for (int i = 0; i < 20; i++)
        x = x * 69069u + 3;
    return x & 1;
}

ALONE unsigned glyph(const Document *d, unsigned at)
{
    unsigned width = d->style[at % d->length];
    for (int i = 0; i < 12; i++)
        width = (width * 5 + 1) & 0xff;
    return width;
}

void hand_out(const Handle &document, unsigned &result)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < HANDLES; i++)
        sum += copies(document);
    result = sum;
}

void read(const Handle &document, unsigned &result)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < READS; i++)
        sum += glyph(document.operator->(), i);
    result = sum;
}

} // namespace

int main(int argc, char **argv)
{
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    Handle document = compose();
    unsigned copied = 0, width = 0, right = 0;
    shown("compose()", document.operator->(), sizeof(Document));
    {
        std::thread giver(hand_out, std::cref(document), std::ref(copied));
        std::thread reader(read, std::cref(document), std::ref(width));
        giver.join();
        reader.join();
    }
    for (unsigned i = 0; i < READS; i++)
        right += glyph(document.operator->(), i);
    unsigned left = document->references.load();
    printf("%u references, width %u\n", left, width);
    return left != 1 || width != right;
}
