/*
 * Wherever a thread is stopped, it goes on as if it had not been: a program of all instructions
 * that have more than one operation (every_pcycle_arm.S, every_pcycle_mips.S) leaves the same
 * memory and registers when it is disturbed in each PCycle that it takes, by what operating systems
 * and people do: another process that uses the same registers and caches on its card, another card,
 * instructions that have been written, another mode of the machine, a look at the counters; and
 * when it is stopped in front of each of its instructions.
 */
#include "machine/values.h"
#include "monitor/taps.h"
#include "procard/arm11/arm11.h"
#include "procard/r10000/r10000.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/processor/processor.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PROCESS = 0x40000, /* [bytes] of memory that each has */
    CARDS = 2,
    START = 1000,   /* [ticks] */
    LIMIT = 200000, /* [ticks] */
    APART = 100     /* [ticks] in another mode */
};

/* How a run is disturbed, at one tick. */
enum way {
    NOT,       /* it is only looked at, every `step` ticks */
    SWITCHED,  /* another process runs on its card meanwhile */
    MOVED,     /* it goes on on another card */
    FORGOTTEN, /* all instructions are decoded anew */
    FASTER,    /* the machine is functional for a while */
    WARMED,    /* and keeps its caches meanwhile */
    WAYS
};

static const char *const names[WAYS] = {"not",       "switched", "moved",
                                        "forgotten", "faster",   "warmed"};

struct rig {
    const struct nm_card_kind *kind;
    struct nm_params p;
    struct lx_elf_image image;
    int fd;
    struct nm_machine *m;
    struct lx_processors *processors;
    bool other; /* the other process's space */
    uint64_t states[CARDS][PC_ST__COUNT];
};

/* What a run has left. */
struct outcome {
    union lx_regs regs;
    sim_tick ended;
    uint8_t memory[PROCESS];
};

/* ---- the machine ----------------------------------------------------------------------------- */

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    const struct rig *rig = ctx;
    (void)card, (void)access;
    *pa = va + (rig->other ? PROCESS : 0);
    return va < PROCESS ? NM_XLATE_OK : NM_XLATE_UNMAPPED;
}

static const uint8_t *fetch(void *ctx, uint64_t va)
{
    const struct rig *rig = ctx;
    return va < PROCESS ? nm_machine_image(rig->m) + va : NULL;
}

static void load(struct rig *rig)
{
    uint8_t *image = nm_machine_image(rig->m);
    for (unsigned i = 0; i < rig->image.segments; i++) {
        const struct lx_elf_segment *s = &rig->image.segment[i];
        cr_assert(s->va + s->memsz <= PROCESS);
        for (unsigned process = 0; process < 2; process++)
            cr_assert_eq(
                pread(rig->fd, image + process * PROCESS + s->va, s->filesz, (off_t)s->offset),
                (ssize_t)s->filesz);
    }
    nm_machine_os_wrote(rig->m, 0, 2 * PROCESS);
}

static void start(struct rig *rig)
{
    const struct nm_space space = {.ctx = rig, .translate = translate};
    union lx_regs regs;
    rig->other = false;
    memset(rig->states, 0, sizeof rig->states);
    rig->m = nm_machine_new(&rig->p, rig->kind);
    cr_assert_not_null(rig->m);
    load(rig);
    rig->processors = lx_processors_new(rig->m, fetch, rig);
    nm_machine_set_space(rig->m, &space);
    rig->image.kind->isa->begin(&rig->image, &regs);
    pc_thread_resume(rig->m, 0, &regs, START);
}

static void end(struct rig *rig)
{
    nm_machine_free(rig->m);
    lx_processors_free(rig->processors);
}

static bool same(const struct outcome *a, const struct outcome *b, const struct lx_isa *isa)
{
    return isa->state(&a->regs) == isa->state(&b->regs) &&
           !memcmp(a->memory, b->memory, sizeof a->memory);
}

/* ---- what disturbs --------------------------------------------------------------------------- */

/* The states add up, and none goes back. */
static void check_books(struct rig *rig)
{
    struct nm_machine *m = rig->m;
    for (unsigned i = 0; i < CARDS; i++) {
        struct mon_taps taps;
        uint64_t sum = 0;
        nm_card_taps(m, i, &taps);
        for (unsigned s = 0; s < PC_ST__COUNT; s++) {
            cr_assert_geq(taps.v[s], rig->states[i][s], "card %u: state %u at tick %lu", i, s,
                          (unsigned long)nm_machine_now(m));
            rig->states[i][s] = taps.v[s];
            sum += taps.v[s];
        }
        cr_assert_eq(sum, nm_machine_now(m), "card %u: states add up to %lu at tick %lu", i,
                     (unsigned long)sum, (unsigned long)nm_machine_now(m));
    }
}

/* @return whether it has come to its system call */
static bool runs(struct rig *rig, sim_tick until, struct nm_trap *trap)
{
    const enum nm_run why = nm_machine_run(rig->m, until, trap);
    cr_assert(why == NM_RUN_UNTIL || why == NM_RUN_TRAP, "%d: %s", (int)why,
              nm_machine_error(rig->m));
    if (why == NM_RUN_UNTIL || trap->preempted)
        return false;
    cr_assert_eq(pc_cpu_at(rig->m, trap->card)->exc, PC_EXC_SYS, "exception %d at 0x%lx",
                 pc_cpu_at(rig->m, trap->card)->exc,
                 (unsigned long)rig->image.kind->isa->pc(pc_thread_registers(rig->m, trap->card)));
    return true;
}

static sim_tick soon(const struct rig *rig)
{
    return nm_machine_now(rig->m) + nm_machine_reach(rig->m);
}

/* The other process has the card, from its beginning to its end. */
static void other_process(struct rig *rig)
{
    struct pc_call_site call;
    struct nm_trap trap;
    union lx_regs regs;
    rig->other = true;
    nm_machine_unmap(rig->m, 0, PROCESS);
    rig->image.kind->isa->begin(&rig->image, &regs);
    pc_thread_resume(rig->m, 0, &regs, soon(rig));
    cr_assert(runs(rig, nm_machine_now(rig->m) + LIMIT, &trap));
    pc_thread_take(rig->m, 0, &regs, &call);
    rig->other = false;
    nm_machine_unmap(rig->m, 0, PROCESS);
}

/* @return whether the program has ended before it could be stopped */
static bool preempted(struct rig *rig, sim_tick at, enum way way)
{
    struct pc_call_site call;
    struct nm_trap trap;
    union lx_regs regs;
    nm_card_preempt(rig->m, 0, at);
    if (runs(rig, LIMIT, &trap))
        return true;
    pc_thread_take(rig->m, 0, &regs, &call);
    if (way == SWITCHED)
        other_process(rig);
    pc_thread_resume(rig->m, way == MOVED, &regs, soon(rig));
    return false;
}

static bool in_mode(struct rig *rig, enum nm_mode mode)
{
    struct nm_trap trap;
    bool ended = false;
    nm_machine_freeze(rig->m);
    while (!ended && !nm_machine_rests(rig->m))
        ended = runs(rig, nm_machine_now(rig->m) + 1, &trap);
    if (ended)
        return true;
    nm_machine_set_mode(rig->m, mode);
    ended = runs(rig, nm_machine_now(rig->m) + APART, &trap);
    nm_machine_set_mode(rig->m, NM_MODE_TIMED);
    return ended;
}

/* @return whether the program has ended */
static bool disturbed(struct rig *rig, enum way way, sim_tick at)
{
    struct nm_trap trap;
    if (way == SWITCHED || way == MOVED)
        return preempted(rig, at, way);
    if (runs(rig, at, &trap))
        return true;
    if (way == FORGOTTEN)
        lx_processors_flush(rig->processors, 0, PROCESS);
    else if (way != NOT)
        return in_mode(rig, way == FASTER ? NM_MODE_FUNCTIONAL : NM_MODE_WARM);
    return false;
}

static void run(struct rig *rig, enum way way, sim_tick at, struct outcome *out)
{
    struct pc_call_site call;
    struct nm_trap trap;
    start(rig);
    bool ended = disturbed(rig, way, at);
    while (!ended) {
        cr_assert_lt(nm_machine_now(rig->m), 2 * LIMIT, "it does not end");
        ended = runs(rig, nm_machine_now(rig->m) + (way == NOT ? 1 : LIMIT), &trap);
        check_books(rig);
    }
    for (unsigned card = 0; card < CARDS; card++)
        if (pc_cpu_at(rig->m, card)->exc == PC_EXC_SYS) {
            pc_thread_take(rig->m, card, &out->regs, &call);
            out->ended = nm_machine_now(rig->m);
        }
    memcpy(out->memory, nm_machine_image(rig->m), PROCESS);
    end(rig);
}

/* In front of the instruction at `va` it stops once, and goes on. @return whether it did */
static bool stops_at(struct rig *rig, uint64_t va, struct outcome *out)
{
    struct pc_call_site call;
    struct nm_trap trap;
    bool stopped = false;
    start(rig);
    lx_processors_await(rig->processors, va, 1);
    cr_assert_eq(nm_machine_run(rig->m, LIMIT, &trap), NM_RUN_TRAP);
    if (pc_cpu_at(rig->m, 0)->exc == PC_EXC_POINT) {
        stopped = true;
        lx_processors_await(rig->processors, 0, 0);
        pc_thread_take(rig->m, 0, &out->regs, &call);
        cr_assert_eq(rig->image.kind->isa->pc(&out->regs), va);
        pc_thread_resume(rig->m, 0, &out->regs, soon(rig));
        cr_assert(runs(rig, LIMIT, &trap));
    }
    pc_thread_take(rig->m, 0, &out->regs, &call);
    memcpy(out->memory, nm_machine_image(rig->m), PROCESS);
    end(rig);
    return stopped;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void rig_of(struct rig *rig, uint64_t core, const struct nm_card_kind *kind,
                   const char *program)
{
    const char *key, *path = getenv(program);
    char why[300];
    *rig = (struct rig){.kind = kind};
    if (!path)
        cr_skip_test("no compiler for it");
    rig->fd = open(path, O_RDONLY);
    cr_assert(rig->fd >= 0 && lx_elf_read(rig->fd, &rig->image, why, sizeof why), "%s", path);
    nm_params_default(&rig->p);
    rig->p.core = core;
    rig->p.processors = CARDS;
    rig->p.ring_stations = 1;
    rig->p.ring_locals = 1;
    rig->p.l2_split = false;
    rig->p.memory_size = 1 << 20;
    rig->p.page_size = 4096;
    rig->p.l1d_size = 4096;
    rig->p.l1i_size = 4096;
    rig->p.l2_size = 16384;
    cr_assert(nm_params_check(&rig->p, &key, why, sizeof why), "%s: %s", key, why);
}

static void at_every_pcycle(struct rig *rig, const struct outcome *whole, unsigned step)
{
    const struct lx_isa *isa = rig->image.kind->isa;
    struct outcome *o = malloc(sizeof *o);
    unsigned runs_made = 0, wrong = 0;
    for (sim_tick at = START + 1; at < whole->ended; at++)
        for (unsigned way = SWITCHED; way < WAYS; way++) {
            if ((at + way) % step)
                continue;
            run(rig, (enum way)way, at, o);
            runs_made++;
            if (!same(o, whole, isa) && wrong++ < 5)
                cr_log_error("%s at tick %lu: ends otherwise", names[way], (unsigned long)at);
        }
    cr_expect_eq(wrong, 0, "%u of %u runs", wrong, runs_made);
    cr_log_info("%u runs", runs_made);
    free(o);
}

static void at_every_instruction(struct rig *rig, const struct outcome *whole, unsigned step)
{
    enum { EXECUTED = 150 };
    const struct lx_isa *isa = rig->image.kind->isa;
    struct outcome *o = malloc(sizeof *o);
    unsigned stopped = 0;
    for (uint64_t va = rig->image.segment[0].va; va < rig->image.end; va += 2) {
        if (va / 2 % step || !stops_at(rig, va, o))
            continue;
        stopped++;
        cr_expect(same(o, whole, isa), "stopped at 0x%lx: ends otherwise", (unsigned long)va);
    }
    cr_expect_geq(stopped, EXECUTED / step, "%u", stopped);
    free(o);
}

static void every(uint64_t core, const struct nm_card_kind *kind, const char *program)
{
    const char *text = getenv("EVERY_PCYCLE_STEP");
    const unsigned step = text ? (unsigned)atoi(text) : 1;
    struct outcome *whole = malloc(sizeof *whole);
    struct rig rig;
    rig_of(&rig, core, kind, program);
    run(&rig, NOT, START, whole);
    at_every_pcycle(&rig, whole, step);
    at_every_instruction(&rig, whole, step);
    close(rig.fd);
    free(whole);
}

Test(every_pcycle, arm1136)
{
    every(NM_CORE_ARM1136, &pc_arm11, "EVERY_PCYCLE_ARM");
}

Test(every_pcycle, r4400)
{
    every(NM_CORE_R4400, &pc_r4400, "EVERY_PCYCLE_MIPS3");
}

Test(every_pcycle, r10000)
{
    every(NM_CORE_R10000, &pc_r10000, "EVERY_PCYCLE_MIPS4");
}
