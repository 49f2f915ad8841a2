/*
 * Names of blocks and of variables on stacks, while a run lasts.
 *
 * The hard idea is which name stays. A block is often led to by an argument of the function that
 * fills it before the program's own variable does. So what a variable leads to that is no
 * function's takes the place of what one of a function leads to, and a type that of none; else the
 * first name stays. A site that has the same bytes again and again may call them differently each
 * time: each name has its time.
 */
#include "run/typed.h"

#include "base/alloc.h"
#include "procard/procard.h"
#include "procard/profile.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    PARTS_MAX = 1 << 17,  /* in all */
    PIECES_MAX = 1 << 10, /* of a block */
    LIVES_MAX = 16,       /* of a block that is there again and again, each called differently */
    FRAMES_MAX = 1 << 14,
    TICKS_A_WORD = 16 /* a look waits so long for each word and block of the last one */
};

/* How good a name is: in the high half of a number whose low half is the greater the earlier the
 * function was called whose variable it begins with. */
enum rank { UNNAMED, VAGUE, OTHERS, LOCAL, GLOBAL };
enum { RANK = 32 /* [bits] */ };

/* Parts of a block in one of its lives. */
struct life {
    struct doc_part *part; /* [parts] */
    size_t parts;
    uint64_t serial; /* of the block that was seen last */
    uint64_t good;
    sim_tick born;
    struct life *older;
};

struct held_key {
    uint64_t from, to, site;
};

struct typed_block {
    struct held_key key;
    struct life *life; /* the youngest */
    unsigned lives;
    UT_hash_handle hh;
};

/* A part that a look has found. */
struct found {
    struct doc_part part;
    uint32_t depth; /* of its function: prog_part.depth */
};

struct text {
    char *text;
    uint32_t number;
    UT_hash_handle hh;
};

struct run_typed {
    struct run_live *live;
    struct prog_names *names;
    struct typed_block *blocks;
    struct doc_part *stack; /* [stacks] as they came */
    size_t stacks;
    size_t parts; /* of blocks */
    struct text *texts;
    sim_tick next; /* no look before */

    /* a look */
    const struct run_typed_now *now;
    const struct doc_block *of; /* the block whose parts come */
    struct found *found;        /* [founds] */
    size_t founds;
    struct pc_profile_frame *frame;
    uint64_t *tls;
    uint32_t *thread;
    size_t frames, threads;
};

static uint32_t text_number(struct run_typed *t, const char *text)
{
    struct text *known;
    HASH_FIND_STR(t->texts, text, known);
    if (known)
        return known->number;
    known = sim_alloc(1, sizeof *known);
    known->text = sim_strdup(text);
    known->number = HASH_COUNT(t->texts);
    HASH_ADD_KEYPTR(hh, t->texts, known->text, strlen(known->text), known);
    return known->number;
}

struct run_typed *run_typed_new(struct run_live *live)
{
    struct prog_names *names = run_names(live);
    struct prog_object none;
    struct run_typed *t;
    if (!names || !names->reach || !names->on_stack || !names->object)
        return NULL;
    names->object(names, 0,
                  &none); /* types are read now: once confined, a process starts no other */
    t = sim_alloc(1, sizeof *t);
    t->live = live;
    t->names = names;
    text_number(t, "-");
    pc_profile_keep(live->profiled);
    return t;
}

bool run_typed_may(const struct run_typed *t)
{
    return t && nm_machine_now(t->live->machine) >= t->next;
}

/* ---- what is there --------------------------------------------------------------------------- */

static const struct doc_block *typed_search(const struct doc_block *block, size_t count,
                                            uint64_t va)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (block[middle].from <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low && va < block[low - 1].to ? &block[low - 1] : NULL;
}

static const struct doc_block *typed_at(const struct run_typed_now *now, uint64_t va)
{
    const struct doc_block *block = typed_search(now->block, now->blocks, va);
    return block ? block : typed_search(now->mapping, now->mappings, va);
}

static bool typed_read(void *ctx, uint64_t va, void *bytes, size_t count)
{
    const struct run_typed *t = ctx;
    return pc_peek(t->live->machine, va, bytes, count);
}

static bool typed_block(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    const struct run_typed *t = ctx;
    const struct doc_block *block = typed_at(t->now, va);
    if (block) {
        *from = block->from;
        *to = block->to;
    }
    return block;
}

static void add_frames(struct run_typed *t, uint32_t thread)
{
    struct pc_profile_frame *frame;
    const size_t all =
        pc_profile_frames(t->live->profiled, thread, thread == t->now->stopped, &frame);
    const size_t room = FRAMES_MAX - t->frames, count = all < room ? all : room;
    if (count) {
        t->frame = sim_grow(t->frame, t->frames + count, sizeof *t->frame);
        memcpy(&t->frame[t->frames], frame, count * sizeof *frame);
        t->frames += count;
    }
    free(frame);
}

static struct prog_memory typed_memory(struct run_typed *t, const struct run_typed_now *now)
{
    t->now = now;
    t->tls = sim_alloc(now->threads + 1, sizeof *t->tls);
    t->thread = sim_alloc(now->threads + 1, sizeof *t->thread);
    for (size_t i = 0; i < now->threads; i++) {
        add_frames(t, now->thread[i].number);
        if (now->thread[i].tls == now->thread[i].tls_to)
            continue;
        t->tls[t->threads] = now->thread[i].tls;
        t->thread[t->threads++] = now->thread[i].number;
    }
    return (struct prog_memory){.ctx = t,
                                .read = typed_read,
                                .block = typed_block,
                                .frame = t->frame,
                                .frames = t->frames,
                                .tls = t->tls,
                                .thread = t->thread,
                                .threads = t->threads};
}

static void typed_forget(struct run_typed *t)
{
    free(t->frame);
    free(t->tls);
    free(t->thread);
    t->frame = NULL;
    t->tls = NULL;
    t->thread = NULL;
    t->frames = t->threads = 0;
}

static struct doc_part part_of(struct run_typed *t, const struct prog_part *part)
{
    return (struct doc_part){.from = part->from,
                             .to = part->to,
                             .each = part->each,
                             .path = text_number(t, part->path),
                             .function = part->function ? text_number(t, part->function) : 0,
                             .thread = part->thread,
                             .type = part->type,
                             .shape = part->shape ? text_number(t, part->shape) : 0,
                             .died = SIM_NEVER};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void typed_found(void *ctx, const struct prog_part *part)
{
    struct run_typed *t = ctx;
    if (!(t->founds & (t->founds + 1)))
        t->found = sim_grow(t->found, 2 * t->founds + 1, sizeof *t->found);
    t->found[t->founds++] = (struct found){part_of(t, part), part->depth};
}

static int typed_by_place(const void *a, const void *b)
{
    const struct doc_part *x = a, *y = b;
    const uint64_t by[][2] = {
        {x->from, y->from}, {x->to, y->to}, {x->site, y->site}, {x->born, y->born}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i][0] != by[i][1])
            return by[i][0] < by[i][1] ? -1 : 1;
    return 0;
}

static uint64_t typed_goodness(const struct run_typed *t, const struct found *found, size_t parts)
{
    uint64_t best = UNNAMED;
    for (size_t i = 0; i < parts; i++) {
        const struct doc_part *part = &found[i].part;
        const bool first = t->now->threads && part->thread == t->now->thread[0].number;
        const enum rank rank = part->each == 1   ? VAGUE
                               : !part->function ? GLOBAL
                               : first           ? LOCAL
                                                 : OTHERS;
        const uint64_t good = (uint64_t)rank << RANK | (UINT32_MAX - found[i].depth);
        best = good > best ? good : best;
    }
    return best;
}

static struct typed_block *block_of(struct run_typed *t, const struct doc_block *block, bool make)
{
    const struct held_key key = {block->from, block->to, block->site};
    struct typed_block *known;
    HASH_FIND(hh, t->blocks, &key, sizeof key, known);
    if (known || !make)
        return known;
    known = sim_alloc(1, sizeof *known);
    known->key = key;
    HASH_ADD(hh, t->blocks, key, sizeof known->key, known);
    return known;
}

static void set_parts(struct run_typed *t, struct life *life, const struct found *found,
                      size_t parts, uint64_t good)
{
    t->parts += parts - life->parts;
    free(life->part);
    life->part = sim_alloc(parts, sizeof *life->part);
    for (size_t i = 0; i < parts; i++)
        life->part[i] = found[i].part;
    life->parts = parts;
    life->good = good;
}

static bool same_parts(const struct life *life, const struct found *found, size_t parts)
{
    bool same = life->parts == parts;
    for (size_t i = 0; same && i < parts; i++) {
        const struct doc_part *x = &life->part[i], *y = &found[i].part;
        same = x->from == y->from && x->to == y->to && x->each == y->each && x->shape == y->shape &&
               x->path == y->path && x->function == y->function && x->thread == y->thread &&
               x->type == y->type;
    }
    return same;
}

static bool part_overlaps(const struct doc_part *part, const struct life *life)
{
    for (size_t i = 0; i < life->parts; i++)
        if (part->from < life->part[i].to && life->part[i].from < part->to)
            return true;
    return false;
}

/* Of a block that is carved up, each look finds some of the pieces: what none has found yet is
 * added, unless it may be any byte. */
static void add_parts(struct run_typed *t, struct life *life, const struct found *found,
                      size_t parts)
{
    for (size_t i = 0; i < parts && life->parts < PIECES_MAX && t->parts < PARTS_MAX; i++) {
        if (found[i].part.each == 1 || part_overlaps(&found[i].part, life))
            continue;
        life->part = sim_grow(life->part, life->parts + 1, sizeof *life->part);
        life->part[life->parts++] = found[i].part;
        t->parts++;
    }
}

/* A block's parts are known. */
static void typed_keep(struct run_typed *t, const struct doc_block *block,
                       const struct found *found, size_t parts)
{
    struct typed_block *of = block_of(t, block, t->parts < PARTS_MAX);
    const uint64_t good = typed_goodness(t, found, parts);
    struct life *life = of ? of->life : NULL;
    if (!of)
        return;
    if (life && (life->serial == block->serial || same_parts(life, found, parts) ||
                 of->lives == LIVES_MAX || t->parts >= PARTS_MAX)) {
        const bool same = life->serial == block->serial;
        if (good > life->good)
            set_parts(t, life, found, parts, good);
        else if (same)
            add_parts(t, life, found, parts);
        life->serial = block->serial;
        return;
    }
    life = sim_alloc(1, sizeof *life);
    *life = (struct life){.serial = block->serial, .born = block->born, .older = of->life};
    set_parts(t, life, found, parts, good);
    of->life = life;
    of->lives++;
}

bool run_typed_knows(const struct run_typed *t, const struct doc_block *block)
{
    const struct typed_block *of = block_of((struct run_typed *)t, block, false);
    return of && of->life->serial == block->serial;
}

bool run_typed_knows_at(const struct run_typed *t, const struct doc_block *block, uint64_t va)
{
    const struct doc_part at = {.from = va, .to = va + 1};
    return run_typed_knows(t, block) &&
           part_overlaps(&at, block_of((struct run_typed *)t, block, false)->life);
}

bool run_typed_has(const struct run_typed *t, const struct doc_block *block)
{
    const struct typed_block *of = block_of((struct run_typed *)t, block, false);
    return of && of->life->serial == block->serial && of->life->good >> RANK == GLOBAL;
}

/* @return what it has cost */
static size_t typed_look(struct run_typed *t, const struct run_typed_now *now,
                         const struct prog_memory *memory)
{
    const size_t words = t->names->reach(t->names, memory, typed_found, t);
    if (t->founds)
        qsort(t->found, t->founds, sizeof *t->found, typed_by_place);
    for (size_t i = 0, next; i < t->founds; i = next) {
        const struct doc_block *block = typed_at(now, t->found[i].part.from);
        for (next = i + 1; next < t->founds && typed_at(now, t->found[next].part.from) == block;)
            next++;
        if (block)
            typed_keep(t, block, &t->found[i], next - i);
    }
    free(t->found);
    t->found = NULL;
    t->founds = 0;
    typed_forget(t);
    return words + now->blocks + now->mappings;
}

void run_typed_look(struct run_typed *t, const struct run_typed_now *now)
{
    const struct prog_memory memory = typed_memory(t, now);
    t->next = now->at + typed_look(t, now, &memory) * TICKS_A_WORD;
}

void run_typed_near(struct run_typed *t, const struct run_typed_now *now)
{
    struct prog_memory memory = typed_memory(t, now);
    memory.near = true;
    add_frames(t, now->stopped);
    memory.frame = t->frame;
    memory.frames = t->frames;
    typed_look(t, now, &memory);
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static bool same_variable(const struct doc_part *x, const struct doc_part *y)
{
    return x->from == y->from && x->to == y->to && x->path == y->path &&
           x->function == y->function && x->thread == y->thread;
}

void run_typed_stack(struct run_typed *t, const struct run_typed_now *now, uint64_t va)
{
    enum { MOST = 1 << 12 };
    const struct prog_memory memory = typed_memory(t, now);
    struct prog_part found;
    const bool known = t->stacks < MOST && t->names->on_stack(t->names, &memory, va, &found);
    struct doc_part part = known ? part_of(t, &found) : (struct doc_part){0};
    bool is_new = known;
    for (size_t i = t->stacks; i-- > 0 && is_new;) {
        struct doc_part *old = &t->stack[i];
        if (old->died != SIM_NEVER || old->from >= part.to || part.from >= old->to)
            continue;
        is_new = !same_variable(old, &part);
        if (is_new)
            old->died = part.born = now->at;
    }
    if (is_new) {
        if (!(t->stacks & (t->stacks + 1)))
            t->stack = sim_grow(t->stack, 2 * t->stacks + 1, sizeof *t->stack);
        t->stack[t->stacks++] = part;
    }
    typed_forget(t);
}

/* ---- all ------------------------------------------------------------------------------------- */

static void take_lives(const struct typed_block *of, struct doc_objects *out)
{
    sim_tick died = SIM_NEVER;
    for (const struct life *life = of->life; life; died = life->born, life = life->older)
        for (size_t i = 0; i < life->parts; i++) {
            struct doc_part *part = &out->part[out->parts++];
            *part = life->part[i];
            part->site = (uint32_t)of->key.site;
            part->born = life->older ? life->born : 0;
            part->died = died;
        }
}

void run_typed_take(struct run_typed *t, struct doc_objects *out)
{
    out->path = sim_alloc(HASH_COUNT(t->texts), sizeof(char *));
    for (const struct text *text = t->texts; text; text = text->hh.next)
        out->path[out->paths++] = sim_strdup(text->text);
    out->part = sim_alloc(t->parts + t->stacks + 1, sizeof *out->part);
    for (const struct typed_block *of = t->blocks; of; of = of->hh.next)
        take_lives(of, out);
    for (size_t i = 0; i < t->stacks; i++) {
        t->stack[i].site = (uint32_t)out->sites;
        out->part[out->parts++] = t->stack[i];
    }
    qsort(out->part, out->parts, sizeof *out->part, typed_by_place);
}

static void free_lives(struct life *life)
{
    struct life *older;
    for (; life; life = older) {
        older = life->older;
        free(life->part);
        free(life);
    }
}

void run_typed_free(struct run_typed *t)
{
    struct typed_block *of, *next;
    struct text *text, *after;
    if (!t)
        return;
    HASH_ITER(hh, t->blocks, of, next) {
        HASH_DEL(t->blocks, of);
        free_lives(of->life);
        free(of);
    }
    HASH_ITER(hh, t->texts, text, after) {
        HASH_DEL(t->texts, text);
        free(text->text);
        free(text);
    }
    free(t->stack);
    free(t);
}
