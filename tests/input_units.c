/* Values with units: what is read, what is refused and in which words; written and read back. */
#include "input/units.h"

#include <criterion/criterion.h>
#include <string.h>

#define WIDE UINT64_MAX

#define ZEROS_16 "0000000000000000"
#define ZEROS_46 ZEROS_16 ZEROS_16 "00000000000000"
#define ZEROS_64 ZEROS_16 ZEROS_16 ZEROS_16 ZEROS_16

static const struct row {
    int line;
    enum in_type type;
    const char *text;
    uint64_t value;
    const char *refusal; /**< NULL: accepted with `value` */
} rows[] = {
    {__LINE__, IN_INT, "0", 0, NULL},
    {__LINE__, IN_INT, "18446744073709551615", WIDE, NULL},
    {__LINE__, IN_INT, "18446744073709551616", 0, "too large"},
    {__LINE__, IN_INT, "99999999999999999999999", 0, "too large"},
    {__LINE__, IN_INT, "4.0", 4, NULL},
    {__LINE__, IN_INT, "4.5", 0, "whole number"},
    {__LINE__, IN_INT, "010", 0, "octal"},
    {__LINE__, IN_INT, "0x10", 0, "hexadecimal"},
    {__LINE__, IN_INT, "0o17", 0, "octal"},
    {__LINE__, IN_INT, "1e3", 0, "exponent"},
    {__LINE__, IN_INT, "1_000", 0, "separator"},
    {__LINE__, IN_INT, "1,000", 0, "separator"},
    {__LINE__, IN_INT, "-1", 0, "negative"},
    {__LINE__, IN_INT, "+1", 0, "plus"},
    {__LINE__, IN_INT, "", 0, "not a number"},
    {__LINE__, IN_INT, "four", 0, "not a number"},
    {__LINE__, IN_INT, "12ns", 0, "after the number"},
    {__LINE__, IN_INT, "1 2", 0, "after the number"},
    {__LINE__, IN_INT, ".inf", 0, "not a number"},
    {__LINE__, IN_INT, "1.", 0, "without digits"},
    {__LINE__, IN_BYTES, "64B", 64, NULL},
    {__LINE__, IN_BYTES, "16KB", 16384, NULL},
    {__LINE__, IN_BYTES, "1MB", 1 << 20, NULL},
    {__LINE__, IN_BYTES, "2GB", 2147483648, NULL},
    {__LINE__, IN_BYTES, "1.5KB", 1536, NULL},
    {__LINE__, IN_BYTES, "0." ZEROS_64 "1GB", 0, "whole number"},
    {__LINE__, IN_BYTES, "0." ZEROS_46 "20000000000000000001GB", 0, "whole number"},
    {__LINE__, IN_BYTES, "2." ZEROS_64 "GB", 2147483648, NULL},
    {__LINE__, IN_BYTES, "0.000000000931322574615478515625GB", 1, NULL},
    {__LINE__, IN_INT, "1" ZEROS_64, 0, "too large"},
    {__LINE__, IN_FREQ, "1." ZEROS_46 "1GHz", 0, "too many digits"},
    {__LINE__, IN_BYTES, "1.50000000000000000000000KB", 1536, NULL},
    {__LINE__, IN_BYTES, "0.3KB", 0, "whole number"},
    {__LINE__, IN_BYTES, "64", 0, "needs a unit"},
    {__LINE__, IN_BYTES, "64 B", 0, "unknown unit ' B'"},
    {__LINE__, IN_BYTES, "64KiB", 0, "unknown unit 'KiB' (known: B, KB, MB, GB)"},
    {__LINE__, IN_BYTES, "64MHz", 0, "unit of a clock, but must be a size"},
    {__LINE__, IN_BYTES, "17179869184GB", 0, "too large"},
    {__LINE__, IN_FREQ, "150MHz", 150000000, NULL},
    {__LINE__, IN_FREQ, "1GHz", 1000000000, NULL},
    {__LINE__, IN_FREQ, "33.333333MHz", 33333333, NULL},
    {__LINE__, IN_FREQ, "33.3333333MHz", 0, "whole number"},
    {__LINE__, IN_FREQ, "50mhz", 0, "unknown unit"},
    {__LINE__, IN_FREQ, "20ns", 0, "unit of a time, but must be a clock"},
    {__LINE__, IN_CYCLES, "12cy", 12, NULL},
    {__LINE__, IN_CYCLES, "1.5cy", 0, "whole number"},
    {__LINE__, IN_CYCLES, "12", 0, "needs a unit"},
    {__LINE__, IN_CYCLES, "0", 0, NULL},
    {__LINE__, IN_BYTES, "0", 0, NULL},
    {__LINE__, IN_CYCLES, "00", 0, "leading zero"},
    {__LINE__, IN_CYCLES, "12B", 0, "unit of a size, but must be cycles"},
};

Test(input_units, values)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        const struct in_form form = {row->type, "units", 0, WIDE};
        uint64_t value = 77;
        char why[400] = "";
        const bool good = in_value_parse(&form, row->text, &value, why, sizeof why);
        cr_expect_eq(good, !row->refusal, "line %d: %s: %s", row->line, row->text, why);
        cr_expect_eq(value, good ? row->value : 77, "line %d: %s", row->line, row->text);
        if (row->refusal)
            cr_expect(strstr(why, row->refusal), "line %d: said '%s'", row->line, why);
    }
}

static const struct {
    int line;
    const char *text;
    uint64_t hz;
    sim_tick ticks;
    const char *refusal;
} times[] = {
    {__LINE__, "20ns", 150000000, 3, NULL},
    {__LINE__, "1us", 150000000, 150, NULL},
    {__LINE__, "100ms", 150000000, 15000000, NULL},
    {__LINE__, "2s", 150000000, 300000000, NULL},
    {__LINE__, "0.02us", 150000000, 3, NULL},
    {__LINE__, "7cy", 150000000, 7, NULL},
    {__LINE__, "none", 150000000, SIM_NEVER, NULL},
    {__LINE__, "1ns", 150000000, 0, "whole number"},
    {__LINE__, "0s", 150000000, 0, "no time"},
    {__LINE__, "0cy", 150000000, 0, "no time"},
    {__LINE__, "0", 150000000, 0, "no time"},
    {__LINE__, "18446744073s", 4000000000, 0, "too large"},
    {__LINE__, "18446744073709551615s", 4000000000, 0, "too large"},
    {__LINE__, "18446744073709551615cy", 1, 0, "too large"},
    {__LINE__, "18446744073709551614cy", 1, 0, "too large"},
    {__LINE__, "9223372036854775808cy", 1, 0, "too large"},
    {__LINE__, "9223372036854775807cy", 1, INT64_MAX, NULL},
    {__LINE__, "1min", 1, 0, "unknown unit"},
    {__LINE__, "5", 1, 0, "needs a unit"},
    {__LINE__, "", 1, 0, "not a number"},
    {__LINE__, "-1s", 1, 0, "negative"},
    {__LINE__, "None", 1, 0, "not a number"},
};

Test(input_units, times)
{
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        sim_tick ticks = 77;
        char why[400] = "";
        const bool good = in_time_parse(times[i].text, times[i].hz, 1, &ticks, why, sizeof why);
        cr_expect_eq(good, !times[i].refusal, "line %d: %s", times[i].line, why);
        cr_expect_eq(ticks, good ? times[i].ticks : 77, "line %d", times[i].line);
        if (times[i].refusal)
            cr_expect(strstr(why, times[i].refusal), "line %d: said '%s'", times[i].line, why);
    }
}

/* Every parameter's ends and default are written in a form that reads back to the same number. */
Test(input_units, round_trip)
{
    size_t count;
    const struct nm_param_row *rows_ = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct in_form form = in_param_form(&rows_[i]);
        const uint64_t values[] = {rows_[i].min, rows_[i].def, rows_[i].max};
        for (size_t v = 0; v < 3; v++) {
            char text[64], why[400] = "";
            uint64_t back = 0;
            in_value_format(&form, values[v], text, sizeof text);
            cr_expect(in_value_parse(&form, text, &back, why, sizeof why), "%s: %s %s",
                      rows_[i].key, text, why);
            cr_expect_eq(back, values[v], "%s: %s", rows_[i].key, text);
        }
    }
}

Test(input_units, words)
{
    const struct in_form form = {IN_ENUM, "mips64r2 mips3", 0, 1};
    uint64_t value = 9;
    char why[400];
    cr_expect(in_value_parse(&form, "mips3", &value, why, sizeof why));
    cr_expect_eq(value, 1);
    cr_expect_not(in_value_parse(&form, "mips64", &value, why, sizeof why));
    cr_expect(strstr(why, "did you mean 'mips64r2'?"), "%s", why);
    cr_expect_not(in_value_parse(&form, "x86", &value, why, sizeof why));
    cr_expect(strstr(why, "expected mips64r2 or mips3"), "%s", why);
}
