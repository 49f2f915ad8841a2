/* The rules of truth.json that its table cannot say, and its sums. */
#include "documents/rows/truth.h"

#include "documents/items.h"
#include "documents/schemas.h"
#include "procard/miss_columns.h"
#include "procard/sizes.h"

static const struct doc_column truth_columns[] = {
#define COLUMN(name, unit, sentence) {#name, unit, sentence, false},
#include "procard/misses.def"
#undef COLUMN
};
const struct doc_columns doc_truth_columns = {truth_columns, PC_MISS__COUNT};
_Static_assert((int)PC_MISS__COUNT <= DOC_COLUMNS_MOST, "a document can have as many");

/* Lists of the other documents that it speaks of. */
enum { PHASES, PATHS, SITES };
static const char *const truth_other_lists[] = {[PHASES] = "phases of the profile",
                                                [PATHS] = "paths of the profile",
                                                [SITES] = "sites of the objects",
                                                NULL};

/* ---- the document ---------------------------------------------------------------------------- */

static const char *truth_check_sizes(void *document, const size_t *others, size_t row)
{
    const struct doc_truth *t = document;
    (void)others, (void)row;
    return t->line & (t->line - 1) ? "line: no power of two" : NULL;
}

static const char *truth_check_copy(void *document, const size_t *others, size_t row)
{
    const struct doc_truth *t = document;
    (void)others;
    return (t->copy[row].line | t->copy[row].va) & (t->line - 1) ? "not the address of a line"
                                                                 : NULL;
}

static const char *truth_check_tenant(void *document, const size_t *others, size_t row)
{
    const struct doc_tenant *tenant = &((const struct doc_truth *)document)->tenant[row];
    const bool sited = tenant->kind == DOC_TENANT_call || tenant->kind == DOC_TENANT_block;
    if (row <= DOC_TENANT_several && tenant->kind != row)
        return "not the kind that it may be";
    return tenant->block.site < (sited ? others[SITES] : 1)
               ? NULL
               : "not the number of a site of the objects";
}

/* A row's times begin with its copy's. */
static const char *truth_check_row(void *document, const size_t *others, size_t row)
{
    const struct doc_truth *t = document;
    (void)others;
    t->row[row].first += t->copy[t->row[row].copy].first;
    t->row[row].last += t->row[row].first;
    return NULL;
}

static const char *truth_check_size(void *document, const size_t *others, size_t row)
{
    const uint32_t bytes = ((const struct doc_truth *)document)->size[row].bytes;
    (void)others;
    return bytes < PC_SIZES_LEAST || bytes & (bytes - 1) ? "bytes: no power of two from 16 on"
                                                         : NULL;
}

static void truth_pack_row(const void *document, void *row)
{
    const struct doc_truth *t = document;
    struct pc_missed_row *r = row;
    r->last -= r->first;
    r->first -= t->copy[r->copy].first;
}

#define DOCUMENT struct doc_truth
static const struct doc_item truth_items[] = {
#include "documents/rows/truth.def"
};

const struct doc_document doc_truth_document = {
    .name = "truth",
    .sentence = "why misses had to be, and who touched which bytes",
    .gap = ",",
    .schema = DOC_SCHEMA_truth,
    .item = truth_items,
    .items = sizeof truth_items / sizeof *truth_items,
    .bytes = sizeof(DOCUMENT),
    .other = truth_other_lists,
    .check = truth_check_sizes,
};
#undef DOCUMENT

void doc_truth_free(struct doc_truth *truth)
{
    doc_document_free(&doc_truth_document, truth);
}

void doc_truth_write(const struct doc_truth *truth, FILE *out)
{
    doc_document_write(&doc_truth_document, truth, out);
}

bool doc_truth_read(const char *path, const struct doc_profile *profile, size_t sites,
                    struct doc_truth *truth, char *why, size_t size)
{
    const size_t others[] = {[PHASES] = profile->phases, [PATHS] = profile->paths, [SITES] = sites};
    return doc_document_read(&doc_truth_document, path, others, truth, why, size);
}

/* ---- sums ------------------------------------------------------------------------------------ */

enum kind { NEITHER, A_MISS, AN_UPGRADE };

/* Whether a column has misses or upgrades of one class, or their time. */
static const struct {
    enum kind of, time_of;
} kinds[PC_MISS__COUNT] = {
#define MISS(name, heading, sentence) \
    [PC_MISS_##name] = {.of = A_MISS}, [PC_MISS_##name##_TIME] = {.time_of = A_MISS},
#define UPGRADE(name, heading, sentence) \
    [PC_MISS_##name] = {.of = AN_UPGRADE}, [PC_MISS_##name##_TIME] = {.time_of = AN_UPGRADE},
#define OTHERWISE(name, unit, sentence)
#include "procard/misses.def"
};

int64_t doc_truth_requests(const struct pc_missed_row *row)
{
    int64_t requests = 0;
    for (unsigned c = 0; c < PC_MISS__COUNT; c++)
        if (kinds[c].of)
            requests = doc_plus(requests, row->v[c]);
    return requests;
}

int64_t doc_truth_time(const struct pc_missed_row *row)
{
    int64_t time = 0;
    for (unsigned c = 0; c < PC_MISS__COUNT; c++)
        if (kinds[c].time_of)
            time = doc_plus(time, row->v[c]);
    return time;
}

void doc_truth_sum(const struct doc_truth *truth, const struct doc_profile *profile, size_t region,
                   int64_t *misses, int64_t *upgrades)
{
    int64_t sum[3] = {0};
    for (size_t i = 0; i < truth->rows; i++)
        if (doc_phase_has(profile, truth->row[i].phase, region))
            for (unsigned c = 0; c < PC_MISS__COUNT; c++)
                sum[kinds[c].of] += truth->row[i].v[c];
    *misses = sum[A_MISS];
    *upgrades = sum[AN_UPGRADE];
}
