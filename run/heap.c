/*
 * The blocks of the heap, as calls of the allocator's functions tell.
 *
 * The hard idea is the order. Cards run ahead of each other, and an allocator gives a block away
 * before its function has returned. So a block is gone when free is entered, and there when malloc
 * returns: no card can be told of the second before the first, since the other card had to see the
 * memory that free wrote. Times are those of the cards, exact, and decide nothing here.
 *
 * Who asks what is at an address (tenants.h) wants to know more. A block that free or realloc gives
 * back has its bytes until they return, unless somebody else gets them before: what they write
 * there is part of what the block costs. What malloc or calloc write into a block that they have
 * not given yet has nobody's address: the call is known, and its block, too, once it is over.
 *
 * What is kept is bounded. Blocks of one site that had the same bytes one after the other are one
 * entry. Of what has been given back, only so many entries are kept: those that lived longest.
 */
#include "run/heap.h"

#include "base/alloc.h"
#include "documents/rows/objects.h"
#include "run/observer.h"
#include "run/typed.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    GONE_MAX = 1 << 18, /* entries of blocks that were given back */
    KEPT_MAX = 1 << 20  /* entries in all: live ones beyond are only counted */
};

/* [requests] for a block, or for a piece of a stack, that make it dear; a piece of a stack is dear
 * once more whenever they are four times as many. */
enum { DEAR = 64, PIECE = 32 /* [bytes] */ };

enum does { TAKES, RETAKES, HANDS, WITHIN, GIVES, MAPS, REMAPS, UNMAPS, BREAKS };

static const struct allocator {
    const char *name, *kind;
    enum does does;
    int size, times;
} allocators[] = {
#define ALLOCATOR(name, kind, does, size, times) {name, kind, does, size, times},
#include "run/allocators.def"
#undef ALLOCATOR
};

enum { ALLOCATORS = sizeof allocators / sizeof *allocators };

/* What tells one from another; no padding, they are hashed. */
struct site_key {
    uint64_t path, call, watch;
};

struct place_key {
    uint64_t from, to, site;
};

struct site {
    struct site_key key;
    struct doc_site site;
    uint64_t now; /* [bytes] at present */
    uint32_t number;
    UT_hash_handle hh;
};

struct live {
    struct doc_block block;
    struct live *prev, *next; /* of mappings */
    UT_hash_handle hh;        /* by block.from */
};

struct gone {
    struct place_key key;
    struct doc_block block;
    UT_hash_handle hh;
};

/* A thread, and what it is doing in the allocator. */
struct worker {
    struct doc_thread thread;
    bool known;                /* the thread has begun */
    unsigned depth;            /* watched functions under way, one in another */
    uint64_t within;           /* result of the last one inside */
    struct live *unsure;       /* being moved by realloc */
    struct doc_tenant leaving; /* being given back; `nobody`: none is */
    struct site_key under;     /* the outermost function under way */
    UT_hash_handle hh;
};

/* A piece of a stack that is asked for. */
struct piece {
    uint64_t va;
    uint32_t asked;
    UT_hash_handle hh;
};

struct run_heap {
    struct site **site; /* [sites] by number */
    size_t sites;
    struct site *by_key;
    struct live *live, *mapped;
    struct gone *gone;
    struct worker *workers, *last; /* last: who was told of last */
    unsigned under_way;            /* threads in watched functions */
    struct run_tenants *tenants;   /* NULL: nobody asks */
    struct run_live *of;
    struct run_typed *typed; /* NULL: the program does not say what its blocks hold */
    struct piece *pieces;
    uint32_t *asked; /* [askable] requests for tenants, by number, up to DEAR */
    size_t askable;
    uint64_t ends, looks_at; /* threads that have ended, and how many it takes for another look */
    struct doc_objects left; /* by the run */
};

/* ---- sites ----------------------------------------------------------------------------------- */

/* The kinds of all rows, each once; NULL behind the last. */
static void list_kinds(const char *kind[ALLOCATORS + 1])
{
    memset(kind, 0, (ALLOCATORS + 1) * sizeof *kind);
    for (unsigned i = 0; i < ALLOCATORS; i++) {
        unsigned k = 0;
        while (kind[k] && strcmp(kind[k], allocators[i].kind) != 0)
            k++;
        kind[k] = allocators[i].kind;
    }
}

static uint32_t heap_kind_of(unsigned watch)
{
    const char *kind[ALLOCATORS + 1];
    uint32_t k = 0;
    list_kinds(kind);
    while (strcmp(kind[k], allocators[watch].kind) != 0)
        k++;
    return k;
}

static struct site_key key_of(const struct pc_crossing *x)
{
    return (struct site_key){x->path, x->call, x->watch};
}

static struct site *site_of(struct run_heap *h, const struct pc_crossing *x)
{
    const struct site_key key = key_of(x);
    struct site *site;
    HASH_FIND(hh, h->by_key, &key, sizeof key, site);
    if (site)
        return site;
    site = sim_alloc(1, sizeof *site);
    site->key = key;
    site->number = (uint32_t)h->sites;
    site->site =
        (struct doc_site){.path = x->path, .call = x->call, .kind = heap_kind_of(x->watch)};
    HASH_ADD(hh, h->by_key, key, sizeof site->key, site);
    if (!(h->sites & (h->sites + 1)))
        h->site = sim_grow(h->site, 2 * h->sites + 1, sizeof(struct site *));
    h->site[h->sites++] = site;
    return site;
}

/* ---- what is there no longer ----------------------------------------------------------------- */

static int by_life(struct gone *a, struct gone *b)
{
    const struct doc_block *x = &a->block, *y = &b->block;
    const uint64_t by[][2] = {{y->lived, x->lived},
                              {x->born, y->born},
                              {x->from, y->from},
                              {x->to, y->to},
                              {x->site, y->site}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i][0] != by[i][1])
            return by[i][0] < by[i][1] ? -1 : 1;
    return 0;
}

/* Forgets the half that lived shortest. */
static void heap_forget(struct run_heap *h)
{
    struct gone *gone, *next;
    size_t i = 0;
    HASH_SORT(h->gone, by_life);
    HASH_ITER(hh, h->gone, gone, next) {
        if (i++ < GONE_MAX / 2)
            continue;
        h->site[gone->block.site]->site.forgotten += gone->block.times;
        HASH_DEL(h->gone, gone);
        free(gone);
    }
}

/* A block that has died. */
static void heap_bury(struct run_heap *h, const struct doc_block *block)
{
    const struct place_key key = {block->from, block->to, block->site};
    const sim_tick life = block->died > block->born ? block->died - block->born : 0;
    struct gone *gone;
    HASH_FIND(hh, h->gone, &key, sizeof key, gone);
    if (!gone) {
        gone = sim_alloc(1, sizeof *gone);
        gone->key = key;
        gone->block = *block;
        gone->block.lived = life;
        HASH_ADD(hh, h->gone, key, sizeof gone->key, gone);
    } else {
        gone->block.died = sim_later(gone->block.died, block->died);
        gone->block.lived += life;
        gone->block.times++;
    }
    if (HASH_COUNT(h->gone) > GONE_MAX)
        heap_forget(h);
}

/* ---- what is there --------------------------------------------------------------------------- */

static struct live *live_at(struct run_heap *h, uint64_t from)
{
    struct live *live;
    HASH_FIND(hh, h->live, &from, sizeof from, live);
    return live;
}

static bool heap_is_mapping(const struct run_heap *h, const struct live *live)
{
    const enum does does = allocators[h->site[live->block.site]->key.watch].does;
    return does == MAPS || does == REMAPS || does == BREAKS;
}

static struct doc_tenant tenant_of(const struct doc_block *block)
{
    return (struct doc_tenant){.kind = DOC_TENANT_block, .block = *block};
}

static void heap_come(const struct run_heap *h, const struct live *live)
{
    const struct doc_tenant tenant = tenant_of(&live->block);
    if (h->tenants)
        run_tenants_come(h->tenants,
                         heap_is_mapping(h, live) ? RUN_LAYER_MAPPINGS : RUN_LAYER_BLOCKS, &tenant);
}

/* What the thread gave back is gone. */
static void leave_bytes(const struct run_heap *h, struct worker *w)
{
    if (h->tenants && w->leaving.kind != DOC_TENANT_nobody)
        run_tenants_go(h->tenants, RUN_LAYER_BLOCKS, &w->leaving);
    w->leaving = (struct doc_tenant){.kind = DOC_TENANT_nobody};
}

static void put_in(struct run_heap *h, struct live *live)
{
    HASH_ADD(hh, h->live, block.from, sizeof live->block.from, live);
    live->prev = NULL;
    live->next = NULL;
    if (!heap_is_mapping(h, live))
        return;
    live->next = h->mapped;
    if (h->mapped)
        h->mapped->prev = live;
    h->mapped = live;
}

static void take_out(struct run_heap *h, struct live *live)
{
    HASH_DEL(h->live, live);
    if (live->prev)
        live->prev->next = live->next;
    else if (h->mapped == live)
        h->mapped = live->next;
    if (live->next)
        live->next->prev = live->prev;
}

/* A block that has been taken out is given back. */
static void heap_end(struct run_heap *h, struct live *live, sim_tick at)
{
    h->site[live->block.site]->now -= live->block.to - live->block.from;
    live->block.died = at;
    heap_bury(h, &live->block);
    free(live);
}

static void heap_give(struct run_heap *h, uint64_t from, sim_tick at)
{
    struct live *live = live_at(h, from);
    if (!live)
        return;
    take_out(h, live);
    heap_end(h, live, at);
}

static void heap_add(struct run_heap *h, const struct doc_block *block)
{
    struct live *live;
    heap_give(h, block->from, block->born); /* nobody has seen how it went */
    if (HASH_COUNT(h->live) + HASH_COUNT(h->gone) >= KEPT_MAX) {
        h->site[block->site]->site.forgotten++;
        h->site[block->site]->now -= block->to - block->from;
        return;
    }
    live = sim_alloc(1, sizeof *live);
    live->block = *block;
    put_in(h, live);
    heap_come(h, live);
}

static void heap_take(struct run_heap *h, const struct pc_crossing *x, uint64_t from, uint64_t size)
{
    struct site *site = site_of(h, x);
    const struct doc_block block = {.from = from,
                                    .to = from + size,
                                    .born = x->entered,
                                    .died = SIM_NEVER,
                                    .thread = x->thread,
                                    .site = site->number,
                                    .serial = site->site.blocks++,
                                    .times = 1};
    site->site.bytes += size;
    site->now += size;
    site->site.most = site->now > site->site.most ? site->now : site->site.most;
    heap_add(h, &block);
}

/* The part of a mapping that is left beside a hole. */
static void heap_leave(struct run_heap *h, const struct doc_block *whole, uint64_t from,
                       uint64_t to)
{
    struct doc_block rest = *whole;
    if (from >= to)
        return;
    rest.from = from;
    rest.to = to;
    heap_add(h, &rest);
}

static void unmap_from(struct run_heap *h, struct live *live, uint64_t from, uint64_t to,
                       sim_tick at)
{
    const struct doc_block whole = live->block;
    take_out(h, live);
    live->block.from = from > whole.from ? from : whole.from;
    live->block.to = to < whole.to ? to : whole.to;
    if (h->tenants)
        run_tenants_clear(h->tenants, RUN_LAYER_MAPPINGS, live->block.from, live->block.to);
    heap_end(h, live, at);
    heap_leave(h, &whole, whole.from, from);
    heap_leave(h, &whole, to, whole.to);
}

static void heap_unmap(struct run_heap *h, uint64_t from, uint64_t size, sim_tick at)
{
    const uint64_t to = from + size;
    struct live *live = h->mapped;
    if (to < from)
        return;
    while (live) {
        struct live *next = live->next;
        if (live->block.from < to && from < live->block.to) {
            unmap_from(h, live, from, to, at);
            next = h->mapped; /* it may be another list now */
        }
        live = next;
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

static uint64_t heap_size_of(const struct pc_crossing *x)
{
    const struct allocator *a = &allocators[x->watch];
    return x->argument[a->size] * (a->times < 0 ? 1 : x->argument[a->times]);
}

/* realloc has come to its end: without a result, the block stays where it was. */
static void heap_settle(struct run_heap *h, struct worker *w, const struct pc_crossing *x)
{
    struct live *live = w->unsure;
    w->unsure = NULL;
    if (!live)
        return;
    if (x->result || (x->what == PC_CROSSED_RETURNED && !heap_size_of(x)) ||
        live_at(h, live->block.from)) {
        heap_end(h, live, x->entered);
    } else {
        put_in(h, live);
        w->leaving.kind = DOC_TENANT_nobody;
    }
}

static void look_before_end(struct run_heap *h, const struct doc_block *block, uint32_t thread);

static void run_heap_begin(struct run_heap *h, struct worker *w, const struct pc_crossing *x)
{
    const enum does does = allocators[x->watch].does;
    const struct live *old = does == GIVES || does == RETAKES ? live_at(h, x->argument[0]) : NULL;
    w->under = key_of(x);
    if (old) {
        look_before_end(h, &old->block, x->thread);
        w->leaving = tenant_of(&old->block);
    }
    if (does == GIVES)
        heap_give(h, x->argument[0], x->at);
    else if (does == UNMAPS)
        heap_unmap(h, x->argument[0], x->argument[1], x->at);
    else if (does == RETAKES && (w->unsure = live_at(h, x->argument[0])))
        take_out(h, w->unsure);
}

/* The heap's end was at `old`. */
static void move_break(struct run_heap *h, const struct pc_crossing *x, uint64_t old)
{
    const int64_t by = (int64_t)x->argument[0];
    if (by > 0)
        heap_take(h, x, old, (uint64_t)by);
    else if (by < 0 && -(uint64_t)by <= old)
        heap_unmap(h, old + (uint64_t)by, -(uint64_t)by, x->at);
}

static void run_heap_finish(struct run_heap *h, const struct worker *w, const struct pc_crossing *x)
{
    const enum does does = allocators[x->watch].does;
    const uint64_t from = does == HANDS ? w->within : x->result;
    const bool gave = from && (int64_t)from > 0 && (does != HANDS || !x->result);
    if (!gave)
        return;
    if (does == REMAPS)
        heap_unmap(h, x->argument[0], x->argument[1], x->at);
    if (does == BREAKS)
        move_break(h, x, from);
    else if (does != GIVES && does != UNMAPS && from + heap_size_of(x) >= from)
        heap_take(h, x, from, heap_size_of(x));
}

static struct worker *worker_of(struct run_heap *h, uint32_t number)
{
    struct worker *w = h->last;
    if (w && w->thread.number == number)
        return w;
    HASH_FIND(hh, h->workers, &number, sizeof number, w);
    if (!w) {
        w = sim_alloc(1, sizeof *w);
        w->thread = (struct doc_thread){.number = number, .died = SIM_NEVER};
        HASH_ADD(hh, h->workers, thread.number, sizeof w->thread.number, w);
    }
    h->last = w;
    return w;
}

/* Of functions within each other the outermost counts. */
static void heap_told(void *ctx, const struct pc_crossing *x)
{
    struct run_heap *h = ctx;
    struct worker *w = worker_of(h, x->thread);
    if (x->what == PC_CROSSED_ENTERED) {
        if (!w->depth++) {
            w->within = 0;
            h->under_way++;
            run_heap_begin(h, w, x);
        }
        return;
    }
    if (--w->depth) {
        w->within = x->result;
        return;
    }
    h->under_way--;
    heap_settle(h, w, x);
    leave_bytes(h, w);
    if (x->what == PC_CROSSED_RETURNED && allocators[x->watch].does != WITHIN)
        run_heap_finish(h, w, x);
}

typedef void run_tell_fn(struct run_tenants *tenants, enum run_layer layer, uint64_t from,
                         uint64_t to, const struct doc_tenant *tenant);

/* A thread's stack comes, or goes. It is the same tenant however deep it goes. */
static void tell_stack(const struct run_heap *h, const struct doc_thread *t, run_tell_fn *tell)
{
    const struct doc_tenant tenant = {
        .kind = DOC_TENANT_stack,
        .block = {.from = t->stack_to, .to = t->stack_to, .thread = t->number}};
    if (h->tenants)
        tell(h->tenants, RUN_LAYER_STACKS, t->stack, t->stack_to, &tenant);
}

static void tell_variables(const struct run_heap *h, const struct doc_thread *t, run_tell_fn *tell)
{
    const uint64_t from = doc_thread_local(t);
    const struct doc_tenant tenant = {
        .kind = DOC_TENANT_variables,
        .block = {.from = from, .to = t->tls_to, .thread = t->number}};
    if (h->tenants)
        tell(h->tenants, RUN_LAYER_VARIABLES, from, t->tls_to, &tenant);
}

static void heap_grown(void *ctx, uint32_t thread, uint64_t from)
{
    struct run_heap *h = ctx;
    struct doc_thread *t = &worker_of(h, thread)->thread;
    tell_stack(h, t, run_tenants_leave);
    t->stack = from;
    tell_stack(h, t, run_tenants_have);
}

static void heap_born(struct run_heap *h, struct doc_thread *t, const struct prog_thread *thread)
{
    t->born = thread->at;
    t->stack = thread->sp;
    t->stack_to = thread->stack_to;
    tell_stack(h, t, run_tenants_have);
    if (h->of->profiled && thread->stack != thread->stack_to)
        pc_profile_stack(h->of->profiled, t->number, thread->stack, thread->sp);
}

/* ---- what the program calls it --------------------------------------------------------------- */

static int heap_by_place(const void *a, const void *b);
static int by_number(const void *a, const void *b);

/* The threads that there are, for a look; the list is the caller's. */
static struct run_typed_now heap_now(const struct run_heap *h, uint32_t thread)
{
    struct doc_thread *threads = sim_alloc(HASH_COUNT(h->workers) + 1, sizeof *threads);
    struct run_typed_now now = {
        .thread = threads, .stopped = thread, .at = nm_machine_now(h->of->machine)};
    for (const struct worker *w = h->workers; w; w = w->hh.next)
        if (w->thread.died == SIM_NEVER)
            threads[now.threads++] = w->thread;
    qsort(threads, now.threads, sizeof *threads, by_number);
    return now;
}

/* ... and the blocks. */
static void add_blocks(const struct run_heap *h, struct run_typed_now *now)
{
    struct doc_block *block = sim_alloc(HASH_COUNT(h->live) + 1, sizeof *block);
    struct doc_block *mapping = sim_alloc(HASH_COUNT(h->live) + 1, sizeof *mapping);
    for (const struct live *l = h->live; l; l = l->hh.next)
        if (heap_is_mapping(h, l))
            mapping[now->mappings++] = l->block;
        else
            block[now->blocks++] = l->block;
    qsort(block, now->blocks, sizeof *block, heap_by_place);
    qsort(mapping, now->mappings, sizeof *mapping, heap_by_place);
    now->block = block;
    now->mapping = mapping;
}

static void heap_now_end(const struct run_typed_now *now)
{
    free((void *)now->block);
    free((void *)now->mapping);
    free((void *)now->thread);
}

/* Looks who leads to what there is. @param thread  that has just been stopped; 0: none */
static void heap_look(struct run_heap *h, uint32_t thread)
{
    struct run_typed_now now = heap_now(h, thread);
    add_blocks(h, &now);
    run_typed_look(h->typed, &now);
    heap_now_end(&now);
}

/* A block that has been dear is given back. */
static void look_before_end(struct run_heap *h, const struct doc_block *block, uint32_t thread)
{
    uint32_t number = 0;
    if (!h->tenants || !run_typed_may(h->typed) || run_typed_has(h->typed, block))
        return;
    run_tenants_of(h->tenants, RUN_LAYER_BLOCKS, block->from, &number);
    if (number < h->askable && h->asked[number] >= DEAR)
        heap_look(h, thread);
}

/* A thread ends: perhaps the last one that does anything, and the functions that made it are still
 * under way. */
static void look_once_more(struct run_heap *h)
{
    if (++h->ends < h->looks_at || !run_typed_may(h->typed))
        return;
    h->looks_at = 2 * h->ends;
    heap_look(h, 0);
}

/* How often a tenant has been asked for, now once more. */
static uint32_t heap_ask(struct run_heap *h, uint32_t tenant)
{
    const size_t had = h->askable;
    if (tenant >= had) {
        h->askable = 2 * (size_t)tenant + DEAR;
        h->asked = sim_grow(h->asked, h->askable, sizeof *h->asked);
        memset(&h->asked[had], 0, (h->askable - had) * sizeof *h->asked);
    }
    h->asked[tenant] += h->asked[tenant] < UINT32_MAX;
    return h->asked[tenant];
}

/* Whether that is DEAR times a power of four. */
static bool is_dear(uint32_t asked)
{
    return asked >= DEAR && !(asked & (asked - 1)) &&
           (__builtin_ctz(asked) - __builtin_ctz(DEAR)) % 2 == 0;
}

enum { PRIME = 61 }; /* threads that ask in turn do not take turns so */

/* Whether it may be time to look. */
static bool is_asked_often(uint32_t asked)
{
    return !(asked & (asked - 1)) || asked % PRIME == 0;
}

/* Whether it is time to look for a place in a block without a name from the instruction that asks
 * for it: each time the block has been asked for twice as often, and more often if other places in
 * it have names: perhaps it is carved up. */
static bool is_near_due(const struct run_heap *h, const struct doc_block *block, uint32_t asked)
{
    enum { OFTEN = 8, TIMES = 256 };
    const bool twice = asked >= OFTEN && !(asked & (asked - 1));
    return twice ||
           (asked % PRIME == 0 && asked / PRIME <= TIMES && run_typed_knows(h->typed, block));
}

static void ask_near(struct run_heap *h, const struct doc_block *block, uint64_t va,
                     uint32_t thread, uint32_t asked)
{
    if (is_near_due(h, block, asked) && !run_typed_knows_at(h->typed, block, va))
        run_typed_near(h->typed,
                       &(struct run_typed_now){.block = block, .blocks = 1, .stopped = thread});
}

/* A block is asked for once more. */
static void block_asked(struct run_heap *h, enum run_layer layer, uint32_t tenant, uint32_t thread,
                        uint64_t va)
{
    const uint32_t asked = heap_ask(h, tenant);
    const struct doc_tenant *holder =
        is_asked_often(asked) ? run_tenants_of(h->tenants, layer, va, &tenant) : NULL;
    if (!holder)
        return;
    if (is_dear(asked) && run_typed_may(h->typed) && !run_typed_has(h->typed, &holder->block))
        heap_look(h, thread);
    if (layer == RUN_LAYER_BLOCKS)
        ask_near(h, &holder->block, va, thread, asked);
}

/* A place on the stack of a thread is asked for once more. */
static void stack_asked(struct run_heap *h, uint32_t thread, uint64_t va)
{
    const uint64_t at = va / PIECE;
    struct piece *piece;
    HASH_FIND(hh, h->pieces, &at, sizeof at, piece);
    if (!piece) {
        piece = sim_alloc(1, sizeof *piece);
        piece->va = at;
        HASH_ADD(hh, h->pieces, va, sizeof piece->va, piece);
    }
    piece->asked += piece->asked < UINT32_MAX;
    if (!is_dear(piece->asked))
        return;
    const struct run_typed_now now = heap_now(h, thread);
    run_typed_stack(h->typed, &now, va);
    heap_now_end(&now);
}

/* The program ends, and all that it has not given back is still there. */
static void heap_turn(void *self, const struct prog_turn *turn)
{
    struct run_heap *h = self;
    if (turn->step == PROG_EXITS && h->typed)
        heap_look(h, 0);
}

/* A thread's stack and variables. */
static void heap_thread(void *self, const struct prog_thread *thread)
{
    struct run_heap *h = self;
    struct worker *w = worker_of(h, thread->number);
    struct doc_thread *t = &w->thread;
    tell_variables(h, t, run_tenants_leave); /* they may have moved */
    if (thread->ended) {
        look_once_more(h);
        tell_stack(h, t, run_tenants_leave);
        t->died = thread->at;
        return;
    }
    if (!w->known)
        heap_born(h, t, thread);
    w->known = true;
    t->tls = thread->tls;
    t->tls_to = thread->tls_to;
    tell_variables(h, t, run_tenants_have);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

static bool heap_makes(enum does does)
{
    return does == TAKES || does == RETAKES || does == HANDS;
}

/* A thread that is about to be given a block. It stays what it is until its site is known. */
static uint32_t call_under_way(const struct run_heap *h, uint32_t thread)
{
    const struct worker *w;
    HASH_FIND(hh, h->workers, &thread, sizeof thread, w);
    if (!w || !w->depth || !heap_makes(allocators[w->under.watch].does))
        return DOC_TENANT_nobody;
    return run_tenants_number(h->tenants,
                              &(struct doc_tenant){.kind = DOC_TENANT_call,
                                                   .block = {.from = w->under.path,
                                                             .to = w->under.call,
                                                             .site = (uint32_t)w->under.watch}});
}

static uint32_t tenant_at(void *ctx, uint32_t thread, uint64_t va)
{
    struct run_heap *h = ctx;
    enum run_layer layer;
    uint32_t number = run_tenants_smallest(h->tenants, va, &layer);
    if (number == DOC_TENANT_nobody && h->under_way)
        number = call_under_way(h, thread);
    if (number == DOC_TENANT_nobody)
        number = run_tenants_at(h->tenants, RUN_LAYER_MAPPINGS, va);
    if (h->typed && number != DOC_TENANT_nobody && layer == RUN_LAYER_STACKS)
        stack_asked(h, thread, va);
    else if (h->typed && number != DOC_TENANT_nobody)
        block_asked(h, layer, number, thread, va);
    return number;
}

void run_heap_watch_misses(struct run_heap *h, struct pc_misses *misses)
{
    h->tenants = run_tenants_new();
    pc_misses_tenants(misses, tenant_at, h);
}

/* A call that gave nothing has no site. */
static void find_site(const struct run_heap *h, struct doc_tenant *call)
{
    const struct site_key key = {call->block.from, call->block.to, call->block.site};
    const struct site *site;
    HASH_FIND(hh, h->by_key, &key, sizeof key, site);
    *call = (struct doc_tenant){.kind = site ? DOC_TENANT_call : DOC_TENANT_nobody};
    call->block.site = site ? site->number : 0;
}

/* It has what it went to. */
static void find_stack(const struct run_heap *h, struct doc_tenant *stack)
{
    const struct worker *w;
    HASH_FIND(hh, h->workers, &stack->block.thread, sizeof stack->block.thread, w);
    if (w)
        stack->block.from = w->thread.stack;
}

struct doc_tenant *run_heap_tenants(const struct run_heap *h, size_t *count)
{
    struct doc_tenant *all = run_tenants_take(h->tenants, count);
    for (size_t i = 0; i < *count; i++)
        if (all[i].kind == DOC_TENANT_call)
            find_site(h, &all[i]);
        else if (all[i].kind == DOC_TENANT_stack)
            find_stack(h, &all[i]);
    return all;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void heap_watch(struct run_heap *h, struct pc_profile *profile, struct prog_names *names)
{
    uint64_t known[ALLOCATORS];
    unsigned count = 0;
    for (unsigned i = 0; names->function && i < ALLOCATORS; i++) {
        bool new = names->function(names, allocators[i].name, &known[count]);
        for (unsigned k = 0; new &&k < count; k++)
            new = known[k] != known[count];
        if (new)
            pc_profile_watch(profile, known[count++], i, heap_told, h);
    }
}

static void heap_release(void *self)
{
    struct run_heap *h = self;
    struct live *live, *next_live;
    struct gone *gone, *next_gone;
    struct worker *worker, *next_worker;
    struct piece *piece, *next_piece;
    doc_objects_free(&h->left);
    HASH_ITER(hh, h->live, live, next_live) {
        HASH_DEL(h->live, live);
        free(live);
    }
    HASH_ITER(hh, h->gone, gone, next_gone) {
        HASH_DEL(h->gone, gone);
        free(gone);
    }
    HASH_ITER(hh, h->workers, worker, next_worker) {
        HASH_DEL(h->workers, worker);
        free(worker->unsure);
        free(worker);
    }
    run_tenants_free(h->tenants);
    run_typed_free(h->typed);
    HASH_ITER(hh, h->pieces, piece, next_piece) {
        HASH_DEL(h->pieces, piece);
        free(piece);
    }
    free(h->asked);
    HASH_CLEAR(hh, h->by_key);
    for (size_t i = 0; i < h->sites; i++)
        free(h->site[i]);
    free(h->site);
}

static int heap_by_place(const void *a, const void *b)
{
    const struct doc_block *x = a, *y = b;
    const uint64_t by[][2] = {
        {x->from, y->from}, {x->to, y->to}, {x->born, y->born}, {x->site, y->site}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i][0] != by[i][1])
            return by[i][0] < by[i][1] ? -1 : 1;
    return 0;
}

static void take_blocks(const struct run_heap *h, struct doc_objects *o)
{
    const struct worker *w;
    o->block = sim_alloc(HASH_COUNT(h->live) + HASH_COUNT(h->gone) + HASH_COUNT(h->workers),
                         sizeof *o->block);
    for (const struct live *l = h->live; l; l = l->hh.next)
        o->block[o->blocks++] = l->block;
    for (const struct gone *g = h->gone; g; g = g->hh.next)
        o->block[o->blocks++] = g->block;
    for (w = h->workers; w; w = w->hh.next)
        if (w->unsure) /* the run ended within realloc */
            o->block[o->blocks++] = w->unsure->block;
    qsort(o->block, o->blocks, sizeof *o->block, heap_by_place);
}

static int by_number(const void *a, const void *b)
{
    const struct doc_thread *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

static void heap_finish(void *self, sim_tick at)
{
    struct run_heap *h = self;
    struct doc_objects *o = &h->left;
    const char *kind[ALLOCATORS + 1];
    (void)at;
    list_kinds(kind);
    o->kind = sim_alloc(ALLOCATORS, sizeof(char *));
    for (; kind[o->kinds]; o->kinds++)
        o->kind[o->kinds] = sim_strdup(kind[o->kinds]);
    o->sites = h->sites;
    o->site = sim_alloc(h->sites, sizeof *o->site);
    for (size_t i = 0; i < h->sites; i++)
        o->site[i] = h->site[i]->site;
    take_blocks(h, o);
    if (h->typed)
        run_typed_take(h->typed, o);
    o->thread = sim_alloc(HASH_COUNT(h->workers), sizeof *o->thread);
    for (const struct worker *w = h->workers; w; w = w->hh.next)
        o->thread[o->threads++] = w->thread;
    qsort(o->thread, o->threads, sizeof *o->thread, by_number);
    h->of->objects = o;
}

/* ---- the book -------------------------------------------------------------------------------- */

static bool heap_wanted(const struct run_live *live)
{
    return live->experiment->profile || live->experiment->truth;
}

static enum run_begun heap_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct run_heap *h = self;
    (void)why, (void)size;
    h->of = live;
    live->heap = h;
    pc_profile_stacks(live->profiled, heap_grown, h);
    if (run_names(live)) {
        heap_watch(h, live->profiled, run_names(live));
        h->typed = run_typed_new(live);
    }
    return RUN_BEGUN;
}

static void heap_write(void *self, FILE *out)
{
    doc_objects_write(&((struct run_heap *)self)->left, out);
}

static const struct run_file heap_files[] = {{.name = DOC_OBJECTS, .write = heap_write}, {0}};

const struct run_observer run_objects = {
    .size = sizeof(struct run_heap),
    .wants = heap_wanted,
    .begin = heap_begin,
    .thread = heap_thread,
    .turn = heap_turn,
    .finish = heap_finish,
    .file = heap_files,
    .release = heap_release,
};
