/* What sharing would be at other line sizes and offsets (procard/sizes.h), of all lines together.
 */
#include "look/sharing/sharing.h"

#include <inttypes.h>

enum { SIZES = 8, OFFSETS = 64 };

struct sized {
    int64_t falsely[OFFSETS], truly[OFFSETS];
};

/* A line's size is a power of two; 16 bytes are the least. */
static unsigned sizes_number(uint32_t bytes)
{
    unsigned number = 0;
    while (number + 1 < SIZES && bytes > 16u << number)
        number++;
    return number;
}

static void sizes_add(struct sized *all, const struct pc_missed_size *size)
{
    struct sized *of = &all[sizes_number(size->bytes)];
    of->falsely[size->offset] += (int64_t)size->falsely + size->upgrades_falsely;
    of->truly[size->offset] += (int64_t)size->truly + size->upgrades_truly;
}

static void put_sized(const struct look_sharing *s, uint32_t bytes, const struct sized *of,
                      FILE *out)
{
    unsigned least = 0, most = 0;
    for (unsigned offset = 0; offset < OFFSETS && offset < bytes; offset += 4) {
        least = of->falsely[offset] < of->falsely[least] ? offset : least;
        most = of->falsely[offset] > of->falsely[most] ? offset : most;
    }
    fprintf(out,
            "  %4" PRIu32 "%s %14" PRId64 " %14" PRId64 " %14" PRId64 " at %2u %14" PRId64 " %5u\n",
            bytes, bytes == s->truth->line ? "*" : " ", of->falsely[0], of->truly[0],
            of->falsely[least], least, of->falsely[most], most);
}

void look_sharing_put_sizes(const struct look_sharing *s, FILE *out)
{
    struct sized all[SIZES] = {0};
    if (!s->truth->sizes)
        return;
    for (size_t i = 0; i < s->truth->sizes; i++)
        sizes_add(all, &s->truth->size[i]);
    fputs("\n# misses and upgrades that sharing would make, estimated, if lines had another size, "
          "and if\n"
          "# all objects lay 0 to 60 bytes further on\n"
          "# line         falsely          truly  least falsely    by  most falsely    by\n",
          out);
    for (uint32_t bytes = 16; bytes <= 256; bytes *= 2)
        put_sized(s, bytes, &all[sizes_number(bytes)], out);
}
