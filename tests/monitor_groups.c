/*
 * Every formula of every shipped group, and of the metrics that every run has, with a value counted
 * by hand.
 *
 * A case is a small machine whose cards make a few accesses at known ticks and spend other PCycles
 * as told; what each access takes is counted as in docs/latency.md, in bus cycles. The rows say
 * what each metric of each group must then be. A group or a metric without a row fails, and all
 * cases are counted at several ratios of the clocks.
 */
#include "actors.h"
#include "documents/statistics/group.h"
#include "documents/totals.h"
#include "input/home.h"
#include "input/yaml.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "procard/r4400/r4400.h"
#include "run/regions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, CARDS_MAX = 4, OPS_MAX = 64, END = 60000 /* [ticks] of every case */ };

/* 'r' load, 'w' store, 'l' LL, 'c' SC, 'k' spend `n` PCycles in state `where`, 0: the thread ends.
 * Until `at` the card spends its time in other_integer. */
struct op {
    sim_tick at;
    char what;
    uint64_t where;
    unsigned n;
};

struct actor {
    struct op op[OPS_MAX];
    unsigned next;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    static const enum pc_reference_kind kinds[] = {['r'] = PC_REFERENCE_LOAD,
                                                   ['w'] = PC_REFERENCE_STORE,
                                                   ['l'] = PC_REFERENCE_LOAD_LINKED,
                                                   ['c'] = PC_REFERENCE_STORE_CONDITIONAL,
                                                   ['k'] = PC_REFERENCE_COMPUTE};
    struct actor *a = self;
    const struct op *op = &a->op[a->next];
    (void)card, (void)now;
    *out = actors_reference(kinds[(int)op->what], op->where);
    out->at = op->at;
    if (op->what == 'k') {
        out->ticks = op->n;
        out->state = (enum pc_status)op->where;
    }
    a->next += op->what != 0;
}

static const struct pc_driver_source source = {.next = next};

/* ---- cases ----------------------------------------------------------------------------------- */

/* Ticks in a cycle of the bus and of a ring, and the machine the case has. */
struct clocks {
    uint64_t bus, ring;
};

struct world {
    struct nm_params p;
    struct nm_machine *m;
    struct actor actor[CARDS_MAX];
    unsigned ops[CARDS_MAX];
};

static void say(struct world *w, unsigned card, struct op op)
{
    cr_assert_lt(w->ops[card], OPS_MAX - 1);
    w->actor[card].op[w->ops[card]++] = op;
}

static void access_at(struct world *w, unsigned card, sim_tick at, char what, uint64_t address)
{
    say(w, card, (struct op){at, what, address, 0});
}

static void shape(struct world *w, unsigned processors, unsigned stations, unsigned locals,
                  const struct clocks *c)
{
    actors_plain_params(&w->p);
    w->p.processors = processors;
    w->p.ring_stations = stations;
    w->p.ring_locals = locals;
    w->p.ring_groups = 1;
    w->p.memory_size = 1 << 20;
    w->p.bus_clock = w->p.cpu_clock / c->bus;
    w->p.ring_clock = w->p.cpu_clock / c->ring;
}

enum { READS = 10, STEP = 600 /* [ticks] from one access to the next; an edge of every clock */ };

/* Lines of the station's own memory, one after the other. */
static void reads(struct world *w, const struct clocks *c)
{
    shape(w, 2, 1, 1, c);
    for (unsigned i = 0; i < READS; i++)
        access_at(w, 0, (i + 1) * STEP, 'r', i * LINE);
}

/* One line: read by cards 0, 1 and 2, written by card 0, read again by card 1. Card 3 has nothing
 * to do. */
static void sharing(struct world *w, const struct clocks *c)
{
    shape(w, 4, 1, 1, c);
    access_at(w, 0, 1 * STEP, 'r', 0);
    access_at(w, 1, 2 * STEP, 'r', 0);
    access_at(w, 2, 3 * STEP, 'r', 0);
    access_at(w, 0, 4 * STEP, 'w', 0);
    access_at(w, 1, 5 * STEP, 'r', 0);
    for (unsigned card = 0; card < 3; card++)
        access_at(w, card, 6 * STEP, 0, 0);
}

/* Card 1 has written Y; card 0 reads it, and while its owner is asked, card 2 is refused three
 * times. Then cards 0 and 2 have copies of Z; card 0 writes it, card 3 reads it, and an SC of card
 * 2 is refused while its owner is asked, its link having gone. The caches take `EXTERNAL` bus
 * cycles to give a line up, so that there is time for that. */
enum { EXTERNAL = 60, RETRY = 20 };

static void refused(struct world *w, const struct clocks *c)
{
    const uint64_t y = 0, z = 8 * LINE;
    shape(w, 4, 1, 1, c);
    w->p.agent_external = EXTERNAL * c->bus;
    w->p.agent_retry = RETRY;
    w->p.agent_spread = 0;
    access_at(w, 1, 1 * STEP, 'w', y);
    access_at(w, 0, 3 * STEP, 'r', y);
    access_at(w, 2, 3 * STEP + 2 * c->bus, 'r', y);
    access_at(w, 0, 6 * STEP, 'r', z);
    access_at(w, 2, 7 * STEP, 'l', z);
    access_at(w, 0, 9 * STEP, 'w', z);
    access_at(w, 3, 9 * STEP + c->bus, 'r', z);
    access_at(w, 2, 9 * STEP + 2 * c->bus, 'c', z);
}

/* Card 3 has written Y. While A is fetched for card 0, the intervention for card 1's read of Y
 * waits behind it, and card 2's read of Y is refused for that; 28 and 56 bus cycles later because Y
 * is locked. */
static void no_room(struct world *w, const struct clocks *c)
{
    const uint64_t y = 0, a = 8 * LINE;
    shape(w, 4, 1, 1, c);
    w->p.agent_external = EXTERNAL * c->bus;
    w->p.agent_retry = RETRY;
    w->p.agent_spread = 0;
    access_at(w, 3, 1 * STEP, 'w', y);
    access_at(w, 0, 3 * STEP, 'r', a);
    access_at(w, 1, 3 * STEP + c->bus, 'r', y);
    access_at(w, 2, 3 * STEP + 2 * c->bus, 'r', y);
}

/* Card 3 has written Y; card 0 reads it, and card 1 is refused three times, after the second of
 * which memory keeps its turn. The line is free 80 bus cycles later, and card 1's fourth read comes
 * after 86: in between card 2 asks. */
static void no_turn(struct world *w, const struct clocks *c)
{
    const uint64_t y = 0;
    shape(w, 4, 1, 1, c);
    w->p.agent_external = EXTERNAL * c->bus;
    w->p.agent_retry = RETRY;
    w->p.agent_spread = 0;
    w->p.directory_patience = 1;
    access_at(w, 3, 1 * STEP, 'w', y);
    access_at(w, 0, 3 * STEP, 'r', y);
    access_at(w, 1, 3 * STEP + 2 * c->bus, 'r', y);
    access_at(w, 2, 3 * STEP + 83 * c->bus, 'r', y);
}

/* Card 0, on the first station of the first of two local rings, reads lines of the first station of
 * the other. */
static void rings(struct world *w, const struct clocks *c)
{
    shape(w, 1, 2, 2, c);
    for (unsigned i = 0; i < READS; i++)
        access_at(w, 0, (i + 1) * 3 * STEP, 'r', 2 * w->p.memory_size + i * LINE);
}

/* Card 0 is 6,000 PCycles in its program, of these so many in each state; card 1 is 2,000. */
enum {
    LONG = 6000,
    SHORT = 2000,
    SYSTEM = 300,
    WAITING = 600,
    ASLEEP = 900,
    SLEEPS = 6,
    WAKES = 3
};
enum { KILLED_BR = 11, KILLED_EXC = 12, SLIP_I = 13, SLIP_F = 14, L1I = 60, L1D = 70, L2 = 80 };
enum { MP = 90, OTHER = 100, LOADS = 1, STORES = 2, UNTAKEN = 3, TAKEN = 4, FLOAT = 5 };

static void states(struct world *w, const struct clocks *c)
{
    static const struct {
        enum pc_status state;
        unsigned n;
    } spent[] = {
        {PC_ST_LOAD, LOADS},
        {PC_ST_STORE, STORES},
        {PC_ST_BR_UNTAKEN, UNTAKEN},
        {PC_ST_BR_TAKEN, TAKEN},
        {PC_ST_FP, FLOAT},
        {PC_ST_STALL_L1I, L1I},
        {PC_ST_STALL_L1D, L1D},
        {PC_ST_STALL_L2, L2},
        {PC_ST_STALL_MP, MP},
        {PC_ST_STALL_OTHER, OTHER},
        {PC_ST_KILL_BRANCH, KILLED_BR},
        {PC_ST_KILL_EXC, KILLED_EXC},
        {PC_ST_SLIP_INT, SLIP_I},
        {PC_ST_SLIP_FP, SLIP_F},
    };
    shape(w, 2, 1, 1, c);
    for (unsigned i = 0; i < sizeof spent / sizeof *spent; i++)
        say(w, 0, (struct op){STEP + i * 100, 'k', spent[i].state, spent[i].n});
    access_at(w, 0, LONG, 0, 0);
    access_at(w, 1, SHORT, 0, 0);
}

/* Afterwards the operating system has it, then it waits, sleeps and has no thread. */
static void ends(struct world *w, unsigned card, sim_tick at)
{
    nm_card_use(w->m, card, NM_USE_WAITING, at + SYSTEM);
    nm_card_use(w->m, card, NM_USE_ASLEEP, at + SYSTEM + WAITING);
    nm_card_use(w->m, card, NM_USE_IDLE, at + SYSTEM + WAITING + ASLEEP);
    nm_card_os_counts(w->m, card)->sleeps = SLEEPS;
    nm_card_os_counts(w->m, card)->wakes = WAKES;
}

enum which { IN_READS, IN_SHARING, IN_REFUSED, IN_NO_ROOM, IN_NO_TURN, IN_RINGS, IN_USES, CASES };
static void (*const cases[CASES])(struct world *w, const struct clocks *c) = {
    reads, sharing, refused, no_room, no_turn, rings, states};

static void run(struct world *w, enum which which, const struct clocks *c)
{
    struct nm_trap trap;
    memset(w, 0, sizeof *w);
    cases[which](w, c);
    w->m = actors_machine(&w->p);
    for (unsigned card = 0; card < CARDS_MAX; card++)
        if (w->ops[card])
            pc_drive(w->m, card, &source, &w->actor[card], 0);
    for (unsigned card = 0; card < CARDS_MAX; card++)
        if (w->ops[card] && which != IN_USES && which != IN_SHARING)
            access_at(w, card, END, 0, 0);
    while (nm_machine_run(w->m, END, &trap) == NM_RUN_TRAP) {
        nm_card_take(w->m, trap.card);
        if (which == IN_USES && trap.card == 0)
            ends(w, trap.card, LONG);
        else
            nm_card_use(w->m, trap.card, NM_USE_IDLE, pc_cpu_at(w->m, trap.card)->now);
    }
    cr_assert_str_empty(nm_machine_error(w->m));
    cr_assert_eq(nm_machine_now(w->m), END);
}

/* ---- what it must come to -------------------------------------------------------------------- */

/* In place of a group: the metrics that every run has (documents/statistics/metrics.def). */
#define METRICS "metric"

struct row {
    enum which in;
    const char *group, *metric;
    double value;
    int card; /* -1: of the machine */
};

enum { ROWS_MAX = 128 };

/* Accesses in bus cycles, from the issue to the completion (docs/latency.md, the steps behind
 * "miss"): a command is 2, a line 10 (1 arbitration, 1 header, 8 data), a directory 2, with a line
 * 6, an agent 2. */
enum {
    CMD = 2,
    DATA = 10,
    DIRECTORY = 2,
    DRAM = 6,
    AGENT = 2,
    LOCAL = CMD + DRAM + DATA + AGENT,                    /* RD or RDEXCL at home */
    UPGRADE = CMD + DIRECTORY + CMD + AGENT,              /* UPGD and its INVALIDATE */
    REFUSAL = CMD + DIRECTORY + CMD + AGENT,              /* RD and its NACK */
    OWNED = CMD + DIRECTORY + CMD + AGENT + DATA + AGENT, /* by way of the owner, whose caches are
                                                             besides */
    HEADERS = 2,                                          /* a request and its answer */
    SLOTS = 1 + 8,                                        /* a line on a ring */
    OUT = 2 /* agent.request */,
    LOOKUP = 5,
    REFILL = 8 /* [PCycles] l2.lookup, l2.refill */
};

static unsigned rows_of(const struct clocks *c, struct row *row)
{
    const double b = (double)c->bus, cycles = END / b, ring_cycles = END / (double)c->ring,
                 seconds = END / 150e6;
    /* [PCycles] from the look-up's end to the bus's next edge */
    const double edge = (double)((c->bus - LOOKUP % c->bus) % c->bus);
    /* [PCycles] the pipeline stands still for the secondary cache: what the look-up leaves */
    const double stall = edge + (OUT + LOCAL) * b + REFILL, wait = edge + (OUT + UPGRADE) * b;
    /* sharing: who, the invalidations and interventions */
    const double hold = 12, owned = edge + (OUT + OWNED) * b + hold + REFILL, three = 3.0 * END;
    const unsigned s_reads = 3 + 1 + 1, s_headers = 6 + 5 + 3;
    const double s_busy = 3 * (1 + 9) + (1 + 1) + (1 + 1 + 9);
    /* refused: three NACKs, then accepted; and one NACK behind two others, then given up */
    const double again = REFUSAL + RETRY, lost = 3 * again, given_up = REFUSAL + 2 + RETRY,
                 nack_time = lost - REFUSAL + RETRY;
    const double latency = LOCAL /* card 1's store */ + (OWNED + EXTERNAL) + (lost + LOCAL) +
                           2 * LOCAL /* copies of Z */ + UPGRADE + (OWNED + EXTERNAL + 1);
    const double four = 4.0 * END;
    /* states */
    const double ran = LONG + SHORT, two = 2.0 * END,
                 stalled = L1I + L1D + L2 + MP + OTHER + KILLED_BR + KILLED_EXC + SLIP_I + SLIP_F,
                 run = ran - stalled, instructions = LOADS + STORES + UNTAKEN + TAKEN + FLOAT;
    const struct row rows[] = {
        {IN_READS, "BUS", "utilisation", 100 * READS * (1 + 1 + 8) / cycles, -1},
        {IN_READS, "BUS", "utilisation", 100 * READS * (1 + 1 + 8) / cycles, 0},
        {IN_READS, "BUS", "wait_per_packet", 1, -1},
        {IN_READS, "BUS", "data_share", 80, -1},
        {IN_READS, "BUS", "packets_per_1000_cycles", 1000 * READS * HEADERS / cycles, -1},
        {IN_READS, "BUS", "card_bandwidth", READS * LINE / seconds / 1e6, -1},
        {IN_SHARING, "BUS", "utilisation", 100 * s_busy / cycles, -1},
        {IN_SHARING, "BUS", "wait_per_packet", 1, -1},
        {IN_SHARING, "BUS", "data_share", 100 * 8 * 5 / (8 * 5.0 + s_headers), -1},
        {IN_RINGS, "BUS", "utilisation", 100 * 2 * READS * (1 + 9) / (cycles * 4), -1},

        {IN_READS, "LATENCY", "mean_latency", LOCAL, -1},
        {IN_READS, "LATENCY", "without_nacks", LOCAL, -1},
        {IN_READS, "LATENCY", "requests_per_1000_instr", 1000, -1},
        {IN_READS, "LATENCY", "waiting", 100 * READS * stall / END, -1},
        {IN_READS, "LATENCY", "stall_per_request", stall, -1},
        {IN_SHARING, "LATENCY", "stall_per_request", (3 * stall + owned + wait) / s_reads, -1},
        {IN_REFUSED, "LATENCY", "mean_latency", latency / 7, -1},
        {IN_REFUSED, "LATENCY", "without_nacks", (latency - lost) / 7, -1},

        {IN_SHARING, "INVALIDATE", "hits_per_1000_stores", 2000, -1},
        {IN_SHARING, "INVALIDATE", "upgrades_per_1000_stores", 1000, -1},
        {IN_SHARING, "INVALIDATE", "copies_lost_per_upgrade", 2, -1},
        {IN_SHARING, "INVALIDATE", "wait_per_upgrade", wait, -1},
        {IN_SHARING, "INVALIDATE", "upgrade_wait_share", 100 * wait / three, -1},
        {IN_SHARING, "INVALIDATE", "held_share", 100 * 3 * hold / three, -1},
        {IN_SHARING, "INVALIDATE", "held_share", 100 * hold / END, 0},
        {IN_SHARING, "INVALIDATE", "upgrade_wait_share", 0, 1},

        {IN_SHARING, "SHARING", "copies_lost_per_request", 2.0 / s_reads, -1},
        {IN_SHARING, "SHARING", "read_again", 100.0 / s_reads, -1},
        {IN_SHARING, "SHARING", "packets_per_request", (double)s_headers / s_reads, -1},
        {IN_SHARING, "SHARING", "mean_latency", (3 * LOCAL + UPGRADE + OWNED + hold / b) / s_reads,
         -1},
        {IN_SHARING, "SHARING", "requests_per_1000_instr", 1000, -1},
        {IN_READS, "SHARING", "packets_per_request", HEADERS, -1},

        {IN_REFUSED, "NACK", "nacks_per_refused_request", 4.0 / 2, -1},
        {IN_REFUSED, "NACK", "time_per_refused_request", nack_time / 2, -1},
        {IN_REFUSED, "NACK", "share_of_latency", 100 * lost / latency, -1},
        {IN_REFUSED, "NACK", "share_of_time", 100 * (lost + given_up) * b / four, -1},
        {IN_REFUSED, "NACK", "nacks_per_1000_requests", 4000.0 / 8, -1},
        {IN_REFUSED, "NACK", "no_room_share", 0, -1},
        {IN_REFUSED, "NACK", "no_turn_share", 0, -1},
        {IN_NO_ROOM, "NACK", "nacks_per_refused_request", 3, -1},
        {IN_NO_ROOM, "NACK", "no_room_share", 100 / 3.0, -1},
        {IN_NO_ROOM, "NACK", "no_turn_share", 0, -1},
        {IN_NO_TURN, "NACK", "nacks_per_refused_request", 4 / 2.0, -1},
        {IN_NO_TURN, "NACK", "no_room_share", 0, -1},
        {IN_NO_TURN, "NACK", "no_turn_share", 25, -1},
        {IN_REFUSED, "NACK", "given_up_per_1000_requests", 1000.0 / 8, -1},

        /* a request passes stations 0 and 1, a line 2 and 3; above, one slot from ring 0, a line
         * from ring 1 */
        {IN_RINGS, "RING", "local_ring", 100 * READS * 2 * (1 + SLOTS) / (ring_cycles * 4), -1},
        {IN_RINGS, "RING", "upper_ring", 100 * READS * (1 + SLOTS) / (ring_cycles * 2), -1},
        {IN_RINGS, "RING", "memory", 100 * READS * DRAM / (cycles * 4), -1},
        {IN_RINGS, "RING", "local_slots_per_packet", 2 * (1 + SLOTS) / (double)HEADERS, -1},
        {IN_RINGS, "RING", "upper_slots_per_packet", (1 + SLOTS) / (double)HEADERS, -1},
        {IN_RINGS, "RING", "local_ring", 100 * READS * SLOTS / ring_cycles, 3},
        {IN_RINGS, "RING", "upper_ring", 100 * READS / ring_cycles, 1},

        {IN_USES, "CPI", "cpi", ran / run, -1},
        {IN_USES, "CPI", "useful", 100 * run / two, -1},
        {IN_USES, "CPI", "l1i_stall", 100 * L1I / two, -1},
        {IN_USES, "CPI", "l1d_stall", 100 * L1D / two, -1},
        {IN_USES, "CPI", "l2_stall", 100 * L2 / two, -1},
        {IN_USES, "CPI", "mp_stall", 100 * MP / two, -1},
        {IN_USES, "CPI", "other_stall", 100 * OTHER / two, -1},
        {IN_USES, "CPI", "killed", 100 * (KILLED_BR + KILLED_EXC) / two, -1},
        {IN_USES, "CPI", "slipped_integer", 100 * SLIP_I / two, -1},
        {IN_USES, "CPI", "slipped_float", 100 * SLIP_F / two, -1},
        {IN_USES, "CPI", "system", 100 * SYSTEM / two, -1},
        {IN_USES, "CPI", "waiting", 100 * WAITING / two, -1},
        {IN_USES, "CPI", "asleep", 100 * ASLEEP / two, -1},
        {IN_USES, "CPI", "idle", 100 * (two - ran - SYSTEM - WAITING - ASLEEP) / two, -1},
        {IN_USES, "CPI", "l2_stall", 100.0 * L2 / END, 0},
        {IN_USES, "CPI", "cpi", 1, 1},

        {IN_USES, "SYNC", "working", 100 * ran / two, -1},
        {IN_USES, "SYNC", "waiting", 100 * WAITING / two, -1},
        {IN_USES, "SYNC", "system", 100 * SYSTEM / two, -1},
        {IN_USES, "SYNC", "sleeps_per_1000_instr", 1000 * SLEEPS / instructions, -1},
        {IN_USES, "SYNC", "sleep_length", (double)WAITING / SLEEPS, -1},
        {IN_USES, "SYNC", "woken_per_wake", (double)SLEEPS / WAKES, -1},
        {IN_USES, "SYNC", "imbalance", LONG * 2 / ran, -1},
        {IN_USES, "SYNC", "stalled", 100 * (L2 + MP) / ran, -1},
        {IN_REFUSED, "SYNC", "scs_failed_per_1000_instr", 1000.0 / 8, -1},
        {IN_REFUSED, "SYNC", "refused", 100 * 4.0 / (7 + 4), -1},
        {IN_SHARING, "SYNC", "copies_lost_per_1000_instr", 1000 * 2.0 / s_reads, -1},
        {IN_SHARING, "SYNC", "copies_lost_per_attempt", 2, -1},

        {IN_USES, METRICS, "ipc", instructions / two, -1},
        {IN_USES, METRICS, "mips", instructions / seconds / 1e6, -1},
        {IN_USES, METRICS, "useful_share", 100 * run / two, -1},
        {IN_USES, METRICS, "stall_share", 100 * (L1I + L1D + L2 + MP + OTHER) / two, -1},
        {IN_USES, METRICS, "killslip_share", 100 * (KILLED_BR + KILLED_EXC + SLIP_I + SLIP_F) / two,
         -1},
        {IN_USES, METRICS, "system_share", 100 * SYSTEM / two, -1},
        {IN_USES, METRICS, "waiting_share", 100 * WAITING / two, -1},
        {IN_USES, METRICS, "asleep_share", 100 * ASLEEP / two, -1},
        {IN_USES, METRICS, "idle_share", 100 * (two - ran - SYSTEM - WAITING - ASLEEP) / two, -1},
        {IN_RINGS, METRICS, "bus_utilisation", 100 * 2 * READS * (1 + 9) / (cycles * 4), -1},
        {IN_RINGS, METRICS, "memory_utilisation", 100 * READS * DRAM / (cycles * 4), -1},
        {IN_READS, METRICS, "card_bandwidth", READS * LINE / seconds / 1e6, -1},
        {IN_REFUSED, METRICS, "mean_read_latency", latency / 7, -1},
        {IN_REFUSED, METRICS, "nacks_per_read", 4.0 / 7, -1},
        {IN_SHARING, METRICS, "l1d_miss_ratio", 100 * 4.0 / 5, -1},
        {IN_SHARING, METRICS, "l2_misses_per_1000", 1000 * 4.0 / 5, -1},
    };
    cr_assert_leq(sizeof rows / sizeof *rows, ROWS_MAX);
    memcpy(row, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* One of those that every run has. @return its formula */
static const char *metric_value(const struct doc_run *run, struct doc_level level, const char *name,
                                double *value)
{
    for (enum doc_metric_id i = 0; i < DOC_METRIC__COUNT; i++)
        if (!strcmp(doc_metrics()[i].name, name)) {
            doc_metric_value(run, &run->region[0], level, i, value);
            return doc_metrics()[i].formula;
        }
    return NULL;
}

/* One of a group; the formula belongs to it. */
static const char *group_value(const struct doc_run *run, struct doc_level level,
                               const struct in_group *g, const char *name, double *value)
{
    for (unsigned i = 0; i < g->metrics; i++)
        if (!strcmp(g->metric[i].name, name)) {
            doc_group_value(run, &run->region[0], level, &g->metric[i], value);
            return g->metric[i].formula;
        }
    return NULL;
}

static void check_row(const struct doc_run *run, const struct row *row, const struct clocks *c)
{
    struct in_diag diag = {.out = stderr};
    const struct doc_level level = {row->card < 0 ? 0 : (unsigned)row->card,
                                    row->card < 0 ? run->cards : 1};
    const bool every_run = !strcmp(row->group, METRICS);
    struct in_group g = {0};
    double value = NAN;
    cr_assert(every_run || in_group_load(&g, &mon_numachine, row->group, &diag));
    const char *formula = every_run ? metric_value(run, level, row->metric, &value)
                                    : group_value(run, level, &g, row->metric, &value);
    cr_assert(formula, "there is no %s.%s", row->group, row->metric);
    cr_expect(fabs(value - row->value) <= 1e-9 * fabs(row->value),
              "bus %lu and ring %lu ticks, case %d, %s.%s of %d = %s: %.9g, by hand %.9g",
              (unsigned long)c->bus, (unsigned long)c->ring, (int)row->in, row->group, row->metric,
              row->card, formula, value, row->value);
    if (!every_run)
        in_group_free(&g);
}

/* What a run's books say of the world at its end. */
static void check_case(enum which which, const struct row *row, unsigned rows,
                       const struct clocks *c)
{
    struct world w;
    struct in_experiment x = {0};
    struct doc_totals card[CARDS_MAX], none[CARDS_MAX] = {0};
    struct nm_station_monitor *station = calloc(2 * CARDS_MAX, sizeof *station);
    struct nm_ring_monitor *ring = calloc(2 * CARDS_MAX, sizeof *ring);
    const struct mon_choice choice = {0};
    struct doc_run book;
    run(&w, which, c);
    x.machine.card = &pc_r4400;
    x.machine.params = &w.p;
    const struct doc_sample before = {none, station, ring, NULL, NULL},
                            after = {card, station, ring, NULL, NULL};
    run_regions_init(&book, &x, "by hand", nm_machine_cards(w.m), (unsigned)w.p.processors, &choice,
                     &before);
    for (unsigned i = 0; i < book.cards; i++) {
        nm_card_taps(w.m, i, &card[i].taps);
        nm_card_truth(w.m, i, &card[i].truth);
    }
    run_regions_finish(&book, END, &after);
    for (unsigned i = 0; i < rows; i++)
        if (row[i].in == which)
            check_row(&book, &row[i], c);
    run_regions_free(&book);
    nm_machine_free(w.m);
    free(station);
    free(ring);
}

Test(monitor_groups, every_formula_is_what_a_hand_counts)
{
    static const struct clocks clocks[] = {{3, 3}, {3, 6}, {6, 1}, {2, 3}};
    for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        struct row row[ROWS_MAX];
        const unsigned rows = rows_of(&clocks[i], row);
        for (unsigned which = 0; which < CASES; which++)
            check_case((enum which)which, row, rows, &clocks[i]);
    }
}

/* What is about a ring has a value where there is the ring, and nowhere else, at every level. */
Test(monitor_groups, a_ring_that_is_not_there_has_no_value)
{
    static const struct {
        unsigned stations, locals, groups, rings; /* 2: with one above the local ones */
    } shapes[] = {{1, 1, 1, 0}, {2, 1, 1, 1}, {4, 1, 1, 1}, {2, 2, 1, 2},
                  {1, 2, 1, 2}, {1, 1, 2, 2}, {2, 2, 2, 2}};
    struct in_diag diag = {.out = stderr};
    struct in_group g;
    cr_assert(in_group_load(&g, &mon_numachine, "RING", &diag));
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        enum { MANY = 16 };
        struct world w = {0};
        struct in_experiment x = {0};
        struct doc_totals card[MANY], none[MANY] = {0};
        struct nm_station_monitor *station = calloc(MANY, sizeof *station);
        struct nm_ring_monitor *ring = calloc(MANY, sizeof *ring);
        const struct doc_sample before = {none, station, ring, NULL, NULL},
                                after = {card, station, ring, NULL, NULL};
        struct doc_run book;
        shape(&w, 1, shapes[i].stations, shapes[i].locals, &(struct clocks){3, 3});
        w.p.ring_groups = shapes[i].groups;
        x.machine.card = &pc_r4400;
        x.machine.params = &w.p;
        run_regions_init(&book, &x, "none", (unsigned)nm_params_cards(&w.p), 1,
                         &(struct mon_choice){0}, &before);
        for (unsigned c = 0; c < MANY; c++)
            for (unsigned t = 0; t < MON_TAP__COUNT; t++)
                card[c].taps.v[t] = 1 + c + t;
        run_regions_finish(&book, END, &after);
        for (unsigned m = 0; m < g.metrics; m++) {
            const char *formula = g.metric[m].formula;
            const unsigned needs = strstr(formula, "upper_") ? 2 : strstr(formula, "ring_") ? 1 : 0;
            for (unsigned cards = 1; cards <= book.cards; cards += book.cards) {
                double value;
                const struct doc_level level = {0, cards};
                const bool has =
                    doc_group_value(&book, &book.region[0], level, &g.metric[m], &value);
                cr_expect_eq(has, shapes[i].rings >= needs, "shape %u, %u cards, %s: %g", i, cards,
                             g.metric[m].name, value);
                if (!has)
                    cr_expect_str_eq(
                        doc_group_no_value(&book, &book.region[0], level, &g.metric[m], value),
                        "the machine has no such ring");
            }
        }
        run_regions_free(&book);
        free(station);
        free(ring);
    }
    in_group_free(&g);
}

/* One that says more than 0. */
static bool has_row(const struct row *row, unsigned rows, const char *group, const char *metric)
{
    for (unsigned i = 0; i < rows; i++)
        if (!strcmp(row[i].group, group) && !strcmp(row[i].metric, metric) && row[i].value != 0)
            return true;
    return false;
}

/* Whether a group asks for events that only processors of other machines count. */
static bool is_of_processors(const char *name)
{
    struct in_diag silent = {0};
    for (const struct mon_unit_ops *const *b = mon_numachine.beside; *b; b++) {
        struct in_group g;
        const bool good = in_group_load(&g, *b, name, &silent);
        bool own = false;
        for (unsigned i = 0; good && i < g.choice.count; i++)
            own |= mon_is_own(*b, g.choice.event[i]);
        if (good)
            in_group_free(&g);
        if (own)
            return true;
    }
    return false;
}

Test(monitor_groups, every_metric_of_every_group_has_a_row)
{
    struct in_diag diag = {.out = stderr};
    struct row row[ROWS_MAX];
    const unsigned rows = rows_of(&(struct clocks){3, 3}, row);
    char **names = in_home_names("monitor/groups", ".yaml");
    cr_assert(names && *names);
    for (unsigned i = 0; names[i]; i++) {
        struct in_group g;
        if (is_of_processors(names[i])) /* tests/r10000_results.c */
            continue;
        cr_assert(in_group_load(&g, &mon_numachine, names[i], &diag));
        for (unsigned m = 0; m < g.metrics; m++)
            cr_expect(has_row(row, rows, names[i], g.metric[m].name), "no row for %s.%s", names[i],
                      g.metric[m].name);
        in_group_free(&g);
    }
    in_free_list(names);
    for (unsigned m = 0; m < DOC_METRIC__COUNT; m++)
        cr_expect(has_row(row, rows, METRICS, doc_metrics()[m].name), "no row for metric.%s",
                  doc_metrics()[m].name);
}
