#include "base/utf8.h"

#include <string.h>

size_t sim_utf8(const char *text, size_t most, uint32_t *code)
{
    static const struct {
        uint8_t mask, head; /* of the first byte */
        uint32_t least;     /* character that needs so many */
    } kinds[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    const uint8_t *byte = (const uint8_t *)text;
    for (size_t length = 1; length <= sizeof kinds / sizeof *kinds && length <= most; length++) {
        const uint8_t mask = kinds[length - 1].mask;
        size_t more = 1;
        if ((*byte & mask) != kinds[length - 1].head)
            continue;
        *code = *byte & (uint8_t)~mask;
        for (; more < length && (byte[more] & 0xc0) == 0x80; more++)
            *code = *code << 6 | (byte[more] & 0x3f);
        const bool good = more == length && *code >= kinds[length - 1].least && *code < 0x110000 &&
                          (*code < 0xd800 || *code > 0xdfff);
        return good ? length : 0;
    }
    return 0;
}

bool sim_is_utf8(const char *text)
{
    size_t left = strlen(text), length;
    uint32_t code;
    for (; left; text += length, left -= length)
        if ((length = sim_utf8(text, left, &code)) == 0)
            return false;
    return true;
}
