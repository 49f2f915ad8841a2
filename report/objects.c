/*
 * objects.json, written.
 *
 *     {"schema": 1,
 *      "kinds": [name, ...],
 *      "sites": [[path, call, kind, blocks, bytes, most, forgotten], ...],
 *      "blocks": [[from, to, born, died, lived, thread, site, serial, times], ...],
 *      "threads": [[thread, stack, end, variables, end, born, died], ...]}
 *
 * Paths are those of profile.json. Addresses are signed numbers of 64 bits, times are ticks; null
 * is no call, or a time that did not come. Nothing of the host is in it: equal runs give equal
 * bytes.
 */
#include "report/objects.h"

#include "report/numbers.h"

#include <stdlib.h>

void rep_objects_free(struct rep_objects *o)
{
    for (size_t i = 0; i < o->kinds; i++)
        free(o->kind[i]);
    free(o->kind);
    free(o->site);
    free(o->block);
    free(o->thread);
    *o = (struct rep_objects){0};
}

static void put_site(FILE *out, const struct rep_site *s)
{
    struct rep_numbers line;
    rep_numbers_begin(&line);
    rep_numbers_add(&line, s->path);
    rep_numbers_address(&line, s->call);
    rep_numbers_add(&line, s->kind);
    rep_numbers_add(&line, (int64_t)s->blocks);
    rep_numbers_add(&line, (int64_t)s->bytes);
    rep_numbers_add(&line, (int64_t)s->most);
    rep_numbers_add(&line, (int64_t)s->forgotten);
    rep_numbers_put(&line, out);
}

static void put_block(FILE *out, const struct rep_block *b)
{
    struct rep_numbers line;
    rep_numbers_begin(&line);
    rep_numbers_add(&line, (int64_t)b->from);
    rep_numbers_add(&line, (int64_t)b->to);
    rep_numbers_add(&line, (int64_t)b->born);
    rep_numbers_or_null(&line, b->died, SIM_NEVER);
    rep_numbers_add(&line, (int64_t)b->lived);
    rep_numbers_add(&line, b->thread);
    rep_numbers_add(&line, b->site);
    rep_numbers_add(&line, (int64_t)b->serial);
    rep_numbers_add(&line, (int64_t)b->times);
    rep_numbers_put(&line, out);
}

static void put_thread(FILE *out, const struct rep_thread *t)
{
    struct rep_numbers line;
    rep_numbers_begin(&line);
    rep_numbers_add(&line, t->number);
    rep_numbers_add(&line, (int64_t)t->stack);
    rep_numbers_add(&line, (int64_t)t->stack_to);
    rep_numbers_add(&line, (int64_t)t->tls);
    rep_numbers_add(&line, (int64_t)t->tls_to);
    rep_numbers_add(&line, (int64_t)t->born);
    rep_numbers_or_null(&line, t->died, SIM_NEVER);
    rep_numbers_put(&line, out);
}

void rep_objects_write(const struct rep_objects *o, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"kinds\":[", REP_OBJECTS_SCHEMA);
    for (size_t i = 0; i < o->kinds; i++)
        fprintf(out, "%s\"%s\"", rep_gap(i), o->kind[i]);
    fputs("],\n\"sites\":[", out);
    for (size_t i = 0; i < o->sites; i++) {
        fputs(rep_gap(i), out);
        put_site(out, &o->site[i]);
    }
    fputs("],\n\"blocks\":[", out);
    for (size_t i = 0; i < o->blocks; i++) {
        fputs(rep_gap(i), out);
        put_block(out, &o->block[i]);
    }
    fputs("],\n\"threads\":[", out);
    for (size_t i = 0; i < o->threads; i++) {
        fputs(rep_gap(i), out);
        put_thread(out, &o->thread[i]);
    }
    fputs("]}\n", out);
}
