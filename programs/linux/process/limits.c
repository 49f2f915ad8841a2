/* Limits of resources as a program finds them (limits.def). */
#include "programs/linux/process/process.h"

static const struct lx_limit_row {
    const char *name, *unit;
    struct lx_limit first;
} rows[LIMITS] = {
#define NONE                                  UINT64_MAX
#define LIMIT(number, name, unit, soft, hard) [number] = {name, unit, {soft, hard}},
#include "programs/linux/process/limits.def"
#undef LIMIT
#undef NONE
};

void lx_limits_init(struct lx_prog *p)
{
    for (int i = 0; i < LIMITS; i++)
        p->limits[i] = rows[i].first;
}

/** A number, or "unlimited". */
static void print_limit(FILE *f, uint64_t v)
{
    if (v == UINT64_MAX)
        fprintf(f, "%-20s ", "unlimited");
    else
        fprintf(f, "%-20llu ", (unsigned long long)v);
}

void lx_limits_print(const struct lx_prog *p, FILE *f)
{
    fprintf(f, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
    for (int i = 0; i < LIMITS; i++) {
        fprintf(f, "%-25s ", rows[i].name);
        print_limit(f, p->limits[i].soft);
        print_limit(f, p->limits[i].hard);
        fprintf(f, "%-10s\n", rows[i].unit);
    }
}
