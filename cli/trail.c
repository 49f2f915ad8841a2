/*
 * Runs that leave digests. SimGrid has one engine in a process, so each is a child, which leaves
 * its marks in memory that both share.
 */
#include "cli/trail.h"

#include "base/alloc.h"
#include "base/beside.h"
#include "base/hash.h"
#include "cli/exit.h"
#include "cli/session.h"
#include "machine/statistics.h"
#include "monitor/taps.h"
#include "procard/procard.h"
#include "run/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

/* A run that leaves a trail. */
struct walker {
    const struct look_schedule *schedule;
    struct look_trail *trail;
    sim_tick due, step;
    struct run_live *live;
};

/* ---- what a state is ------------------------------------------------------------------------- */

static void stand_of(struct nm_machine *m, unsigned card, struct look_stand *stand)
{
    *stand =
        (struct look_stand){.pc = pc_stands_at(m, card), .thread = pc_tries_at(m, card)->thread};
    nm_card_taps(m, card, &stand->totals.taps);
    nm_card_truth(m, card, &stand->totals.truth);
    for (int t = 0; t < MON_TAP__COUNT; t++) /* what the cards were told to do is not the machine */
        if (MON_UNIT_TAPS >> t & 1)
            stand->totals.taps.v[t] = 0;
}

/* Takes a station's or a ring's counts into the digest; their own is kept, if that is asked for. */
static void put_around(const struct walker *w, XXH64_state_t *state, const void *counts,
                       size_t size, unsigned i)
{
    XXH64_update(state, counts, size);
    if (w->schedule->detailed && i < 2 * LOOK_TRAIL_CARDS)
        w->trail->around[w->trail->marks % 2][i] = XXH64(counts, size, 0);
}

static void put_arounds(const struct walker *w, XXH64_state_t *state, struct nm_machine *m)
{
    const unsigned stations = nm_machine_stations(m), rings = nm_ring_count(nm_machine_params(m));
    struct nm_station_monitor station;
    struct nm_ring_monitor ring;
    for (unsigned s = 0; s < stations; s++) {
        nm_machine_station(m, s, &station);
        put_around(w, state, &station, sizeof station, s);
    }
    for (unsigned r = 0; r < rings; r++) {
        nm_machine_ring(m, r, &ring);
        put_around(w, state, &ring, sizeof ring, stations + r);
    }
    w->trail->arounds = stations + rings;
}

static uint64_t digest_of(const struct walker *w, struct nm_machine *m)
{
    XXH64_state_t *state = sim_hash_new(0);
    for (unsigned c = 0; c < nm_machine_cards(m); c++) {
        struct look_stand stand;
        stand_of(m, c, &stand);
        XXH64_update(state, &stand.pc, sizeof stand.pc);
        XXH64_update(state, &stand.totals, sizeof stand.totals);
        if (w->schedule->detailed && c < LOOK_TRAIL_CARDS)
            w->trail->card[w->trail->marks % 2][c] = stand;
    }
    put_arounds(w, state, m);
    const uint64_t digest = XXH64_digest(state);
    XXH64_freeState(state);
    return digest;
}

/* ---- in the child ---------------------------------------------------------------------------- */

static enum run_begun walker_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)why, (void)size;
    ((struct walker *)self)->live = live;
    return RUN_BEGUN;
}

static sim_tick walker_first(void *self)
{
    return ((const struct walker *)self)->due;
}

static sim_tick walker_moment(void *self, sim_tick at)
{
    struct walker *w = self;
    struct nm_machine *m = w->live->machine;
    struct look_trail *trail = w->trail;
    trail->cards = nm_machine_cards(m);
    trail->mark[trail->marks] = (struct look_mark){at, digest_of(w, m)};
    trail->marks++;
    do { /* the machine may have stopped a little late */
        if (w->schedule->growing && trail->marks > LOOK_MARKS / 2)
            w->step *= 2;
        w->due += w->step;
    } while (w->due <= at);
    return trail->marks < w->schedule->marks ? w->due : SIM_NEVER;
}

static void walker_concluded(void *self)
{
    const struct walker *w = self;
    const struct doc_run *run = &w->live->run;
    struct look_trail *trail = w->trail;
    trail->ended = true;
    trail->ticks = run->outcome.ticks;
    trail->result = run->hash.result;
    trail->output = run->outcome.stdout_hash;
    trail->stopped = run->outcome.end == PROG_LIMIT && trail->ticks == w->schedule->limit;
}

/* It may also have a limit of its own. */
static int trail_walk(const struct in_experiment *asked, struct walker *w)
{
    struct in_experiment x = *asked;
    static const struct run_observer observer = {.begin = walker_begin,
                                                 .first = walker_first,
                                                 .moment = walker_moment,
                                                 .concluded = walker_concluded};
    const struct cli_session session = {.experiment = &x,
                                        .stdin_fd = -1,
                                        .quiet = true,
                                        .observer = &observer,
                                        .self = w,
                                        .table = fopen("/dev/null", "we")};
    struct prog_outcome outcome;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    x.limit = sim_earlier(x.limit, w->schedule->limit);
    if (!session.table || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0)
        return CLI_EXIT_IO;
    return (int)cli_session_run(&session, &outcome);
}

static pid_t trail_start(const struct in_experiment *x, const struct look_schedule *schedule,
                         struct look_trail *trail)
{
    struct walker walker = {schedule, trail, schedule->first, schedule->step, NULL};
    trail->marks = 0;
    trail->ended = trail->stopped = false;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        trail_walk(x, &walker);
        fflush(NULL);
        _exit(0);
    }
    return child;
}

/* ---- both ------------------------------------------------------------------------------------ */

static void trail_await(pid_t child)
{
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

const char *cli_trail_run(const struct in_experiment *const x[2],
                          const struct look_schedule *schedule, struct look_trail *const trail[2])
{
    const pid_t a = trail_start(x[0], schedule, trail[0]),
                b = trail_start(x[1], schedule, trail[1]);
    trail_await(a);
    trail_await(b);
    if (a < 0 || b < 0)
        return "a run could not be started";
    if (!trail[0]->ended)
        return "A could not be simulated again; 'numachine run RUN_DIR/config.resolved.yaml' says "
               "why";
    if (!trail[1]->ended)
        return "B could not be simulated again; 'numachine run RUN_DIR/config.resolved.yaml' says "
               "why";
    return NULL;
}

struct look_trail *cli_trail_new(void)
{
    return sim_beside_memory(sizeof(struct look_trail));
}

void cli_trail_free(struct look_trail *trail)
{
    sim_beside_release(trail, sizeof *trail);
}
