/*
 * A run in a host thread of its own.
 *
 * The one hard idea: a run owns the loop (prog_run), and so does who embeds it. Each has its
 * thread, and one of the two waits at any time: the run listens to itself, and at each moment that
 * was asked for it hands over to the caller and waits to be told of the next one.
 */
#include "embed/embed.h"

#include "base/alloc.h"
#include "base/version.h"
#include "documents/run.h"
#include "documents/totals.h"
#include "input/diag.h"
#include "input/home.h"
#include "input/pattern.h"
#include "input/workload.h"
#include "input/yaml.h"
#include "run/possible.h"
#include "run/simulate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const struct run_observer run_regions;

/* A member of struct nm_truth. */
static const struct {
    struct emb_column column;
    size_t at;
} embed_truth[] = {
#define TRUTH(field, unit, sentence) \
    {{"truth." #field, unit, sentence, 1}, offsetof(struct nm_truth, field)},
#include "machine/truth.def"
#undef TRUTH
};

enum { TRUTHS = sizeof embed_truth / sizeof *embed_truth };

/* Whose turn it is. */
enum embed_turn { EMBED_RUNS, EMBED_STANDS, EMBED_ENDED };

struct emb_run {
    struct in_experiment experiment;
    struct run_live live;
    void *described; /* the pattern */
    struct prog_approach approach;
    pthread_t thread;
    bool threaded;
    pthread_mutex_t lock;
    pthread_cond_t turned;
    enum embed_turn turn;
    sim_tick until;
    bool over; /* nobody wants the rest of it */
    char why[1024];
};

/* ---- the run's thread ------------------------------------------------------------------------ */

static void embed_hand_over(struct emb_run *run, enum embed_turn turn)
{
    pthread_mutex_lock(&run->lock);
    run->turn = turn;
    pthread_cond_signal(&run->turned);
    while (run->turn == EMBED_STANDS)
        pthread_cond_wait(&run->turned, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

static sim_tick embed_first(void *self)
{
    (void)self;
    return 0;
}

static sim_tick embed_moment(void *self, sim_tick at)
{
    struct emb_run *run = self;
    if (!run->over)
        embed_hand_over(run, EMBED_STANDS);
    return run->over ? at + 1 : run->until; /* the run is interrupted at one of the next */
}

static const struct run_observer embed_observer = {
    .size = sizeof(struct emb_run), .first = embed_first, .moment = embed_moment};

static const struct run_observer *const embed_row[] = {&run_regions};

static bool nobody_asks(void)
{
    return false;
}

static void *embed_simulate(void *ctx)
{
    struct emb_run *run = ctx;
    struct run_live *live = &run->live;
    char **tool = in_home_own();
    const struct run_surroundings around = {
        .program = live->path ? live->path : "",
        .described = run->described,
        .approach = &run->approach,
        .stdin_fd = -1,
        .quiet = true,
        .within = true,
        .tool = (const char *const *)tool,
        .over = &run->over,
        .stop = nobody_asks,
        .look = nobody_asks,
        .threads = nobody_asks,
    };
    live->run.outcome.end = PROG_UNLOADABLE;
    if (run_simulate(live, &around, run->why, sizeof run->why))
        run_conclude(live);
    else
        snprintf(live->run.outcome.message, sizeof live->run.outcome.message, "%s", run->why);
    in_free_list(tool);
    embed_hand_over(run, EMBED_ENDED);
    return NULL;
}

/* Waits until it is the caller's turn. @return false: the run has ended */
static bool embed_wait(struct emb_run *run)
{
    pthread_mutex_lock(&run->lock);
    while (run->turn == EMBED_RUNS)
        pthread_cond_wait(&run->turned, &run->lock);
    pthread_mutex_unlock(&run->lock);
    return run->turn == EMBED_STANDS;
}

static bool embed_go_on(struct emb_run *run, sim_tick until)
{
    pthread_mutex_lock(&run->lock);
    run->until = until;
    if (run->turn == EMBED_STANDS)
        run->turn = EMBED_RUNS;
    pthread_cond_signal(&run->turned);
    pthread_mutex_unlock(&run->lock);
    return embed_wait(run);
}

/* ---- to its begin ---------------------------------------------------------------------------- */

static bool embed_experiment(struct emb_run *run, const struct emb_ask *ask, struct in_diag *diag)
{
    struct in_experiment *x = &run->experiment;
    if (ask->experiment && ask->machine)
        in_error(diag, NULL, NULL, 0, 0,
                 "an experiment names its machine by itself: set `machine`");
    else if (ask->experiment)
        return in_experiment_load(x, ask->experiment, ask->sets, diag) &&
               (!ask->program || in_experiment_command(x, ask->program, diag));
    else if (in_experiment_make(x, ask->machine, ask->sets, diag)) {
        x->name = in_strdup("embedded");
        if (ask->program)
            return in_experiment_command(x, ask->program, diag);
        if (x->pattern_count)
            return true;
        in_error(diag, NULL, NULL, 0, 0, "there is no experiment, no program and no pattern");
    }
    return false;
}

/* What a run in another program cannot be. @return NULL, or why */
static const char *embed_refuses(const struct in_experiment *x)
{
    if (x->sweep)
        return "it has a sweep: read one of its points, or set what it varies";
    if (x->source)
        return "its program is source: compile it, and name the executable";
    if (x->profile || x->truth || in_records(x) || x->record_references || x->expects)
        return "run.profile, run.truth, record and expect need a run directory: numachine run";
    if (x->approach.from.kind == PROG_AT_PC || x->approach.to.kind == PROG_AT_PC)
        return "run.from and run.to name functions here: numachine run";
    return NULL;
}

/* The program, and what runs it. */
static bool embed_prepare(struct emb_run *run, char *why, size_t size)
{
    const struct in_experiment *x = &run->experiment;
    struct run_live *live = &run->live;
    const char *refused = embed_refuses(x);
    if (refused) {
        snprintf(why, size, "%s", refused);
        return false;
    }
    live->experiment = x;
    live->row = embed_row;
    live->rows = sizeof embed_row / sizeof *embed_row;
    live->own = &embed_observer;
    live->own_self = run;
    live->path = x->pattern_count ? NULL : x->program;
    run->approach = x->approach;
    run->described = x->pattern_count ? in_pattern_work(x) : NULL;
    live->workload =
        x->pattern_count ? in_workload_described() : in_workload_for(x->program, why, size);
    if (!live->workload)
        return false;
    snprintf(why, size, "these events cannot be counted together"); /* said on standard error */
    return run_choose_events(x, &live->choice) && run_live_prepare(live);
}

static bool embed_begin(struct emb_run *run, char *why, size_t size)
{
    struct run_live *live = &run->live;
    live->machine = run_machine_new(&run->experiment, live->workload->cards);
    live->cards = nm_machine_cards(live->machine);
    if (run_live_begin(live, why, size) != RUN_BEGUN)
        return false;
    run_program_cards(live);
    run->threaded = !pthread_create(&run->thread, NULL, embed_simulate, run);
    if (!run->threaded)
        snprintf(why, size, "the host has no thread for it");
    else if (!embed_wait(run) && live->run.outcome.end == PROG_UNLOADABLE)
        snprintf(why, size, "%s", live->run.outcome.message);
    else
        return true;
    return false;
}

const char *emb_version(void)
{
    return SIM_VERSION;
}

struct emb_run *emb_open(const struct emb_ask *ask, char *why, size_t size)
{
    struct emb_run *run = sim_alloc(1, sizeof *run);
    char *said = NULL;
    size_t length;
    struct in_diag diag = {.out = sim_text_open(&said, &length)};
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->turned, NULL);
    const bool read = embed_experiment(run, ask, &diag);
    sim_text_close(diag.out, &said);
    if (!read)
        snprintf(why, size, "%.*s", length ? (int)length - 1 : 0, said); /* no last newline */
    free(said);
    if (read && embed_prepare(run, why, size) && embed_begin(run, why, size))
        return run;
    emb_close(run);
    return NULL;
}

void emb_close(struct emb_run *run)
{
    if (run->threaded) {
        run->over = true;
        while (embed_go_on(run, 0)) {
        }
        pthread_join(run->thread, NULL);
    }
    run_live_free(&run->live);
    if (run->live.machine)
        nm_machine_free(run->live.machine);
    in_experiment_free(&run->experiment);
    free(run->described);
    pthread_cond_destroy(&run->turned);
    pthread_mutex_destroy(&run->lock);
    free(run);
}

/* ---- running --------------------------------------------------------------------------------- */

bool emb_run_to(struct emb_run *run, uint64_t tick)
{
    if (run->turn == EMBED_STANDS && tick <= emb_now(run))
        return true;
    return embed_go_on(run, tick);
}

bool emb_run_until(struct emb_run *run, uint64_t every, emb_enough_fn *enough, void *ctx)
{
    bool stands = run->turn == EMBED_STANDS;
    while (stands && !enough(ctx, run))
        stands = emb_run_to(run, emb_now(run) + every);
    return stands;
}

/* ---- looking --------------------------------------------------------------------------------- */

uint64_t emb_now(const struct emb_run *run)
{
    return nm_machine_now(run->live.machine);
}

uint64_t emb_ticks_per_second(const struct emb_run *run)
{
    return nm_value_cpu_clock(run->experiment.machine.params);
}

unsigned emb_cards(const struct emb_run *run)
{
    return run->live.cards;
}

unsigned emb_columns(const struct emb_run *run)
{
    return mon_unit_events(in_unit(&run->experiment)) + TRUTHS;
}

struct emb_column emb_column(const struct emb_run *run, unsigned i)
{
    const struct mon_unit_ops *unit = in_unit(&run->experiment);
    const unsigned events = mon_unit_events(unit);
    if (i >= events)
        return embed_truth[i - events].column;
    const struct mon_event *event = mon_unit_event(unit, i);
    const unsigned same[] = {[MON_SCOPE_CARD] = 1,
                             [MON_SCOPE_STATION] = run->live.run.per_station,
                             [MON_SCOPE_RING] = doc_per_ring(&run->live.run),
                             [MON_SCOPE_MACHINE] = run->live.cards};
    return (struct emb_column){event->name, event->unit, event->sentence, same[event->scope]};
}

void emb_read(struct emb_run *run, uint64_t *value)
{
    const struct doc_sample *now = run_totals(&run->live);
    const unsigned events = mon_unit_events(in_unit(&run->experiment));
    for (unsigned c = 0; c < run->live.cards; c++) {
        const char *truth = (const char *)&now->card[c].truth;
        for (unsigned e = 0; e < events; e++)
            *value++ = doc_event_at(&run->live.run, now, c, e);
        for (unsigned t = 0; t < TRUTHS; t++)
            *value++ = *(const uint64_t *)(const void *)(truth + embed_truth[t].at);
    }
}

bool emb_ended(const struct emb_run *run, struct emb_end *out)
{
    const struct doc_run *r = &run->live.run;
    if (run->turn != EMBED_ENDED)
        return false;
    *out = (struct emb_end){
        .word = doc_end_word(r->outcome.end),
        .message = r->outcome.message,
        .status = r->outcome.status,
        .ticks = r->outcome.ticks,
        .instructions = r->outcome.instructions,
        .result_hash = r->hash.result,
        .totals_hash = r->hash.totals,
    };
    return true;
}
