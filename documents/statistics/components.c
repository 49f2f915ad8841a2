/*
 * The statistics of the machine around the cards.
 *
 * Parts of a station are components of their own, "machine.station[1].netcache"; a ring is
 * "machine.ring[level][index]", level 0 being the local rings, and its link i goes from node i to
 * the next one. The one thing to know about FIFOs: a mean depth is a mean over the time of the
 * region, but a greatest depth cannot be subtracted, so it is the greatest since the run began.
 */
#include "documents/statistics/components.h"

#include "documents/csv.h"
#include "documents/statistics/statistics.h"

#include "monitor/taps.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *part, *name, *unit, *sentence;
    size_t offset;
} station_rows[] =
    {
#define STATION(field, part, name, unit, sentence) \
    {part, name, unit, sentence, offsetof(struct nm_station_counts, field)},
#define RING(field, part, name, unit, sentence)
#include "machine/statistics.def"
#undef STATION
#undef RING
},
  ring_rows[] = {
#define STATION(field, part, name, unit, sentence)
#define RING(field, part, name, unit, sentence) \
    {part, name, unit, sentence, offsetof(struct nm_ring_counts, field)},
#include "machine/statistics.def"
#undef STATION
#undef RING
};

enum {
    STATION_ROWS = sizeof station_rows / sizeof *station_rows,
    RING_ROWS = sizeof ring_rows / sizeof *ring_rows,
};

static const char *const class_names[NM_CLASSES] = {"sinkable", "nonsinkable"};

struct components_walk {
    const struct doc_run *run;
    const struct doc_region *region;
    doc_stat_fn *fn;
    void *ctx;
};

static void components_emit(const struct components_walk *w, const char *component,
                            const char *name, const char *unit, const char *desc, uint64_t count)
{
    w->fn(w->ctx, &(struct doc_stat){.component = component,
                                     .name = name,
                                     .unit = unit,
                                     .desc = desc,
                                     .timed = true,
                                     .count = count});
}

/* @param filled  depth summed over what was measured */
static void emit_fifo(const struct components_walk *w, const char *component, const char *fifo,
                      const char *unit, uint64_t filled, uint64_t deepest)
{
    char name[64];
    snprintf(name, sizeof name, "%sdepth_mean", fifo);
    const sim_tick elapsed = doc_region_measured(w->region)->elapsed;
    const double mean = elapsed ? (double)filled / (double)elapsed : NAN;
    w->fn(w->ctx, &(struct doc_stat){.component = component,
                                     .name = name,
                                     .unit = unit,
                                     .desc = "mean depth over time",
                                     .real = true,
                                     .value = mean,
                                     .reason = elapsed ? NULL : doc_no_value(w->region, mean)});
    snprintf(name, sizeof name, "%sdepth_max", fifo);
    components_emit(w, component, name, unit, "greatest depth since the run began", deepest);
}

/* ---- stations -------------------------------------------------------------------------------- */

static bool has_rings(const struct doc_run *run)
{
    return run->rings > 0;
}

static void walk_counts(const struct components_walk *w, unsigned station,
                        const struct nm_station_counts *sum)
{
    for (unsigned i = 0; i < STATION_ROWS; i++) {
        const char *part = station_rows[i].part;
        char component[64];
        if (!has_rings(w->run) && strcmp(part, "bus") != 0 && strcmp(part, "memory") != 0)
            continue;
        snprintf(component, sizeof component, "machine.station[%u].%s", station, part);
        components_emit(w, component, station_rows[i].name, station_rows[i].unit,
                        station_rows[i].sentence,
                        *(const uint64_t *)((const char *)sum + station_rows[i].offset));
    }
}

/* "bus.card[2]" and so on; false: the station has no such module. */
static bool port_name(const struct doc_run *run, unsigned module, char *out, size_t size)
{
    if (module < NM_CARDS_MAX)
        snprintf(out, size, "bus.card[%u]", module);
    else
        snprintf(out, size, "bus.%s", module == NM_MODULE_MEMORY ? "memory" : "network");
    return module < NM_CARDS_MAX ? module < run->per_station
                                 : module == NM_MODULE_MEMORY || has_rings(run);
}

static void walk_port(const struct components_walk *w, unsigned station, unsigned module,
                      const struct nm_station_monitor *mon, const uint64_t *filled)
{
    char port[32], component[96], fifo[32];
    if (!port_name(w->run, module, port, sizeof port))
        return;
    snprintf(component, sizeof component, "machine.station[%u].%s", station, port);
    for (unsigned i = 0; i < 2 * NM_CLASSES; i++) {
        const bool out = i >= NM_CLASSES;
        const unsigned at = nm_port_fifo(module, out, i % NM_CLASSES);
        snprintf(fifo, sizeof fifo, "%s.%s.", out ? "out" : "in", class_names[i % NM_CLASSES]);
        emit_fifo(w, component, fifo, "packets", filled[at], mon->most.deepest[at]);
    }
}

static void walk_interface(const struct components_walk *w, unsigned station,
                           const struct nm_station_monitor *mon, const uint64_t *filled)
{
    char component[64], fifo[32];
    snprintf(component, sizeof component, "machine.station[%u].ring", station);
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        snprintf(fifo, sizeof fifo, "output.%s.", class_names[c]);
        emit_fifo(w, component, fifo, "packets", filled[NM_FIFO_OUTPUT + c],
                  mon->most.deepest[NM_FIFO_OUTPUT + c]);
    }
    emit_fifo(w, component, "input.", "slots", filled[NM_FIFO_INPUT],
              mon->most.deepest[NM_FIFO_INPUT]);
    for (unsigned c = 0; c < NM_CLASSES; c++) {
        snprintf(fifo, sizeof fifo, "delivered.%s.", class_names[c]);
        emit_fifo(w, component, fifo, "packets", filled[NM_FIFO_DELIVERED + c],
                  mon->most.deepest[NM_FIFO_DELIVERED + c]);
    }
}

static void walk_station(const struct components_walk *w, unsigned station)
{
    const struct nm_station_monitor *mon = &w->region->around.station[station];
    const uint64_t *filled = doc_region_measured(w->region)->around.station[station].sum.filled;
    walk_counts(w, station, &mon->sum);
    if (has_rings(w->run))
        walk_interface(w, station, mon, filled);
    for (unsigned m = 0; m < NM_MODULES; m++)
        walk_port(w, station, m, mon, filled);
}

/* ---- rings ----------------------------------------------------------------------------------- */

static struct nm_ring_place components_place_of(const struct doc_run *run, unsigned ring)
{
    return nm_ring_place(run->experiment->machine.params, ring);
}

static void walk_ring(const struct components_walk *w, unsigned ring)
{
    const struct nm_ring_place place = components_place_of(w->run, ring);
    const struct nm_ring_monitor *mon = &w->region->around.ring[ring];
    const struct nm_ring_counts *filled = &doc_region_measured(w->region)->around.ring[ring].sum;
    char path[64], component[96];
    snprintf(path, sizeof path, "machine.ring[%u][%u]", place.level, place.index);
    for (unsigned i = 0; i < RING_ROWS; i++) {
        const bool interface = *ring_rows[i].part;
        if (interface && place.top)
            continue;
        snprintf(component, sizeof component, "%s%s%s", path, interface ? "." : "",
                 ring_rows[i].part);
        components_emit(w, component, ring_rows[i].name, ring_rows[i].unit, ring_rows[i].sentence,
                        *(const uint64_t *)((const char *)&mon->sum + ring_rows[i].offset));
    }
    if (!place.top) {
        snprintf(component, sizeof component, "%s.interface", path);
        emit_fifo(w, component, "up_fifo.", "slots", filled->up_filled, mon->most.up_deepest);
        emit_fifo(w, component, "down_fifo.", "slots", filled->down_filled, mon->most.down_deepest);
    }
    for (unsigned node = 0; node < place.nodes; node++) {
        snprintf(component, sizeof component, "%s.link[%u]", path, node);
        components_emit(w, component, doc_statistic_name(DOC_STATISTIC_link_busy), "ring cycles",
                        "a slot in use moved over the link", mon->sum.link[node]);
    }
}

void doc_components_walk(const struct doc_run *run, const struct doc_region *region,
                         doc_stat_fn *fn, void *ctx)
{
    const struct components_walk w = {run, region, fn, ctx};
    for (unsigned s = 0; s < run->stations; s++)
        walk_station(&w, s);
    for (unsigned r = 0; r < run->rings; r++)
        walk_ring(&w, r);
}

/* ---- highlights ------------------------------------------------------------------------------ */

/* Keeps the greatest share seen, of no time at all NAN; returns whether this is it. */
static bool components_greater(struct doc_highlight *h, double busy, double cycles)
{
    const double percent = cycles > 0 ? 100 * busy / cycles : NAN;
    if (percent <= h->percent)
        return false;
    h->percent = percent;
    return true;
}

static void busiest_station(const struct doc_run *run, const struct doc_region *region,
                            struct doc_highlight *bus, struct doc_highlight *memory)
{
    const double cycles =
        doc_cycles(run, region, nm_value_bus_clock(run->experiment->machine.params));
    for (unsigned s = 0; s < run->stations; s++) {
        const struct nm_station_counts *sum = &region->around.station[s].sum;
        if (components_greater(bus, (double)sum->bus_busy, cycles))
            bus->part[0] = (struct doc_part){"station", "station", s};
        if (components_greater(memory, (double)sum->memory_busy, cycles))
            memory->part[0] = (struct doc_part){"station", "station", s};
    }
}

/* Where there is more than one level above the local rings, the link's level is a part, too. */
static void busiest_link(const struct doc_run *run, const struct doc_region *region,
                         struct doc_highlight *local, struct doc_highlight *above)
{
    const double cycles =
        doc_cycles(run, region, nm_value_ring_clock(run->experiment->machine.params));
    bool between = false;
    for (unsigned r = 0; r < run->rings; r++) {
        const struct nm_ring_place place = components_place_of(run, r);
        struct doc_highlight *h = place.level == 0 ? local : above;
        between = between || (place.level > 0 && !place.top);
        for (unsigned node = 0; node < place.nodes; node++)
            if (components_greater(h, (double)region->around.ring[r].sum.link[node], cycles)) {
                h->part[0] = (struct doc_part){"ring", "ring", place.index};
                h->part[1] = (struct doc_part){"link", "link", node};
                h->part[2] = h == above && between
                                 ? (struct doc_part){"level", "level", place.level}
                                 : (struct doc_part){0};
            }
    }
}

/* NAN: there is nothing to have a share of. */
static double components_percent(uint64_t part, uint64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : NAN;
}

static void netcache_hits(const struct doc_run *run, const struct doc_region *region,
                          struct doc_highlight *h)
{
    struct nm_station_counts all = {0};
    for (unsigned s = 0; s < run->stations; s++) {
        const struct nm_station_counts *sum = &region->around.station[s].sum;
        all.hits += sum->hits;
        all.misses += sum->misses;
        all.migration += sum->migration;
        all.caching += sum->caching;
        all.localised += sum->localised;
    }
    const uint64_t whole = all.hits + all.misses;
    h->percent = components_percent(all.hits, whole);
    if (!whole)
        return;
    h->part[0] = (struct doc_part){"migration", "%", components_percent(all.migration, whole)};
    h->part[1] = (struct doc_part){"caching", "%", components_percent(all.caching, whole)};
    h->part[2] = (struct doc_part){"localised", "%", components_percent(all.localised, whole)};
}

void doc_highlights(const struct doc_run *run, const struct doc_region *region,
                    struct doc_highlight out[DOC_HIGHLIGHTS])
{
    static const char *const rows[DOC_HIGHLIGHTS][2] = {
        [DOC_BUSIEST_BUS] = {"busiest_bus", "of time the busiest station bus was in use"},
        [DOC_BUSIEST_MEMORY] = {"busiest_memory", "of time the busiest memory card worked"},
        [DOC_BUSIEST_RING] = {"busiest_ring", "of time the busiest local ring link was in use"},
        [DOC_BUSIEST_CENTRAL_RING] = {"busiest_central_ring",
                                      "of time the busiest link above the local rings was in use"},
        [DOC_NETCACHE_HITS] = {"netcache_hits", "of remote requests answered without the home"},
        [DOC_NACK_SHARE] = {"nack_share", "of issued requests refused, to be issued again"},
    };
    memset(out, 0, DOC_HIGHLIGHTS * sizeof *out);
    if (!has_rings(run))
        return;
    for (unsigned i = 0; i < DOC_HIGHLIGHTS; i++) {
        out[i].name = rows[i][0];
        out[i].sentence = rows[i][1];
    }
    if (components_place_of(run, run->rings - 1).level == 0)
        out[DOC_BUSIEST_CENTRAL_RING].name = NULL;
    const struct doc_level all = doc_machine(run);
    region = doc_region_measured(region);
    const uint64_t nacks = doc_tap(region, all, MON_TAP_NACKS);
    busiest_station(run, region, &out[DOC_BUSIEST_BUS], &out[DOC_BUSIEST_MEMORY]);
    busiest_link(run, region, &out[DOC_BUSIEST_RING], &out[DOC_BUSIEST_CENTRAL_RING]);
    netcache_hits(run, region, &out[DOC_NETCACHE_HITS]);
    out[DOC_NACK_SHARE].percent =
        components_percent(nacks, nacks + doc_tap(region, all, MON_TAP_READS));
}

const char *doc_highlight_parts(const struct doc_highlight *h, char *out, size_t size)
{
    size_t n = 0;
    *out = '\0';
    for (unsigned i = 0; i < DOC_PARTS && h->part[i].name && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s %.*f", i ? ", " : "", h->part[i].name,
                              *h->part[i].unit == '%', h->part[i].value);
    return out;
}

void doc_highlights_walk(const struct doc_run *run, const struct doc_region *region,
                         doc_stat_fn *fn, void *ctx)
{
    struct doc_highlight all[DOC_HIGHLIGHTS];
    doc_highlights(run, region, all);
    for (unsigned i = 0; i < DOC_HIGHLIGHTS; i++) {
        const struct doc_highlight *h = &all[i];
        char name[64];
        if (!h->name)
            continue;
        snprintf(name, sizeof name, "metric.%s", h->name);
        fn(ctx, &(struct doc_stat){
                    .component = "machine",
                    .name = name,
                    .unit = "%",
                    .desc = h->sentence,
                    .real = true,
                    .derived = true,
                    .value = h->percent,
                    .reason = isfinite(h->percent) ? NULL : doc_no_value(region, h->percent)});
        for (unsigned p = 0; p < DOC_PARTS && h->part[p].name; p++) {
            snprintf(name, sizeof name, "metric.%s.%s", h->name, h->part[p].name);
            fn(ctx, &(struct doc_stat){.component = "machine",
                                       .name = name,
                                       .unit = h->part[p].unit,
                                       .desc = *h->part[p].unit == '%' ? "a part of it"
                                                                       : "which one that was",
                                       .real = true,
                                       .derived = true,
                                       .value = h->part[p].value});
        }
    }
}

/* ---- the coherence histogram ----------------------------------------------------------------- */

static void write_cell(FILE *out, const char *snapshot, const char *agent, unsigned station,
                       const char *state, bool locked, unsigned message, bool far, uint64_t count)
{
    doc_csv_field(out, snapshot);
    fprintf(out, ",%s,%u,%s,%u,%s%s,%llu\r\n", agent, station, state, locked, far ? "N_" : "",
            nm_message_row(message)->name, (unsigned long long)count);
}

static void write_cells(FILE *out, const char *snapshot, const char *agent, unsigned station,
                        const nm_histogram *histogram)
{
    for (unsigned row = 0; row < NM_ROWS; row++)
        for (unsigned locked = 0; locked < 2; locked++)
            for (unsigned message = 0; message < NM_MSG__COUNT; message++)
                for (unsigned far = 0; far < 2; far++) {
                    const uint64_t count = (*histogram)[row][locked][message][far];
                    if (count)
                        write_cell(out, snapshot, agent, station, nm_histogram_row_name(row),
                                   locked, message, far, count);
                }
}

void doc_write_histogram(const struct doc_run *run, FILE *out)
{
    static const char *const agents[NM_HISTOGRAMS] = {"memory", "netcache"};
    fputs("snapshot,agent,station,state,locked,transaction,count\r\n", out);
    for (size_t r = 0; r < run->regions; r++)
        for (unsigned s = 0; doc_is_detailed(run, &run->region[r]) && s < run->stations; s++)
            for (unsigned agent = 0; agent < NM_HISTOGRAMS; agent++)
                write_cells(out, run->region[r].name, agents[agent], s,
                            &run->region[r].around.station[s].sum.histogram[agent]);
}
