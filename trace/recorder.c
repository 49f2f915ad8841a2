/*
 * The recorder: when what is listened to, and what threads do.
 *
 * The hard idea is the window's end. What is heard of buses, pins and totals is heard at different
 * times, but whenever the machine stands, all before that moment has been, but for cycles that are
 * not over and slots that have not arrived. So a window is only ended while the machine stands,
 * soon after the time asked for, or after too much is kept.
 */
#include "trace/recorder.h"

#include "base/alloc.h"
#include "documents/grid.h"
#include "run/observer.h"
#include "trace/listen.h"

#include <inttypes.h>
#include <uthash.h>

/* [ns] without record.to: enough to see something, few enough to be looked at. */
#define WINDOW_NS 1000000

/* ---- threads --------------------------------------------------------------------------------- */

const char *trc_thread_word(uint64_t value)
{
    static const char *const words[TRC_STATES] = {
        [TRC_NONE] = "none", [TRC_READY] = "ready", [TRC_RUNS] = "runs", [TRC_BLOCKED] = "blocked"};
    return words[value & 0xff];
}

/* A number of a thread, or of a physical page, and what is known by it: a signal, or the page's
 * virtual address. */
struct trc_known {
    uint64_t number, value;
    UT_hash_handle hh;
};

static struct trc_known *recorder_find(struct trc_known *all, uint64_t number)
{
    struct trc_known *found;
    HASH_FIND(hh, all, &number, sizeof number, found);
    return found;
}

static void recorder_know(struct trc_known **all, uint64_t number, uint64_t value)
{
    struct trc_known *known = recorder_find(*all, number);
    if (known) {
        known->value = value;
        return;
    }
    known = sim_alloc(1, sizeof *known);
    known->number = number;
    known->value = value;
    HASH_ADD(hh, *all, number, sizeof known->number, known);
}

static void recorder_forget(struct trc_known **all)
{
    struct trc_known *known, *next;
    HASH_ITER(hh, *all, known, next) {
        HASH_DEL(*all, known);
        free(known);
    }
}

/* The signal of a thread. */
static uint32_t recorder_thread_of(struct trc_recorder *r, unsigned number)
{
    const struct trc_known *known = recorder_find(r->thread, number);
    if (known)
        return (uint32_t)known->value;
    const uint32_t signal = trc_book_add(
        &r->threads,
        &(struct trc_signal){
            .of = TRC_OF_THREAD, .number = number, .bits = 32, .word = trc_thread_word});
    recorder_know(&r->thread, number, signal);
    return signal;
}

static void recorder_turn(void *self, const struct prog_turn *turn)
{
    struct trc_recorder *r = self;
    static const struct {
        bool changes;
        enum trc_thread_state state;
        bool since; /* at turn->since, not at turn->at */
    } rows[] = {[PROG_BORN] = {true, TRC_READY, false},   [PROG_SLEEPS] = {true, TRC_BLOCKED, true},
                [PROG_CALLED] = {true, TRC_READY, false}, [PROG_GOES_ON] = {true, TRC_RUNS, false},
                [PROG_LEAVES] = {true, TRC_READY, true},  [PROG_ENDS] = {true, TRC_NONE, true},
                [PROG_EXITS] = {false, TRC_NONE, false}};
    struct trc_book *book = &r->threads;
    if (!rows[turn->step].changes || r->too_many_turns)
        return;
    const uint32_t signal = recorder_thread_of(r, turn->thread);
    const struct trc_signal *s = &book->signal[signal];
    const sim_tick at = rows[turn->step].since ? turn->since : turn->at;
    const sim_tick last = s->last == SIZE_MAX ? 0 : book->change[s->last].at;
    /* who is called before its system call is over does not sleep at all */
    trc_book_set(book, signal, sim_later(at, last),
                 rows[turn->step].state | (uint64_t)turn->card << 8);
    if (book->changes >= TRC_KEPT_MAX) {
        r->too_many_turns = true;
        book->to = sim_earlier(book->to, at);
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void recorder_paged(void *self, uint64_t va, uint64_t pa)
{
    struct trc_recorder *r = self;
    if (r->experiment->record_trace)
        recorder_know(&r->page, pa, va);
}

bool trc_virtual(const struct trc_recorder *r, uint64_t pa, uint64_t *va)
{
    const uint64_t size = nm_value_page_size(r->experiment->machine.params);
    const struct trc_known *known = recorder_find(r->page, pa / size * size);
    if (known)
        *va = known->value + pa % size;
    return known;
}

/* ---- the window ------------------------------------------------------------------------------ */

static bool recorder_hears(const struct in_experiment *x)
{
    return x->record_waves || x->record_trace;
}

static sim_tick default_end(const struct in_experiment *x)
{
    const uint64_t hz = nm_value_cpu_clock(x->machine.params);
    return in_record_begin(x) + hz / 1000000000 * WINDOW_NS +
           hz % 1000000000 * WINDOW_NS / 1000000000;
}

/* Without a directory there is no place for it. */
static bool recorder_wanted(const struct run_live *live)
{
    return live->kept && in_records(live->experiment);
}

static enum run_begun recorder_begin(void *self, struct run_live *live, char *why, size_t size)
{
    const struct in_experiment *x = live->experiment;
    const sim_tick from = in_record_begin(x);
    struct trc_recorder *r = self;
    (void)why, (void)size;
    *r = (struct trc_recorder){.experiment = x, .of = live, .next = SIM_NEVER};
    trc_book_open(&r->wires, from, x->record_to == SIM_NEVER ? default_end(x) : x->record_to);
    trc_book_open(&r->threads, from, x->record_to);
    r->live = trc_listening_new(r, &live->run, live->machine);
    if (recorder_hears(x))
        r->next =
            sim_earlier(from - sim_earlier(from, TRC_LEAD), trc_listening_begin(r->live, from));
    if (x->record_trace)
        run_names(live);
    return RUN_BEGUN;
}

static void recorder_release(void *self)
{
    struct trc_recorder *r = self;
    trc_listening_free(r->live);
    trc_book_free(&r->wires);
    trc_book_free(&r->threads);
    free(r->request);
    recorder_forget(&r->page);
    recorder_forget(&r->thread);
}

/* All up to `at` has been heard. */
static void end_window(struct trc_recorder *r, sim_tick at)
{
    if (r->open)
        trc_listening_close(r->live, at);
    r->open = false;
    r->next = SIM_NEVER;
    r->wires.to = sim_earlier(r->wires.to, at);
}

/* The machine stands at `at`, which is r->next or soon after it. */
static void recorder_look_at(struct trc_recorder *r, sim_tick at)
{
    if (!r->open)
        trc_listening_open(r->live);
    r->open = true;
    r->next = trc_listening_begin(r->live, r->wires.from);
    if (at < r->next)
        return;
    trc_listening_look(r->live, at);
    if (r->wires.changes + r->requests >= TRC_KEPT_MAX && at < r->wires.to) {
        r->full = true;
        r->wires.to = at;
    }
    r->next = trc_listening_next(r->live, at);
    if (at < r->wires.to)
        r->next = sim_earlier(r->next, r->wires.to);
    else if (trc_listening_knows(r->live, at, r->wires.to))
        end_window(r, at);
}

static sim_tick recorder_moment(void *self, sim_tick at)
{
    struct trc_recorder *r = self;
    recorder_look_at(r, at);
    return r->next;
}

static sim_tick recorder_first(void *self)
{
    struct trc_recorder *r = self;
    if (!r->next)
        recorder_look_at(r, 0);
    return r->next;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int by_end(const void *x, const void *y)
{
    const struct pc_served *a = x, *b = y;
    if (a->over != b->over)
        return a->over < b->over ? -1 : 1;
    return a->card < b->card ? -1 : a->card > b->card;
}

/* What of the window was not as asked for; and how to have another one. */
static void recorder_remark(const struct trc_recorder *r, struct doc_run *run)
{
    const struct in_experiment *x = r->experiment;
    const sim_tick end = run->outcome.ticks, to = r->wires.to;
    char at[32];
    if (in_record_begin(x) >= end)
        doc_remark(run, "nothing is recorded: the run ended at PCycle %s, before record.from",
                   doc_grouped(end, at));
    else if (r->full)
        doc_remark(run,
                   "the recording ends at PCycle %s, with %d changes of signals and requests: "
                   "record.from and record.to, record.signals or record.cards narrow it",
                   doc_grouped(to, at), TRC_KEPT_MAX);
    else if (x->record_to == SIM_NEVER && recorder_hears(x) && to < end)
        doc_remark(run,
                   "signals and requests are recorded up to PCycle %s, 1 ms after record.from: "
                   "record.to asks for more, or less",
                   doc_grouped(to, at));
    else if (x->record_to != SIM_NEVER && x->record_to > end)
        doc_remark(run, "the recording ends with the run at PCycle %s, before record.to",
                   doc_grouped(end, at));
    if (r->too_many_turns)
        doc_remark(run,
                   "states of threads are recorded up to PCycle %s, %d of them: record.from and "
                   "record.to narrow it",
                   doc_grouped(r->threads.to, at), TRC_KEPT_MAX);
}

/* What was not as asked for is said in a remark. */
static void recorder_finish(void *self, sim_tick end)
{
    struct trc_recorder *r = self;
    end_window(r, end);
    trc_book_close(&r->wires, end);
    trc_book_close(&r->threads, end);
    if (r->requests)
        qsort(r->request, r->requests, sizeof *r->request, by_end);
    recorder_remark(r, &r->of->run);
    trc_listening_free(r->live);
    r->live = NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool has_status(const void *self)
{
    const struct in_experiment *x = ((const struct trc_recorder *)self)->experiment;
    return x->record_waves && x->record_status;
}

static bool has_waves(const void *self)
{
    return ((const struct trc_recorder *)self)->experiment->record_waves;
}

static bool has_trace(const void *self)
{
    return ((const struct trc_recorder *)self)->experiment->record_trace;
}

static bool has_paje(const void *self)
{
    return ((const struct trc_recorder *)self)->experiment->record_paje;
}

static void write_status(void *self, FILE *out)
{
    trc_write_status(self, out);
}

static void write_waves(void *self, FILE *out)
{
    trc_write_waves(self, out);
}

static void write_trace(void *self, FILE *out)
{
    const struct trc_recorder *r = self;
    trc_write_trace(r, run_names(r->of), r->of->locks, out);
}

static void write_paje(void *self, FILE *out)
{
    trc_write_paje(self, out);
}

static const struct run_file recorder_files[] = {
    {.name = "monitor/status.csv", .write = write_status, .is_there = has_status},
    {.name = "waves.vcd", .write = write_waves, .is_there = has_waves},
    {.name = "trace.json.gz", .write = write_trace, .is_there = has_trace},
    {.name = "threads.paje", .write = write_paje, .is_there = has_paje},
    {0}};

const struct run_observer trc_recorder = {
    .size = sizeof(struct trc_recorder),
    .wants = recorder_wanted,
    .begin = recorder_begin,
    .paged = recorder_paged,
    .turn = recorder_turn,
    .first = recorder_first,
    .moment = recorder_moment,
    .finish = recorder_finish,
    .file = recorder_files,
    .release = recorder_release,
};
