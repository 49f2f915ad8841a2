/* A little operating system: it knows SYSCALL, which ends a step. */
#include "r10000_rig.h"

#include "isa_assembler.h"
#include "procard/card.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Code and data are in different sets of every cache. */
enum { CODE = 0x100000, STEP = 0x1000, MEMORY = 64 << 20, PAGE = 4096, ROOM = 600 };

#define SYSCALL 0x0000000c

/* Memory stands once more behind itself, a page further on: in another colour. */
static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va < MEMORY ? va : va - MEMORY - PAGE;
    return *pa < MEMORY ? NM_XLATE_OK : NM_XLATE_UNMAPPED;
}

static const uint8_t *fetch(void *ctx, uint64_t va)
{
    const struct rig *rig = ctx;
    return va < MEMORY ? nm_machine_image(rig->m) + va : NULL;
}

static void set(struct nm_params *p, const char *key, size_t length, uint64_t value)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(rows[i].key) == length && !strncmp(rows[i].key, key, length)) {
            nm_param_set(p, &rows[i], value);
            return;
        }
    cr_assert_fail("no parameter at '%s'", key);
}

static void read_options(struct nm_params *p, const char *options)
{
    for (const char *o = options + strspn(options, " "); *o;) {
        const size_t length = strcspn(o, "=");
        char *end;
        cr_assert_eq(o[length], '=', "'%s'", o);
        const uint64_t value = strtoull(o + length + 1, &end, 0);
        set(p, o, length, value);
        o = end + strspn(end, " ");
    }
}

void rig_init_of(struct rig *rig, const char *options, const struct nm_card_kind *kind)
{
    const char *key;
    char why[300];
    *rig = (struct rig){.place = CODE};
    nm_params_default(&rig->p);
    read_options(&rig->p, "rings.stations=1 rings.locals=1 station.processors=2 processor.core=1 "
                          "processor.clock=200000000 "
                          "l1i.size=32768 l1i.line=64 l1d.size=32768 l1d.line=32 l2.size=4194304 "
                          "l2.line=128 l2.split=0 "
                          "l2.ways=2 tlb.refill=0 memory.size=67108864 run.check=1");
    read_options(&rig->p, options);
    cr_assert(nm_params_check(&rig->p, &key, why, sizeof why), "%s: %s", key, why);
    rig->m = nm_machine_new(&rig->p, kind);
    rig->code = r10k_code_new(fetch, rig, &rig->p);
    for (unsigned card = 0; card < nm_machine_cards(rig->m); card++)
        pc_code_give(rig->m, card, rig->code);
    const struct nm_space space = {.ctx = rig, .translate = translate};
    nm_machine_set_space(rig->m, &space);
}

void rig_init(struct rig *rig, const char *options)
{
    rig_init_of(rig, options, &pc_r10000);
}

void rig_free(struct rig *rig)
{
    nm_machine_free(rig->m);
    r10k_code_free(rig->code);
}

/* ---- a step ---------------------------------------------------------------------------------- */

static void put_words(const struct rig *rig, uint64_t at, const uint32_t *words, unsigned count)
{
    uint8_t *image = nm_machine_image(rig->m);
    for (unsigned i = 0; i < 4 * (count + 1); i++) {
        const uint32_t word = i / 4 < count ? words[i / 4] : SYSCALL;
        image[at + i] = (uint8_t)(word >> (24 - i % 4 * 8));
    }
    nm_machine_os_wrote(rig->m, at, 4 * (count + 1));
}

static void put(const struct rig *rig, uint64_t at, const char *text)
{
    uint32_t words[ROOM];
    const unsigned count = assemble(text, words, ROOM);
    cr_assert(count, "cannot assemble '%s'", text);
    put_words(rig, at, words, count);
}

enum { LONG = 1000000, PAUSE = 2000, EDGE = 63 /* of every clock */ };

static sim_tick soon(const struct rig *rig)
{
    const sim_tick at = nm_machine_now(rig->m) + nm_machine_reach(rig->m);
    return (at + EDGE) & ~(sim_tick)EDGE;
}

static void start(const struct rig *rig, unsigned card, uint64_t code, sim_tick at)
{
    const struct mips_regs regs = {.pc = code,
                                   .npc = code + 4,
                                   .fr = true,
                                   .addr64 = true,
                                   .userlocal = RIG_DATA,
                                   .gpr[4] = RIG_DATA};
    pc_thread_resume(rig->m, card, &regs, at);
}

/* Runs until a card has come to its SYSCALL. @return when */
static sim_tick wait_for_one(struct rig *rig, struct nm_trap *trap)
{
    const sim_tick end = nm_machine_now(rig->m) + LONG;
    enum nm_run why;
    do {
        const sim_tick now = nm_machine_now(rig->m);
        why = nm_machine_run(rig->m, rig->slice ? now + rig->slice : end, trap);
    } while (why == NM_RUN_UNTIL && nm_machine_now(rig->m) < end);
    cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(rig->m));
    cr_assert_eq(pc_cpu_at(rig->m, trap->card)->exc, PC_EXC_SYS, "exception %d",
                 pc_cpu_at(rig->m, trap->card)->exc);
    nm_card_take(rig->m, trap->card);
    return trap->at;
}

static void rest(struct rig *rig)
{
    struct nm_trap trap;
    cr_assert_eq(nm_machine_run(rig->m, nm_machine_now(rig->m) + PAUSE, &trap), NM_RUN_UNTIL);
}

static void run(struct rig *rig, unsigned card, uint64_t at)
{
    const struct pc_cpu *cpu = pc_cpu_at(rig->m, card);
    const uint64_t undoing = cpu->states[PC_ST_KILL_EXC];
    const sim_tick begun = soon(rig);
    struct nm_trap trap;
    rig->begun = begun;
    start(rig, card, at, begun);
    const sim_tick ended = wait_for_one(rig, &trap);
    rig->cycles = ended - begun - (cpu->states[PC_ST_KILL_EXC] - undoing);
    rest(rig);
}

void rig_together(struct rig *rig, const char *const code[RIG_CARDS], int distance)
{
    const sim_tick at = soon(rig);
    for (unsigned card = 0; card < RIG_CARDS; card++) {
        const int later = card ? distance : -distance;
        put(rig, rig->place, code[card]);
        start(rig, card, rig->place, at + (sim_tick)(later > 0 ? later : 0));
        rig->place += STEP;
    }
    for (unsigned card = 0; card < RIG_CARDS; card++) {
        struct nm_trap trap;
        wait_for_one(rig, &trap);
    }
    rest(rig);
}

void rig_writes(const struct rig *rig, uint64_t at, uint32_t word)
{
    uint8_t *image = nm_machine_image(rig->m);
    for (unsigned i = 0; i < 4; i++)
        image[at + i] = (uint8_t)(word >> (24 - 8 * i));
    nm_machine_os_wrote(rig->m, at, 4);
}

bool rig_interrupted(struct rig *rig, const char *step, sim_tick after,
                     void (*does)(struct rig *rig, uint64_t code))
{
    const sim_tick begun = soon(rig);
    struct nm_trap trap;
    put(rig, rig->place, step);
    start(rig, 0, rig->place, begun);
    const bool in_time = nm_machine_run(rig->m, begun + after, &trap) == NM_RUN_UNTIL;
    if (in_time) {
        does(rig, rig->place);
        wait_for_one(rig, &trap);
    } else {
        nm_card_take(rig->m, trap.card);
    }
    rest(rig);
    rig->place += STEP;
    return in_time;
}

void rig_again(struct rig *rig)
{
    rig->place = CODE;
}

void rig_steps(struct rig *rig, const char *steps)
{
    char text[4000];
    cr_assert_lt(strlen(steps), sizeof text);
    strcpy(text, steps);
    for (char *rest = text, *step; (step = strsep(&rest, "|"));) {
        step += strspn(step, " ");
        const bool second = !strncmp(step, "1:", 2);
        put(rig, rig->place, step + (second ? 2 : 0));
        run(rig, second, rig->place);
        rig->place += STEP;
    }
}

void rig_words(struct rig *rig, const uint32_t *words, unsigned count)
{
    put_words(rig, rig->place, words, count);
    run(rig, 0, rig->place);
    rig->place += STEP;
}

void rig_program(struct rig *rig, unsigned k, unsigned event, unsigned modes)
{
    struct pc_cpu *cpu = pc_cpu_at(rig->m, 0);
    pc_pmc_write(cpu, 2 * k + PC_PMC_CONTROL0, event << R10K_EVENT_SHIFT | modes);
    pc_pmc_write(cpu, 2 * k + PC_PMC_COUNTER0, 0);
}

uint64_t rig_counter(const struct rig *rig, unsigned k)
{
    return pc_pmc_read(pc_cpu_at(rig->m, 0), 2 * k + PC_PMC_COUNTER0);
}
