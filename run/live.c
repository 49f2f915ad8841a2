/*
 * All who listen to a run, one row after the other; which they are is not known here. TELL is what
 * every hook does.
 */
#include "run/live.h"

#include "base/alloc.h"
#include "run/totals.h"

#include <stdlib.h>

/* An observer that listens. */
struct run_listening {
    const struct run_observer *does;
    void *self;
    sim_tick next; /* when it wants to look; SIM_NEVER: never */
};

#define LISTENING(l, live)                                                                        \
    for (struct run_listening *l = (live)->listening; l < (live)->listening + (live)->listenings; \
         l++)

/* Calls an operation of each who has it, in the order of the rows. */
#define TELL(live, operation, ...) \
    LISTENING(l, live)             \
        if (l->does->operation)    \
            l->does->operation(l->self, ##__VA_ARGS__);

/* The observer of a row; behind the last the caller's own, or NULL. */
static const struct run_observer *observer_of(const struct run_live *live, size_t i)
{
    return i < live->rows ? live->row[i] : live->own;
}

static void *self_new(struct run_live *live, size_t i, const struct run_observer *o)
{
    if (i == live->rows && live->own_self)
        return live->own_self;
    return o->size ? sim_alloc(1, o->size) : live;
}

bool run_live_prepare(struct run_live *live)
{
    bool good = true;
    live->listening = sim_alloc(live->rows + 1, sizeof *live->listening);
    for (size_t i = 0; i <= live->rows; i++) {
        const struct run_observer *o = observer_of(live, i);
        if (o && (!o->wants || o->wants(live)))
            live->listening[live->listenings++] =
                (struct run_listening){o, self_new(live, i, o), SIM_NEVER};
    }
    LISTENING(l, live)
        good = good && (!l->does->prepare || l->does->prepare(l->self, live));
    return good;
}

enum run_begun run_live_begin(struct run_live *live, char *why, size_t size)
{
    run_totals_new(live);
    LISTENING(l, live) {
        const enum run_begun begun =
            l->does->begin ? l->does->begin(l->self, live, why, size) : RUN_BEGUN;
        if (begun != RUN_BEGUN)
            return begun;
        if (l->does->first)
            l->next = l->does->first(l->self);
    }
    return RUN_BEGUN;
}

struct prog_names *run_names(struct run_live *live)
{
    char why[256];
    if (!live->named && live->workload->names)
        live->names = live->workload->names(live->path, NULL, why, sizeof why);
    live->named = true;
    return live->names;
}

void run_live_free(struct run_live *live)
{
    while (live->listenings) {
        struct run_listening *l = &live->listening[--live->listenings];
        if (l->does->release)
            l->does->release(l->self);
        if (l->does->size && l->self != live->own_self)
            free(l->self);
    }
    free(live->listening);
    if (live->names)
        live->names->free(live->names);
    run_totals_free(live);
}

/* ---- what the run tells ---------------------------------------------------------------------- */

static void on_thread(void *ctx, const struct prog_thread *thread)
{
    struct run_live *live = ctx;
    TELL(live, thread, thread)
}

static void on_mark(void *ctx, const char *name, bool begin, sim_tick at)
{
    struct run_live *live = ctx;
    TELL(live, mark, name, begin, at)
}

static void on_measure(void *ctx, bool on, sim_tick at)
{
    struct run_live *live = ctx;
    TELL(live, measure, on, at)
}

static void on_figures(void *ctx, const char *region, const struct prog_quotient *figure)
{
    struct run_live *live = ctx;
    TELL(live, figures, region, figure)
}

static void on_wrote(void *ctx, int stream, const void *bytes, size_t count)
{
    struct run_live *live = ctx;
    TELL(live, wrote, stream, bytes, count)
}

static void on_paged(void *ctx, uint64_t va, uint64_t pa)
{
    struct run_live *live = ctx;
    TELL(live, paged, va, pa)
}

static void on_interrupted(void *ctx, unsigned card, const struct prog_access *access,
                           unsigned count)
{
    struct run_live *live = ctx;
    TELL(live, interrupted, card, access, count)
}

static void on_overflowed(void *ctx, const struct prog_overflow *overflow)
{
    struct run_live *live = ctx;
    TELL(live, overflowed, overflow)
}

static void on_turn(void *ctx, const struct prog_turn *turn)
{
    struct run_live *live = ctx;
    TELL(live, turn, turn)
}

static void on_begun(void *ctx, struct prog_run *run)
{
    struct run_live *live = ctx;
    TELL(live, begun, run)
}

static bool on_signalled(void *ctx, uint32_t thread, int called)
{
    struct run_live *live = ctx;
    bool acts = true;
    LISTENING(l, live)
        acts = (!l->does->signalled || l->does->signalled(l->self, thread, called)) && acts;
    return acts;
}

static void on_called(void *ctx, uint32_t thread, uint64_t number, bool over)
{
    struct run_live *live = ctx;
    TELL(live, called, thread, number, over)
}

static void on_ended(void *ctx)
{
    struct run_live *live = ctx;
    TELL(live, ended)
}

sim_tick run_live_next(const struct run_live *live)
{
    sim_tick next = SIM_NEVER;
    LISTENING(l, live)
        next = sim_earlier(next, l->next);
    return next;
}

struct prog_counted run_live_counted(const struct run_live *live)
{
    struct prog_counted counted = {0};
    LISTENING(l, live)
        if (l->does->counted)
            counted = l->does->counted(l->self);
    return counted;
}

static sim_tick on_moment(void *ctx, sim_tick at)
{
    struct run_live *live = ctx;
    LISTENING(l, live)
        if (at >= l->next)
            l->next = l->does->moment(l->self, at);
    return run_live_next(live);
}

struct prog_hooks run_live_hooks(struct run_live *live)
{
    struct prog_hooks hooks = {.ctx = live};
    LISTENING(l, live) {
#define HOOK(hook) hooks.hook = l->does->hook ? on_##hook : hooks.hook;
        HOOK(thread)
        HOOK(mark)
        HOOK(measure)
        HOOK(figures)
        HOOK(wrote)
        HOOK(paged)
        HOOK(interrupted)
        HOOK(overflowed)
        HOOK(turn)
        HOOK(moment)
        HOOK(begun)
        HOOK(signalled)
        HOOK(called)
        HOOK(ended)
#undef HOOK
    }
    return hooks;
}

/* ---- what is left of it ---------------------------------------------------------------------- */

void run_live_finish(struct run_live *live, sim_tick at)
{
    LISTENING(l, live)
        if (l->does->finish)
            l->does->finish(l->self, at);
}

bool run_live_adds_up(struct run_live *live, char *why, size_t size)
{
    bool good = true;
    LISTENING(l, live)
        good = good && (!l->does->adds_up || l->does->adds_up(l->self, why, size));
    return good;
}

void run_live_conclude(struct run_live *live)
{
    TELL(live, concluded)
}

void run_live_say(struct run_live *live, FILE *out)
{
    TELL(live, say, out)
}

void run_live_show(struct run_live *live, FILE *out)
{
    TELL(live, show, out)
}

/* A file, and whose it is. */
struct file_of {
    const struct run_file *file;
    const struct run_live *live;
    void *self;
};

static bool live_is_there(const struct file_of *of)
{
    const struct run_file *file = of->file;
    return (!file->is_there || file->is_there(of->self)) &&
           (!file->run_has || file->run_has(&of->live->run));
}

static void live_write_file(void *ctx, FILE *out)
{
    const struct file_of *of = ctx;
    if (of->file->write_run)
        of->file->write_run(&of->live->run, out);
    else
        of->file->write(of->self, out);
}

void run_live_write(struct run_live *live, run_write_fn *write, void *ctx)
{
    LISTENING(l, live)
        for (const struct run_file *file = l->does->file; file && file->name; file++) {
            struct file_of of = {file, live, l->self};
            if (live_is_there(&of))
                write(ctx, file->name, live_write_file, &of);
        }
}

const char *run_file_name(const struct run_observer *const *row, size_t rows, unsigned i)
{
    for (size_t r = 0; r < rows; r++)
        for (const struct run_file *file = row[r]->file; file && file->name; file++)
            if (!i--)
                return file->name;
    return NULL;
}
