/*
 * numachine latency: how long each kind of access takes on a machine on which nothing else happens.
 *
 * Every figure is measured, on a machine of its own, by the workload and the table that
 * tests/latency.c holds against the hand counts of docs/latency.md. An access that leaves the
 * station is measured once for each level of rings that can be between the stations.
 */
#include "programs/driven/latency.h"
#include "cli/cli.h"
#include "documents/cells.h"
#include "machine/protocol.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/** How far apart the stations are, by the level of the highest ring between them. */
static const char *const distances[] = {"same ring", "other ring", "other group"};

enum { DISTANCES = sizeof distances / sizeof *distances, HERE = DISTANCES };

struct table {
    const char *machine;
    const struct nm_params *p;
    unsigned station[DISTANCES][DRIVEN_ROLES], roles[DISTANCES]; /**< with a station there */
};

/** One figure. */
struct figure {
    const struct driven_scenario *scenario;
    unsigned distance; /**< of distances, or HERE */
    sim_tick ticks;
};

/** How the figures are written. */
struct latency_format {
    const char *name;
    void (*begin)(const struct table *t);
    void (*row)(const struct table *t, const struct figure *figure, unsigned count);
};

static double latency_nanoseconds(const struct table *t, sim_tick ticks)
{
    return 1e9 * (double)ticks / (double)nm_value_cpu_clock(t->p);
}

static const char *distance_name(unsigned distance)
{
    return distance == HERE ? "same station" : distances[distance];
}

/* ---- formats --------------------------------------------------------------------------------- */

/** Whether stations of the machine are so far apart. */
static bool latency_has(const struct table *t, unsigned distance)
{
    return t->roles[distance] > DRIVEN_H;
}

static void text_begin(const struct table *t)
{
    printf("%s, protocol %s: PCycles of one access, nothing else under way; one is %.2f ns\n\n",
           t->machine, nm_protocols[nm_value_protocol(t->p)].name, latency_nanoseconds(t, 1));
    printf("%-62s %12s", "", "same station");
    for (unsigned d = 0; d < DISTANCES; d++)
        if (latency_has(t, d))
            printf(" %12s", distances[d]);
    putchar('\n');
}

static void text_row(const struct table *t, const struct figure *figure, unsigned count)
{
    printf("%-62s", figure->scenario->name);
    for (unsigned i = 0, column = HERE; i < count; column = column == HERE ? 0 : column + 1)
        if (figure[i].distance == column)
            printf(" %12llu", (unsigned long long)figure[i++].ticks);
        else if (column == HERE || latency_has(t, column))
            printf(" %12s", "");
    putchar('\n');
}

static void csv_begin(const struct table *t)
{
    (void)t;
    fputs("access,distance,pcycles,ns\r\n", stdout);
}

static void csv_row(const struct table *t, const struct figure *figure, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        printf("\"%s\",%s,%llu,%.2f\r\n", figure[i].scenario->name,
               distance_name(figure[i].distance), (unsigned long long)figure[i].ticks,
               latency_nanoseconds(t, figure[i].ticks));
}

static void json_begin(const struct table *t)
{
    (void)t;
}

static void json_row(const struct table *t, const struct figure *figure, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        json_t *line = json_pack(
            "{s:o, s:s, s:s, s:I, s:f}", "machine", doc_json_text(t->machine), "access",
            figure[i].scenario->name, "distance", distance_name(figure[i].distance), "pcycles",
            (json_int_t)figure[i].ticks, "ns", latency_nanoseconds(t, figure[i].ticks));
        doc_json_put(stdout, line, JSON_REAL_PRECISION(9));
    }
}

static const struct latency_format latency_formats[] = {
    {"text", text_begin, text_row}, {"csv", csv_begin, csv_row}, {"json", json_begin, json_row}};

/* ---- measuring ------------------------------------------------------------------------------- */

/** @return false with a complaint */
static bool latency_measure(const struct table *t, unsigned place, struct figure *figure)
{
    const struct driven_latency l = driven_measure(t->p, figure->scenario, t->station[place], 0);

    figure->ticks = l.over - l.start;
    if (*l.error)
        fprintf(stderr, "numachine: error: '%s': %s\n", figure->scenario->name, l.error);
    return !*l.error;
}

/** Measures an access at all distances, and shows it. */
static bool latency_show(const struct table *t, const struct driven_scenario *s,
                         const struct latency_format *format)
{
    const bool local = driven_is_local(s);
    struct figure figure[DISTANCES];
    unsigned count = 0;

    for (unsigned d = 0; d < (local ? 1 : DISTANCES); d++) {
        if (!driven_fits(s, t->p, t->roles[d]))
            continue;
        figure[count] = (struct figure){.scenario = s, .distance = local ? HERE : d};
        if (!latency_measure(t, d, &figure[count++]))
            return false;
    }
    if (count)
        format->row(t, figure, count);
    return true;
}

static enum cli_exit show_all(const struct in_machine *machine, const struct latency_format *format)
{
    struct nm_params *quiet = driven_quiet(machine->params);
    struct table t = {.machine = machine->name, .p = quiet};
    const struct driven_scenario *s;
    bool good = true;

    for (unsigned d = 0; d < DISTANCES; d++)
        t.roles[d] = driven_stations(t.p, d, t.station[d]);
    format->begin(&t);
    for (size_t i = 0; good && (s = driven_scenario(i)); i++)
        good = !driven_applies(s, nm_value_protocol(t.p)) || latency_show(&t, s, format);
    free(quiet);
    return good ? CLI_EXIT_OK : CLI_EXIT_BROKEN;
}

/* ---- the command ----------------------------------------------------------------------------- */

int cli_latency(struct cli_given *g)
{
    struct in_machine machine;
    int status = CLI_EXIT_USAGE;

    if (cli_machine_load(g, &machine)) {
        status = show_all(&machine,
                          &latency_formats[CLI_NAMED(g, "no format", g->format, latency_formats)]);
        in_machine_free(&machine);
    }
    return status;
}
