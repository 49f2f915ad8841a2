/*
 * Counts of each part in each interval, added up. All of one interval stand together in the file,
 * and counts that are 0 are not in it. What a bus or a ring did is counted once, not for each card
 * that can see it; so sums over all parts are sums.
 */
#include "page/samples.h"

#include "base/alloc.h"
#include "documents/csv.h"

#include <assert.h>
#include <string.h>

enum {
    STATS = 128,              /* that may be sampled */
    MACHINE_NUMBERS = 120000, /* of the machine that the page has room for */
    STATION_NUMBERS = 60000,
    SAMPLES = 8192, /* twice as many as a run keeps */
};

/* One interval. */
struct sample {
    uint64_t begin, end; /* [ticks] */
    uint64_t *sum;       /* [STATS * stations]; of a ring, by its number instead of a station's */
};

struct samples_reading {
    struct doc_csv csv;
    unsigned stations;
    unsigned begin, end, component, stat, value, unit; /* columns */
    char *name[STATS], *unit_of[STATS];
    const char *part[STATS]; /* whose counts they are: "card", "station" or "ring" */
    unsigned names;
    struct sample *sample;
    size_t samples, room;
};

static bool samples_find_columns(struct samples_reading *r)
{
    r->begin = doc_csv_column(&r->csv, "begin_tick");
    r->end = doc_csv_column(&r->csv, "end_tick");
    r->component = doc_csv_column(&r->csv, "component");
    r->stat = doc_csv_column(&r->csv, "stat");
    r->value = doc_csv_column(&r->csv, "value");
    r->unit = doc_csv_column(&r->csv, "unit");
    return !r->csv.bad;
}

/* The station or ring that a row is of. @return what kind of part it is; NULL: none of this
 * machine */
static const char *samples_part_of(const struct samples_reading *r, unsigned *number)
{
    const char *component = r->csv.field[r->component];
    unsigned level;
    if (sscanf(component, "machine.ring[%u][%u]", &level, number) == 2)
        return *number < r->stations ? "ring" : NULL;
    if (sscanf(component, "machine.station[%u]", number) != 1 || *number >= r->stations)
        return NULL;
    return strstr(component, ".card[") ? "card" : "station";
}

/* @return STATS: there are too many */
static unsigned samples_name_of(struct samples_reading *r, const char *part)
{
    const char *stat = r->csv.field[r->stat];
    unsigned n = 0;
    while (n < r->names && strcmp(r->name[n], stat) != 0)
        n++;
    if (n == r->names && n < STATS) {
        r->name[n] = sim_strdup(stat);
        r->unit_of[n] = sim_strdup(r->csv.field[r->unit]);
        r->part[n] = part;
        r->names++;
    }
    return n;
}

static bool samples_whole(const struct samples_reading *r, unsigned column, uint64_t *out)
{
    const char *text = r->csv.field[column];
    char *end;
    *out = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end;
}

static struct sample *sample_of(struct samples_reading *r, uint64_t begin, uint64_t end)
{
    struct sample *last = r->samples ? &r->sample[r->samples - 1] : NULL;
    if (last && last->begin == begin)
        return last;
    SIM_ROOM(r->sample, r->samples, r->room, 256);
    assert(r->sample); /* there is room */
    last = &r->sample[r->samples++];
    *last = (struct sample){begin, end, sim_alloc((size_t)STATS * r->stations, sizeof *last->sum)};
    return last;
}

static bool samples_read_row(struct samples_reading *r)
{
    uint64_t begin, end, value;
    unsigned number;
    if (!samples_whole(r, r->begin, &begin) || !samples_whole(r, r->end, &end) ||
        !samples_whole(r, r->value, &value))
        return doc_csv_refuse(&r->csv, "not a whole number");
    const char *part = samples_part_of(r, &number);
    if (!part)
        return doc_csv_refuse(&r->csv, "not a part of this machine");
    if (r->samples && begin < r->sample[r->samples - 1].begin)
        return doc_csv_refuse(&r->csv, "earlier than the row in front of it");
    const unsigned name = samples_name_of(r, part);
    if (name == STATS || r->samples > SAMPLES)
        return doc_csv_refuse(&r->csv, "too many statistics, or too many intervals");
    sample_of(r, begin, end)->sum[(size_t)name * r->stations + number] += value;
    return true;
}

/* ---- as a document --------------------------------------------------------------------------- */

/* Adds up station `station`, or all, in `together` samples from `first` on. */
static uint64_t samples_sum(const struct samples_reading *r, unsigned name, unsigned station,
                            unsigned stations, size_t first, size_t together)
{
    uint64_t all = 0;
    for (size_t i = first; i < first + together && i < r->samples; i++)
        for (unsigned s = station; s < station + stations; s++)
            all += r->sample[i].sum[(size_t)name * r->stations + s];
    return all;
}

static json_t *samples_times(const struct samples_reading *r, size_t together, bool ends)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->samples; i += together) {
        const size_t last = i + together < r->samples ? i + together - 1 : r->samples - 1;
        const uint64_t tick = ends ? r->sample[last].end : r->sample[i].begin;
        json_array_append_new(list, json_integer((json_int_t)tick));
    }
    return list;
}

/* What one statistic of the machine came to, or a list of what it came to in each station. */
static json_t *at_time(const struct samples_reading *r, unsigned name, bool by_station,
                       size_t first, size_t together)
{
    if (!by_station)
        return json_integer((json_int_t)samples_sum(r, name, 0, r->stations, first, together));
    json_t *list = json_array();
    for (unsigned s = 0; s < r->stations; s++)
        json_array_append_new(
            list, json_integer((json_int_t)samples_sum(r, name, s, 1, first, together)));
    return list;
}

static json_t *samples_lines(const struct samples_reading *r, bool by_station)
{
    const size_t each = (size_t)r->names * (by_station ? r->stations : 1);
    const size_t most = by_station ? STATION_NUMBERS : MACHINE_NUMBERS;
    const size_t together = (r->samples * each + most - 1) / most;
    const size_t step = together ? together : 1;
    json_t *sums = json_array();
    for (unsigned n = 0; n < r->names; n++) {
        json_t *line = json_array();
        for (size_t i = 0; i < r->samples; i += step)
            json_array_append_new(line, at_time(r, n, by_station, i, step));
        json_array_append_new(sums, line);
    }
    return json_pack("{s:I,s:o,s:o,s:o}", "together", (json_int_t)step, "begin",
                     samples_times(r, step, false), "end", samples_times(r, step, true), "sums",
                     sums);
}

static json_t *samples_strings(const char *const *list, unsigned count)
{
    json_t *out = json_array();
    for (unsigned i = 0; i < count; i++)
        json_array_append_new(out, json_string(list[i]));
    return out;
}

static void samples_release(struct samples_reading *r)
{
    for (unsigned n = 0; n < r->names; n++) {
        free(r->name[n]);
        free(r->unit_of[n]);
    }
    for (size_t i = 0; i < r->samples; i++)
        free(r->sample[i].sum);
    free(r->sample);
    doc_csv_close(&r->csv);
}

json_t *page_samples_read(const char *path, unsigned stations, char *why, size_t size)
{
    struct samples_reading r = {.stations = stations};
    json_t *out = NULL;
    if (doc_csv_open(&r.csv, path, why, size) && samples_find_columns(&r)) {
        while (doc_csv_next(&r.csv) && samples_read_row(&r))
            ;
        if (!r.csv.bad)
            out =
                json_pack("{s:o,s:o,s:o,s:I,s:o,s:o}", "names",
                          samples_strings((const char *const *)r.name, r.names), "units",
                          samples_strings((const char *const *)r.unit_of, r.names), "parts",
                          samples_strings(r.part, r.names), "samples", (json_int_t)r.samples,
                          "machine", samples_lines(&r, false), "stations", samples_lines(&r, true));
    }
    samples_release(&r);
    return out;
}
