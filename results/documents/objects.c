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
#include "results/documents/objects.h"

#include "results/numbers.h"

#include <stdlib.h>

void res_objects_free(struct res_objects *o)
{
    for (size_t i = 0; i < o->kinds; i++)
        free(o->kind[i]);
    free(o->kind);
    free(o->site);
    free(o->block);
    free(o->thread);
    *o = (struct res_objects){0};
}

static void put_site(FILE *out, const struct res_site *s)
{
    struct res_numbers line;
    res_numbers_begin(&line);
    res_numbers_add(&line, s->path);
    res_numbers_address(&line, s->call);
    res_numbers_add(&line, s->kind);
    res_numbers_add(&line, (int64_t)s->blocks);
    res_numbers_add(&line, (int64_t)s->bytes);
    res_numbers_add(&line, (int64_t)s->most);
    res_numbers_add(&line, (int64_t)s->forgotten);
    res_numbers_put(&line, out);
}

static void put_block(FILE *out, const struct res_block *b)
{
    struct res_numbers line;
    res_numbers_begin(&line);
    res_numbers_add(&line, (int64_t)b->from);
    res_numbers_add(&line, (int64_t)b->to);
    res_numbers_add(&line, (int64_t)b->born);
    res_numbers_or_null(&line, b->died, SIM_NEVER);
    res_numbers_add(&line, (int64_t)b->lived);
    res_numbers_add(&line, b->thread);
    res_numbers_add(&line, b->site);
    res_numbers_add(&line, (int64_t)b->serial);
    res_numbers_add(&line, (int64_t)b->times);
    res_numbers_put(&line, out);
}

static void put_thread(FILE *out, const struct res_thread *t)
{
    struct res_numbers line;
    res_numbers_begin(&line);
    res_numbers_add(&line, t->number);
    res_numbers_add(&line, (int64_t)t->stack);
    res_numbers_add(&line, (int64_t)t->stack_to);
    res_numbers_add(&line, (int64_t)t->tls);
    res_numbers_add(&line, (int64_t)t->tls_to);
    res_numbers_add(&line, (int64_t)t->born);
    res_numbers_or_null(&line, t->died, SIM_NEVER);
    res_numbers_put(&line, out);
}

void res_objects_write(const struct res_objects *o, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"kinds\":[", RES_OBJECTS_SCHEMA);
    for (size_t i = 0; i < o->kinds; i++)
        fprintf(out, "%s\"%s\"", res_gap(i), o->kind[i]);
    fputs("],\n\"sites\":[", out);
    for (size_t i = 0; i < o->sites; i++) {
        fputs(res_gap(i), out);
        put_site(out, &o->site[i]);
    }
    fputs("],\n\"blocks\":[", out);
    for (size_t i = 0; i < o->blocks; i++) {
        fputs(res_gap(i), out);
        put_block(out, &o->block[i]);
    }
    fputs("],\n\"threads\":[", out);
    for (size_t i = 0; i < o->threads; i++) {
        fputs(res_gap(i), out);
        put_thread(out, &o->thread[i]);
    }
    fputs("]}\n", out);
}
