/* Counts of event counters for programs: one document. */
#include "documents/cells.h"
#include "documents/schemas.h"
#include "look/counters/perfex.h"

#include <jansson.h>
#include <math.h>

/* What it cost, and where that is from. */
static void json_times(const struct look_perfex *p, unsigned e, json_t *event)
{
    static const char *const names[LOOK_COSTS] = {"typical", "minimum", "maximum"};
    const char *name = r10k_irix_event(p->chip, e)->name,
               *source = look_cost_source(p->costs, name);
    for (unsigned t = 0; t < LOOK_COSTS && look_has_cost(p->costs, name); t++)
        json_object_set_new(event, names[t], json_real(look_perfex_time(p, e, t)));
    if (*source)
        json_object_set_new(event, "costs", json_string(source));
}

static json_t *json_events(const struct look_perfex *p)
{
    json_t *array = json_array();
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++) {
        const bool missing = p->missing >> e & 1;
        if (!(p->counted >> e & 1))
            continue;
        json_t *event = json_pack("{s:I,s:s,s:o}", "event", (json_int_t)e, "name",
                                  r10k_irix_event(p->chip, e)->title, "count",
                                  missing ? json_null() : json_integer(llround(p->count[e])));
        if (missing)
            json_object_set_new(event, "reason", json_string(look_perfex_reason(p, e)));
        if (p->truth)
            json_object_set_new(event, "true", json_integer((json_int_t)p->exact[e]));
        if (p->costs && !missing)
            json_times(p, e, event);
        json_array_append_new(array, event);
    }
    return array;
}

static void json_statistic(void *ctx, const char *title, double value)
{
    json_object_set_new(ctx, title, json_real(value));
}

void look_perfex_json(const struct look_perfex *all, const struct look_perfex *each,
                      const unsigned *card, size_t count, FILE *out)
{
    json_t *processors = json_array(), *statistics = json_object();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(processors, json_pack("{s:I,s:o}", "processor", (json_int_t)card[i],
                                                    "events", json_events(&each[i])));
    if (all->costs)
        look_perfex_statistics(all, json_statistic, statistics);
    doc_json_put(out,
                 json_pack("{s:i,s:s,s:b,s:o,s:o,s:o}", "schema", DOC_SCHEMA_perfex, "chip",
                           r10k_chip_name(all->chip), "scaled", (int)all->scaled, "events",
                           json_events(all), "processors", processors, "statistics", statistics),
                 JSON_INDENT(1));
}
