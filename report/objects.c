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

#include "procard/profile.h"

#include <inttypes.h>
#include <jansson.h>
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

static const char *gap(size_t i)
{
    return i ? ",\n" : "\n";
}

/* A number, or null for `none`. */
static void put_or_null(FILE *out, uint64_t n, uint64_t none)
{
    if (n == none)
        fputs(",null", out);
    else
        fprintf(out, ",%" PRId64, (int64_t)n);
}

static void put_site(FILE *out, const struct rep_site *s)
{
    fprintf(out, "[%" PRIu32, s->path);
    put_or_null(out, s->call, PC_PROFILE_NOWHERE);
    fprintf(out, ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", s->kind,
            s->blocks, s->bytes, s->most, s->forgotten);
}

static void put_block(FILE *out, const struct rep_block *b)
{
    fprintf(out, "[%" PRId64 ",%" PRId64 ",%" PRIu64, (int64_t)b->from, (int64_t)b->to, b->born);
    put_or_null(out, b->died, SIM_NEVER);
    fprintf(out, ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 "]", b->lived,
            b->thread, b->site, b->serial, b->times);
}

static void put_thread(FILE *out, const struct rep_thread *t)
{
    fprintf(out, "[%" PRIu32 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRIu64, t->number,
            (int64_t)t->stack, (int64_t)t->stack_to, (int64_t)t->tls, (int64_t)t->tls_to, t->born);
    put_or_null(out, t->died, SIM_NEVER);
    putc(']', out);
}

void rep_objects_write(const struct rep_objects *o, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"kinds\":[", REP_OBJECTS_SCHEMA);
    for (size_t i = 0; i < o->kinds; i++)
        fprintf(out, "%s\"%s\"", gap(i), o->kind[i]);
    fputs("],\n\"sites\":[", out);
    for (size_t i = 0; i < o->sites; i++) {
        fputs(gap(i), out);
        put_site(out, &o->site[i]);
    }
    fputs("],\n\"blocks\":[", out);
    for (size_t i = 0; i < o->blocks; i++) {
        fputs(gap(i), out);
        put_block(out, &o->block[i]);
    }
    fputs("],\n\"threads\":[", out);
    for (size_t i = 0; i < o->threads; i++) {
        fputs(gap(i), out);
        put_thread(out, &o->thread[i]);
    }
    fputs("]}\n", out);
}
