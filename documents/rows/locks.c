/* Times that are counted by their length, and the rules of locks.json that its table cannot say. */
#include "documents/rows/locks.h"

#include "documents/items.h"
#include "documents/schemas.h"

const struct doc_column doc_lock_columns[DOC_LOCK_COLUMNS] = {
#define SUM                               false
#define MOST                              true
#define COLUMN(name, unit, how, sentence) {#name, unit, sentence, how},
#include "documents/rows/lock_columns.def"
#undef COLUMN
#undef SUM
#undef MOST
};
static const struct doc_columns doc_lock_column_rows = {doc_lock_columns, DOC_LOCK_COLUMNS};

const struct doc_column doc_lock_kinds[DOC_LOCK_KINDS] = {
#define KIND(name, sentence) {#name, "", sentence, false},
#include "documents/rows/lock_kinds.def"
#undef KIND
};
static const struct doc_columns doc_lock_kind_rows = {doc_lock_kinds, DOC_LOCK_KINDS};

const char *doc_lock_column_name(unsigned column, char buf[DOC_COLUMN_NAME])
{
    return doc_lower(doc_lock_columns[column].name, buf);
}

void doc_lock_add(uint64_t a[DOC_LOCK_COLUMNS], const uint64_t b[DOC_LOCK_COLUMNS])
{
    for (int c = 0; c < DOC_LOCK_COLUMNS; c++)
        if (!doc_lock_columns[c].most)
            a[c] += b[c];
        else if (a[c] < b[c])
            a[c] = b[c];
}

/* ---- times ----------------------------------------------------------------------------------- */

unsigned doc_times_bucket(uint64_t ticks)
{
    const unsigned log = ticks ? 63 - (unsigned)__builtin_clzll(ticks) : 0;
    return log < 2 ? (unsigned)ticks : 4 * (log - 1) + (ticks >> (log - 2) & 3);
}

uint64_t doc_times_last(unsigned bucket)
{
    const unsigned log = bucket / 4 + 1;
    return bucket < 4 ? bucket
                      : ((UINT64_C(4) + bucket % 4) << (log - 2)) + (UINT64_C(1) << (log - 2)) - 1;
}

uint64_t doc_times_quantile(const struct doc_times *times, unsigned permille)
{
    uint64_t all = 0, seen = 0;
    for (unsigned i = 0; i < DOC_TIMES_BUCKETS; i++)
        all += times->count[i];
    for (unsigned i = 0; all && i < DOC_TIMES_BUCKETS; i++) {
        seen += times->count[i];
        if (seen >= all - all / 1000 * (1000 - permille) - all % 1000 * (1000 - permille) / 1000)
            return doc_times_last(i);
    }
    return 0;
}

/* ---- the document ---------------------------------------------------------------------------- */

static const char *locks_check_thread(void *document, const size_t *others, size_t row)
{
    const struct doc_locks *l = document;
    const struct doc_lock_thread *t = &l->thread[row];
    (void)others;
    return t->born <= t->ended && t->ended <= l->ticks
               ? NULL
               : "born and ended are not in the run, one after the other";
}

/* @param t  number of the thread, or 0 */
static bool is_thread(const struct doc_locks *l, uint32_t t)
{
    for (size_t i = 0; i < l->threads; i++)
        if (l->thread[i].number == t)
            return true;
    return false;
}

static const char *locks_check_wait(void *document, const size_t *others, size_t row)
{
    const struct doc_locks *l = document;
    struct doc_lock_wait *w = &l->wait[row];
    (void)others;
    w->call = w->by == DOC_LOCKS_NONE || w->released < w->begin;
    if (w->by == DOC_LOCKS_NONE)
        w->by = 0;
    if (!is_thread(l, w->thread) || (w->by && !is_thread(l, w->by)))
        return "not the number of a thread";
    return w->since <= w->released && w->released <= w->end && w->begin <= w->end &&
                   w->end <= l->ticks
               ? NULL
               : "its times are not in order";
}

/* Of a call that did not have to wait `by` is null, if there is none. */
static void locks_pack_wait(const void *document, void *row)
{
    struct doc_lock_wait *w = row;
    (void)document;
    if (w->call && !w->by)
        w->by = DOC_LOCKS_NONE;
}

#define DOCUMENT struct doc_locks
static const struct doc_item lock_items[] = {
#include "documents/rows/locks.def"
};

const struct doc_document doc_locks_document = {
    .name = "locks",
    .sentence = "what threads waited for",
    .gap = ",\n",
    .schema = DOC_SCHEMA_locks,
    .item = lock_items,
    .items = sizeof lock_items / sizeof *lock_items,
    .bytes = sizeof(DOCUMENT),
};
#undef DOCUMENT

void doc_locks_free(struct doc_locks *locks)
{
    doc_document_free(&doc_locks_document, locks);
}

void doc_locks_write(const struct doc_locks *locks, FILE *out)
{
    doc_document_write(&doc_locks_document, locks, out);
}

bool doc_locks_read(const char *path, struct doc_locks *locks, char *why, size_t size)
{
    return doc_document_read(&doc_locks_document, path, NULL, locks, why, size);
}
