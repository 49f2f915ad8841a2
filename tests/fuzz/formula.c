/*
 * Formulas. The idea: what is refused has a place and a reason, and what is accepted can be
 * computed with any values and never gives anything but a finite number or a refusal.
 */
#include "monitor/formula.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>

const char *const fuzz_words[] = {"(",     ")",      "-",   "*",   "/", "+",
                                  "1e308", "1e-308", "0",   ".5",  "a", "reads",
                                  "1e",    "0x1p3",  "inf", "nan", " ", NULL};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static const char *const texts[] = {"100 * nacks / reads",
                                        "a - (b + c) * 2.5e3 / -d",
                                        "((((1))))",
                                        "-(-(-1))",
                                        "1/0",
                                        "a/b/c/d/e",
                                        "1e300*1e300",
                                        "a"};
    return number < sizeof texts / sizeof *texts ? fuzz_text_seed(texts[number], out, room) : 0;
}

/** Names of one letter are known. */
static int find(void *ctx, const char *name, char *why, size_t size)
{
    (void)ctx;
    FUZZ_CHECK(strlen(name) < MON_NAME_MAX && *name, "a name of %zu bytes", strlen(name));
    if (!name[1])
        return (uint8_t)name[0];
    snprintf(why, size, "'%s' is unknown", name);
    return -1;
}

static double value_of(void *ctx, unsigned name)
{
    static const double values[] = {0, 1, -1, 1e300, 1e-300, 18446744073709551616.0, 3, 0.1};
    const unsigned *round = ctx;
    return values[(name + *round) % (sizeof values / sizeof *values)];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), why[200] = "";
    struct mon_formula f;
    size_t offset = 0;

    if (!mon_formula_read(&f, text, find, NULL, &offset, why, sizeof why)) {
        FUZZ_CHECK(*why, "refused without a reason: %s", text);
        FUZZ_CHECK(offset <= strlen(text), "at byte %zu of %zu", offset, strlen(text));
    } else {
        FUZZ_CHECK(f.steps > 0 && f.steps <= MON_FORMULA_STEPS, "%u steps", f.steps);
        for (unsigned round = 0; round < 8; round++) {
            double v = 0;
            if (mon_formula_value(&f, value_of, &round, &v))
                FUZZ_CHECK(isfinite(v), "%s gives %g", text, v);
        }
    }
    free(text);
    return 0;
}
