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
#include "documents/rows/objects.h"

#include "documents/numbers.h"

#include <stdlib.h>

void doc_objects_free(struct doc_objects *o)
{
    for (size_t i = 0; i < o->kinds; i++)
        free(o->kind[i]);
    free(o->kind);
    free(o->site);
    free(o->block);
    free(o->thread);
    *o = (struct doc_objects){0};
}

static void put_site(FILE *out, const struct doc_site *s)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, s->path);
    doc_numbers_address(&line, s->call);
    doc_numbers_add(&line, s->kind);
    doc_numbers_add(&line, (int64_t)s->blocks);
    doc_numbers_add(&line, (int64_t)s->bytes);
    doc_numbers_add(&line, (int64_t)s->most);
    doc_numbers_add(&line, (int64_t)s->forgotten);
    doc_numbers_put(&line, out);
}

static void put_block(FILE *out, const struct doc_block *b)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, (int64_t)b->from);
    doc_numbers_add(&line, (int64_t)b->to);
    doc_numbers_add(&line, (int64_t)b->born);
    doc_numbers_or_null(&line, b->died, SIM_NEVER);
    doc_numbers_add(&line, (int64_t)b->lived);
    doc_numbers_add(&line, b->thread);
    doc_numbers_add(&line, b->site);
    doc_numbers_add(&line, (int64_t)b->serial);
    doc_numbers_add(&line, (int64_t)b->times);
    doc_numbers_put(&line, out);
}

static void put_thread(FILE *out, const struct doc_thread *t)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, t->number);
    doc_numbers_add(&line, (int64_t)t->stack);
    doc_numbers_add(&line, (int64_t)t->stack_to);
    doc_numbers_add(&line, (int64_t)t->tls);
    doc_numbers_add(&line, (int64_t)t->tls_to);
    doc_numbers_add(&line, (int64_t)t->born);
    doc_numbers_or_null(&line, t->died, SIM_NEVER);
    doc_numbers_put(&line, out);
}

void doc_objects_write(const struct doc_objects *o, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"kinds\":[", DOC_OBJECTS_SCHEMA);
    for (size_t i = 0; i < o->kinds; i++)
        fprintf(out, "%s\"%s\"", doc_gap(i), o->kind[i]);
    fputs("],\n\"sites\":[", out);
    for (size_t i = 0; i < o->sites; i++) {
        fputs(doc_gap(i), out);
        put_site(out, &o->site[i]);
    }
    fputs("],\n\"blocks\":[", out);
    for (size_t i = 0; i < o->blocks; i++) {
        fputs(doc_gap(i), out);
        put_block(out, &o->block[i]);
    }
    fputs("],\n\"threads\":[", out);
    for (size_t i = 0; i < o->threads; i++) {
        fputs(doc_gap(i), out);
        put_thread(out, &o->thread[i]);
    }
    fputs("]}\n", out);
}
