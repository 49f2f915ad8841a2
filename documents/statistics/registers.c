/*
 * Counters as registers: what a program that reads them would have read at the last cycle.
 *
 * They are beside the events of regions and not instead of them: a card programmed by hand has four
 * counters that wrap, start anywhere and may be masked, and nobody clears them at a mark.
 */
#include "documents/statistics/registers.h"

#include "base/plural.h"
#include "documents/grid.h"
#include "documents/statistics/histogram.h"

static const struct mon_event *registers_event_of(const struct doc_run *run,
                                                  const struct mon_reading *r)
{
    return mon_unit_event(run->unit, r->event);
}

bool doc_registers_used(const struct doc_run *run)
{
    for (unsigned c = 0; run->registers && c < run->cards; c++)
        for (unsigned k = 0; k < run->unit->counters; k++)
            if (run->registers[c].counter[k].used)
                return true;
    return false;
}

static void walk_counter(const struct doc_run *run, unsigned c, unsigned k, doc_stat_fn *fn,
                         void *ctx)
{
    const struct mon_reading *r = &run->registers[c].counter[k];
    const struct mon_event *e = registers_event_of(run, r);
    char component[80], desc[300];
    snprintf(component, sizeof component, "machine.station[%u].card[%u].counter[%u]",
             c / run->per_station, c % run->per_station, k);
    snprintf(desc, sizeof desc, "%s%s: %s", e->name, r->masked ? ", masked" : "", e->sentence);
    fn(ctx, &(struct doc_stat){.component = component,
                               .name = "value",
                               .unit = e->unit,
                               .desc = desc,
                               .count = r->value});
    fn(ctx, &(struct doc_stat){.component = component,
                               .name = "counted",
                               .unit = e->unit,
                               .desc = "what it counted since it was last loaded",
                               .count = r->counted});
    fn(ctx, &(struct doc_stat){.component = component,
                               .name = "overflowed",
                               .unit = "flag",
                               .desc = run->unit->overflow,
                               .count = r->overflowed});
}

/* What a card's processor added to SRAMs, its own and others'. */
static void walk_writer(const struct doc_run *run, unsigned c, doc_stat_fn *fn, void *ctx)
{
    const struct mon_writer w = doc_writer(run, c);
    char component[64];
    snprintf(component, sizeof component, "machine.station[%u].card[%u].sram", c / run->per_station,
             c % run->per_station);
    fn(ctx, &(struct doc_stat){.component = component,
                               .name = "increments",
                               .unit = "writes",
                               .desc = "increments of any card's SRAM by this processor",
                               .count = w.written});
    fn(ctx, &(struct doc_stat){.component = component,
                               .name = "increments_lost",
                               .unit = "writes",
                               .desc = "of these, those that came while that SRAM was counting",
                               .count = w.lost});
}

void doc_registers_walk(const struct doc_run *run, doc_stat_fn *fn, void *ctx)
{
    for (unsigned c = 0; run->registers && c < run->cards; c++) {
        for (unsigned k = 0; k < run->unit->counters; k++)
            if (run->registers[c].counter[k].used)
                walk_counter(run, c, k, fn, ctx);
        if (run->unit->words)
            walk_writer(run, c, fn, ctx);
    }
}

void doc_write_counters(const struct doc_run *run, FILE *out)
{
    fputs("card,counter,event,masked,value,counted,unit,overflowed\r\n", out);
    for (unsigned c = 0; run->registers && c < run->cards; c++)
        for (unsigned k = 0; k < run->unit->counters; k++) {
            const struct mon_reading *r = &run->registers[c].counter[k];
            const struct mon_event *e = registers_event_of(run, r);
            if (r->used)
                fprintf(out, "%u,%u,%s,%d,%u,%llu,%s,%d\r\n", c, k, e->name, r->masked, r->value,
                        (unsigned long long)r->counted, e->unit, r->overflowed);
        }
}

/* ---- for people ------------------------------------------------------------------------------ */

/* The cards on which counter k counts the same, and what it has counted there: values that start
 * anywhere have no sum. */
struct alike {
    unsigned cards, wrapped;
    uint64_t sum, low, high;
};

static struct alike find_alike(const struct doc_run *run, unsigned k, uint32_t setup)
{
    struct alike a = {.low = UINT64_MAX};
    for (unsigned c = 0; c < run->cards; c++) {
        const struct mon_reading *r = &run->registers[c].counter[k];
        if (r->setup != setup)
            continue;
        a.cards++;
        a.wrapped += r->overflowed;
        a.sum += r->counted;
        a.low = r->counted < a.low ? r->counted : a.low;
        a.high = r->counted > a.high ? r->counted : a.high;
    }
    return a;
}

static bool is_first(const struct doc_run *run, unsigned c, unsigned k)
{
    for (unsigned i = 0; i < c; i++)
        if (run->registers[i].counter[k].setup == run->registers[c].counter[k].setup)
            return false;
    return true;
}

static void registers_add_row(struct doc_grid *grid, const struct doc_run *run, unsigned c,
                              unsigned k)
{
    const struct mon_reading *r = &run->registers[c].counter[k];
    const struct mon_event *e = registers_event_of(run, r);
    const struct alike a = find_alike(run, k, r->setup);
    char sum[32], low[32], high[32];
    doc_grid_cell(grid, "%u", k);
    doc_grid_cell(grid, "%s%s", e->name, r->masked ? ", masked" : "");
    doc_grid_cell(grid, "%u", a.cards);
    doc_grid_cell(grid, "%s", doc_grouped(a.sum, sum));
    doc_grid_cell(grid, "%s", e->unit);
    doc_grid_cell(grid, "%s .. %s", doc_grouped(a.low, low), doc_grouped(a.high, high));
    if (a.wrapped)
        doc_grid_cell(grid, "on %u card%s", a.wrapped, sim_plural(a.wrapped));
    else
        doc_grid_cell(grid, "-");
}

void doc_table_counters(const struct doc_run *run, FILE *out)
{
    static const char *const heading[] = {"counter", "counts",   "cards",     "counted",
                                          "unit",    "per card", "overflowed"};
    struct doc_grid grid;
    doc_grid_init(&grid, "rlrrlll");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        doc_grid_cell(&grid, "%s", heading[i]);
    for (unsigned k = 0; k < run->unit->counters; k++)
        for (unsigned c = 0; c < run->cards; c++)
            if (run->registers[c].counter[k].used && is_first(run, c, k))
                registers_add_row(&grid, run, c, k);
    fputs("\nWhat the cards' counters, as they were programmed, counted since each was last "
          "loaded:\n",
          out);
    doc_grid_print(&grid, out, false, 110);
    doc_grid_free(&grid);
}
