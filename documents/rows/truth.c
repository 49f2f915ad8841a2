/*
 * truth.json, written as it is walked.
 *
 *     {"schema": 2, "line": bytes, "memory": bytes, "processors": count,
 *      "columns": [[name, unit, sentence], ...],
 *      "copies": [[line, va, card, code, read, read, written, written, taken, evicted, first,
 * last],
 *                 ...],
 *      "tenants": [[kind, from, to, site, thread], ...],
 *      "rows": [[copy, phase, thread, path, pc, va, tenant, since, time,
 *                column, value, column, value, ...], ...]}
 *
 * Sets of bytes are two numbers of 64 bits each, of the line's first 64 bytes and of the rest; the
 * first byte is bit 0. What refers to another list is an index; phases and paths are those of
 * profile.json, sites those of objects.json. A row's requests are
 * from `since` ticks after the copy's first one on, for `time`. Kinds of tenants are numbers
 * (truth.h); the first two are nobody and several. A row leaves out values that are 0.
 */
#include "documents/rows/truth.h"

#include "documents/numbers.h"
#include "documents/rows/profile_columns.h"
#include "documents/totals.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct doc_column doc_truth_columns[PC_MISS__COUNT] = {
#define COLUMN(name, unit, sentence) {#name, unit, sentence},
#include "procard/misses.def"
#undef COLUMN
};

void doc_truth_free(struct doc_truth *truth)
{
    free(truth->copy);
    free(truth->tenant);
    free(truth->row);
    *truth = (struct doc_truth){0};
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put_copy(FILE *out, const struct pc_missed_copy *copy)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, (int64_t)copy->line);
    doc_numbers_add(&line, (int64_t)copy->va);
    doc_numbers_add(&line, copy->card);
    doc_numbers_add(&line, copy->code);
    for (unsigned i = 0; i < 2; i++)
        doc_numbers_add(&line, (int64_t)copy->read[i]);
    for (unsigned i = 0; i < 2; i++)
        doc_numbers_add(&line, (int64_t)copy->written[i]);
    doc_numbers_add(&line, (int64_t)copy->taken);
    doc_numbers_add(&line, (int64_t)copy->evicted);
    doc_numbers_add(&line, (int64_t)copy->first);
    doc_numbers_add(&line, (int64_t)copy->last);
    doc_numbers_put(&line, out);
}

static void put_tenant(FILE *out, const struct doc_tenant *tenant)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, tenant->kind);
    doc_numbers_add(&line, (int64_t)tenant->block.from);
    doc_numbers_add(&line, (int64_t)tenant->block.to);
    doc_numbers_add(&line, tenant->block.site);
    doc_numbers_add(&line, tenant->block.thread);
    doc_numbers_put(&line, out);
}

static void put_row(FILE *out, const struct pc_missed_row *row, const struct pc_missed_copy *copy)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, row->copy);
    doc_numbers_add(&line, row->phase);
    doc_numbers_add(&line, row->thread);
    doc_numbers_add(&line, row->path);
    doc_numbers_address(&line, row->pc);
    doc_numbers_add(&line, (int64_t)row->va);
    doc_numbers_add(&line, row->tenant);
    doc_numbers_add(&line, (int64_t)(row->first - copy->first));
    doc_numbers_add(&line, (int64_t)(row->last - row->first));
    doc_numbers_values(&line, row->v, PC_MISS__COUNT);
    doc_numbers_put(&line, out);
}

void doc_truth_write(const struct doc_truth *truth, FILE *out)
{
    fprintf(out,
            "{\"schema\":%d,\"line\":%" PRIu64 ",\"memory\":%" PRIu64 ",\"processors\":%" PRIu64,
            DOC_TRUTH_SCHEMA, truth->line, truth->memory, truth->processors);
    fputs(",\n\"columns\":[", out);
    doc_put_columns(doc_truth_columns, PC_MISS__COUNT, out);
    fputs("],\n\"copies\":[", out);
    for (size_t i = 0; i < truth->copies; i++) {
        fputs(doc_gap(i), out);
        put_copy(out, &truth->copy[i]);
    }
    fputs("],\n\"tenants\":[", out);
    for (size_t i = 0; i < truth->tenants; i++) {
        fputs(doc_gap(i), out);
        put_tenant(out, &truth->tenant[i]);
    }
    fputs("],\n\"rows\":[", out);
    for (size_t i = 0; i < truth->rows; i++) {
        fputs(doc_gap(i), out);
        put_row(out, &truth->row[i], &truth->copy[truth->row[i].copy]);
    }
    fputs("]}\n", out);
}

/* ---- what the cards have counted --------------------------------------------------------------
 */

enum kind { NEITHER, A_MISS, AN_UPGRADE };

/* Whether a column has misses or upgrades of one class. */
static enum kind kind_of(unsigned column)
{
    switch (column) {
#define MISS(name, sentence) \
    case PC_MISS_##name:     \
        return A_MISS;
#define UPGRADE(name, sentence) \
    case PC_MISS_##name:        \
        return AN_UPGRADE;
#define OTHERWISE(name, unit, sentence)
#include "procard/misses.def"
    default:
        return NEITHER;
    }
}

int64_t doc_truth_requests(const struct pc_missed_row *row)
{
    int64_t requests = 0;
    for (unsigned c = 0; c < PC_MISS__COUNT; c++)
        if (kind_of(c) != NEITHER)
            requests = doc_plus(requests, row->v[c]);
    return requests;
}

static bool is_open(const struct doc_profile *profile, uint32_t phase, size_t region)
{
    const uint32_t *open = profile->phase[phase];
    for (uint32_t i = 1; i <= open[0]; i++)
        if (open[i] == region)
            return true;
    return false;
}

static void sum_rows(const struct doc_truth *truth, const struct doc_profile *profile,
                     size_t region, int64_t sum[3])
{
    memset(sum, 0, 3 * sizeof *sum);
    for (size_t i = 0; i < truth->rows; i++)
        if (is_open(profile, truth->row[i].phase, region))
            for (unsigned c = 0; c < PC_MISS__COUNT; c++)
                sum[kind_of(c)] += truth->row[i].v[c];
}

bool doc_truth_adds_up(const struct doc_truth *truth, const struct doc_profile *profile,
                       const struct doc_run *run, char *why, size_t size)
{
    for (size_t r = 0; r < run->regions; r++) {
        int64_t rows[3], misses = 0, upgrades = 0;
        sum_rows(truth, profile, r, rows);
        for (unsigned i = 0; i < run->cards; i++) {
            misses += (int64_t)run->region[r].card[i].sum.truth.l2_misses;
            upgrades += (int64_t)run->region[r].card[i].sum.truth.upgrades;
        }
        if (rows[A_MISS] == misses && rows[AN_UPGRADE] == upgrades)
            continue;
        snprintf(why, size,
                 "the truth of region '%s' has %" PRId64 " misses and %" PRId64
                 " upgrades, the cards %" PRId64 " and %" PRId64,
                 run->region[r].name, rows[A_MISS], rows[AN_UPGRADE], misses, upgrades);
        return false;
    }
    return true;
}
