/*
 * Snapshots of a run, and travellers from them.
 *
 * The hard idea: a process is a state that can be kept for the price of the pages that change
 * afterwards, and that can be gone on from more than once: each time a copy of the copy goes on.
 * Processes speak by one block of shared memory, and wait for each other on words in it (futex):
 * they have no descriptors for it, and the wall around a run (confine.h) allows it.
 *
 * Snapshots get rarer with their age: a step back from now is short, and what lies far back is gone
 * to once. Between two of them a traveller leaves finer ones on its way.
 */
#include "programs/past.h"

#include "base/alloc.h"
#include "base/beside.h"
#include "programs/host.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    CUTS = 1 << 20,       /* moments of the live process that travellers stand at, too */
    NO_SLOT = UINT32_MAX, /* of a snapshot: it was made by the live process */
    LOOK_MS = 100,        /* how often who waits looks whether others live */
    FINE_NS = 20000000,   /* of work between two snapshots of a traveller, at least */
    STEP_LEAST = 1024,    /* [ticks] between visits */
    STEP_MOST = 1 << 24,  /* [ticks] */
    NEAR = 16,            /* now, gaps may be 1 / (NEAR + 1) of what they may be at the beginning */
    DENSITY = 24,         /* a gap of work may be 1 / DENSITY of how long ago it is */
    PAGE = 4096,
};

const struct prog_past_limits prog_past_usual = {
    .snapshots = 64, .bytes = 700u << 20, .log = 128u << 20, .gap = 50};

/** A snapshot. Processes that are no longer asked for see that `born` is not their own. */
struct slot {
    uint32_t word;   /**< changes when its process is to look */
    uint32_t born;   /**< a number; 0: the slot is free */
    uint32_t of;     /**< the traveller that made it came from this slot; NO_SLOT: none made it */
    bool asked;      /**< what is asked of it: */
    uint32_t errand; /**< enum prog_past_errand */
    sim_tick to;     /**< [ticks] */
    sim_tick at;     /**< [ticks] where it stands */
    uint64_t log;    /**< [bytes] its place in the host's log */
    uint64_t ran;    /**< [ns] of work since the run began */
    uint64_t bytes;  /**< [bytes] changed since, before the next one was made, at most */
    pid_t pid;
};

/** What a search came to. */
enum search_answer { PENDING, FOUND, LOST };

struct past_shared {
    uint32_t copies_turn; /**< 0: the live process's */
    uint32_t back;        /**< enum prog_past_back */
    uint32_t turn_of;     /**< the slot whose copy has the turn */
    uint32_t answer;      /**< enum search_answer */
    uint32_t born;        /**< snapshots ever made */
    sim_tick edge;        /**< [ticks] */
    struct slot slot[PROG_PAST_SNAPSHOTS];
    uint64_t cuts;
    sim_tick cut[CUTS];
};

struct prog_past {
    struct past_shared *shared;
    struct prog_past_limits limits;
    bool (*stops)(void *ctx); /**< NULL: it never does */
    void *ctx;
    bool copy, travels;
    enum prog_past_errand errand;
    uint32_t of;         /**< the slot that this process comes from */
    sim_tick to, way;    /**< [ticks] where it goes, and how far that was */
    uint64_t worked;     /**< [ns] before this process was made */
    uint64_t kept_at;    /**< [ns] of work when the last snapshot was made, */
    uint64_t faults;     /**< and pages changed */
    uint64_t visited_at; /**< [ns] of work at the last visit */
    sim_tick step;       /**< [ticks] to the next visit of the live process */
    sim_tick fine;       /**< [ticks] where a traveller leaves its next snapshot */
};

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t word_now(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/** Waits while it is `old`, or for so long [ms]; 0: as long as it takes. */
static void word_await(uint32_t *word, uint32_t old, unsigned ms)
{
    const struct timespec most = {ms / 1000, ms % 1000 * 1000000L};

    if (word_now(word) == old)
        syscall(SYS_futex, word, FUTEX_WAIT, old, ms ? &most : NULL, NULL, 0);
}

static void word_set(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- what work costs ------------------------------------------------------------------------- */

/** [ns] That the run has been computed for, up to here. */
static uint64_t past_worked(const struct prog_past *past)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return past->worked + (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/** Pages that have got memory, or were copied because a snapshot has them. */
static uint64_t pages_changed(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt;
}

/* ---- slots ----------------------------------------------------------------------------------- */

#define SLOTS(past, s)                                                                          \
    for (struct slot *s = (past)->shared->slot; s < (past)->shared->slot + PROG_PAST_SNAPSHOTS; \
         s++)                                                                                   \
        if (s->born)

static uint32_t slot_number(const struct prog_past *past, const struct slot *s)
{
    return (uint32_t)(s - past->shared->slot);
}

/** Whether a slot is `ancestor`, or a traveller from there made it, or one from that, ... */
static bool slot_is_of(const struct prog_past *past, uint32_t slot, uint32_t ancestor)
{
    while (slot != NO_SLOT && slot != ancestor)
        slot = past->shared->slot[slot].of;
    return slot == ancestor;
}

/** It is no more, nor are those that hang on it: they end with its process. */
static void slot_forget(struct prog_past *past, struct slot *dead)
{
    SLOTS(past, s)
    if (s != dead && slot_is_of(past, slot_number(past, s), slot_number(past, dead)))
        s->born = 0;
    dead->born = 0;
    word_set(&dead->word, dead->word + 1);
}

/** Ends a snapshot. What it has kept from changing the one before keeps now. */
static void slot_drop(struct prog_past *past, struct slot *dead)
{
    const bool ours = dead->of == NO_SLOT && !past->copy;
    struct slot *before = NULL;

    SLOTS(past, s)
    if (s != dead && s->of == dead->of && s->at <= dead->at && (!before || s->at > before->at))
        before = s;
    if (before)
        before->bytes += dead->bytes;
    slot_forget(past, dead);
    if (ours)
        waitpid(dead->pid, NULL, 0);
}

/** The newest at or before `to` whose answers are still in the log; NULL: none. */
static struct slot *slot_before(const struct prog_past *past, sim_tick to)
{
    struct slot *best = NULL;

    SLOTS(past, s)
    if (s->at <= to && s->log >= prog_host_log_forgotten() && (!best || s->at > best->at))
        best = s;
    return best;
}

static struct slot *slot_earliest(const struct prog_past *past)
{
    struct slot *best = NULL;

    SLOTS(past, s)
    if (s->log >= prog_host_log_forgotten() && (!best || s->at < best->at))
        best = s;
    return best;
}

unsigned prog_past_snapshots(const struct prog_past *past)
{
    unsigned count = 0;

    SLOTS(past, s)
    count++;
    return count;
}

/** The last one's pages change still. */
static uint64_t bytes_open(const struct prog_past *past)
{
    return past->copy ? 0 : (pages_changed() - past->faults) * PAGE;
}

uint64_t prog_past_bytes(const struct prog_past *past)
{
    uint64_t sum = bytes_open(past);

    SLOTS(past, s)
    sum += s->bytes;
    return sum;
}

/* ---- thinning -------------------------------------------------------------------------------- */

/** [ns] The work that one must do again from the snapshot before, if there were none at `work`, of
 *  which so much is to be had for what it costs. */
static uint64_t thin_may(const struct prog_past *past, uint64_t work)
{
    const uint64_t now = past_worked(past);

    return (now - work + now / NEAR) / DENSITY;
}

/** The neighbours of a snapshot of the live process among its own. */
static void slot_around(const struct prog_past *past, const struct slot *of,
                        const struct slot **before, const struct slot **behind)
{
    *before = *behind = NULL;
    SLOTS(past, s)
    {
        if (s->of != NO_SLOT || s == of)
            continue;
        if (s->at <= of->at && (!*before || s->at > (*before)->at))
            *before = s;
        if (s->at > of->at && (!*behind || s->at < (*behind)->at))
            *behind = s;
    }
}

/** Of the live process's the one that is missed least: neither the first nor the last. */
static struct slot *slot_least(const struct prog_past *past)
{
    struct slot *least = NULL;
    double missed = 0;

    SLOTS(past, s)
    {
        const struct slot *before, *behind;
        slot_around(past, s, &before, &behind);
        if (s->of != NO_SLOT || !before || !behind)
            continue;
        const double gap =
            (double)(behind->ran - before->ran) / ((double)thin_may(past, s->ran) + 1);
        if (!least || gap < missed) {
            least = s;
            missed = gap;
        }
    }
    return least;
}

/** The oldest that a traveller made, and that neither this process nor who has the turn hangs on.
 */
static struct slot *slot_finest(const struct prog_past *past)
{
    struct slot *oldest = NULL;

    SLOTS(past, s)
    if (s->of != NO_SLOT && !slot_is_of(past, past->of, slot_number(past, s)) &&
        !slot_is_of(past, past->shared->turn_of, slot_number(past, s)) &&
        (!oldest || s->born < oldest->born))
        oldest = s;
    return oldest;
}

static bool is_crowded(const struct prog_past *past)
{
    return prog_past_snapshots(past) >= past->limits.snapshots ||
           prog_past_bytes(past) >= past->limits.bytes;
}

/** Those go first that travellers have made; then, as far as it is the live process that makes
 *  room, its own. @return whether there is room */
static bool room_make(struct prog_past *past)
{
    struct slot *least;

    SLOTS(past, s)
    if (!past->copy && s->of == NO_SLOT && s->log < prog_host_log_forgotten())
        slot_drop(past, s);
    while (is_crowded(past) &&
           ((least = slot_finest(past)) || (!past->copy && (least = slot_least(past)))))
        slot_drop(past, least);
    return !is_crowded(past);
}

/* ---- processes ------------------------------------------------------------------------------- */

/** A copy of this process, which ends with it. @return as fork */
static pid_t past_fork(struct prog_past *past)
{
    const pid_t self = getpid();
    const uint64_t worked = past_worked(past);
    const pid_t child = fork();

    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != self)
        _exit(EXIT_FAILURE);
    past->worked = worked;
    past->faults = pages_changed();
    past->copy = true;
    signal(SIGINT, SIG_IGN); /* a terminal's goes to all: the live process is asked */
    return 0;
}

/** The turn is the live process's again. */
static void turn_back(struct prog_past *past, enum prog_past_back why)
{
    past->shared->back = why;
    past->shared->turn_of = NO_SLOT;
    word_set(&past->shared->copies_turn, 0);
}

/** A traveller has died, and was expected to say something. */
static void traveller_died(struct prog_past *past, enum prog_past_errand errand)
{
    if (errand == PROG_PAST_SEARCH)
        word_set(&past->shared->answer, LOST);
    else
        turn_back(past, PROG_PAST_LOST);
}

/** The log is at its end: what this traveller would do next the live process has not done yet. */
static void at_edge(void *ctx)
{
    struct prog_past *past = ctx;

    if (past->errand == PROG_PAST_SEARCH)
        prog_past_found(past);
    prog_past_leave(past, PROG_PAST_GONE_ON);
}

/** A new process, at the beginning of its way. */
static void traveller_begin(struct prog_past *past, const struct slot *from)
{
    past->errand = from->errand;
    past->to = from->to;
    past->way = past->to - from->at;
    past->fine = from->at;
    past->travels = true;
    prog_host_log_replay(at_edge, past);
}

/** The processes of a snapshot that are alive, and the last traveller of each errand. */
struct travellers {
    unsigned count; /**< with those that have become snapshots */
    pid_t of[PROG_PAST_SEARCH + 1];
};

/** Its process has died, of whatever. It is none any more, nor are those that hang on it, and who
 *  waits for a traveller from there is told. */
static void slot_died(struct prog_past *past, struct slot *dead)
{
    const bool turn = slot_is_of(past, past->shared->turn_of, slot_number(past, dead));

    slot_forget(past, dead);
    if (turn && past->shared->copies_turn)
        turn_back(past, PROG_PAST_LOST);
    else if (past->shared->answer == PENDING)
        word_set(&past->shared->answer, LOST);
}

static void travellers_look(struct prog_past *past, struct travellers *alive)
{
    int status;
    pid_t child;

    for (; (child = waitpid(-1, &status, WNOHANG)) > 0; alive->count--) {
        SLOTS(past, s)
        if (s->of == past->of && s->pid == child)
            slot_died(past, s);
        for (enum prog_past_errand e = 0; e <= PROG_PAST_SEARCH; e++) {
            if (alive->of[e] != child)
                continue;
            alive->of[e] = 0;
            if (!WIFEXITED(status) || WEXITSTATUS(status))
                traveller_died(past, e);
        }
    }
}

/** Sleeps in a slot, and makes travellers; returns in each of those.
 *  @param born     the slot's, before there was a process that could end it
 *  @param goes_on  it is a traveller itself, and the first copy goes on its way
 *  @return whether this one begins a way of its own */
static bool snapshot_sleep(struct prog_past *past, struct slot *s, uint32_t born, bool goes_on)
{
    struct travellers alive = {0};

    past->of = slot_number(past, s);
    for (bool begins = !goes_on;; begins = true) {
        const uint32_t seen = word_now(&s->word);
        if (word_now(&s->born) != born)
            _exit(EXIT_SUCCESS);
        if (s->asked || !begins) {
            s->asked = false;
            const pid_t child = past_fork(past);
            if (child == 0 && begins)
                traveller_begin(past, s);
            if (child == 0)
                return begins;
            alive.of[s->errand] = child;
            alive.count += child > 0;
            if (child < 0)
                traveller_died(past, s->errand);
        }
        word_await(&s->word, seen, alive.count ? LOOK_MS : 0);
        travellers_look(past, &alive);
    }
}

static struct slot *slot_new(struct prog_past *past, sim_tick now)
{
    struct slot *s = past->shared->slot;

    while (s->born)
        s++;
    s->word = 0;
    s->of = past->of;
    s->pid = 0;
    s->asked = false;
    s->at = now;
    s->log = prog_host_log_at();
    s->ran = past_worked(past);
    s->bytes = 0;
    s->born = ++past->shared->born;
    return s;
}

/** What has changed since the last snapshot is what that one keeps. */
static void bytes_close(struct prog_past *past, const struct slot *now)
{
    struct slot *last = NULL;
    const uint64_t faults = pages_changed();

    SLOTS(past, s)
    if (s != now && s->of == past->of && (!last || s->at > last->at))
        last = s;
    if (last)
        last->bytes += (faults - past->faults) * PAGE;
    past->faults = faults;
}

/** The live process makes a snapshot, and goes on. @return whether this is a traveller from it,
 *  perhaps much later */
static bool snapshot_live(struct prog_past *past, sim_tick now)
{
    struct slot *const s = slot_new(past, now);
    const uint32_t born = s->born;

    bytes_close(past, s);
    const pid_t child = past_fork(past);
    if (child == 0)
        return snapshot_sleep(past, s, born, false);
    if (child < 0)
        s->born = 0;
    s->pid = child;
    return false;
}

/** A traveller becomes a snapshot, and a copy of it goes on its way. @return as snapshot_live */
static bool snapshot_fine(struct prog_past *past, sim_tick now)
{
    struct slot *const s = slot_new(past, now);

    s->errand = past->errand;
    s->pid = getpid();
    if (past->errand == PROG_PAST_TURN)
        past->shared->turn_of = slot_number(past, s);
    bytes_close(past, s);
    past->kept_at = s->ran;
    return snapshot_sleep(past, s, s->born, true);
}

/* ---- visits ---------------------------------------------------------------------------------- */

static void cut_keep(struct prog_past *past, sim_tick now)
{
    struct past_shared *sh = past->shared;

    if (sh->cuts < CUTS && (!sh->cuts || sh->cut[sh->cuts - 1] < now))
        sh->cut[sh->cuts++] = now;
}

/** The first moment behind `now` at which the live process has stood. */
static sim_tick cut_next(const struct prog_past *past, sim_tick now)
{
    const struct past_shared *sh = past->shared;
    uint64_t low = 0, high = sh->cuts;

    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (sh->cut[middle] <= now)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sh->cuts ? sh->cut[low] : SIM_NEVER;
}

/** So that the work between two visits is a part of the gap between two snapshots. */
static void step_fit(struct prog_past *past, uint64_t ran)
{
    const uint64_t took = ran - past->visited_at, gap = past->limits.gap * UINT64_C(1000000);

    if (took < gap / 8 && past->step < STEP_MOST)
        past->step *= 2;
    else if (took > gap / 2 && past->step > STEP_LEAST)
        past->step /= 2;
    past->visited_at = ran;
}

/** Whether a snapshot is worth it: not sooner than the thinning would have left it. */
static bool is_due(const struct prog_past *past, uint64_t ran)
{
    const uint64_t gap = past->limits.gap * UINT64_C(1000000), may = thin_may(past, ran);

    return !prog_past_snapshots(past) || ran - past->kept_at >= (gap > may ? gap : may);
}

/** A traveller leaves finer snapshots where half of the rest of its way lies behind; one that
 *  searches wherever a quarter of its way does: it does not know where one will want to be. Where
 *  the live process has stood, too: so what it keeps is the same to the byte. */
static void fine_plan(struct prog_past *past, sim_tick now)
{
    const sim_tick part = past->errand == PROG_PAST_SEARCH ? past->way / 4 : (past->to - now) / 2;

    past->fine = cut_next(past, now + part);
}

/** On the way: where to stand next. */
static sim_tick visit_copy(struct prog_past *past, sim_tick now, bool *moved)
{
    past->travels &= now < past->to;
    if (!past->travels)
        return SIM_NEVER;
    if (now >= past->fine) {
        if (past_worked(past) - past->kept_at > FINE_NS && room_make(past))
            *moved |= snapshot_fine(past, now);
        fine_plan(past, now);
    }
    return sim_earlier(past->to, cut_next(past, now));
}

static sim_tick visit_live(struct prog_past *past, sim_tick now, bool *moved)
{
    const uint64_t ran = past_worked(past);

    past->shared->edge = now;
    cut_keep(past, now);
    step_fit(past, ran);
    if (is_due(past, ran) && room_make(past)) {
        past->kept_at = ran;
        *moved = snapshot_live(past, now);
        if (*moved)
            return visit_copy(past, now, moved);
    }
    return now + past->step;
}

sim_tick prog_past_visit(struct prog_past *past, sim_tick now, bool *moved)
{
    *moved = false;
    return past->copy ? visit_copy(past, now, moved) : visit_live(past, now, moved);
}

void prog_past_stand(struct prog_past *past, sim_tick now)
{
    if (!past->copy)
        past->shared->edge = now;
}

/* ---- whose turn ------------------------------------------------------------------------------ */

static void slot_ask(struct slot *s, enum prog_past_errand errand, sim_tick to)
{
    s->errand = errand;
    s->to = to;
    s->asked = true;
    word_set(&s->word, s->word + 1);
}

static void look_for_dead(struct prog_past *past)
{
    SLOTS(past, s)
    if (s->of == NO_SLOT && waitpid(s->pid, NULL, WNOHANG) == s->pid)
        slot_died(past, s);
}

/** Of the live process: copies are not asked. */
static bool past_stops(const struct prog_past *past)
{
    return !past->copy && past->stops && past->stops(past->ctx);
}

static enum prog_past_back turn_await(struct prog_past *past)
{
    while (word_now(&past->shared->copies_turn)) {
        word_await(&past->shared->copies_turn, 1, LOOK_MS);
        look_for_dead(past);
        if (past_stops(past)) {
            prog_past_forget(past); /* who has the turn ends, too */
            turn_back(past, PROG_PAST_OVER);
        }
    }
    return past->shared->back;
}

enum prog_past_back prog_past_go(struct prog_past *past, sim_tick to)
{
    struct past_shared *sh = past->shared;
    struct slot *const early = slot_earliest(past);
    struct slot *const s = early ? slot_before(past, sim_later(to, early->at)) : NULL;

    if (past->copy && (to >= sh->edge || !s))
        prog_past_leave(past, s ? PROG_PAST_GONE_ON : PROG_PAST_LOST);
    if (to >= sh->edge || !s)
        return s ? PROG_PAST_GONE_ON : PROG_PAST_LOST;
    sh->turn_of = slot_number(past, s);
    sh->copies_turn = 1;
    slot_ask(s, PROG_PAST_TURN, sim_later(to, s->at));
    if (past->copy)
        _exit(EXIT_SUCCESS);
    return turn_await(past);
}

void prog_past_leave(struct prog_past *past, enum prog_past_back why)
{
    turn_back(past, why);
    _exit(EXIT_SUCCESS);
}

bool prog_past_search(struct prog_past *past, sim_tick to, sim_tick *from)
{
    struct past_shared *sh = past->shared;
    struct slot *const s = to ? slot_before(past, to - 1) : NULL;

    if (!s)
        return false;
    *from = s->at;
    sh->answer = PENDING;
    slot_ask(s, PROG_PAST_SEARCH, to);
    while (word_now(&sh->answer) == PENDING && !past_stops(past)) {
        word_await(&sh->answer, PENDING, LOOK_MS);
        if (!past->copy)
            look_for_dead(past);
    }
    return sh->answer == FOUND;
}

void prog_past_found(struct prog_past *past)
{
    word_set(&past->shared->answer, FOUND);
    _exit(EXIT_SUCCESS);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

struct prog_past *prog_past_begin(const struct prog_past_limits *limits, bool (*stops)(void *ctx),
                                  void *ctx)
{
    struct prog_past *past = sim_alloc(1, sizeof *past);

    past->shared = sim_beside_memory(sizeof *past->shared);
    past->limits = *limits;
    past->stops = stops;
    past->ctx = ctx;
    past->of = NO_SLOT;
    past->shared->turn_of = NO_SLOT;
    past->shared->answer = FOUND;
    past->step = STEP_LEAST;
    past->faults = pages_changed();
    prog_host_log_begin(limits->log);
    return past;
}

void prog_past_forget(struct prog_past *past)
{
    SLOTS(past, s)
    if (s->of == NO_SLOT)
        slot_drop(past, s);
}

void prog_past_end(struct prog_past *past)
{
    prog_past_forget(past);
    prog_host_log_end();
    sim_beside_release(past->shared, sizeof *past->shared);
    free(past);
}

bool prog_past_is_copy(const struct prog_past *past)
{
    return past->copy;
}

enum prog_past_errand prog_past_errand(const struct prog_past *past)
{
    return past->errand;
}

bool prog_past_travels(const struct prog_past *past)
{
    return past->travels;
}

sim_tick prog_past_edge(const struct prog_past *past)
{
    return past->shared->edge;
}

sim_tick prog_past_earliest(const struct prog_past *past)
{
    const struct slot *s = slot_earliest(past);

    return s ? s->at : past->shared->edge;
}
