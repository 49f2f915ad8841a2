/* Patterns of addresses; the least pattern for two is where both agree. */
#include "monitor/pattern.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const uint64_t ADDRESS = (UINT64_C(1) << MON_ADDRESS_BITS) - 1;

struct mon_pattern mon_pattern_none(void)
{
    return (struct mon_pattern){ADDRESS, ADDRESS};
}

/* From the last digit up. */
bool mon_pattern_read(const char *text, struct mon_pattern *pattern)
{
    const bool hex = !strncmp(text, "0x", 2), binary = !strncmp(text, "0b", 2);
    const char *const digits = hex ? "0123456789abcdef" : "01";
    const unsigned width = hex ? 4 : 1;
    unsigned bit = 0;
    *pattern = (struct mon_pattern){0};
    if (!hex && !binary)
        return false;
    for (size_t i = strlen(text); i-- > 2;) {
        const int c = tolower((unsigned char)text[i]);
        const char *digit = strchr(digits, c);
        if (c == '_')
            continue;
        if (bit + width > MON_ADDRESS_BITS || (c != 'x' && !digit))
            return false;
        if (digit) {
            pattern->care |= ((UINT64_C(1) << width) - 1) << bit;
            pattern->value |= (uint64_t)(digit - digits) << bit;
        }
        bit += width;
    }
    return bit > 0;
}

/* In hexadecimal if each of its digits is given or open as a whole. */
void mon_pattern_write(const struct mon_pattern *pattern, char *out, size_t size)
{
    unsigned width = 4;
    for (unsigned bit = 0; bit < MON_ADDRESS_BITS; bit += 4) {
        const unsigned care = pattern->care >> bit & 15;
        width = care == 0 || care == 15 ? width : 1;
    }
    size_t n = (size_t)snprintf(out, size, width == 4 ? "0x" : "0b");
    for (unsigned bit = MON_ADDRESS_BITS; bit > 0 && n + 1 < size;) {
        bit -= width;
        const unsigned digit = pattern->value >> bit & ((1u << width) - 1);
        out[n++] = pattern->care >> bit & 1 ? "0123456789abcdef"[digit] : 'x';
    }
    out[n] = '\0';
}

static void pattern_join(struct mon_pattern *pattern, struct mon_pattern more)
{
    if (pattern->value == ADDRESS) /* nothing yet */
        *pattern = more;
    pattern->care &= more.care & ~(pattern->value ^ more.value);
    pattern->value &= pattern->care;
}

void mon_pattern_widen(struct mon_pattern *pattern, uint64_t from, uint64_t to, unsigned line)
{
    const uint64_t offset = line - 1;
    pattern_join(pattern, (struct mon_pattern){ADDRESS & ~offset, from & ~offset});
    /* Between the ends every bit below the highest that differs takes both values. */
    const uint64_t differ = (from ^ (to - 1)) & ~offset;
    const uint64_t open =
        differ ? (UINT64_C(2) << (63 - (unsigned)__builtin_clzll(differ))) - 1 : offset;
    pattern_join(pattern, (struct mon_pattern){ADDRESS & ~open, from & ~open});
}

uint64_t mon_pattern_lines(const struct mon_pattern *pattern, unsigned line)
{
    const uint64_t open = ADDRESS & ~pattern->care & ~(uint64_t)(line - 1);
    return UINT64_C(1) << __builtin_popcountll(open);
}
