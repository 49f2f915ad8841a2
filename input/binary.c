#include "input/binary.h"

#include <stdint.h>
#include <string.h>

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Three bytes are four digits of six bits. */
enum { BYTES = 3, DIGITS = 4, BITS = 6 };

static void write_digits(FILE *out, const unsigned char *byte, size_t count)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < BYTES; i++)
        bits = bits << 8 | (i < count ? byte[i] : 0);
    for (size_t i = 0; i < DIGITS; i++)
        fputc(i <= count ? base64_digits[bits >> BITS * (DIGITS - 1 - i) & 63] : '=', out);
}

void in_binary_write(FILE *out, const char *text)
{
    const size_t length = strlen(text);
    fputs("!!binary \"", out);
    for (size_t at = 0; at < length; at += BYTES)
        write_digits(out, (const unsigned char *)text + at,
                     length - at < BYTES ? length - at : BYTES);
    fputc('"', out);
}

static bool is_blank(char c)
{
    return c && strchr(" \t\r\n", c);
}

static bool is_binary(const char *text, size_t length)
{
    size_t count = 0, ends = 0;
    for (size_t i = 0; i < length; i++) {
        const bool end = text[i] == '=';
        if (is_blank(text[i]))
            continue;
        if (!end && (ends || !text[i] || !strchr(base64_digits, text[i])))
            return false;
        ends += end;
        count++;
    }
    return ends < BYTES && count % DIGITS == 0;
}

bool in_binary_read(char *text, size_t *length)
{
    uint32_t bits = 0;
    unsigned there = 0; /* bits that are no byte yet */
    size_t bytes = 0;
    if (!is_binary(text, *length))
        return false;
    for (size_t i = 0; i < *length && text[i] != '='; i++) {
        if (is_blank(text[i]))
            continue;
        bits = bits << BITS | (uint32_t)(strchr(base64_digits, text[i]) - base64_digits);
        there += BITS;
        if (there >= 8) {
            there -= 8;
            text[bytes++] = (char)(bits >> there & 0xff);
        }
    }
    text[bytes] = '\0';
    *length = bytes;
    return true;
}
