/*
 * Cards of a line's home and cards of the station that owns it want the line at once, and the
 * owner's network cache has forgotten it. A request of that station's own goes to the home and
 * comes back (false remote request); until it has, the network cache refuses the home's
 * interventions, and while an intervention is out the home refuses the request. Each waits for the
 * other to ask at the right moment, and a refusal on the home's bus takes a fraction of a way over
 * the rings. Third stations want the line too, or nobody at home does.
 *
 * Commands of special functions, of which a directory does one at a time, are refused likewise. One
 * that claims lines holds some while it wants others, which those who wait for the first may have.
 *
 * Every wait must stay within nm_params_wait, and nm_params_claim longer where a page is claimed,
 * which the rule for run.watchdog is made of (machine/rules.def): the watchdog is as short as that.
 * Without directory.patience some never end; not in a protocol whose cards ask the home themselves,
 * which has no false remote requests.
 */
#include "actors.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdio.h>

#ifndef EVERY_PROTOCOL
#define EVERY_PROTOCOL 0 /* 1: every scene in every protocol, not some of them in one each */
#endif

enum { HOME, OWNER, THIRD, STATIONS = 3, ROUNDS = 3, REFERENCES = 3, LINE = 0x1000 };

/* What a card wants: the line again and again, and between two times another one that puts it out
 * of the network cache. */
struct actor {
    uint64_t other; /* address of that; the next is `apart` behind it */
    uint64_t apart;
    bool store, forgets;
    bool keeps; /* it wants the line only */
    unsigned left;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)card, (void)now;
    if (!a->left)
        return;
    if (a->forgets) {
        *out = actors_reference(PC_REFERENCE_LOAD, a->other);
        a->other += a->apart;
        a->left--;
    } else {
        *out = actors_reference(a->store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD, LINE);
    }
    a->forgets = !a->forgets && !a->keeps;
}

static const struct pc_driver_source source = {.next = next};

/* ---- machines -------------------------------------------------------------------------------- */

/* Processors run at 4 GHz. */
static const struct timing {
    uint64_t bus, rings, request, retry, spread;
} timings[] = {
    {1000000000, 50000000, 4, 8, 2},  {1000000000, 50000000, 4, 8, 0},
    {1000000000, 50000000, 1, 1, 0},  {1000000000, 50000000, 2, 64, 16},
    {1000000000, 500000000, 4, 8, 2}, {500000000, 1000000000, 4, 8, 2},
    {100000000, 1000000000, 8, 1, 2}, {50000000, 1000000000, 2, 512, 512},
    {50000000, 50000000, 2, 8, 64},   {1000000000, 100000000, 16, 4, 1},
};

static const unsigned shapes[][2] = {{2, 1}, {5, 1}, {16, 4}}; /* stations, local rings */

enum { TIMINGS = sizeof timings / sizeof *timings, SHAPES = sizeof shapes / sizeof *shapes };

static void params(struct nm_params *p, const struct timing *t, const unsigned shape[2],
                   enum nm_protocol_id protocol, uint64_t patience)
{
    actors_plain_params(p);
    p->cpu_clock = 4000000000;
    p->bus_clock = t->bus;
    p->ring_clock = t->rings;
    p->agent_request = t->request;
    p->agent_retry = t->retry;
    p->agent_spread = t->spread;
    p->ring_stations = shape[0];
    p->ring_locals = shape[1];
    p->netcache_size = 256;
    p->memory_size = 1 << 20;
    p->check = true;
    p->protocol = protocol;
    p->watchdog = nm_params_wait(p);
    p->directory_patience = patience;
}

static struct nm_machine *machine(const struct timing *t, const unsigned shape[2],
                                  enum nm_protocol_id protocol, uint64_t patience)
{
    struct nm_params p;
    params(&p, t, shape, protocol, patience);
    return actors_machine(&p);
}

/* ---- who wants the line ---------------------------------------------------------------------- */

struct crowd {
    unsigned of[STATIONS]; /* cards of the home, the owner's station and each third station */
    unsigned thirds;       /* stations */
    bool store;
};

/* Runs until so many cards are done. @return false: one waits for ever */
static bool wait_for(struct nm_machine *m, unsigned cards)
{
    while (cards--) {
        struct nm_trap trap;
        if (nm_machine_run(m, SIM_NEVER, &trap) != NM_RUN_TRAP)
            return false;
        nm_card_take(m, trap.card);
    }
    return true;
}

/* @param lag  [ticks] between the beginnings of two cards
 *  @return false: somebody starves */
static bool play_round(struct nm_machine *m, const struct crowd *crowd, unsigned lag)
{
    static const uint64_t apart = 0x1000; /* one place in every network cache */
    struct actor owner = {.other = LINE + apart, .apart = apart, .store = true, .left = 1};
    struct actor actor[NM_CARDS_MAX * 16];
    unsigned cards = 0;
    const sim_tick at = nm_machine_now(m) + 1000;
    pc_drive(m, OWNER * NM_CARDS_MAX, &source, &owner, at);
    if (!wait_for(m, 1))
        return false;
    const sim_tick then = nm_machine_now(m) + 1000;
    for (unsigned s = 0; s < THIRD + crowd->thirds; s++)
        for (unsigned c = 0; c < crowd->of[s < THIRD ? s : THIRD]; c++) {
            const unsigned own = s * NM_CARDS_MAX + (NM_CARDS_MAX - 1 - c);
            actor[cards] = (struct actor){.other = LINE + (2 + 16 * own) * apart % (1 << 20),
                                          .apart = apart,
                                          .store = crowd->store,
                                          .left = REFERENCES};
            pc_drive(m, own, &source, &actor[cards], then + cards * lag);
            cards++;
        }
    return wait_for(m, cards);
}

static unsigned play(struct nm_machine *m, const struct crowd *crowd)
{
    static const unsigned lags[ROUNDS] = {0, 1, 37};
    bool starves = false;
    for (unsigned i = 0; i < ROUNDS && !starves; i++)
        starves = !play_round(m, crowd, lags[i]);
    nm_machine_free(m);
    return starves;
}

enum { STARVED_ENOUGH = 3 };

struct tally {
    unsigned played, starved;
};

static void play_crowds(struct tally *tally, const struct timing *t, const unsigned shape[2],
                        enum nm_protocol_id protocol, uint64_t patience)
{
    for (unsigned i = 0; i <= NM_CARDS_MAX; i++)
        for (unsigned j = 0; j < NM_CARDS_MAX; j++)
            for (unsigned k = 0; k < 4; k++) {
                const unsigned turn = (i + j + k + (unsigned)(t - timings)) % (2 * NM_PROTOCOLS);
                if (!EVERY_PROTOCOL && turn != protocol + NM_PROTOCOLS * !patience)
                    continue;
                const struct crowd crowd = {.of = {i, j, k & 1},
                                            .thirds =
                                                k & 1 && shape[0] > THIRD ? shape[0] - THIRD : 0,
                                            .store = k & 2};
                const bool starves = play(machine(t, shape, protocol, patience), &crowd);
                tally->played++;
                tally->starved += starves;
                if (!patience && !EVERY_PROTOCOL && tally->starved == STARVED_ENOUGH)
                    return; /* each of these waits for the watchdog */
                if (starves && patience)
                    cr_expect_fail("%s, timing %u, %u stations on %u rings: %u cards at home, %u "
                                   "of the owner's station, %u others, who %s: one starves",
                                   nm_protocols[protocol].name, (unsigned)(t - timings), shape[0],
                                   shape[1], i, j, crowd.thirds, crowd.store ? "store" : "load");
            }
}

Test(turns, everybody_gets_one)
{
    struct nm_params p;
    actors_plain_params(&p);
    for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++) {
        struct tally tally = {0};
        for (unsigned t = 0; t < TIMINGS; t++)
            for (unsigned s = 0; s < (EVERY_PROTOCOL || t % 2 ? SHAPES : SHAPES - 1); s++)
                play_crowds(&tally, &timings[t], shapes[s], protocol, p.directory_patience);
        fprintf(stderr, "# %s: %u scenes, %u starve\n", nm_protocols[protocol].name, tally.played,
                tally.starved);
    }
}

/* What the rule is for. */
Test(turns, without_it_some_starve)
{
    for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++) {
        struct tally tally = {0};
        play_crowds(&tally, &timings[2], shapes[0], protocol, 0);
        fprintf(stderr, "# %s, switched off: %u scenes, %u starve\n", nm_protocols[protocol].name,
                tally.played, tally.starved);
        cr_expect_eq(tally.starved > 0, !nm_protocols[protocol].direct, "%s",
                     nm_protocols[protocol].name);
    }
}

/* ---- special functions ----------------------------------------------------------------------- */

enum { WRITE_BACK = 4, PREFETCH, FUNCTIONS = 6, MANY = 500 };

/* Cards of the home give its special function unit one command after another; a card of the last
 * station has one.
 * @return how many of theirs are done before it, up to MANY */
static unsigned overtaking(struct nm_machine *m, unsigned hogs, unsigned lines)
{
    const unsigned victim = nm_machine_cards(m) - 1;
    const sim_tick now = nm_machine_now(m);
    unsigned done = 0;
    for (unsigned c = 0; c < hogs; c++)
        nm_card_special(m, c, WRITE_BACK, LINE, lines, now);
    nm_card_special(m, victim, WRITE_BACK, LINE, lines, now);
    for (; done < MANY; done++) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        cr_assert_eq(why, NM_RUN_INTERRUPT, "%d %s", (int)why, nm_machine_error(m));
        if (trap.card == victim)
            break;
        nm_card_special(m, trap.card, WRITE_BACK, LINE, lines, nm_machine_now(m));
    }
    nm_machine_free(m);
    return done;
}

static unsigned most_overtaking(enum nm_protocol_id protocol, uint64_t patience)
{
    unsigned most = 0;
    for (unsigned t = 0; t < TIMINGS; t++)
        for (unsigned s = 0; s < 2; s++)
            for (unsigned hogs = 2; hogs <= NM_CARDS_MAX; hogs++)
                for (unsigned lines = 1; lines <= 64; lines *= 8) {
                    const unsigned n = overtaking(
                        machine(&timings[t], shapes[s], protocol, patience), hogs, lines);
                    most = n > most ? n : most;
                }
    return most;
}

/* Those that are done while one comes and goes over slow rings, until it has waited for longer
 * than that takes. */
Test(turns, commands_have_theirs)
{
    struct nm_params p;
    actors_plain_params(&p);
    for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++) {
        const char *name = nm_protocols[protocol].name;
        const unsigned with = most_overtaking(protocol, p.directory_patience),
                       without = most_overtaking(protocol, 0);
        fprintf(stderr, "# %s: at most %u commands overtake one; switched off, %u and more\n", name,
                with, without);
        cr_expect_lt(with, MANY / 5, "%s", name);
        cr_expect_eq(without, MANY, "%s", name);
    }
}

/* A card gives a function of the line to which cards of the home store without a pause.
 * @return whether it is done within the time of a card's own request */
static bool function_among(const struct nm_params *p, unsigned function, unsigned hogs,
                           unsigned victim)
{
    struct nm_machine *m = actors_machine(p);
    struct actor hog[NM_CARDS_MAX];
    struct nm_trap trap;
    for (unsigned c = 0; c < hogs; c++) {
        hog[c] = (struct actor){.store = true, .keeps = true, .left = 1};
        pc_drive(m, c, &source, &hog[c], c);
    }
    nm_card_special(m, victim, function, LINE, 1, 1000);
    const enum nm_run why = nm_machine_run(m, p->watchdog, &trap);
    cr_assert(why == NM_RUN_INTERRUPT || why == NM_RUN_UNTIL, "%d %s", (int)why,
              nm_machine_error(m));
    nm_machine_free(m);
    return why == NM_RUN_INTERRUPT;
}

static void try_functions(enum nm_protocol_id protocol, const struct timing *t)
{
    static const unsigned shape[] = {5, 1}, victims[] = {NM_CARDS_MAX - 1, 5 * NM_CARDS_MAX - 1};
    struct nm_params p;
    actors_plain_params(&p);
    const uint64_t patience = p.directory_patience;
    params(&p, t, shape, protocol, patience);
    for (unsigned function = 1; function <= FUNCTIONS; function++)
        for (unsigned hogs = 1; hogs < NM_CARDS_MAX; hogs++)
            for (unsigned v = 0; v < 2; v++) {
                if (v == 0 && function == PREFETCH)
                    continue; /* nothing to do */
                cr_expect(function_among(&p, function, hogs, victims[v]),
                          "%s, timing %u: function %u of card %u starves among %u",
                          nm_protocols[protocol].name, (unsigned)(t - timings), function,
                          victims[v], hogs);
            }
}

Test(turns, functions_have_theirs)
{
    for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
        for (unsigned t = EVERY_PROTOCOL ? 0 : protocol; t < TIMINGS;
             t += EVERY_PROTOCOL ? 1 : NM_PROTOCOLS)
            try_functions(protocol, &timings[t]);
}

/* ---- claims of several lines ------------------------------------------------------------------
 */

enum { CLAIMS = EVERY_PROTOCOL ? 8 : 5, CARDS_MOST = 64 };

/* Whether a scene of a timing and a shape is played: every other one, with queues of either size.
 */
static bool is_played(unsigned t, unsigned scene, unsigned protocol)
{
    return EVERY_PROTOCOL || ((t / 2 + scene) % 2 == 0 && (t + scene) % NM_PROTOCOLS == protocol);
}

/* Wants, for ever, lines that are claimed or share a place with one. */
struct crowding {
    const struct nm_params *p;
    uint64_t random;
    unsigned first, lines;
};

static void crowd(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct crowding *c = self;
    (void)card, (void)now;
    const uint64_t station =
        actors_draw(&c->random, 2) ? 0 : actors_draw(&c->random, nm_params_stations(c->p));
    const uint64_t line = actors_draw(&c->random, c->lines);
    *out = actors_reference(actors_draw(&c->random, 2) ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD,
                            station * c->p->memory_size + LINE + line * c->p->l2_line);
}

static const struct pc_driver_source crowding = {.next = crowd};

/* A directory that holds lines of a claim wants the others while everybody wants the first.
 * @return whether every claim is done in time, and nobody waits for it too long */
static bool claims_among(const struct nm_params *p, unsigned lines)
{
    struct nm_machine *m = actors_machine(p);
    struct crowding all[CARDS_MOST];
    const unsigned cards = nm_machine_cards(m), victim = cards - 1;
    enum nm_run why = NM_RUN_INTERRUPT;
    for (unsigned i = 0; i < victim; i++) {
        all[i] = (struct crowding){.p = p, .random = i, .lines = lines + 1};
        pc_drive(m, i, &crowding, &all[i], i);
    }
    for (unsigned round = 0; round < CLAIMS && why == NM_RUN_INTERRUPT; round++) {
        struct nm_trap trap;
        const sim_tick now = nm_machine_now(m) + 1000;
        nm_card_special(m, victim, FUNCTIONS, LINE, lines, now);
        why = nm_machine_run(m, now + lines * p->watchdog, &trap);
    }
    nm_machine_free(m);
    return why == NM_RUN_INTERRUPT;
}

/* Queues and caches as small as can be. */
static void smallest(struct nm_params *p, uint64_t spread)
{
    actors_queues(p, 1);
    p->ring_limit = 1;
    p->l1d_size = p->l1i_size = 64;
    p->l2_size = p->netcache_size = 256;
    p->agent_retry = p->agent_request = p->agent_response = 1;
    p->agent_spread = spread;
}

static void try_claims(enum nm_protocol_id protocol, unsigned t, const unsigned shape[2],
                       unsigned lines)
{
    struct nm_params p;
    actors_plain_params(&p);
    params(&p, &timings[t], shape, protocol, p.directory_patience);
    if (t % 2)
        smallest(&p, t / 2 % 2);
    p.watchdog = nm_params_wait(&p);
    cr_expect(claims_among(&p, lines),
              "%s, timing %u, %u stations on %u rings: a claim of %u lines starves",
              nm_protocols[protocol].name, t, shape[0], shape[1], lines);
}

Test(turns, claims_have_theirs)
{
    static const unsigned crowded[][2] = {{1, 1}, {4, 1}, {4, 4}};
    for (unsigned t = 0; t < TIMINGS; t++)
        for (unsigned s = 0; s < SHAPES; s++)
            for (unsigned i = 0; i < 4; i++)
                for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
                    if (is_played(t, s + i, protocol))
                        try_claims(protocol, t, crowded[s], 1 << i);
}

/* ---- claims of a page ------------------------------------------------------------------------ */

enum { PAGE = 64 << 10, SHORT_LINE = 32, PAGES = 2 };

/* Wants, for ever, any of the page's first lines. */
struct wanting {
    struct crowding what;
    sim_tick longest; /* wait */
    sim_tick since;   /* the last one got what it wanted */
};

static void want(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct crowding *c = &((struct wanting *)self)->what;
    (void)card, (void)now;
    *out = actors_reference(PC_REFERENCE_STORE,
                            PAGE + (c->first + actors_draw(&c->random, c->lines)) * c->p->l2_line);
}

static void got(void *self, unsigned card, const struct pc_reference *reference,
                const struct pc_result *result)
{
    struct wanting *w = self;
    (void)card, (void)reference;
    w->longest = sim_later(w->longest, result->done - result->began);
    w->since = result->done;
}

static const struct pc_driver_source wanting = {.next = want, .done = got};

/* A card claims all lines of a page, and again, while all others want its first `lines`.
 * @return the longest wait for one of them; SIM_NEVER: the machine was stuck */
static sim_tick claimed_page(const struct nm_params *p, unsigned lines, unsigned claimer)
{
    struct nm_machine *m = actors_machine(p);
    struct wanting all[CARDS_MOST] = {0};
    sim_tick longest = 0;
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        all[i].what = (struct crowding){.p = p, .random = i, .lines = lines};
        if (i != claimer)
            pc_drive(m, i, &wanting, &all[i], i);
    }
    for (unsigned i = 0; i < PAGES && longest != SIM_NEVER; i++) {
        struct nm_trap trap;
        nm_card_special(m, claimer, FUNCTIONS, PAGE, PAGE / SHORT_LINE, nm_machine_now(m) + 100000);
        if (nm_machine_run(m, SIM_NEVER, &trap) != NM_RUN_INTERRUPT)
            longest = SIM_NEVER;
    }
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        longest = sim_later(longest, all[i].longest);
    nm_machine_free(m);
    return longest;
}

/* The rule asks for no more, and no less. */
static void shorten_watchdog(struct nm_params *p)
{
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    p->watchdog = nm_params_wait(p) + nm_params_claim(p) - 1;
    cr_assert_eq(nm_param_rules_broken(p, broken), 1);
    p->watchdog++;
    cr_assert_eq(nm_param_rules_broken(p, broken), 0);
}

/* @return the longest wait, in watchdogs */
static double try_pages(enum nm_protocol_id protocol, unsigned t, const unsigned shape[2],
                        bool small)
{
    struct nm_params p;
    sim_tick longest = 0;
    actors_plain_params(&p);
    params(&p, &timings[t], shape, protocol, p.directory_patience);
    if (small)
        smallest(&p, t / 2 % 2);
    p.page_size = PAGE;
    p.memory_size = 64 * PAGE;
    p.l2_line = SHORT_LINE;
    p.agent_create = small ? 64 : 1;
    shorten_watchdog(&p);
    const unsigned last = (unsigned)nm_params_cards(&p) - 1;
    for (unsigned lines = EVERY_PROTOCOL || t & 2 ? 1 : PAGE / SHORT_LINE;
         lines <= (EVERY_PROTOCOL || !(t & 2) ? PAGE / SHORT_LINE : 1); lines *= PAGE / SHORT_LINE)
        for (unsigned claimer = 0; claimer <= last; claimer += last)
            longest = sim_later(longest, claimed_page(&p, lines, claimer));
    cr_expect_leq(longest, p.watchdog, "%s, timing %u, %u stations: a wait of %lu, %lu are allowed",
                  nm_protocols[protocol].name, t, shape[0], (unsigned long)longest,
                  (unsigned long)p.watchdog);
    return (double)longest / (double)p.watchdog;
}

Test(turns, who_wants_a_claimed_page_gets_it)
{
    static const unsigned crowded[][2] = {{1, 1}, {4, 1}};
    double most = 0;
    for (unsigned t = 0; t < TIMINGS; t++)
        for (unsigned s = 0; s < 2; s++)
            for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
                if (is_played(t, s, protocol)) {
                    const double wait = try_pages(protocol, t, crowded[s], t % 2);
                    most = wait > most ? wait : most;
                }
    fprintf(stderr, "# pages: the longest wait is %.2f of the least watchdog\n", most);
}

/* ---- claims of several cards ----------------------------------------------------------------- */

enum { CLAIMERS_MOST = 4, EACH = EVERY_PROTOCOL ? 100 : 6 };

/* Several cards claim the same lines again and again, without a pause, while one card wants the
 * last of them: each claim has the others' first line before the one that is wanted.
 * @return the longest wait for it; SIM_NEVER: the machine was stuck */
static sim_tick claimed_by(const struct nm_params *p, unsigned claimers, unsigned lines)
{
    struct nm_machine *m = actors_machine(p);
    const unsigned cards = nm_machine_cards(m), step = cards / (claimers + 1);
    struct wanting victim = {.what = {.p = p, .random = 1, .lines = 1, .first = lines - 1}};
    enum nm_run why = NM_RUN_INTERRUPT;
    pc_drive(m, cards - 1, &wanting, &victim, 1);
    for (unsigned i = 0; i < claimers; i++)
        nm_card_special(m, i * step, FUNCTIONS, PAGE, lines, 1);
    for (unsigned done = 0; done < EACH * claimers && why == NM_RUN_INTERRUPT; done++) {
        struct nm_trap trap;
        why = nm_machine_run(m, SIM_NEVER, &trap);
        if (why == NM_RUN_INTERRUPT)
            nm_card_special(m, trap.card, FUNCTIONS, PAGE, lines, nm_machine_now(m));
    }
    const sim_tick now = nm_machine_now(m), open = now > victim.since ? now - victim.since : 0;
    nm_machine_free(m);
    return why == NM_RUN_INTERRUPT ? sim_later(victim.longest, open) : SIM_NEVER;
}

/* @return the longest wait, in what one claim and everybody's wish for the line may take */
static double try_claimers(enum nm_protocol_id protocol, unsigned t, const unsigned shape[2],
                           unsigned lines)
{
    struct nm_params p;
    sim_tick longest = 0;
    actors_plain_params(&p);
    params(&p, &timings[t], shape, protocol, p.directory_patience);
    if (t % 2)
        smallest(&p, t / 2 % 2);
    p.watchdog = nm_params_wait(&p) + nm_params_claim(&p);
    for (unsigned claimers = 1; claimers <= CLAIMERS_MOST; claimers++)
        longest = sim_later(longest, claimed_by(&p, claimers, lines));
    cr_expect_leq(longest, p.watchdog,
                  "%s, timing %u, %u stations, claims of %u lines: a wait of "
                  "%lu, %lu are allowed",
                  nm_protocols[protocol].name, t, shape[0], lines, (unsigned long)longest,
                  (unsigned long)p.watchdog);
    return (double)longest / (double)p.watchdog;
}

Test(turns, who_wants_what_several_claim_gets_it)
{
    static const unsigned crowded[][2] = {{2, 1}, {4, 1}, {4, 4}};
    double most = 0;
    for (unsigned t = 0; t < TIMINGS; t++)
        for (unsigned s = 0; s < SHAPES; s++)
            for (unsigned lines = 2; lines <= 32; lines *= 4)
                for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
                    if (is_played(t, s + lines / 8, protocol)) {
                        const double wait = try_claimers(protocol, t, crowded[s], lines);
                        most = wait > most ? wait : most;
                    }
    fprintf(stderr, "# claims of several cards: the longest wait is %.3f of what is allowed\n",
            most);
}
