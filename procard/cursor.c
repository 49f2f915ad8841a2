/*
 * Where processors are in a profile: paths, nodes, and the calls under way.
 *
 * The hard idea is knowing when a call is over without help from the program. A return goes to
 * where the call said it would, with the stack pointer of then. What longjmp or an exception has
 * left is known by the stack: a call whose stack pointer is below the present one is over.
 */
#include "procard/cursor.h"

#include <stdlib.h>
#include <string.h>

/* Parent of a thread's first function. */
static const uint64_t NO_PARENT = UINT64_MAX;

/* ---- tallies and counters -------------------------------------------------------------------- */

enum { TALLY_BITS = 3 };

static size_t cursor_place_of(const struct pc_node *node, uint64_t pc)
{
    const size_t mask = ((size_t)1 << node->tally_bits) - 1;
    size_t i = (size_t)(pc >> 2) & mask;
    while (node->tally[i] && node->tally[i]->pc != pc)
        i = (i + 1) & mask;
    return i;
}

static void tallies_grow(struct pc_node *node)
{
    struct pc_tally **old = node->tally;
    const size_t count = old ? (size_t)1 << node->tally_bits : 0;
    node->tally_bits = old ? node->tally_bits + 1 : TALLY_BITS;
    node->tally = sim_alloc((size_t)1 << node->tally_bits, sizeof *node->tally);
    for (size_t i = 0; i < count; i++)
        if (old[i])
            node->tally[cursor_place_of(node, old[i]->pc)] = old[i];
    free(old);
}

struct pc_tally *pc_node_tally(struct pc_node *node, uint64_t pc)
{
    if (!node->tally || 4 * (node->tallies + 1) > 3u << node->tally_bits)
        tallies_grow(node);
    struct pc_tally **tally = &node->tally[cursor_place_of(node, pc)];
    if (!*tally) {
        *tally = sim_alloc(1, sizeof **tally);
        (*tally)->pc = pc;
        node->tallies++;
    }
    return *tally;
}

/* Has the node's pages reach from `first` to before `end`. */
static void pages_reach(struct pc_node *node, uint32_t first, uint32_t end)
{
    uint64_t **page = sim_alloc(end - first, sizeof *page);
    if (node->pages)
        memcpy(page + (node->first - first), node->page, node->pages * sizeof *page);
    free(node->page);
    node->page = page;
    node->first = first;
    node->pages = end - first;
}

uint64_t *pc_node_page(struct pc_node *node, uint32_t page)
{
    const uint32_t end = node->first + node->pages;
    if (!node->pages)
        pages_reach(node, page, page + 1);
    else if (page < node->first)
        pages_reach(node, page, end);
    else if (page >= end)
        pages_reach(node, node->first, page + 1);
    uint64_t **counters = &node->page[page - node->first];
    if (!*counters)
        *counters = sim_alloc(PC_COUNTERS, sizeof **counters);
    return *counters;
}

void pc_node_free(struct pc_node *node)
{
    struct pc_link *next;
    for (struct pc_link *link = node->link; link; link = next) {
        next = link->next;
        free(link);
    }
    for (size_t i = 0; node->tally && i >> node->tally_bits == 0; i++)
        free(node->tally[i]);
    for (uint32_t i = 0; i < node->pages; i++)
        free(node->page[i]);
    free(node->tally);
    free(node->page);
    free(node);
}

/* ---- paths and nodes ------------------------------------------------------------------------- */

/* The number of a path; made if need be. */
static uint32_t cursor_path_of(struct pc_profile *p, uint64_t parent, uint64_t call,
                               uint64_t function)
{
    const struct pc_path_key key = {parent, call, function};
    struct pc_path *path;
    HASH_FIND(hh, p->path_by_key, &key, sizeof key, path);
    if (path)
        return path->number;
    path = sim_alloc(1, sizeof *path);
    path->key = key;
    path->number = (uint32_t)p->paths;
    HASH_ADD(hh, p->path_by_key, key, sizeof path->key, path);
    if (!(p->paths & (p->paths + 1)))
        p->path = sim_grow(p->path, 2 * p->paths + 1, sizeof *p->path);
    p->path[p->paths] =
        (struct pc_profile_path){.parent = parent == NO_PARENT ? path->number : (uint32_t)parent,
                                 .call = call,
                                 .function = function};
    return (uint32_t)p->paths++;
}

static struct pc_node *node_of(struct pc_profile *p, uint32_t path, uint32_t thread,
                               struct pc_node *parent)
{
    const struct pc_node_key key = {.path = path, .phase = p->phase, .thread = thread};
    struct pc_node *node;
    HASH_FIND(hh, p->nodes, &key, sizeof key, node);
    if (node)
        return node;
    node = sim_alloc(1, sizeof *node);
    node->key = key;
    node->parent = parent;
    node->depth = parent ? parent->depth + 1 : 0;
    if (!p->function || !p->function(p->ctx, p->path[path].function, &node->from, &node->to))
        node->from = node->to = 0;
    HASH_ADD(hh, p->nodes, key, sizeof node->key, node);
    return node;
}

/* The first address of a function that a transfer to `target` enters. */
static uint64_t cursor_entered(const struct pc_profile *p, uint64_t target)
{
    uint64_t from = target, to;
    if (p->function)
        p->function(p->ctx, target, &from, &to);
    return from;
}

struct pc_node *pc_profile_root(struct pc_profile *p, uint32_t thread, uint64_t pc)
{
    const uint64_t function = pc == PC_PROFILE_NOWHERE ? pc : cursor_entered(p, pc);
    return node_of(p, cursor_path_of(p, NO_PARENT, PC_PROFILE_NOWHERE, function), thread, NULL);
}

/* What keeps a profile small whatever a program does: a parser that recurses through many functions
 * has more paths than anybody would look at. Beyond, a path begins anew at its thread's first
 * function. */
enum { PATHS_MAX = 16384, DEPTH_MAX = 256, LINKS_MAX = 64 };

static struct pc_node *cursor_anew(struct pc_profile *p, struct pc_node *node, uint64_t function)
{
    while (node->parent)
        node = node->parent;
    const uint32_t path = cursor_path_of(p, node->key.path, PC_PROFILE_NOWHERE, function);
    return node_of(p, path, node->key.thread, node);
}

/* The node that a transfer leads to; one of the same function that is on the path already. */
static struct pc_node *led_to(struct pc_profile *p, struct pc_node *node, uint64_t call,
                              uint64_t target)
{
    const uint64_t function = cursor_entered(p, target);
    for (struct pc_node *up = node; up; up = up->parent)
        if (p->path[up->key.path].function == function)
            return up;
    if (p->paths >= PATHS_MAX || node->depth == DEPTH_MAX)
        return cursor_anew(p, node, function);
    const uint32_t path = cursor_path_of(p, node->key.path, call, function);
    return node_of(p, path, node->key.thread, node);
}

static const struct pc_watched *watched_at(const struct pc_profile *p, uint64_t target)
{
    const uint64_t function = cursor_entered(p, target);
    struct pc_watched *watched;
    HASH_FIND(hh, p->watched, &function, sizeof function, watched);
    return watched;
}

/* Where such a transfer from a node leads. */
static struct pc_link cursor_follow(struct pc_profile *p, struct pc_node *node, uint64_t call,
                                    uint64_t target)
{
    for (const struct pc_link *link = node->link; link; link = link->next)
        if (link->call == call && link->target == target)
            return *link;
    const struct pc_link made = {.call = call,
                                 .target = target,
                                 .to = led_to(p, node, call, target),
                                 .watched = watched_at(p, target),
                                 .next = node->link};
    if (node->links < LINKS_MAX) {
        node->link = sim_alloc(1, sizeof *node->link);
        *node->link = made;
        node->links++;
    }
    return made;
}

bool pc_profile_leaves(const struct pc_profile *p, uint64_t from, uint64_t to)
{
    uint64_t first, last;
    if (!p->function || !p->function(p->ctx, from, &first, &last))
        return false;
    return to - first >= last - first;
}

/* ---- a card's cursor ------------------------------------------------------------------------- */

static void read_totals(const struct pc_card *card, int64_t v[PC_PROFILE__COUNT])
{
    const struct nm_truth *truth = pc_card_truth(card);
#define PROFILE_STATE(name, unit, sentence)
#define PROFILE_CORE(name, unit, sentence)
#define PROFILE_USE(name, field, unit, sentence)
#define PROFILE_TRUTH(name, field, unit, sentence) v[PC_PROFILE_##name] = (int64_t)truth->field;
#define PROFILE_TAP(name, tap, unit, sentence) \
    v[PC_PROFILE_##name] = (int64_t)card->taps.v[MON_TAP_##tap];
#include "procard/profile.def"
}

static struct pc_tally *cursor_tally(struct pc_cursor *c)
{
    if (!c->tally)
        c->tally = pc_node_tally(c->at, c->pc);
    return c->tally;
}

/* What has happened since the last time, goes to the instruction. */
void pc_cursor_put_down(struct pc_cursor *c)
{
    int64_t now[PC_PROFILE__COUNT];
    memcpy(now, c->seen, sizeof now);
    read_totals(c->card, now);
    for (int i = PC_PROFILE_INSTRUCTIONS; i < PC_PROFILE__COUNT; i++)
        if (now[i] != c->seen[i]) {
            cursor_tally(c)->v[i] += now[i] - c->seen[i];
            c->seen[i] = now[i];
        }
}

void pc_cursor_move(struct pc_cursor *c, uint64_t pc)
{
    pc_cursor_put_down(c);
    c->at = c->node;
    c->pc = pc;
    c->tally = NULL;
}

void pc_cursor_stand(struct pc_cursor *c)
{
    pc_core_settle(c->card);
    pc_cursor_at(c, pc_core_pc(c->card));
}

void pc_cursor_add(struct pc_cursor *c, enum pc_profile_column column, int64_t n)
{
    cursor_tally(c)->v[column] += n;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void cursor_go(struct pc_cursor *c, struct pc_node *node)
{
    c->thread->node = c->node = node;
}

static void cursor_push(struct pc_cursor *c, uint64_t call, uint64_t back, uint64_t sp)
{
    struct pc_profiled_thread *t = c->thread;
    SIM_ROOM(t->frame, t->depth, t->room, 16);
    t->frame[t->depth++] =
        (struct pc_frame){.call = call, .back = back, .sp = sp, .caller = c->node};
    if (c->profile->keeps)
        pc_cursor_keep(c, &t->frame[t->depth - 1]);
}

static void cursor_tell(const struct pc_watched *watched, struct pc_crossing *crossing)
{
    for (unsigned i = 0; i < watched->listeners; i++) {
        const struct pc_listener *listener = &watched->listener[i];
        crossing->watch = listener->watch;
        listener->told(listener->ctx, crossing);
    }
}

/* Ends the youngest visit of the thread. */
static void end_visit(struct pc_cursor *c, enum pc_crossed what)
{
    struct pc_profiled_thread *t = c->thread;
    struct pc_visit *visit = &t->visit[--t->visits];
    visit->entry.what = what;
    visit->entry.card = c->card->cpu.number;
    visit->entry.at = c->card->cpu.now;
    if (what == PC_CROSSED_RETURNED)
        visit->entry.result = c->card->core->result(&c->card->cpu);
    cursor_tell(visit->watched, &visit->entry);
}

/* Ends the one of such a function that the present frame has already, and all that came after it:
 * functions that jump to each other for ever. */
static void end_same(struct pc_cursor *c, const struct pc_watched *watched)
{
    const struct pc_profiled_thread *t = c->thread;
    size_t i = t->visits;
    while (i && t->visit[i - 1].depth == t->depth && t->visit[i - 1].watched != watched)
        i--;
    if (i && t->visit[i - 1].depth == t->depth)
        while (t->visits >= i)
            end_visit(c, PC_CROSSED_LEFT);
}

/* The thread enters a watched function. */
static void begin_visit(struct pc_cursor *c, const struct pc_watched *watched, uint32_t caller,
                        uint64_t call)
{
    struct pc_profiled_thread *t = c->thread;
    end_same(c, watched);
    SIM_ROOM(t->visit, t->visits, t->visit_room, 4);
    struct pc_visit *visit = &t->visit[t->visits++];
    *visit = (struct pc_visit){.watched = watched,
                               .depth = t->depth,
                               .entry = {.what = PC_CROSSED_ENTERED,
                                         .card = c->card->cpu.number,
                                         .thread = t->number,
                                         .path = caller,
                                         .call = call,
                                         .entered = c->card->cpu.now,
                                         .at = c->card->cpu.now}};
    for (unsigned i = 0; i < PC_ARGUMENTS; i++)
        visit->entry.argument[i] = c->card->core->argument(&c->card->cpu, i);
    cursor_tell(watched, &visit->entry);
}

/* Goes from the node of a caller to where its call or jump leads. */
static void cursor_enter(struct pc_cursor *c, struct pc_node *caller, uint64_t call,
                         uint64_t target)
{
    const struct pc_link link = cursor_follow(c->profile, caller, call, target);
    cursor_go(c, link.to);
    if (link.watched)
        begin_visit(c, link.watched, caller->key.path, call);
}

/* Ends the calls from frame `depth` on; `how` the oldest of them has ended. */
static void cursor_unwind(struct pc_cursor *c, size_t depth, enum pc_crossed how)
{
    struct pc_profiled_thread *t = c->thread;
    if (depth == t->depth)
        return;
    cursor_go(c, t->frame[depth].caller);
    t->depth = depth;
    while (t->visits && t->visit[t->visits - 1].depth > depth)
        end_visit(c, t->visit[t->visits - 1].depth == depth + 1 ? how : PC_CROSSED_LEFT);
}

/* Ends those whose stack is gone: they were left by longjmp, or an exception. */
static void unwind_to(struct pc_cursor *c, uint64_t sp)
{
    const struct pc_profiled_thread *t = c->thread;
    size_t depth = t->depth;
    while (depth && t->frame[depth - 1].sp < sp)
        depth--;
    cursor_unwind(c, depth, PC_CROSSED_LEFT);
}

/* Whether it is a return: of the youngest call, or of one whose callees have made no frame on the
 * stack (bal). */
static bool cursor_returns(struct pc_cursor *c, uint64_t target, uint64_t sp)
{
    const struct pc_profiled_thread *t = c->thread;
    for (size_t depth = t->depth; depth && t->frame[depth - 1].sp == sp; depth--)
        if (t->frame[depth - 1].back == target) {
            cursor_unwind(c, depth - 1, PC_CROSSED_RETURNED);
            return true;
        }
    return false;
}

/* Whether such a call is under way already: then it has been left without a return, by code that
 * calls to learn where it is (bal), or keeps its return address to itself. */
static void cursor_again(struct pc_cursor *c, uint64_t back, uint64_t sp)
{
    enum { FAR = 8 };
    const struct pc_profiled_thread *t = c->thread;
    for (size_t i = t->depth; i && t->depth - i < FAR && t->frame[i - 1].sp == sp; i--)
        if (t->frame[i - 1].back == back) {
            cursor_unwind(c, i - 1, PC_CROSSED_LEFT);
            return;
        }
}

static bool cursor_within(const struct pc_node *node, uint64_t pc)
{
    return !node->to || pc - node->from < node->to - node->from;
}

static void cursor_sees(const struct pc_cursor *c, uint64_t sp, enum pc_stack_by by)
{
    struct pc_stack *stack = c->thread->stack;
    if (stack && (sp < stack->low || stack->away))
        pc_stack_seen(c->profile, stack, sp, by);
}

void pc_cursor_call(struct pc_cursor *c, uint64_t call, uint64_t back, uint64_t target, uint64_t sp)
{
    cursor_sees(c, sp, PC_STACK_CALLS);
    if (c->node->to && target != c->node->from && cursor_within(c->node, target))
        return; /* into its own midst: it wants to know where it is */
    cursor_again(c, back, sp);
    cursor_push(c, call, back, sp);
    cursor_enter(c, c->node, call, target);
}

void pc_cursor_jump(struct pc_cursor *c, uint64_t target, uint64_t sp)
{
    const struct pc_profiled_thread *t = c->thread;
    cursor_sees(c, sp, PC_STACK_JUMPS);
    unwind_to(c, sp);
    if (cursor_returns(c, target, sp) || cursor_within(c->node, target))
        return;
    if (t->depth) { /* the function called is another one now */
        const struct pc_frame *frame = &t->frame[t->depth - 1];
        cursor_enter(c, frame->caller, frame->call, target);
    } else {
        cursor_go(c, pc_profile_root(c->profile, t->number, target));
    }
}

struct pc_node *pc_profile_renewed(struct pc_profile *p, struct pc_node *node)
{
    const struct pc_node_key key = {
        .path = node->key.path, .phase = p->phase, .thread = node->key.thread};
    struct pc_node *known;
    HASH_FIND(hh, p->nodes, &key, sizeof key, known);
    if (known)
        return known;
    struct pc_node *parent = node->parent ? pc_profile_renewed(p, node->parent) : NULL;
    return node_of(p, node->key.path, node->key.thread, parent);
}

void pc_profile_renew(struct pc_profile *p, struct pc_profiled_thread *t)
{
    if (t->node->key.phase == p->phase)
        return;
    t->node = pc_profile_renewed(p, t->node);
    for (size_t i = 0; i < t->depth; i++)
        t->frame[i].caller = pc_profile_renewed(p, t->frame[i].caller);
}

static struct pc_profiled_thread *cursor_thread_of(struct pc_profile *p, uint32_t number,
                                                   uint64_t pc)
{
    struct pc_profiled_thread *t;
    HASH_FIND(hh, p->threads, &number, sizeof number, t);
    if (!t) {
        t = sim_alloc(1, sizeof *t);
        t->number = number;
        t->node = pc_profile_root(p, number, pc);
        t->stack = pc_stack_of(p, number);
        HASH_ADD(hh, p->threads, number, sizeof t->number, t);
    }
    pc_profile_renew(p, t);
    return t;
}

void pc_cursor_placed(struct pc_cursor *c, uint32_t thread, uint64_t pc, uint64_t sp)
{
    if (!c->thread || c->thread->number != thread)
        c->thread = cursor_thread_of(c->profile, thread, pc);
    c->node = c->thread->node;
    unwind_to(c, sp);
    if (!cursor_within(c->node, pc)) {
        cursor_sees(c, sp, PC_STACK_JUMPS);
        cursor_push(c, PC_PROFILE_NOWHERE, PC_PROFILE_NOWHERE, sp);
        cursor_enter(c, c->node, PC_PROFILE_NOWHERE, pc);
    }
    pc_cursor_at(c, pc);
}
