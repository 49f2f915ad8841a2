/* A machine's number means the same machine when rows are added to the table of parameters. */
#include "lot.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MACHINES = 60, CARDS = 64, LEAST_PERCENT = 90 };

/* Every row but `left` is the same. */
static bool same(const struct nm_params *a, const struct nm_params *b, size_t left)
{
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    for (size_t i = 0; i < rows; i++)
        if (i != left && nm_param_get(a, &row[i]) != nm_param_get(b, &row[i]))
            return false;
    return true;
}

/* Each row in turn is the one that was added last. Where nothing had to be drawn again because it
 * did not fit, all others are what they were; and so they are of nearly all machines that do not
 * use it. */
Test(lot_rows, a_row_that_is_added_moves_no_other)
{
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    unsigned kept = 0, unused = 0, used = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        struct nm_params now, before;
        const unsigned mended = lot_draw_without(NULL, seed, CARDS, 0, &now);
        for (size_t i = 0; i < rows; i++) {
            const bool again = lot_draw_without(row[i].key, seed, CARDS, 0, &before) || mended;
            const bool is_same = same(&now, &before, i);
            cr_expect(nm_param_get(&before, &row[i]) == row[i].def ||
                          !strncmp(row[i].key, "run.", 4),
                      "%s", row[i].key);
            cr_expect(again || is_same, "machine %lu, %s", (unsigned long)seed, row[i].key);
            if (nm_param_get(&now, &row[i]) != row[i].def) {
                used++;
                continue;
            }
            unused++;
            kept += is_same;
        }
    }
    cr_expect_gt(used, MACHINES);
    cr_expect_geq(100 * kept, LEAST_PERCENT * unused, "%u of %u", kept, unused);
}

/* Machines differ by their numbers alone. */
Test(lot_rows, numbers_are_machines)
{
    struct nm_params a, b;
    unsigned other = 0;
    for (uint64_t seed = 1; seed <= MACHINES; seed++) {
        lot_draw(seed, CARDS, 0, &a);
        lot_draw(seed, CARDS, 0, &b);
        cr_expect(same(&a, &b, SIZE_MAX), "machine %lu", (unsigned long)seed);
        lot_draw(seed + 1, CARDS, 0, &b);
        other += !same(&a, &b, SIZE_MAX);
    }
    cr_expect_geq(100 * other, LEAST_PERCENT * MACHINES, "%u", other);
}

/* Cards of another kind are ones that a machine may have beside its own, and the machine stays what
 * it was. */
Test(lot_rows, mixtures_fit)
{
    enum { MANY = 400, CORES = 3 };
    unsigned mixtures[CORES] = {0}, alike = 0;
    for (uint64_t seed = 1; seed <= MANY; seed++) {
        const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
        struct nm_params p, now, other;
        bool of[CARDS] = {0};
        unsigned others = 0;
        lot_draw(seed, CARDS, 0, &p);
        now = p;
        if (!lot_mix(seed, &now, &other, of)) {
            alike++;
            continue;
        }
        for (uint64_t c = 0; c < nm_params_cards(&p); c++)
            others += of[c];
        cr_expect(others && others < nm_params_cards(&p), "machine %lu", (unsigned long)seed);
        cr_expect(nm_params_same_machine(&now, &other), "machine %lu", (unsigned long)seed);
        cr_expect_eq(nm_param_rules_broken(&now, broken), 0, "machine %lu", (unsigned long)seed);
        cr_expect_eq(nm_param_rules_broken(&other, broken), 0, "machine %lu", (unsigned long)seed);
        cr_assert(other.core < CORES && other.core != now.core);
        mixtures[other.core]++;
        now.watchdog = p.watchdog;
        cr_expect(same(&now, &p, SIZE_MAX), "machine %lu", (unsigned long)seed);
    }
    cr_expect(mixtures[NM_CORE_R10000] >= 10 && mixtures[NM_CORE_R12000] >= 10 && alike > MANY / 2,
              "%u, %u, %u", mixtures[NM_CORE_R10000], mixtures[NM_CORE_R12000], alike);
}
