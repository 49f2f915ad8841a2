/*
 * The checking mode: see check.h for the idea. It models no hardware; it is the shadow of all of
 * it.
 *
 * A store writes the image only after this file has been told, so the card's copy follows late: the
 * bytes stored are copied from the image when the card is next heard of. Only those bytes are, so a
 * second writer elsewhere still shows.
 */
#include "machine/check.h"

#include "base/alloc.h"
#include "machine/stale.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum { HISTORY = 1 << 16, SHOWN = 40 };

/* A holder's copy of a line. */
struct copy {
    struct key {
        uint64_t line;
        uint64_t holder;
    } key;
    uint8_t bytes[NM_LINE_MAX];
    UT_hash_handle hh;
};

struct slot {
    uint8_t bytes[NM_LINE_MAX];
    uint64_t line;
    int32_t users; /* packets that still look at it; 0: free */
};

struct seen {
    sim_tick at;
    unsigned station;
    struct nm_packet packet;
};

/* A store told but not yet copied. */
struct late_store {
    uint64_t pa;
    unsigned size;
};

struct nm_check {
    bool on;
    const uint8_t *image;
    uint8_t *dram; /* what the DRAM really holds */
    uint64_t bytes;
    unsigned line_bytes, cards, cards_per_station;
    struct copy *copies;
    struct slot *slot;
    int32_t slots;
    struct late_store *late; /* [cards] */
    struct seen *seen;       /* ring of HISTORY */
    uint64_t seen_count;
    char *error; /* NULL: nothing wrong */
    bool failed; /* error is not NULL */
};

struct nm_check *nm_check_new(const struct nm_params *p, const uint8_t *image, uint64_t bytes,
                              unsigned cards)
{
    struct nm_check *c = sim_alloc(1, sizeof *c);
    c->on = nm_value_check(p);
    c->line_bytes = (unsigned)nm_value_l2_line(p);
    c->cards = cards;
    c->cards_per_station = (unsigned)nm_value_processors(p);
    if (!c->on)
        return c;
    c->image = image;
    c->bytes = bytes;
    c->dram = sim_reserve(bytes);
    c->late = sim_alloc(cards, sizeof *c->late);
    c->seen = sim_alloc(HISTORY, sizeof *c->seen);
    return c;
}

void nm_check_free(struct nm_check *c)
{
    if (!c)
        return;
    struct copy *f, *next;
    HASH_ITER(hh, c->copies, f, next) {
        HASH_DEL(c->copies, f);
        free(f);
    }
    if (c->dram)
        munmap(c->dram, c->bytes);
    free(c->slot);
    free(c->late);
    free(c->seen);
    free(c->error);
    free(c);
}

unsigned nm_check_cache(unsigned station)
{
    return NM_CHECK_MEMORY + 1 + station;
}

bool nm_check_on(const struct nm_check *c)
{
    return c->on;
}

const bool *nm_check_failed(const struct nm_check *c)
{
    return &c->failed;
}

const char *nm_check_error(const struct nm_check *c)
{
    return c->error ? c->error : "";
}

static void print_history(const struct nm_check *c, FILE *out, uint64_t line)
{
    uint64_t first = c->seen_count > HISTORY ? c->seen_count - HISTORY : 0;
    uint64_t matches = 0, skip;
    for (uint64_t i = first; i < c->seen_count; i++)
        matches += c->seen[i % HISTORY].packet.line == line;
    skip = matches > SHOWN ? matches - SHOWN : 0;
    fprintf(out, "\n  last %lu messages of the line but requests and NACKs:",
            (unsigned long)(matches - skip));
    for (uint64_t i = first; i < c->seen_count; i++) {
        const struct seen *s = &c->seen[i % HISTORY];
        if (s->packet.line != line || (skip && skip--))
            continue;
        fprintf(out,
                "\n  %12lu  station %u: %-10s from module %u to %#x, for card %u of station %u",
                (unsigned long)s->at, s->station, nm_message_row(s->packet.message)->name,
                s->packet.source, s->packet.targets, s->packet.requester, s->packet.station);
        if (s->packet.route)
            fprintf(out, ", leaving to %#lx", (unsigned long)s->packet.route);
    }
}

void nm_check_fail(struct nm_check *c, sim_tick now, uint64_t line, const char *format, ...)
{
    if (c->error)
        return;
    size_t size;
    c->failed = true;
    FILE *out = sim_text_open(&c->error, &size);
    va_list args;
    va_start(args, format);
    fprintf(out, "tick %lu", (unsigned long)now);
    if (line != NM_NO_LINE)
        fprintf(out, ", line %#lx", (unsigned long)line);
    fputs(": ", out);
    vfprintf(out, format, args);
    va_end(args);
    if (c->on && line != NM_NO_LINE)
        print_history(c, out, line);
    sim_text_close(out, &c->error);
}

static struct copy *copy_find(struct nm_check *c, unsigned holder, uint64_t line)
{
    struct copy *f;
    struct key key = {line, holder};
    HASH_FIND(hh, c->copies, &key, sizeof key, f);
    return f;
}

static struct copy *copy_make(struct nm_check *c, unsigned holder, uint64_t line)
{
    struct copy *f = copy_find(c, holder, line);
    if (f)
        return f;
    f = sim_alloc(1, sizeof *f);
    f->key = (struct key){line, holder};
    HASH_ADD(hh, c->copies, key, sizeof f->key, f);
    return f;
}

static uint64_t line_of(const struct nm_check *c, uint64_t pa)
{
    return pa & ~(uint64_t)(c->line_bytes - 1);
}

/* Lets the card's copy catch up with the store it announced. */
static void catch_up(struct nm_check *c, unsigned holder)
{
    struct late_store *s = holder < c->cards ? &c->late[holder] : NULL;
    if (!s || !s->size)
        return;
    uint64_t line = line_of(c, s->pa);
    struct copy *f = copy_find(c, holder, line);
    if (f)
        memcpy(f->bytes + (s->pa - line), c->image + s->pa, s->size);
    s->size = 0;
}

static int32_t slot_new(struct nm_check *c, uint64_t line, const uint8_t *bytes)
{
    int32_t i = 0;
    while (i < c->slots && c->slot[i].users)
        i++;
    if (i == c->slots) {
        c->slots = c->slots ? 2 * c->slots : 16;
        c->slot = sim_grow(c->slot, (size_t)c->slots, sizeof *c->slot);
        memset(c->slot + i, 0, (size_t)(c->slots - i) * sizeof *c->slot);
    }
    c->slot[i].users = 1;
    c->slot[i].line = line;
    memcpy(c->slot[i].bytes, bytes, c->line_bytes);
    return i;
}

int32_t nm_check_from(struct nm_check *c, unsigned holder, uint64_t line)
{
    static const uint8_t nothing[NM_LINE_MAX];
    if (!c->on)
        return -1;
    if (holder == NM_CHECK_MEMORY)
        return slot_new(c, line, c->dram + line);
    catch_up(c, holder);
    struct copy *f = copy_find(c, holder, line);
    return slot_new(c, line, f ? f->bytes : nothing);
}

void nm_check_share(struct nm_check *c, int32_t slot)
{
    if (slot >= 0)
        c->slot[slot].users++;
}

void nm_check_released(struct nm_check *c, int32_t slot)
{
    c->slot[slot].users--;
}

void nm_check_to(struct nm_check *c, unsigned holder, uint64_t line, int32_t slot)
{
    if (slot < 0)
        return;
    if (holder == NM_CHECK_MEMORY) {
        memcpy(c->dram + line, c->slot[slot].bytes, c->line_bytes);
        return;
    }
    catch_up(c, holder);
    struct copy *f = copy_make(c, holder, line);
    memcpy(f->bytes, c->slot[slot].bytes, c->line_bytes);
}

void nm_check_drop(struct nm_check *c, unsigned holder, uint64_t line)
{
    if (!c->on)
        return;
    catch_up(c, holder);
    struct copy *f = copy_find(c, holder, line);
    if (!f)
        return;
    HASH_DEL(c->copies, f);
    free(f);
}

void nm_check_load(struct nm_check *c, unsigned card, uint64_t pa, unsigned size,
                   const uint8_t *bytes, sim_tick now)
{
    if (!c->on)
        return;
    catch_up(c, card);
    uint64_t line = line_of(c, pa);
    struct copy *f = copy_find(c, card, line);
    if (!f)
        nm_check_fail(c, now, line, "card %u: load of %#lx hits, but no data ever came", card,
                      (unsigned long)pa);
    else if (memcmp(f->bytes + (pa - line), bytes, size) != 0)
        nm_check_fail(c, now, line, "card %u: load of %u bytes at %#lx reads a stale copy", card,
                      size, (unsigned long)pa);
}

void nm_check_store(struct nm_check *c, unsigned card, uint64_t pa, unsigned size, sim_tick now)
{
    if (!c->on)
        return;
    catch_up(c, card);
    uint64_t line = line_of(c, pa);
    struct copy *f = copy_find(c, card, line);
    if (!f)
        nm_check_fail(c, now, line, "card %u: store to %#lx hits, but no data ever came", card,
                      (unsigned long)pa);
    /* One byte may be where an unaligned store (SWL ... SDR) begins: it stays in its doubleword. */
    c->late[card] = size > 1 ? (struct late_store){pa, size} : (struct late_store){pa & ~7ull, 8};
}

void nm_check_create(struct nm_check *c, unsigned card, uint64_t line)
{
    if (!c->on)
        return;
    catch_up(c, card);
    struct copy *f = copy_make(c, card, line);
    memcpy(f->bytes, c->image + line, c->line_bytes);
}

void nm_check_os_wrote(struct nm_check *c, uint64_t pa, uint64_t len)
{
    if (!c->on)
        return;
    memcpy(c->dram + pa, c->image + pa, len);
    for (struct copy *f = c->copies; f; f = f->hh.next)
        nm_copy_follow(f->bytes, f->key.line, c->line_bytes, c->image, pa, len);
    for (int32_t i = 0; i < c->slots; i++)
        if (c->slot[i].users)
            nm_copy_follow(c->slot[i].bytes, c->slot[i].line, c->line_bytes, c->image, pa, len);
}

void nm_check_saw(struct nm_check *c, sim_tick now, unsigned station, const struct nm_packet *p)
{
    /* refused requests come by the hundred and explain nothing */
    const enum nm_message m = p->message;
    if (c->on && m != NM_MSG_NACK && m != NM_MSG_RD && m != NM_MSG_RDEXCL)
        c->seen[c->seen_count++ % HISTORY] = (struct seen){now, station, *p};
}
