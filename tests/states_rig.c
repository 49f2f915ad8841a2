/* The loop, and the little operating system under it. */
#include "states_rig.h"

#include "isa_assembler.h"
#include "machine/values.h"
#include "test_machine.h"

#include <criterion/criterion.h>

enum { ROOM = 256, SHARED = 0x10000, OWN = 0x100000 };

/* The loop stands in memory more than once, each time further towards the end of a page, then
 * across it and beyond. */
enum { CODE = 0x20e00, COPIES = 32, STEP = 4096 + 16, IMAGE = COPIES * STEP };

/* va 0x40000000 on: memory from one page on, so that a line has two colours. */
#define OTHER_COLOUR UINT64_C(0x40000000)

/* Loads and stores that miss, are taken away and slip; products, quotients and floating point with
 * long slips across lines and blocks; branches of all kinds; a system call; a load behind the jump
 * to the next copy. a0: shared, a1: own, a2: the shared line in its other colour, a3: read by all
 * and written by this card alone, s0: the copy. */
static const char loop[] =
    "lw t0,0(a0); addiu t0,t0,1; sw t0,0(a0); lw t1,0(a1); mult t0,t1; lw t2,128(a0); mflo t2;"
    "sw t2,64(a1); beql zero,zero,1; nop; nop; bnel zero,zero,3; nop; add.d f0,f2,f4;"
    "add.d f0,f0,f4; lw t3,0(a2); ddiv t0,a0; bne zero,a0,2; mfhi t3; nop; mul.d f2,f2,f4;"
    "lw t3,1024(a0); lw t3,1088(a0); lw t3,1152(a0); lw t3,1216(a0); sw t3,0(a3);"
    "add.d f6,f2,f8; div.s f0,f2,f4; 9*nop; mul.s f6,f8,f10; c.eq.s f0,f6; bc1t 1; nop; ll "
    "t0,0(a0);"
    "addiu t0,t0,1; sc t0,0(a0); beq t0,zero,-4; nop; addiu a1,a1,4096; andi t0,a1,4096;"
    "bne t0,zero,2; nop; syscall; addiu s0,s0,4112; sqrt.d f0,f2; jr s0; lw t3,32(a1)";
static const char back[] = "jr s1; addu s0,s1,zero";

static unsigned code_page(const struct states_rig *rig, uint64_t va)
{
    return (unsigned)(va / rig->p.page_size - CODE / rig->p.page_size);
}

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    struct states_rig *rig = ctx;
    (void)card;
    if (access == NM_FETCH)
        rig->paged_in |= UINT64_C(1) << code_page(rig, va);
    *pa = va < OTHER_COLOUR ? va : va - OTHER_COLOUR - rig->p.page_size;
    return NM_XLATE_OK;
}

/* Instructions are there once they have been fetched. */
static const uint8_t *fetch(void *ctx, uint64_t va)
{
    const struct states_rig *rig = ctx;
    return rig->paged_in >> code_page(rig, va) & 1 ? nm_machine_image(rig->m) + va : NULL;
}

static void write_code(const struct states_rig *rig, uint64_t at, const char *text)
{
    uint32_t words[ROOM];
    const unsigned count = assemble(text, words, ROOM);
    cr_assert(count, "%s", text);
    for (unsigned i = 0; i < 4 * count; i++)
        nm_machine_image(rig->m)[at + i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
    nm_machine_os_wrote(rig->m, at, 4 * count);
}

void states_start(struct states_rig *rig, const struct nm_params *p,
                  void (*made)(void *ctx, struct nm_machine *m), void *ctx)
{
    *rig = (struct states_rig){.p = *p, .m = nm_machine_new(p, &pc_r4400), .stop_at = 1000};
    if (made)
        made(ctx, rig->m);
    for (unsigned i = 0; i < COPIES; i++)
        write_code(rig, CODE + i * STEP, loop);
    write_code(rig, CODE + IMAGE, back);
    rig->code = r4400_code_new(fetch, rig, &rig->p);
    for (unsigned c = 0; c < STATES_CARDS; c++)
        pc_code_give(rig->m, c, rig->code);
    const struct nm_space space = {.ctx = rig, .translate = translate};
    nm_machine_set_space(rig->m, &space);
    for (unsigned c = 0; c < STATES_CARDS; c++) {
        struct mips_regs regs = {.pc = CODE, .npc = CODE + 4, .fr = true, .addr64 = true};
        regs.gpr[4] = SHARED;
        regs.gpr[5] = c / p->processors * p->memory_size + OWN + c * 0x8040;
        regs.gpr[6] = OTHER_COLOUR + p->page_size + SHARED;
        regs.gpr[7] = SHARED + 1024 + 64 * c;
        regs.gpr[16] = regs.gpr[17] = CODE;
        pc_thread_resume(rig->m, c, &regs, 0);
    }
}

void states_end(struct states_rig *rig)
{
    nm_machine_free(rig->m);
    r4400_code_free(rig->code);
}

void states_go_to(struct states_rig *rig, sim_tick until)
{
    enum { SYSTEM = 300, SLICE = 700 };
    struct nm_trap trap;
    for (;;) {
        const enum nm_run why = nm_machine_run(rig->m, until, &trap);
        if (why == NM_RUN_UNTIL)
            return;
        cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(rig->m));
        const struct pc_cpu *cpu = pc_cpu_at(rig->m, trap.card);
        cr_assert(trap.preempted || cpu->exc == PC_EXC_SYS, "exception %d", cpu->exc);
        if (!trap.preempted && trap.at >= rig->stop_at) {
            nm_card_preempt(rig->m, trap.card, trap.at + SYSTEM + 40 + rig->turn++ % 20);
            rig->stop_at = trap.at + SLICE;
        }
        nm_card_resume(rig->m, trap.card, trap.at + SYSTEM);
    }
}

struct nm_params states_machine(unsigned processors)
{
    struct nm_params p;
    test_machine(&p);
    p.processors = processors;
    p.ring_stations = STATES_CARDS / processors;
    p.ring_locals = p.ring_groups = 1;
    p.memory_size = 1 << 24;
    p.l1i_size = p.l1d_size = 16 << 10;
    p.l2_size = 1 << 20;
    p.netcache_size = 8 << 20;
    return p;
}

struct nm_params states_cramped(void)
{
    struct nm_params p = states_machine(2);
    p.l1i_size = 128;
    p.l2_size = 4096;
    p.page_size = 4096;
    p.l1d_size = 8192;
    p.tlb_refill = 20;
    p.os_vce = 10;
    return p;
}
