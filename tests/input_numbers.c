/*
 * Reads and writes numbers for input_numbers.py: one request a line, one answer a line.
 *
 *     int|cycles|bytes|freq TEXT    the value, or "refused: WHY"
 *     time HZ TEXT                  ticks of a clock of HZ
 *     whole TEXT                    decimal or 0x, and nothing behind it
 *     formula TEXT                  a double, as %a
 *     show int|cycles|bytes|freq N  as files print it
 */
#include "input/units.h"
#include "monitor/formula.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum in_type type;
} kinds[] = {{"int", IN_INT}, {"cycles", IN_CYCLES}, {"bytes", IN_BYTES}, {"freq", IN_FREQ}, {0}};

static void answer(bool good, uint64_t value, const char *why)
{
    if (good)
        printf("%" PRIu64 "\n", value);
    else
        printf("refused: %s\n", why);
}

static void whole(const char *text)
{
    uint64_t value = 0;
    const char *end = in_whole_parse(text, &value);
    answer(end && !*end, value, "no whole number");
}

static int no_name(void *ctx, const char *name, char *why, size_t size)
{
    (void)ctx;
    snprintf(why, size, "no names here: '%s'", name);
    return -1;
}

static void formula(const char *text)
{
    struct mon_formula f;
    size_t offset;
    char why[300];
    double value = 0;
    if (!mon_formula_read(&f, text, no_name, NULL, &offset, why, sizeof why))
        answer(false, 0, why);
    else if (!mon_formula_value(&f, NULL, NULL, &value))
        answer(false, 0, "no value");
    else
        printf("%a\n", value);
}

/** @return the row of a word, or NULL */
static const struct in_form *form_of(const char *word, struct in_form *form)
{
    for (size_t i = 0; kinds[i].name; i++)
        if (!strcmp(kinds[i].name, word)) {
            *form = (struct in_form){kinds[i].type, "units", 0, UINT64_MAX};
            return form;
        }
    return NULL;
}

static bool serve(const char *what, char *rest)
{
    char why[IN_WHY_MAX] = "", text[64];
    struct in_form form;
    uint64_t value = 0;
    bool good;
    if (!strcmp(what, "whole")) {
        whole(rest);
    } else if (!strcmp(what, "formula")) {
        formula(rest);
    } else if (!strcmp(what, "time")) {
        const char *hz = strsep(&rest, " ");
        good = in_time_parse(rest, strtoull(hz, NULL, 10), 1, &value, why, sizeof why);
        answer(good, value, why);
    } else if (!strcmp(what, "show") && form_of(strsep(&rest, " "), &form)) {
        in_value_format(&form, strtoull(rest, NULL, 10), text, sizeof text);
        puts(text);
    } else if (form_of(what, &form)) {
        good = in_value_parse(&form, rest, &value, why, sizeof why);
        answer(good, value, why);
    } else {
        return false;
    }
    return true;
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    bool good = true;
    while (good && getline(&line, &size, stdin) > 0) {
        char *rest = line;
        line[strcspn(line, "\n")] = '\0';
        const char *what = strsep(&rest, " ");
        good = rest && serve(what, rest);
    }
    free(line);
    return good ? 0 : 1;
}
