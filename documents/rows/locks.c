/*
 * locks.json, written as it is walked.
 *
 *     {"schema": 1, "ticks": n, "last": thread, "least": n, "missed": n,
 *      "kinds": [name, ...],
 *      "columns": [[name, unit, sentence], ...],
 *      "locks": [[kind, address, [bucket, count, ...], [bucket, count, ...]], ...],
 *      "sites": [[lock, thread, pc, column, value, ...], ...],
 *      "threads": [[number, by, born, ended], ...],
 *      "waits": [[thread, by, site, holder, since, begin, released, end], ...]}
 *
 * What refers to another list is an index into it. An address is a signed number of 64 bits; one
 * that is none is null, and so is a holder that is none. Of a call that did not have to wait `by`
 * is null, or `released` is before `begin`: then it needs what was done there all the same. A site
 * leaves out values that are 0. A lock's lists say how often it was held how long, and how long it
 * took to hand it over. Equal runs give equal bytes.
 */
#include "documents/rows/locks.h"

#include "base/alloc.h"
#include "documents/numbers.h"
#include "documents/rows/locks_names.h"

#include <inttypes.h>
#include <stdlib.h>

const struct doc_lock_column_row doc_lock_columns[DOC_LOCK_COLUMNS] = {
#define SUM                               false
#define MOST                              true
#define COLUMN(name, unit, how, sentence) {#name, unit, sentence, how},
#include "documents/rows/lock_columns.def"
#undef COLUMN
#undef SUM
#undef MOST
};

const struct doc_lock_kind_row doc_lock_kinds[DOC_LOCK_KINDS] = {
#define KIND(name, sentence) {#name, sentence},
#include "documents/rows/lock_kinds.def"
#undef KIND
};

const char *doc_lock_column_name(unsigned column, char buf[DOC_LOCK_NAME])
{
    const char *from = doc_lock_columns[column].name;
    size_t n = 0;
    for (; from[n]; n++)
        buf[n] = (char)(from[n] >= 'A' && from[n] <= 'Z' ? from[n] - 'A' + 'a' : from[n]);
    buf[n] = '\0';
    return buf;
}

void doc_locks_free(struct doc_locks *locks)
{
    free(locks->lock);
    free(locks->site);
    free(locks->thread);
    free(locks->wait);
    *locks = (struct doc_locks){0};
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

/* ---- the parts of the document --------------------------------------------------------------- */

static void put_tables(FILE *out)
{
    char name[DOC_LOCK_NAME];
    fputs("\"kinds\":[", out);
    for (unsigned k = 0; k < DOC_LOCK_KINDS; k++)
        fprintf(out, "%s\"%s\"", k ? "," : "", doc_lock_kinds[k].name);
    fputs("],\n\"columns\":[", out);
    for (unsigned c = 0; c < DOC_LOCK_COLUMNS; c++)
        fprintf(out, "%s[\"%s\",\"%s\",\"%s\"]", doc_gap(c), doc_lock_column_name(c, name),
                doc_lock_columns[c].unit, doc_lock_columns[c].sentence);
    fputs("],\n", out);
}

static void put_times(const struct doc_times *times, FILE *out)
{
    struct doc_numbers list;
    doc_numbers_begin(&list);
    for (unsigned i = 0; i < DOC_TIMES_BUCKETS; i++)
        if (times->count[i]) {
            doc_numbers_add(&list, i);
            doc_numbers_add(&list, (int64_t)times->count[i]);
        }
    doc_numbers_put(&list, out);
}

static void put_lock(const struct doc_lock *lock, FILE *out)
{
    fprintf(out, "[%u,", lock->kind);
    if (lock->address == DOC_LOCKS_NOWHERE)
        fputs("null,", out);
    else
        fprintf(out, "%" PRId64 ",", (int64_t)lock->address);
    put_times(&lock->held, out);
    putc(',', out);
    put_times(&lock->handover, out);
    putc(']', out);
}

static void put_site(const struct doc_lock_site *site, FILE *out)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, site->lock);
    doc_numbers_add(&line, site->thread);
    doc_numbers_or_null(&line, site->pc, DOC_LOCKS_NOWHERE);
    for (int c = 0; c < DOC_LOCK_COLUMNS; c++)
        if (site->v[c]) {
            doc_numbers_add(&line, c);
            doc_numbers_add(&line, (int64_t)site->v[c]);
        }
    doc_numbers_put(&line, out);
}

static void put_thread(const struct doc_lock_thread *thread, FILE *out)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, thread->number);
    doc_numbers_add(&line, thread->by);
    doc_numbers_add(&line, (int64_t)thread->born);
    doc_numbers_add(&line, (int64_t)thread->ended);
    doc_numbers_put(&line, out);
}

static void put_wait(const struct doc_lock_wait *w, FILE *out)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, w->thread);
    doc_numbers_or_null(&line, w->by, w->call ? 0 : DOC_LOCKS_NONE);
    doc_numbers_add(&line, w->site);
    doc_numbers_or_null(&line, w->holder, DOC_LOCKS_NONE);
    doc_numbers_add(&line, (int64_t)w->since);
    doc_numbers_add(&line, (int64_t)w->begin);
    doc_numbers_add(&line, (int64_t)w->released);
    doc_numbers_add(&line, (int64_t)w->end);
    doc_numbers_put(&line, out);
}

void doc_locks_write(const struct doc_locks *locks, FILE *out)
{
    fprintf(out,
            "{\"schema\":%d,\n\"ticks\":%" PRIu64 ",\n\"last\":%" PRIu32 ",\n\"least\":%" PRIu64
            ",\n\"missed\":%" PRIu64 ",\n",
            DOC_LOCKS_SCHEMA, locks->ticks, locks->last, locks->least, locks->missed);
    put_tables(out);
    fputs("\"locks\":[", out);
    for (size_t i = 0; i < locks->locks; i++) {
        fputs(doc_gap(i), out);
        put_lock(&locks->lock[i], out);
    }
    fputs("],\n\"sites\":[", out);
    for (size_t i = 0; i < locks->sites; i++) {
        fputs(doc_gap(i), out);
        put_site(&locks->site[i], out);
    }
    fputs("],\n\"threads\":[", out);
    for (size_t i = 0; i < locks->threads; i++) {
        fputs(doc_gap(i), out);
        put_thread(&locks->thread[i], out);
    }
    fputs("],\n\"waits\":[", out);
    for (size_t i = 0; i < locks->waits; i++) {
        fputs(doc_gap(i), out);
        put_wait(&locks->wait[i], out);
    }
    fputs("]}\n", out);
}
