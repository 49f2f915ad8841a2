/*
 * What stations send each other, written and read back.
 *
 * The one hard idea is room: a machine of 256 stations has 65,536 pairs, so of many regions only
 * the first ones are kept.
 */
#include "documents/traffic.h"

#include "base/alloc.h"
#include "documents/csv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS_MOST = 1 << 20 /* pairs of stations, of all regions together; 48 MB, and as much again */
};

static const char *const side_name[NM_SIDES] = {"to", "from", "between"};

static size_t pairs(const struct doc_run *run)
{
    return (size_t)run->stations * run->stations;
}

struct nm_traffic *doc_traffic_new(const struct doc_run *run)
{
    const bool room = run->regions <= 1 || run->regions * pairs(run) <= PAIRS_MOST;
    return run->rings && room ? sim_alloc(pairs(run), sizeof(struct nm_traffic)) : NULL;
}

void doc_traffic_add(const struct doc_run *run, struct nm_traffic *sum,
                     const struct nm_traffic *const *now, int sign)
{
    for (unsigned from = 0; from < run->stations; from++)
        for (unsigned to = 0; to < run->stations; to++) {
            struct nm_traffic *cell = &sum[(size_t)from * run->stations + to];
            for (unsigned side = 0; side < NM_SIDES; side++) {
                if (!now[from][to].packets[side]) /* most pairs: the host need not have the cell */
                    continue;
                cell->packets[side] += (uint64_t)sign * now[from][to].packets[side];
                cell->bytes[side] += (uint64_t)sign * now[from][to].bytes[side];
            }
        }
}

bool doc_traffic_is(const struct doc_run *run)
{
    return run->rings && nm_value_mode(run->experiment->machine.params) == NM_MODE_TIMED;
}

static void write_region(const struct doc_run *run, const struct doc_region *region, FILE *out)
{
    for (size_t i = 0; region->around.traffic && i < pairs(run); i++)
        for (unsigned side = 0; side < NM_SIDES; side++) {
            const struct nm_traffic *cell = &region->around.traffic[i];
            if (!cell->packets[side])
                continue;
            doc_csv_field(out, region->name);
            fprintf(out, ",%zu,%zu,%s,%" PRIu64 ",%" PRIu64 "\r\n", i / run->stations,
                    i % run->stations, side_name[side], cell->packets[side], cell->bytes[side]);
        }
}

void doc_write_traffic(const struct doc_run *run, FILE *out)
{
    fputs("snapshot,from,to,home,packets,bytes\r\n", out);
    for (size_t i = 0; i < run->regions; i++)
        write_region(run, &run->region[i], out);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum { SNAPSHOT, FROM, TO, HOME, PACKETS, BYTES, COLUMNS };

static bool traffic_number(const char *text, uint64_t below, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && !errno && *value < below;
}

/* Adds the present row. @return NULL, or what is wrong with it */
static const char *traffic_add_row(char *const *field, unsigned stations,
                                   struct nm_traffic *traffic)
{
    uint64_t from, to, packets, bytes;
    unsigned side = 0;
    while (side < NM_SIDES && strcmp(field[HOME], side_name[side]) != 0)
        side++;
    if (side == NM_SIDES)
        return "'home' is none of to, from, between";
    if (!traffic_number(field[FROM], stations, &from) || !traffic_number(field[TO], stations, &to))
        return "the machine has no such station";
    if (!traffic_number(field[PACKETS], INT64_MAX, &packets) ||
        !traffic_number(field[BYTES], INT64_MAX, &bytes))
        return "packets and bytes are whole numbers";
    struct nm_traffic *cell = &traffic[from * stations + to];
    cell->packets[side] = packets;
    cell->bytes[side] = bytes;
    return NULL;
}

static bool has_columns(struct doc_csv *csv)
{
    static const char *const names[COLUMNS] = {"snapshot", "from",    "to",
                                               "home",     "packets", "bytes"};
    for (unsigned i = 0; i < COLUMNS; i++)
        if (i >= csv->columns || strcmp(csv->name[i], names[i]) != 0)
            return doc_csv_refuse(csv, "the columns are not those of a run's traffic");
    return true;
}

bool doc_traffic_read(const char *directory, const char *region, unsigned stations,
                      struct nm_traffic *traffic, char *why, size_t size)
{
    char path[PATH_MAX + sizeof "/" DOC_TRAFFIC];
    struct doc_csv csv;
    snprintf(path, sizeof path, "%s/" DOC_TRAFFIC, directory);
    bool good = doc_csv_open(&csv, path, why, size) && has_columns(&csv);
    while (good && doc_csv_next(&csv)) {
        const char *wrong = strcmp(csv.field[SNAPSHOT], region) == 0
                                ? traffic_add_row(csv.field, stations, traffic)
                                : NULL;
        good = !wrong || doc_csv_refuse(&csv, wrong);
    }
    good = good && !csv.bad;
    doc_csv_close(&csv);
    return good;
}
