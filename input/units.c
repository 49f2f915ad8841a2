/*
 * Numbers with units, read the way a careful person reads them.
 *
 * The one hard idea: exactness. A value is digits, perhaps a fraction, and a unit; it is scaled in
 * 128-bit integers and accepted only if the result is whole and fits, however many digits it has
 * been written with (some 38 of them count; zeros in front and at the end do not). What other
 * readers silently misread (010 as 8, 1e3 as 1, 12ns as 12) is refused with the form to write
 * instead.
 */
#include "input/units.h"

#include "base/nearest.h"
#include "input/diag.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 wide;

/* Digits a number may have: any more do not fit. */
#define WIDE_MAX (~(wide)0)

enum {
    WORDS_MAX = 64, /**< choices of one key */
    NANO = 9,       /**< a clock counts seconds, times are in 10^-9 of one */
};

struct unit {
    const char *name;
    uint64_t scale; /**< in the smallest unit of its kind */
};

static const struct unit bytes[] = {
    {"B", 1}, {"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}, {0}};
static const struct unit freqs[] = {
    {"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}, {0}};
static const struct unit cycles[] = {{"cy", 1}, {0}};
static const struct unit shares[] = {{"%", 10000}, {0}};
static const struct unit millions[] = {{"", 1000000}, {0}};
static const struct unit times[] = {
    {"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}, {0}};

/** What a type's values look like. */
static const struct kind {
    const struct unit *units;
    const char *pattern, *of;
} kinds[] = {
    [IN_INT] = {NULL, NULL, "a number"},
    [IN_CYCLES] = {cycles, "^(0|[1-9][0-9]*)cy$", "cycles"},
    [IN_BYTES] = {bytes, "^(0|[1-9][0-9]*)([.][0-9]+)?(B|KB|MB|GB)$", "a size"},
    [IN_FREQ] = {freqs, "^(0|[1-9][0-9]*)([.][0-9]+)?(Hz|kHz|MHz|GHz)$", "a clock"},
    [IN_TIME] = {times, "^(none|(0|[1-9][0-9]*)(cy|([.][0-9]+)?(ns|us|ms|s)))$", "a time"},
    [IN_SHARE] = {shares, "^(0|[1-9][0-9]*)([.][0-9]+)?%$", "a share"},
    [IN_DECIMAL] = {millions, NULL, "a number"},
};

/** A number as written: digits / 10^places, then a unit. */
struct number {
    wide digits;   /**< all digits, without the point */
    size_t places; /**< digits after the point, trailing zeros dropped */
    const char *unit;
};

const char *in_form_pattern(enum in_type type)
{
    return type <= IN_DECIMAL ? kinds[type].pattern : NULL;
}

bool in_word_at(const char *words, size_t index, char *out, size_t size)
{
    for (;; index--) {
        words += strspn(words, " ");
        const size_t n = strcspn(words, " ");
        if (n == 0)
            return false;
        if (index == 0) {
            snprintf(out, size, "%.*s", (int)n, words);
            return true;
        }
        words += n;
    }
}

bool in_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** Refuses the spellings that readers disagree about. NULL when there is nothing to refuse. */
static const char *units_trap(const char *text)
{
    if (text[0] == '-')
        return "is negative";
    if (text[0] == '+')
        return "has a plus sign: leave it out";
    if (text[0] == '0' && (text[1] | 0x20) == 'x')
        return "is hexadecimal: write it in decimal";
    if (text[0] == '0' && (text[1] | 0x20) == 'o')
        return "is octal: write it in decimal";
    if (text[0] == '0' && in_is_digit(text[1]))
        return "has a leading zero, which some readers take for octal: leave it out";
    if (!in_is_digit(text[0]))
        return "is not a number";
    text += strspn(text, "0123456789.");
    if ((*text | 0x20) == 'e' && (in_is_digit(text[1]) || text[1] == '+' || text[1] == '-'))
        return "has an exponent: write all the digits";
    if (*text == '_' || *text == ',')
        return "has a separator: write the digits only";
    return NULL;
}

static bool push_digit(struct number *n, char c)
{
    const wide digit = (wide)(c - '0');
    if (n->digits > (WIDE_MAX - digit) / 10)
        return false;
    n->digits = 10 * n->digits + digit;
    return true;
}

/** Reads digits and fraction; what follows is n->unit. NULL when done, else the complaint. */
static const char *units_scan(const char *text, struct number *n)
{
    const char *complaint = units_trap(text);
    if (complaint)
        return complaint;
    *n = (struct number){0};
    for (; in_is_digit(*text); text++)
        if (!push_digit(n, *text))
            return "is too large";
    if (*text == '.') {
        const size_t all = strspn(text + 1, "0123456789");
        size_t kept = all;
        while (kept && text[kept] == '0')
            kept--;
        if (all == 0)
            return "has a point without digits after it";
        for (size_t i = 1; i <= kept; i++)
            if (!push_digit(n, text[i]))
                return "has too many digits";
        n->places = kept;
        text += 1 + all;
    }
    n->unit = text;
    return NULL;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
    for (; units->name; units++)
        if (!strcmp(units->name, name))
            return units;
    return NULL;
}

/** Explains a missing, foreign or unknown unit. */
static void explain_unit(enum in_type type, const char *name, char *why, size_t size)
{
    if (*name == '\0') {
        snprintf(why, size, "needs a unit");
        return;
    }
    for (enum in_type other = IN_CYCLES; other <= IN_SHARE; other++) {
        const struct unit *u = kinds[other].units ? find_unit(kinds[other].units, name) : NULL;
        if (u && other != type) {
            snprintf(why, size, "has '%s', the unit of %s, but must be %s", name, kinds[other].of,
                     kinds[type].of);
            return;
        }
    }
    size_t n = (size_t)snprintf(why, size, "has the unknown unit '%.16s' (known:", name);
    for (const struct unit *u = kinds[type].units; u->name && n < size; u++)
        n += (size_t)snprintf(why + n, size - n, " %s%s", u->name, u[1].name ? "," : ")");
}

/** Divides `a` and `b` together by `prime` as often as their product allows, at most `most`
 *  times.
 *  @return how often it did not */
static size_t units_cancel(wide *a, wide *b, unsigned prime, size_t most)
{
    for (; most && *a % prime == 0; most--)
        *a /= prime;
    for (; most && *b % prime == 0; most--)
        *b /= prime;
    return most;
}

/**
 * digits * factor / 10^(places + tens), exactly: the power of ten is cancelled prime by prime, so
 * that nothing is ever larger than what was written. @return NULL, or the complaint
 */
static const char *units_scale(const struct number *n, wide factor, size_t tens, uint64_t *value)
{
    wide digits = n->digits, product;
    *value = 0;
    if (digits == 0)
        return NULL;
    const size_t places = n->places + tens;
    if (units_cancel(&digits, &factor, 2, places) || units_cancel(&digits, &factor, 5, places))
        return "is not a whole number of";
    if (__builtin_mul_overflow(digits, factor, &product) || product > UINT64_MAX)
        return "is too large";
    *value = (uint64_t)product;
    return NULL;
}

static bool parse_flag(const char *text, uint64_t *value, char *why, size_t size)
{
    *value = !strcmp(text, "true");
    if (*value || !strcmp(text, "false"))
        return true;
    const bool yes = !strcasecmp(text, "yes") || !strcasecmp(text, "on") || !strcmp(text, "1") ||
                     !strcasecmp(text, "true");
    const bool no = !strcasecmp(text, "no") || !strcasecmp(text, "off") || !strcmp(text, "0") ||
                    !strcasecmp(text, "false");
    snprintf(why, size,
             yes  ? "must be written true"
             : no ? "must be written false"
                  : "is not true or false");
    return false;
}

/** The words of a list; every word keeps its own place, as sim_nearest needs it. */
struct words {
    const char *list;
    char word[WORDS_MAX][64];
};

static const char *units_next_word(void *ctx, size_t i)
{
    struct words *w = ctx;
    const bool there = i < WORDS_MAX && in_word_at(w->list, i, w->word[i], sizeof w->word[i]);
    return there ? w->word[i] : NULL;
}

static bool parse_word(const char *list, const char *text, uint64_t *value, char *why, size_t size)
{
    struct words w = {.list = list};
    const char *word;
    for (size_t i = 0; (word = units_next_word(&w, i)); i++) {
        if (!strcmp(word, text)) {
            *value = i;
            return true;
        }
    }
    const char *near = sim_nearest(text, units_next_word, &w);
    if (near)
        snprintf(why, size, "is not a choice (did you mean '%s'?)", near);
    else
        snprintf(why, size, "is not a choice");
    return false;
}

/** 0 is the same in any unit, and needs none. */
static bool is_bare_zero(const struct number *n)
{
    return n->digits == 0 && !*n->unit;
}

static bool parse_number(const struct in_form *form, const char *text, uint64_t *value, char *why,
                         size_t size)
{
    struct number n;
    const char *complaint = units_scan(text, &n);
    uint64_t factor = 1;
    if (!complaint && (form->type == IN_INT || form->type == IN_DECIMAL) && *n.unit) {
        snprintf(why, size, "has '%.16s' after the number, which has no unit", n.unit);
        return false;
    }
    if (!complaint && form->type != IN_INT && !is_bare_zero(&n)) {
        const struct unit *u = find_unit(kinds[form->type].units, n.unit);
        if (!u) {
            explain_unit(form->type, n.unit, why, size);
            return false;
        }
        factor = u->scale;
    }
    if (!complaint)
        complaint = units_scale(&n, factor, 0, value);
    if (!complaint && (*value < form->min || *value > form->max))
        complaint = "is out of range";
    if (complaint) {
        const bool fraction = !strcmp(complaint, "is not a whole number of");
        const bool fine = form->type == IN_SHARE || form->type == IN_DECIMAL;
        snprintf(why, size, "%s%s%s", complaint, fraction ? " " : "",
                 !fraction ? ""
                 : fine    ? "millionths"
                           : form->unit);
    }
    return !complaint;
}

bool in_value_parse(const struct in_form *form, const char *text, uint64_t *value, char *why,
                    size_t size)
{
    char reason[160], expected[IN_EXPECTED_MAX];
    uint64_t v;
    bool good;
    if (form->type == IN_BOOL)
        good = parse_flag(text, &v, reason, sizeof reason);
    else if (form->type == IN_ENUM || form->type == IN_WORD)
        good = parse_word(form->unit, text, &v, reason, sizeof reason);
    else
        good = parse_number(form, text, &v, reason, sizeof reason);
    if (good) {
        *value = v;
        return true;
    }
    in_form_describe(form, expected, sizeof expected);
    snprintf(why, size, "%s; expected %s", reason, expected);
    return false;
}

bool in_time_parse(const char *text, uint64_t hz, sim_tick least, sim_tick *ticks, char *why,
                   size_t size)
{
    static const char expected[] =
        "expected a time such as 100ms, cycles such as 3000000cy, or none";
    struct number n;
    uint64_t value = 0;
    if (!strcmp(text, "none")) {
        *ticks = SIM_NEVER;
        return true;
    }
    const char *complaint = units_scan(text, &n);
    if (!complaint) {
        const bool in_cycles = !strcmp(n.unit, "cy") || is_bare_zero(&n);
        const struct unit *u = find_unit(in_cycles ? cycles : times, in_cycles ? "cy" : n.unit);
        if (!u) {
            char unit[160];
            explain_unit(IN_TIME, n.unit, unit, sizeof unit);
            snprintf(why, size, "%s; %s", unit, expected);
            return false;
        }
        complaint = in_cycles ? units_scale(&n, 1, 0, &value)
                    : hz      ? units_scale(&n, (wide)u->scale * hz, NANO, &value)
                              : NULL;
        if (!complaint && value > INT64_MAX) /* the largest whole number a result file can hold */
            complaint = "is too large";
        if (!complaint && value < least && (hz || n.digits == 0))
            complaint = "is no time at all";
    }
    if (complaint) {
        const bool fraction = !strcmp(complaint, "is not a whole number of");
        snprintf(why, size, "%s%s; %s", complaint, fraction ? " processor cycles" : "", expected);
        return false;
    }
    *ticks = value;
    return true;
}

const char *in_whole_parse(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && text[1] == 'x';
    const char *const first = text + (hex ? 2 : 0), *at = first;
    uint64_t sum = 0;
    for (; hex ? isxdigit((unsigned char)*at) : in_is_digit(*at); at++) {
        const unsigned digit = in_is_digit(*at) ? (unsigned)(*at - '0') : (*at | 0x20) - 'a' + 10u;
        if (__builtin_mul_overflow(sum, hex ? 16 : 10, &sum) ||
            __builtin_add_overflow(sum, digit, &sum))
            return NULL;
    }
    if (at == first || (!hex && *first == '0' && at > first + 1))
        return NULL;
    *value = sum;
    return at;
}

/** So many parts of one, `unit` behind them: a whole number, or one with a fraction. */
static void format_parts(uint64_t value, uint64_t one, const char *unit, char *out, size_t size)
{
    char parts[32] = "";
    size_t n = 0;
    if (value % one) {
        n = (size_t)snprintf(parts, sizeof parts, "%" PRIu64, one + value % one);
        while (parts[n - 1] == '0')
            parts[--n] = '\0';
        parts[0] = '.'; /* where the one was */
    }
    snprintf(out, size, "%" PRIu64 "%s%s", value / one, parts, unit);
}

void in_value_format(const struct in_form *form, uint64_t value, char *out, size_t size)
{
    if (form->type == IN_BOOL) {
        snprintf(out, size, "%s", value ? "true" : "false");
    } else if (form->type == IN_ENUM || form->type == IN_WORD) {
        in_word_at(form->unit, value, out, size);
    } else if (form->type == IN_TIME && value == SIM_NEVER) {
        snprintf(out, size, "none");
    } else if (form->type == IN_INT) {
        snprintf(out, size, "%" PRIu64, value);
    } else if (form->type == IN_SHARE || form->type == IN_DECIMAL) {
        const struct unit *u = kinds[form->type].units;
        format_parts(value, u->scale, u->name, out, size);
    } else {
        const struct unit *units = form->type == IN_TIME ? cycles : kinds[form->type].units;
        const struct unit *u = units;
        while (value && u[1].name && value % u[1].scale == 0)
            u++;
        snprintf(out, size, "%" PRIu64 "%s", value / u->scale, u->name);
    }
}

static void describe_words(const char *words, char *out, size_t size)
{
    char word[64], after[64];
    size_t n = 0;
    for (size_t i = 0; in_word_at(words, i, word, sizeof word) && n < size; i++) {
        const bool last = !in_word_at(words, i + 1, after, sizeof after);
        n += (size_t)snprintf(out + n, size - n, "%s%s", i == 0 ? "" : last ? " or " : ", ", word);
    }
}

void in_form_describe(const struct in_form *form, char *out, size_t size)
{
    char min[32], max[32];
    switch (form->type) {
    case IN_BOOL:
        snprintf(out, size, "true or false");
        return;
    case IN_ENUM:
    case IN_WORD:
        describe_words(form->unit, out, size);
        return;
    case IN_INT:
    case IN_CYCLES:
    case IN_BYTES:
    case IN_FREQ:
    case IN_SHARE:
    case IN_DECIMAL:
        break;
    default:
        snprintf(out, size, "%s", form->unit);
        return;
    }
    in_value_format(form, form->min, min, sizeof min);
    in_value_format(form, form->max, max, sizeof max);
    if (form->type == IN_INT)
        snprintf(out, size, "a whole number from %s to %s", min,
                 form->max == INT64_MAX ? "2^63 - 1" : max);
    else if (form->type == IN_CYCLES)
        snprintf(out, size, "%s from %s to %s", form->unit, min, max);
    else
        snprintf(out, size, "%s from %s to %s", kinds[form->type].of, min, max);
}
