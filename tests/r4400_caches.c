/*
 * The R4400's caches and TLB to the PCycle, on a station with two cards: scripts of accesses, each
 * with the PCycles it is to take by state. The core is one of the test's own, so that an access is
 * one access; behind it is the machine.
 *
 * Counts by hand, with the defaults: a primary miss is l2.lookup = 5, then l2.refill = 4 for each
 * of the 2 quadwords of a 32-byte line; a dirty line that makes room takes l1d.writeback = 4 for
 * each of its 2. What the bus and memory take is in docs/latency.md and tested there: '*'.
 */
#include "actors.h"
#include "machine/params.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "procard/pins.h"
#include "tests/r4400_counts.h"

#include <criterion/criterion.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind { END, F, L, S, LL, SC, FAIL }; /* SC that succeeds, and one that must fail */

struct step {
    enum kind kind;
    uint64_t va;
    const char *counts;
    sim_tick at; /* not before this tick; 0: at once */
};

enum { CARDS = 2, STEPS = 10, SETS = 3, QUIET = 100000, TRACE = 200 };

struct scene {
    const char *row, *what;
    struct {
        size_t field;
        uint64_t value;
    } set[SETS];
    struct step script[CARDS][STEPS];
};

#define DO(kind, va, counts) \
    {                        \
        kind, va, counts, 0  \
    }
#define AT(at, kind, va, counts) \
    {                            \
        kind, va, counts, at     \
    }
#define SET(member, value)                        \
    {                                             \
        offsetof(struct nm_params, member), value \
    }

/* Lines of one L2 line: A, A + 32. In the same place of L1: A, B. In the same place of L2: A, Z. */
#define A     UINT64_C(0x100000)
#define B     (A + 0x4000)
#define Z     (A + 0x80000)
#define ALIAS (UINT64_C(1) << 32) /* the same physical page, one page further on */
#define U     UNCACHED
#define N     NONCOHERENT

/* What a TLB refill of 50 PCycles, and a handler of 100, take. */
#define REFILL "KILL_EXC 8 STALL_OTHER 50 INT 1 KILL_BRANCH 3 "
#define VCE    "KILL_EXC 8 STALL_OTHER 100 INT 1 KILL_BRANCH 3 "
#define MISS   "STALL_L1D 5 STALL_L2 * "

static const struct scene scenes[] = {
    {"R44-7",
     "misses of both levels",
     {{0}},
     {{DO(L, A, MISS "LOAD 1"),                  /* look-up, then all the rest is secondary */
       DO(L, A, "LOAD 1"),                       /* hit */
       DO(L, A + 32, "STALL_L1D 13 LOAD 1"),     /* 6 + 8: the other half of the L2 line */
       DO(F, A, "STALL_L1I 5 STALL_L2 * INT 1"), /* the halves are apart */
       DO(F, A + 32, "STALL_L1I 13 INT 1"), DO(F, A + 36, "INT 1")}}},
    {"R44-7",
     "joint secondary cache",
     {SET(l2_split, 0)},
     {{DO(L, A, MISS "LOAD 1"), DO(F, A, "STALL_L1I 13 INT 1")}}}, /* the load has brought it */
    {"R44-7",
     "an upgrade waits for its acknowledgement",
     {{0}},
     {{DO(L, A, MISS "LOAD 1"),
       AT(20000, S, A, "STALL_L1D 5 STALL_MP * STORE 1"), /* look-up, then IvdAck (R4-4, R4-5) */
       DO(S, A, "STORE 1")},
      {AT(10000, L, A, MISS "LOAD 1")}}},
    {"R44-16",
     "an intervention holds the owner for agent.external",
     {{0}},
     {{DO(S, A, MISS "STORE 1"), DO(F, B, "STALL_L1I 5 STALL_L2 * INT 1"),
       AT(20000, L, A, "STALL_MP 12 LOAD 1")}, /* 12 of the wait: see the card's totals */
      {AT(10000, L, A, MISS "LOAD 1")}}},
    {"R44-10",
     "a dirty primary line goes down before another comes",
     {{0}},
     {{DO(S, A, MISS "STORE 1"),
       DO(S, B, MISS "STORE 1"),        /* A goes down while memory is waited for */
       DO(L, A, "STALL_L1D 21 LOAD 1"), /* 6 + 8 for B + 8 */
       DO(L, B, "STALL_L1D 13 LOAD 1"), /* A was clean */
       DO(S, B, "STORE 1"),             /* now B is dirty again, and */
       DO(L, A, "STALL_L1D 21 LOAD 1")}}},
    {"R44-10",
     "16-byte primary lines",
     {SET(l1d_line, 16)},
     {{DO(L, A, MISS "LOAD 1"), DO(L, A + 16, "STALL_L1D 9 LOAD 1"), DO(L, A + 8, "LOAD 1")}}},
    {"R44-11",
     "sub-block order: the words asked for come first",
     {SET(l2_order, 1), SET(l2_line, 128)},
     {{DO(L, A, MISS "LOAD 1"), DO(L, A + 32, "STALL_L1D 9 LOAD 1"),
       DO(L, A + 64, "STALL_L1D 9 LOAD 1")}}},
    {"R44-11",
     "the rest of a refill keeps the secondary cache busy",
     {SET(l2_order, 1), SET(l2_line, 128), SET(l2_refill, 16)},
     {{DO(L, A, MISS "LOAD 1"),
       AT(20000, L, A + 64,
          "STALL_L1D 21 LOAD 1"),               /* 5 + 16 at 20000: whole at 20037, runs at 20021 */
       DO(L, A + 96, "STALL_L1D 31 LOAD 1")}}}, /* at 20022: 5, 10 until 20037, 16 */
    {"R44-11",
     "virtual coherency: another colour",
     {SET(page_size, 4096)},
     {{DO(L, A, MISS "LOAD 1"), DO(L, ALIAS + A + 0x1000, VCE "STALL_L1D 13 LOAD 1"),
       DO(L, ALIAS + A + 0x1000, "LOAD 1"), DO(L, A, VCE "STALL_L1D 13 LOAD 1")}}},
    {"R44-19",
     "TLB: pairs of pages",
     {SET(tlb_refill, 50)},
     {{DO(L, A, REFILL MISS "LOAD 1"),
       DO(L, A + 0x4000, MISS "LOAD 1"), /* the other page of the pair */
       DO(L, A + 0x8040, REFILL MISS "LOAD 1"), DO(L, A + 0x8040, "LOAD 1")}}},
    {"R44-19",
     "instruction TLB: two pages, first in first out",
     {SET(tlb_refill, 50)},
     {{DO(F, A, "KILL_EXC 8 STALL_OTHER 53 INT 2 KILL_BRANCH 3 STALL_L1I 5 STALL_L2 *"),
       DO(F, A + 0x4080, "STALL_OTHER 3 STALL_L1I 5 STALL_L2 * INT 1"), DO(F, A, "INT 1"),
       DO(F, A + 0x8100, "KILL_EXC 8 STALL_OTHER 53 INT 2 KILL_BRANCH 3 STALL_L1I 5 STALL_L2 *"),
       DO(F, A + 0x4080, "INT 1"), DO(F, A, "STALL_OTHER 3 INT 1"),
       DO(F, A + 0x4080, "STALL_OTHER 3 INT 1")}}},
    {"R44-20",
     "uncached: a load waits, a store is buffered, the next access waits for it",
     {{0}},
     {{DO(L, U | A, "STALL_OTHER * LOAD 1"), DO(L, B, MISS "LOAD 1"), DO(S, U | A, "STORE 1"),
       DO(L, B, "LOAD 1"), /* a cached access does not wait */
       DO(S, U | (A + 8), "STALL_OTHER * STORE 1"), DO(L, U | A, "STALL_OTHER * LOAD 1")}}},
    {"R44-18",
     "the link survives a store of another line, not two SC",
     {{0}},
     {{DO(LL, A, MISS "LOAD 1"), DO(S, A + 64, MISS "STORE 1"),
       DO(SC, A, "STALL_L1D 5 STALL_MP * STORE 1"), DO(FAIL, A, "STORE 1")}}},
    {"R44-18",
     "the link is retained when its clean line is replaced",
     {{0}},
     {{DO(LL, A, MISS "LOAD 1"), DO(L, Z, MISS "LOAD 1"), DO(SC, A, MISS "STORE 1")}}},
    {"R44-18",
     "but not when the directory no longer knows of it",
     {{0}},
     {{DO(S, A, MISS "STORE 1"), DO(LL, A, "LOAD 1"), DO(L, Z, MISS "LOAD 1"),
       DO(FAIL, A, "STORE 1")}}},
    {"R44-18",
     "an invalidation takes it",
     {{0}},
     {{DO(LL, A, MISS "LOAD 1"), AT(20000, FAIL, A, "STALL_MP 12 STORE 1")},
      {AT(10000, S, A, MISS "STORE 1")}}},
    {"R44-18",
     "wherever in the line it is",
     {{0}},
     {{DO(LL, A + 104, MISS "LOAD 1"), AT(20000, FAIL, A + 104, "STALL_MP 12 STORE 1")},
      {AT(10000, S, A + 64, MISS "STORE 1")}}},
    {"R44-18",
     "of another line does not",
     {{0}},
     {{DO(LL, A + 104, MISS "LOAD 1"), DO(L, A, MISS "LOAD 1"), DO(L, A + 128, MISS "LOAD 1"),
       AT(30000, SC, A + 104, "STALL_L1D 5 STALL_MP * STORE 1")},
      {AT(10000, S, A, MISS "STORE 1"), DO(S, A + 128, MISS "STORE 1")}}},
    {"R44-18",
     "an SC to another line than the link's fails",
     {{0}},
     {{DO(LL, A, MISS "LOAD 1"), DO(S, A + 64, MISS "STORE 1"), DO(FAIL, A + 64, "STORE 1")}}},
    {"R44-18",
     "a read by another card does not",
     {{0}},
     {{DO(S, A, MISS "STORE 1"), DO(LL, A, "LOAD 1"),
       AT(20000, SC, A, "STALL_L1D 5 STALL_MP * STORE 1")},
      {AT(10000, L, A, MISS "LOAD 1")}}},
    {"R44-18",
     "an exception does: ERET",
     {SET(tlb_refill, 50)},
     {{DO(LL, A, REFILL MISS "LOAD 1"), DO(L, A + 0x8040, REFILL MISS "LOAD 1"),
       DO(FAIL, A, "STORE 1")}}},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

/* Scenes with the packets of each card, in the order in which the bus carries them: "NAME" for one
 * the card sends, "<NAME" for one it takes. */
static const struct traffic {
    struct scene scene;
    const char *bus[CARDS];
} traffic[] = {
    {{"R44-14",
      "reads: shared, exclusive, uncached, non-coherent",
      {{0}},
      {{DO(L, A, MISS "LOAD 1"), DO(S, B, MISS "STORE 1"), DO(L, U | A, "STALL_OTHER * LOAD 1"),
        DO(L, N | (A + 64), MISS "LOAD 1"), DO(LL, A + 128, MISS "LOAD 1"),
        DO(F, A, "STALL_L1I 5 STALL_L2 * INT 1")}}},
     {"RD <DATA_S RDEXCL <DATA_X UNC_RD <UNC_DATA NCH_RD <NCH_DATA RD <DATA_S RD <DATA_S", ""}},
    {{"R44-14",
      "a read with a write forthcoming: a dirty victim goes in front of it, a clean one not at all",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(L, Z, MISS "LOAD 1"), DO(S, A, MISS "STORE 1"),
        DO(S, Z, MISS "STORE 1")}}},
     {"RDEXCL <DATA_X WB RD <DATA_S RDEXCL <DATA_X WB RDEXCL <DATA_X", ""}},
    {{"R44-14",
      "writes: uncached and non-coherent",
      {{0}},
      {{DO(S, U | A, "STORE 1"), DO(L, U | A, "STALL_OTHER * LOAD 1"), DO(S, N | A, MISS "STORE 1"),
        DO(L, N | Z, MISS "LOAD 1"), DO(L, N | A, MISS "LOAD 1")}}},
     {"UNC_WR <UNC_DONE UNC_RD <UNC_DATA NCH_RD <NCH_DATA NCH_WB NCH_RD <NCH_DATA NCH_RD <NCH_DATA",
      ""}},
    {{"R44-14",
      "an invalidate, its acknowledgement, and what the other card gets",
      {{0}},
      {{DO(L, A, MISS "LOAD 1"), AT(20000, S, A, "STALL_L1D 5 STALL_MP * STORE 1")},
       {AT(10000, L, A, MISS "LOAD 1"), AT(30000, L, A, "STALL_MP 12 " MISS "LOAD 1")}}},
     {"RD <DATA_S UPGD <INVALIDATE <INTV_S DATA_S", "RD <DATA_S <INVALIDATE RD <DATA_S"}},
    {{"R44-14",
      "interventions: shared, then exclusive",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(S, B, MISS "STORE 1")},
       {AT(10000, L, A, MISS "LOAD 1"), AT(20000, S, B, MISS "STORE 1")}}},
     {"RDEXCL <DATA_X RDEXCL <DATA_X <INTV_S DATA_S <INTV_X DATA_X", "RD <DATA_S RDEXCL <DATA_X"}},
    {{"R44-14",
      "a cancelled upgrade waits for data",
      {{0}},
      {{DO(L, A, MISS "LOAD 1"), AT(20000, S, A, "STALL_L1D 5 STALL_MP * STORE 1")},
       {AT(10000, L, A, MISS "LOAD 1"),
        AT(20001, S, A, "STALL_L1D 5 STALL_MP * STALL_L2 * STORE 1")}}},
     {"RD <DATA_S UPGD <INVALIDATE <INTV_X DATA_X", "RD <DATA_S UPGD <INVALIDATE <DATA_X"}},
    {{"R44-13",
      "sharable: a load asks for a copy to share, and another's store takes it away",
      {{0}},
      {{DO(L, A, MISS "LOAD 1"), AT(20000, L, A, "STALL_MP 12 " MISS "LOAD 1")},
       {AT(10000, S, A, MISS "STORE 1")}}},
     {"RD <DATA_S <INVALIDATE RD <DATA_S", "RDEXCL <DATA_X <INTV_S DATA_S"}},
    {{"R44-13",
      "uncached: never in a cache, nor known to the directory",
      {{0}},
      {{DO(L, U | A, "STALL_OTHER * LOAD 1"), DO(L, U | A, "STALL_OTHER * LOAD 1"),
        DO(L, A, MISS "LOAD 1"), DO(L, U | A, "STALL_OTHER * LOAD 1")},
       {AT(10000, S, U | A, "STORE 1")}}},
     {"UNC_RD <UNC_DATA UNC_RD <UNC_DATA RD <DATA_S UNC_RD <UNC_DATA", "UNC_WR <UNC_DONE"}},
    {{"R44-13",
      "non-coherent: a store asks nobody",
      {{0}},
      {{DO(L, N | A, MISS "LOAD 1"), DO(S, N | A, "STORE 1"),
        DO(L, N | (A + 32), "STALL_L1D 13 LOAD 1")}}},
     {"NCH_RD <NCH_DATA", ""}},
    {{"R44-13",
      "non-coherent: nor does anybody ask who has it, coherent or not",
      {{0}},
      {{DO(S, N | A, MISS "STORE 1"), AT(20000, L, N | A, "LOAD 1")},
       {AT(10000, S, A, MISS "STORE 1"), DO(S, N | A, MISS "STORE 1")}}},
     {"NCH_RD <NCH_DATA", "RDEXCL <DATA_X WB NCH_RD <NCH_DATA"}},
    {{"R44-13",
      "a line leaves before it comes back with another attribute",
      {{0}},
      {{DO(L, N | A, MISS "LOAD 1"), DO(L, A, MISS "LOAD 1"), DO(S, N | A, MISS "STORE 1"),
        DO(S, A, MISS "STORE 1"), DO(L, N | A, MISS "LOAD 1")}}},
     {"NCH_RD <NCH_DATA RD <DATA_S NCH_RD <NCH_DATA NCH_WB RDEXCL <DATA_X WB NCH_RD <NCH_DATA",
      ""}},
    {{"R44-16",
      "clean exclusive: a store asks nobody, and what was never written leaves without a word",
      {SET(protocol, NM_PROTOCOL_numachine_ce)},
      {{DO(L, A, MISS "LOAD 1"), DO(S, A, "STORE 1"), DO(L, Z, MISS "LOAD 1"),
        DO(L, A, MISS "LOAD 1"), DO(S, A, "STORE 1")}}},
     {"RD <DATA_X WB RD <DATA_X RD <DATA_X", ""}},
    {{"R44-16",
      "clean exclusive to shared: another's read is an intervention, the next store an upgrade",
      {SET(protocol, NM_PROTOCOL_numachine_ce)},
      {{DO(L, A, MISS "LOAD 1"), AT(20000, L, A, "STALL_MP 12 LOAD 1"),
        AT(30000, S, A, "STALL_L1D 5 STALL_MP * STORE 1")},
       {AT(10000, L, A, MISS "LOAD 1"), AT(40000, L, B, "STALL_MP 12 " MISS "LOAD 1")}}},
     {"RD <DATA_X <INTV_S DATA_S UPGD <INVALIDATE", "RD <DATA_S <INVALIDATE RD <DATA_X"}},
    {{"R44-16",
      "clean exclusive to invalid: another's store takes it away",
      {SET(protocol, NM_PROTOCOL_numachine_ce)},
      {{DO(L, A, MISS "LOAD 1"), AT(20000, L, B, "STALL_MP 12 " MISS "LOAD 1")},
       {AT(10000, S, A, MISS "STORE 1")}}},
     {"RD <DATA_X <INTV_X DATA_X RD <DATA_X", "RDEXCL <DATA_X"}},
    {{"R44-16",
      "an instruction fetch is content with a shared copy; a line that is its own it copies inside",
      {SET(protocol, NM_PROTOCOL_numachine_ce)},
      {{DO(F, A, "STALL_L1I 5 STALL_L2 * INT 1"), DO(L, B, MISS "LOAD 1"),
        DO(F, B, "STALL_L1I 13 INT 1"), DO(S, B, "STORE 1")}}},
     {"RD <DATA_S RD <DATA_X", ""}},
    {{"R44-16",
      "an owner that has dropped its copy asks again, to read and to write; another finds nothing",
      {SET(protocol, NM_PROTOCOL_numachine_ce)},
      {{DO(L, A, MISS "LOAD 1"), DO(L, Z, MISS "LOAD 1"), DO(L, A, MISS "LOAD 1"),
        DO(L, Z, MISS "LOAD 1"), DO(S, A, MISS "STORE 1"), DO(L, B, MISS "LOAD 1"),
        DO(L, B + (Z - A), MISS "LOAD 1")},
       {AT(20000, L, B, MISS "LOAD 1")}}},
     {"RD <DATA_X RD <DATA_X RD <DATA_X RD <DATA_X RDEXCL <DATA_X RD <DATA_X RD <DATA_X <INTV_S "
      "INTV_MISS",
      "RD <DATA_S"}},
};

enum { TRAFFIC = sizeof traffic / sizeof *traffic };

/* What makes dirty primary lines go down, and how many of each card did. */
static const struct written {
    struct scene scene;
    uint64_t lines[CARDS];
} written[] = {
    {{"R44-10", "nothing", {{0}}, {{DO(S, A, MISS "STORE 1"), DO(L, A, "LOAD 1")}}}, {0, 0}},
    {{"R44-10",
      "room for others, in the primary cache; what has gone down is clean",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(L, B, MISS "LOAD 1"), DO(L, A, "STALL_L1D 13 LOAD 1"),
        DO(L, B, "STALL_L1D 13 LOAD 1"), DO(S, A, "STALL_L1D 13 STORE 1"),
        DO(L, B, "STALL_L1D 21 LOAD 1")}}},
     {2, 0}},
    {{"R44-7",
      "room for others, in the secondary cache: both parts of its line",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(S, A + 32, "STALL_L1D 13 STORE 1"), DO(L, Z, MISS "LOAD 1")}}},
     {2, 0}},
    {{"R44-7",
      "... whose place in the primary cache nobody wants",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(L, Z + 32, MISS "LOAD 1")}}},
     {1, 0}},
    {{"R44-7",
      "... an instruction's, in a joint cache",
      {SET(l2_split, 0)},
      {{DO(S, A, MISS "STORE 1"), DO(F, Z + Z - A, "STALL_L1I 5 STALL_L2 * INT 1")}}},
     {1, 0}},
    {{"R44-16",
      "another processor reads, and then writes: once",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(S, A + 32, "STALL_L1D 13 STORE 1")},
       {AT(10000, L, A, MISS "LOAD 1"), AT(20000, S, A, "STALL_L1D 5 STALL_MP * STORE 1")}}},
     {2, 0}},
    {{"R44-16",
      "another processor writes",
      {{0}},
      {{DO(S, A, MISS "STORE 1"), DO(S, A + 32, "STALL_L1D 13 STORE 1")},
       {AT(10000, S, A, MISS "STORE 1")}}},
     {2, 0}},
    {{"R44-11",
      "its own alias",
      {SET(page_size, 4096)},
      {{DO(S, A, MISS "STORE 1"), DO(L, ALIAS + A + 0x1000, VCE "STALL_L1D 13 LOAD 1")}}},
     {1, 0}},
    {{"R44-13",
      "the line comes back with another attribute, and again",
      {{0}},
      {{DO(S, N | A, MISS "STORE 1"), DO(S, A, MISS "STORE 1"), DO(L, N | A, MISS "LOAD 1")}}},
     {2, 0}},
};

enum { WRITTEN = sizeof written / sizeof *written };

/* ---- the machine ---- */

/* A card under way in its script. */
struct actor {
    const struct scene *scene;
    const struct step *step;
    bool begun;
    sim_tick waited; /**< for its own tick */
    uint64_t before[PC_ST__COUNT];
    char bus[TRACE]; /**< its packets so far */
};

/* A core of scripts. */
struct player {
    struct pc_cpu cpu;
    struct actor *actor;
};

/* The bus has carried a packet of a card. */
static void heard(void *module, sim_tick now, const struct nm_packet *p, bool out, unsigned data)
{
    const struct pc_card *card = module;
    struct actor *a = ((const struct player *)&card->cpu)->actor;
    const size_t n = strlen(a->bus);
    (void)now, (void)data;
    snprintf(a->bus + n, TRACE - n, "%s%s%s", n ? " " : "", out ? "" : "<",
             nm_message_row(p->message)->name);
}

static bool done(struct pc_cpu *cpu, const struct step *s, enum pc_stop *stop)
{
    bool failed = false;
    switch (s->kind) {
    case F:
        return pc_fetch(cpu, s->va, cpu->now, stop);
    case L:
        return pc_load(cpu, s->va, 8, cpu->now, stop);
    case S:
        return pc_store(cpu, s->va, 8, cpu->now, stop);
    case LL:
        return pc_load_linked(cpu, s->va, 8, cpu->now, stop);
    default:
        if (pc_store_conditional(cpu, s->va, 8, cpu->now, stop, &failed)) {
            cr_expect_eq(s->kind, SC, "the SC should have failed");
            return true;
        }
        if (failed)
            cr_expect_eq(s->kind, FAIL, "the SC failed");
        return failed;
    }
}

static void compare(const struct actor *a, const struct pc_cpu *cpu)
{
    uint64_t expected[PC_ST__COUNT];
    read_counts(a->step->counts, expected);
    for (unsigned s = 0; s < PC_ST__COUNT; s++) {
        uint64_t got = cpu->states[s] - a->before[s] - (s == PC_ST_STALL_OTHER ? a->waited : 0);
        cr_expect(same_count(expected[s], got), "%s, '%s': card %u, step %d '%s': %s is %lu",
                  a->scene->row, a->scene->what, cpu->number,
                  (int)(a->step - a->scene->script[cpu->number]), a->step->counts, state_names[s],
                  (unsigned long)got);
    }
}

/* Lets time pass up to the step's own tick; false: the horizon comes first. */
static bool its_time(struct pc_cpu *cpu, struct actor *a, sim_tick horizon)
{
    sim_tick to = a->step->at < horizon ? a->step->at : horizon;
    if (cpu->now < to) {
        a->waited += to - cpu->now;
        pc_card_stall(cpu->card, PC_ST_STALL_OTHER, to - cpu->now, cpu->now);
    }
    return cpu->now < horizon;
}

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    static const enum pc_status completes[] = {
        [F] = PC_ST_INT,   [L] = PC_ST_LOAD,   [S] = PC_ST_STORE,
        [LL] = PC_ST_LOAD, [SC] = PC_ST_STORE, [FAIL] = PC_ST_STORE};
    enum pc_stop stop = PC_STOP_HORIZON;
    struct actor *a = ((struct player *)cpu)->actor;
    cpu->horizon = horizon;
    for (; a->step->kind != END; a->step++, a->begun = false) {
        if (!a->begun) {
            memcpy(a->before, cpu->states, sizeof a->before);
            a->waited = 0;
            a->begun = true;
        }
        if (!its_time(cpu, a, horizon))
            return cpu->now;
        if (!done(cpu, a->step, &stop))
            return pc_stopped(cpu, stop);
        pc_charge(cpu, completes[a->step->kind], 1);
        compare(a, cpu);
    }
    cpu->exc = PC_EXC_SYS;
    return pc_stopped(cpu, PC_STOP_TRAP);
}

static const struct pc_core_ops core = {
    .name = "player", .size = sizeof(struct player), .run = run};

static const struct nm_card_kind kind = {&pc_card_ops, &core, &mon_numachine};

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va & (ALIAS - 1);
    if (va & ALIAS)
        *pa -= 0x1000;
    return va & U ? NM_XLATE_UNCACHED : va & N ? NM_XLATE_NONCOHERENT : NM_XLATE_OK;
}

static void set_up(const struct scene *s, struct nm_params *p, bool check)
{
    actors_plain_params(p);
    p->ring_stations = p->ring_locals = p->ring_groups = 1;
    p->processors = CARDS;
    p->memory_size = 4 << 20;
    p->check = check;
    p->page_size = 16384; /* no colours but where they are what is counted */
    for (unsigned i = 0; i < SETS && s->set[i].field; i++)
        memcpy((char *)p + s->set[i].field, &s->set[i].value, sizeof s->set[i].value);
}

/* PCycles seen at the pins, by code. */
struct seen {
    uint64_t code[16];
    sim_tick last;
};

static void note(void *ctx, sim_tick t, uint8_t status)
{
    struct seen *seen = ctx;
    cr_assert_eq(t, seen->last + 2);
    seen->code[status & 15]++;
    if (t > 2) /* before the first PCycle there is none */
        seen->code[status >> 4]++;
    seen->last = t;
}

/* What the pins showed is what the totals say, but for a last PCycle without its MasterClock. */
static void check_pins(const struct seen *seen, const struct pc_cpu *cpu)
{
    uint64_t missing = 0;
    for (unsigned i = 0; i < PC_ST__COUNT; i++) {
        cr_assert_leq(seen->code[pc_status_codes[i]], cpu->states[i], "%s", state_names[i]);
        missing += cpu->states[i] - seen->code[pc_status_codes[i]];
    }
    cr_assert_leq(missing, 1);
    cr_assert_geq(seen->last + 1, cpu->now);
}

/* What the card counts of a script is what its steps say. */
static void check_truth(const struct scene *s, struct nm_machine *m, unsigned card)
{
    struct nm_truth truth, expected = {0};
    nm_card_truth(m, card, &truth);
    for (const struct step *step = s->script[card]; step->kind != END; step++) {
        const char *counts = step->counts;
        const bool upgrade = strstr(counts, "STALL_MP *"), fetched = strstr(counts, "STALL_L2 *");
        expected.loads += step->kind == L || step->kind == LL;
        expected.stores += step->kind == S || step->kind == SC || step->kind == FAIL;
        expected.l1i_misses += strstr(counts, "STALL_L1I") != NULL;
        expected.l1d_misses +=
            strstr(counts, "STALL_L1D") && (!upgrade || fetched); /* one that fails is a miss */
        expected.l2_misses += fetched && !upgrade;
        expected.upgrades += upgrade;
        expected.upgrades_failed += upgrade && fetched;
        expected.virtual_coherency += strstr(counts, "STALL_OTHER 100") != NULL;
        expected.tlb_misses += strstr(counts, "STALL_OTHER 5") != NULL;
    }
#define SAME(field)                                                                              \
    cr_expect_eq(truth.field, expected.field,                                                    \
                 "%s, '%s', card %u: " #field ": %lu, by the script %lu", s->row, s->what, card, \
                 (unsigned long)truth.field, (unsigned long)expected.field)
    SAME(l1i_misses);
    SAME(l1d_misses);
    SAME(l2_misses);
    SAME(upgrades);
    SAME(upgrades_failed);
    SAME(virtual_coherency);
    SAME(tlb_misses);
    SAME(loads);
    SAME(stores);
#undef SAME
}

/* @param bus            what each card's packets must be, or NULL
 * @param lines_written  its dirty primary lines that go down, or NULL */
static void play(const struct scene *s, const char *const bus[CARDS],
                 const uint64_t lines_written[CARDS], bool check, bool watched)
{
    struct seen seen = {.last = 0};
    struct pc_pins pins;
    struct actor actor[CARDS];
    struct nm_params p;
    struct nm_trap trap;
    set_up(s, &p, check);
    struct nm_machine *m = nm_machine_new(&p, &kind);
    nm_machine_set_space(m, &(struct nm_space){.translate = translate});
    if (watched)
        pc_follow_pins(m, 0, &pins, note, &seen);
    for (unsigned i = 0; i < CARDS; i++) {
        pc_agent_hear(pc_cpu_at(m, i)->card, heard);
        actor[i] = (struct actor){.scene = s, .step = s->script[i]};
        ((struct player *)pc_cpu_at(m, i))->actor = &actor[i];
        nm_card_resume(m, i, 0);
    }
    for (unsigned i = 0; i < CARDS; i++) {
        enum nm_run why = nm_machine_run(m, QUIET, &trap);
        cr_assert_eq(why, NM_RUN_TRAP, "%s: stopped with %d: %s", s->what, (int)why,
                     nm_machine_error(m));
        if (watched && trap.card == 0)
            check_pins(&seen, pc_cpu_at(m, trap.card));
        nm_card_take(m, trap.card);
    }
    cr_assert_eq(nm_machine_run(m, QUIET, &trap), NM_RUN_UNTIL);
    for (unsigned i = 0; i < CARDS; i++)
        check_truth(s, m, i);
    for (unsigned i = 0; bus && i < CARDS; i++)
        cr_expect_str_eq(actor[i].bus, bus[i], "%s, '%s', card %u: %s", s->row, s->what, i,
                         actor[i].bus);
    for (unsigned i = 0; lines_written && i < CARDS; i++) {
        struct nm_truth truth;
        nm_card_truth(m, i, &truth);
        cr_expect_eq(truth.l1_writebacks, lines_written[i], "%s, '%s', card %u: %lu lines", s->row,
                     s->what, i, (unsigned long)truth.l1_writebacks);
    }
    nm_machine_free(m);
}

static void play_all(bool check, bool watched)
{
    for (unsigned i = 0; i < SCENES; i++)
        play(&scenes[i], NULL, NULL, check, watched);
    for (unsigned i = 0; i < TRAFFIC; i++)
        play(&traffic[i].scene, traffic[i].bus, NULL, check, watched);
    for (unsigned i = 0; i < WRITTEN; i++)
        play(&written[i].scene, NULL, written[i].lines, check, watched);
}

Test(r4400, accesses_take_their_counts_by_hand)
{
    play_all(false, false);
}

/* Then every access goes the slow way; it takes the same time. */
Test(r4400, checking_takes_the_same_time)
{
    play_all(true, false);
}

/* And while somebody watches the pins. */
Test(r4400, watched_pins_show_the_totals)
{
    play_all(false, true);
}

Test(r4400, scaddr_has_the_half_above_the_index)
{
    struct nm_params p = {.l2_split = true, .l2_data_half = 1};
    struct pc_card card = {.p = &p, .l2_shift = 6};
    card.l2[PC_SIDE_I].sets = card.l2[PC_SIDE_D].sets = 1 << 13; /* halves of 512 KB */
    cr_expect_eq(pc_scaddr(&card, PC_SIDE_D, 0x12345670), 1 << 17 | 0x4567);
    cr_expect_eq(pc_scaddr(&card, PC_SIDE_I, 0x12345670), 0x4567);
    p.l2_data_half = 0;
    cr_expect_eq(pc_scaddr(&card, PC_SIDE_D, 0x12345670), 0x4567);
    cr_expect_eq(pc_scaddr(&card, PC_SIDE_I, 0x12345670), 1 << 17 | 0x4567);
    p.l2_split = false;
    card.l2[PC_SIDE_I].sets = card.l2[PC_SIDE_D].sets = 1 << 16; /* 4 MB, all 18 bits */
    cr_expect_eq(pc_scaddr(&card, PC_SIDE_I, 0xfff00010), 0x30001);
}

/* Every one of the 48 entries can be replaced: filled on 48 ticks in a row, none has been lost. */
Test(r4400, random_replaces_every_tlb_entry)
{
    enum { ENTRIES = 48, FIRST = 1000 };
    struct nm_params p;
    set_up(&scenes[0], &p, false);
    p.tlb_refill = 50;
    struct nm_machine *m = nm_machine_new(&p, &kind);
    struct pc_card *card = pc_cpu_at(m, 0)->card;
    nm_machine_set_space(m, &(struct nm_space){.translate = translate});
    const uint64_t pair = 2 * p.page_size;
    for (unsigned i = 0; i < ENTRIES; i++)
        cr_expect_gt(pc_tlb_access(card, PC_SIDE_D, i * pair, FIRST + i), 0);
    for (unsigned i = 0; i < ENTRIES; i++)
        cr_expect_eq(pc_tlb_access(card, PC_SIDE_D, i * pair + p.page_size, FIRST), 0, "%u", i);
    cr_expect_gt(pc_tlb_access(card, PC_SIDE_D, ENTRIES * pair, FIRST), 0, "a 49th does not fit");
    nm_machine_free(m);
}

/* The groups of the card's document are sums of states as status.def groups them. */
Test(r4400, events_are_groups_of_states)
{
    static const char *const paths[PC_ST__COUNT] = {
#define STATE(name, code, group, sentence) [PC_ST_##name] = group,
#include "monitor/status.def"
#undef STATE
    };
    static const struct {
        const char *event, *path;
        bool others; /* all states but those on the path */
    } groups[] = {
        {"run", "run", false},
        {"branches", "run/branch", false},
        {"norun", "run", true},
        {"stall", "stall", false},
        {"cache_stalls", "stall/cache", false},
        {"mp_stalls", "stall/mp", false},
        {"killslip", "killslip", false},
        {"killed", "killslip/kill", false},
        {"slipped", "killslip/slip", false},
    };
    for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++) {
        int e = mon_event_find(&mon_numachine, groups[g].event);
        uint64_t taps = 0;
        cr_assert_geq(e, 0, "%s", groups[g].event);
        for (unsigned s = 0; s < PC_ST__COUNT; s++) {
            size_t length = strlen(groups[g].path);
            bool in = strncmp(paths[s], groups[g].path, length) == 0 &&
                      (paths[s][length] == 0 || paths[s][length] == '/');
            taps |= (uint64_t)(in != groups[g].others) << s;
        }
        cr_expect_eq(mon_board_events[e].taps, taps, "%s", groups[g].event);
    }
}

/* R4400 manual p. 363: PCycles of one access to the secondary cache, and unused cycles from an
 * intervention or snoop to its first answer. */
Test(r4400, response_latency_is_within_the_manuals)
{
    static const struct {
        unsigned access, least, most;
    } rows[] = {{4, 6, 26}, {6, 8, 28}, {8, 10, 30}, {10, 12, 32}, {12, 14, 34}};
    struct nm_params p;
    unsigned n = 0;
    set_up(&scenes[0], &p, false);
    while (n < 4 && p.l2_lookup > rows[n].access)
        n++;
    cr_expect_geq(p.agent_external, rows[n].least);
    cr_expect_leq(p.agent_external, rows[n].most);
}
