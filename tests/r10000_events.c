/*
 * The rows of monitor/r10000/events.def against the documents: which signal each number counts, on
 * which counter of which chip, and what the event is called.
 */
#include "monitor/r10000/counters.h"

#include <criterion/criterion.h>
#include <string.h>

/* The documents' tables, typed again: IRIX's number, what it counts on an R10000 of revision 3, on
 * one of revision 2 if that is another thing, and on an R12000. */
#define S(signal) R10K_SIGNAL_##signal
static const struct {
    unsigned irix;
    enum r10k_signal revision3, revision2, r12000;
} document[] = {
    {0, S(CYCLES), S(CYCLES), S(CYCLES)},
    {1, S(ISSUED), S(ISSUED_AGAIN), S(DECODED)},
    {2, S(ISSUED_LOADS), S(ISSUED_LOADS_2), S(DECODED_LOADS)},
    {3, S(ISSUED_STORES), S(ISSUED_STORES), S(DECODED_STORES)},
    {4, S(ISSUED_SCS), S(ISSUED_SCS), S(MHT)},
    {5, S(FAILED_SCS), S(FAILED_SCS), S(FAILED_SCS)},
    {6, S(RESOLVED_ANY), S(DECODED_BRANCHES), S(RESOLVED)},
    {7, S(L2_WRITEBACKS), S(L2_WRITEBACKS), S(L2_WRITEBACKS)},
    {8, S(L2_ECC), S(L2_ECC), S(L2_ECC)},
    {9, S(L1I_MISSES), S(L1I_MISSES), S(L1I_MISSES)},
    {10, S(L2I_MISSES), S(L2I_MISSES), S(L2I_REQUESTS)},
    {11, S(WAY_MISSES_I), S(WAY_MISSES_I), S(WAY_MISSES_I)},
    {12, S(INTERVENTIONS), S(INTERVENTIONS), S(INTERVENTIONS)},
    {13, S(INVALIDATES), S(INVALIDATES), S(INVALIDATES)},
    {14, S(PROGRESS), S(VIRTUAL_COHERENCY), S(PROGRESS)},
    {15, S(GRADUATED), S(GRADUATED), S(GRADUATED)},
    {16, S(CYCLES), S(CYCLES), S(PREFETCHES)},
    {17, S(GRADUATED), S(GRADUATED), S(PREFETCH_MISSES)},
    {18, S(GRADUATED_LOADS), S(GRADUATED_LOADS_2), S(GRADUATED_LOADS)},
    {19, S(GRADUATED_STORES), S(GRADUATED_STORES), S(GRADUATED_STORES)},
    {20, S(GRADUATED_SCS), S(GRADUATED_SCS), S(GRADUATED_SCS)},
    {21, S(GRADUATED_FP), S(GRADUATED_FP), S(GRADUATED_FP)},
    {22, S(L1D_WRITEBACKS), S(L1D_WRITEBACKS), S(L1D_WRITEBACKS)},
    {23, S(TLB_REFILLS), S(TLB_REFILLS), S(TLB_REFILLS)},
    {24, S(MISPREDICTED), S(MISPREDICTED), S(MISPREDICTED)},
    {25, S(L1D_MISSES), S(L1D_REFILLS), S(L1D_MISSES)},
    {26, S(L2D_MISSES), S(L2D_MISSES), S(L2D_REQUESTS)},
    {27, S(WAY_MISSES_D), S(WAY_MISSES_D), S(WAY_MISSES_D)},
    {28, S(INTERVENTION_HITS), S(INTERVENTION_HITS), S(INTERVENTION_STATE)},
    {29, S(INVALIDATE_HITS), S(INVALIDATE_HITS), S(INVALIDATE_STATE)},
    {30, S(STORES_TO_CLEAN), S(STORES_TO_CLEAN), S(MHT_MEMORY)},
    {31, S(STORES_TO_SHARED), S(STORES_TO_SHARED), S(STORES_TO_EITHER)},
};
_Static_assert(sizeof document / sizeof *document == R10K_IRIX_EVENTS, "all of them");

static enum r10k_signal expected(enum r10k_chip chip, unsigned irix)
{
    return chip == R10K_R10000_2   ? document[irix].revision2
           : chip == R10K_R10000_3 ? document[irix].revision3
                                   : document[irix].r12000;
}

Test(r10000_events, numbers_are_the_documents)
{
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++)
        for (unsigned irix = 0; irix < R10K_IRIX_EVENTS; irix++) {
            const unsigned counters = r10k_irix_counters((enum r10k_chip)chip, irix);
            const unsigned number = r10k_irix_number((enum r10k_chip)chip, irix);
            const bool apart = chip != R10K_R12000;
            cr_assert_eq(document[irix].irix, irix);
            cr_expect_eq(counters, apart ? 1U << irix / 16 : 3, "event %u", irix);
            cr_expect_eq(number, apart ? irix % 16 : irix);
            for (unsigned k = 0; k < R10K_COUNTERS; k++) {
                const struct r10k_event *event = r10k_event_at((enum r10k_chip)chip, k, number);
                cr_assert(event, "%s, counter %u", r10k_chip_name((enum r10k_chip)chip), k);
                if (counters >> k & 1)
                    cr_expect_eq(event->signal, expected((enum r10k_chip)chip, irix),
                                 "%s: %u is %s", r10k_chip_name((enum r10k_chip)chip), irix,
                                 event->name);
            }
            cr_expect_eq(r10k_irix_event((enum r10k_chip)chip, irix)->signal,
                         expected((enum r10k_chip)chip, irix));
        }
}

/* Every number of every counter is one event, nothing lies beside them, and words are unique. */
Test(r10000_events, rows_are_whole)
{
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++) {
        unsigned count, seen[R10K_COUNTERS] = {0};
        const struct r10k_event *row = r10k_events((enum r10k_chip)chip, &count);
        const unsigned numbers = chip == R10K_R12000 ? 32 : 16;
        for (unsigned i = 0; i < count; i++) {
            for (unsigned k = 0; k < R10K_COUNTERS; k++)
                if (row[i].number[k] != R10K_NO_EVENT) {
                    cr_expect_lt(row[i].number[k], numbers, "%s", row[i].name);
                    cr_expect_eq(r10k_event_at((enum r10k_chip)chip, k, row[i].number[k]), &row[i],
                                 "%s: another row has its number", row[i].name);
                    seen[k]++;
                }
            cr_expect_eq(strncmp(row[i].name, "cpu_", 4), 0, "%s", row[i].name);
            cr_expect_eq(r10k_event_named((enum r10k_chip)chip, row[i].name), &row[i]);
            cr_expect(*row[i].title && *row[i].unit && *row[i].sentence && *row[i].source);
        }
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            cr_expect_eq(seen[k], numbers);
        cr_expect_null(r10k_event_at((enum r10k_chip)chip, 0, numbers));
        cr_expect_null(r10k_event_at((enum r10k_chip)chip, 0, R10K_NO_EVENT));
        cr_expect_null(r10k_irix_event((enum r10k_chip)chip, 32));
        cr_expect_null(r10k_event_named((enum r10k_chip)chip, "cycles"));
    }
}

/* A signal that no chip counts would be kept in vain. */
Test(r10000_events, every_signal_is_counted)
{
    bool counted[R10K_SIGNALS] = {0};
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++)
        for (unsigned irix = 0; irix < R10K_IRIX_EVENTS; irix++)
            counted[expected((enum r10k_chip)chip, irix)] = true;
    for (unsigned s = 0; s < R10K_SIGNALS; s++)
        cr_expect(counted[s], "%s", r10k_signal_name((enum r10k_signal)s));
}

/* The increments that the documents give: instructions 0 to 4, occupancy 0 to 5, states up to 3. */
Test(r10000_events, increments_are_the_documents)
{
    static const struct {
        enum r10k_signal signal;
        unsigned most;
    } rows[] = {{S(CYCLES), 1},
                {S(ISSUED), 5},
                {S(GRADUATED), 4},
                {S(GRADUATED_FP), 4},
                {S(RESOLVED_ANY), 1},
                {S(GRADUATED_STORES), 1},
                {S(MHT), 5},
                {S(MHT_MEMORY), 4},
                {S(INTERVENTION_STATE), 3},
                {S(STORES_TO_EITHER), 2},
                {S(DECODED), 4},
                {S(DECODED_LOADS), 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(r10k_signal_most(rows[i].signal), rows[i].most, "%s",
                     r10k_signal_name(rows[i].signal));
}
