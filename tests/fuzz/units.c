/*
 * Numbers with units. The idea: a second reader, which works on decimal digits and never rounds,
 * must come to the same number, or the first one must have refused.
 */
#include "input/units.h"
#include "tests/fuzz/fuzz.h"

#include <inttypes.h>

enum { DIGITS_MAX = FUZZ_INPUT_MAX + 40, WHY = IN_WHY_MAX };

static const struct in_form forms[] = {
    {IN_INT, "things", 0, UINT64_MAX},
    {IN_INT, "things", 1, 1024},
    {IN_CYCLES, "PCycles", 0, UINT64_MAX},
    {IN_BYTES, "bytes", 0, UINT64_MAX},
    {IN_BYTES, "bytes", 4096, 65536},
    {IN_FREQ, "Hz", 0, UINT64_MAX},
    {IN_FREQ, "Hz", 1000000, 1000000000},
    {IN_BOOL, "", 0, 1},
    {IN_ENUM, "round_robin first_touch local", 0, 2},
    {IN_WORD, "o32 n64", 0, 1},
};
enum { FORMS = sizeof forms / sizeof *forms };

static const struct {
    enum in_type type;
    const char *name;
    uint64_t scale;
} units[] = {
    {IN_INT, "", 1},           {IN_CYCLES, "cy", 1},
    {IN_BYTES, "B", 1},        {IN_BYTES, "KB", 1 << 10},
    {IN_BYTES, "MB", 1 << 20}, {IN_BYTES, "GB", 1 << 30},
    {IN_FREQ, "Hz", 1},        {IN_FREQ, "kHz", 1000},
    {IN_FREQ, "MHz", 1000000}, {IN_FREQ, "GHz", 1000000000},
};

const char *const fuzz_words[] = {"0.",
                                  "0",
                                  "00000000000000000000",
                                  "9999999999999999999",
                                  "cy",
                                  "B",
                                  "KB",
                                  "MB",
                                  "GB",
                                  "Hz",
                                  "kHz",
                                  "MHz",
                                  "GHz",
                                  "ns",
                                  "us",
                                  "ms",
                                  "s",
                                  "none",
                                  "true",
                                  "false",
                                  "local",
                                  "n64",
                                  "e9",
                                  "0x",
                                  "18446744073709551615",
                                  "18446744073709551616",
                                  NULL};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static const char *const texts[] = {"12",
                                        "1024",
                                        "12cy",
                                        "1.5KB",
                                        "64B",
                                        "0.25MB",
                                        "150MHz",
                                        "0.5GHz",
                                        "true",
                                        "local",
                                        "n64",
                                        "3GB",
                                        "33.333333MHz",
                                        "100ms",
                                        "7cy",
                                        "none",
                                        "0.0000000000000000000001GB"};
    if (number >= 2 * sizeof texts / sizeof *texts)
        return 0;
    out[0] = (uint8_t)(number * 3);
    return 1 + fuzz_text_seed(texts[number / 2], out + 1, room - 1);
}

/* ---- the second reader ----------------------------------------------------------------------- */

/** A natural number as decimal digits, least significant first. */
struct decimal {
    size_t n;
    uint8_t digit[DIGITS_MAX];
};

static void multiply(struct decimal *d, uint64_t by)
{
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < d->n || carry; i++) {
        carry += (unsigned __int128)by * (i < d->n ? d->digit[i] : 0);
        d->digit[i] = (uint8_t)(carry % 10);
        carry /= 10;
        d->n = i < d->n ? d->n : i + 1;
    }
}

/** Its value divided by 10^places. @return false when that is not whole or does not fit */
static bool divide(const struct decimal *d, size_t places, uint64_t *value)
{
    *value = 0;
    for (size_t i = d->n; i > 0; i--) {
        const uint8_t digit = d->digit[i - 1];
        if (i <= places ? digit != 0
                        : __builtin_mul_overflow(*value, 10, value) ||
                              __builtin_add_overflow(*value, digit, value))
            return false;
    }
    return true;
}

/** Digits, point and unit of a well-formed text. @return 0 when it is not well-formed */
static uint64_t split(enum in_type type, const char *text, struct decimal *d, size_t *places)
{
    const size_t whole = strspn(text, "0123456789");
    const size_t part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
    const char *unit = text + whole + (part ? part + 1 : 0);

    if (whole == 0 || (whole > 1 && *text == '0'))
        return 0;
    d->n = 0;
    for (const char *c = unit; c-- > text;)
        if (*c != '.')
            d->digit[d->n++] = (uint8_t)(*c - '0');
    *places = part;
    if (!*unit && strspn(text, "0.") == strlen(text)) /* nothing has no unit */
        return 1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].type == type && !strcmp(units[i].name, unit))
            return units[i].scale;
    return 0;
}

static bool is_number(enum in_type type)
{
    return type == IN_INT || type == IN_CYCLES || type == IN_BYTES || type == IN_FREQ;
}

/** What the text means; false: nothing. */
static bool means(const struct in_form *form, const char *text, uint64_t *value)
{
    static struct decimal d;
    size_t places;
    const uint64_t scale = split(form->type, text, &d, &places);

    if (!scale)
        return false;
    multiply(&d, scale);
    return divide(&d, places, value) && *value >= form->min && *value <= form->max;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static void check_value(const struct in_form *form, const char *text)
{
    char why[WHY] = "", again[200];
    uint64_t value = 0, meant = 0, back = 0;

    if (!in_value_parse(form, text, &value, why, sizeof why)) {
        FUZZ_CHECK(*why && strlen(why) < sizeof why, "refused without a reason: '%s'", text);
        return;
    }
    FUZZ_CHECK(value >= form->min && value <= form->max, "%" PRIu64, value);
    if (is_number(form->type))
        FUZZ_CHECK(means(form, text, &meant) && meant == value, "'%s' read as %" PRIu64, text,
                   value);
    in_value_format(form, value, again, sizeof again);
    FUZZ_CHECK(in_value_parse(form, again, &back, why, sizeof why) && back == value,
               "'%s' written as '%s'", text, again);
}

static void check_time(const char *text)
{
    static const uint64_t clocks[] = {0, 1, 150000000, UINT64_C(10000000000)};
    char why[WHY] = "";
    sim_tick ticks;

    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        if (!in_time_parse(text, clocks[i], 1, &ticks, why, sizeof why))
            FUZZ_CHECK(*why, "refused without a reason: '%s'", text);
        else
            FUZZ_CHECK(ticks > 0 || clocks[i] == 0, "'%s' is no time", text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned which = size ? data[0] % (FORMS + 1) : 0;
    char *text = fuzz_text(data + (size > 0), size - (size > 0));

    if (which < FORMS)
        check_value(&forms[which], text);
    else
        check_time(text);
    free(text);
    return 0;
}
