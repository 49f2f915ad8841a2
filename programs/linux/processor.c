/* The R4400, the R10000 and the ARM11 as the personality's processor. */
#include "programs/linux/processor.h"

#include "programs/linux/isa.h"

#include "procard/arm11/arm11.h"
#include "procard/r10000/r10000.h"
#include "procard/r4400/r4400.h"

static void take(struct nm_machine *m, unsigned card, union lx_regs *regs,
                 struct lx_call_site *call)
{
    const struct r4400 *core = r4400_at(m, card);

    *call = (struct lx_call_site){core->call_pc, core->call_npc};
    r4400_take(m, card, &regs->mips);
}

static const union lx_regs *registers(struct nm_machine *m, unsigned card)
{
    return (const union lx_regs *)&r4400_at(m, card)->r;
}

static void resume(struct nm_machine *m, unsigned card, const union lx_regs *regs, sim_tick at)
{
    r4400_resume(m, card, &regs->mips, at);
}

static void *code_new(struct nm_machine *m, const uint8_t *(*fetch)(void *ctx, uint64_t va),
                      void *ctx)
{
    struct r4400_code *code = r4400_code_new(fetch, ctx, (enum nm_isa)nm_machine_params(m)->isa);

    r4400_set_code(m, code);
    return code;
}

static void code_flush(void *code, uint64_t va, uint64_t len)
{
    r4400_code_flush(code, va, len);
}

static bool code_await(void *code, uint64_t va, uint64_t times)
{
    return r4400_code_await(code, va, times);
}

static void code_free(void *code)
{
    r4400_code_free(code);
}

const struct lx_processor lx_r4400 = {.isa = &lx_mips,
                                      .take = take,
                                      .resume = resume,
                                      .registers = registers,
                                      .code_new = code_new,
                                      .code_flush = code_flush,
                                      .code_await = code_await,
                                      .code_free = code_free};

/* ---- the R10000 ------------------------------------------------------------------------------ */

static void take_r10k(struct nm_machine *m, unsigned card, union lx_regs *regs,
                      struct lx_call_site *call)
{
    r10k_take(m, card, &regs->mips, &call->pc, &call->npc);
}

static const union lx_regs *registers_r10k(struct nm_machine *m, unsigned card)
{
    return (const union lx_regs *)r10k_registers(m, card);
}

static void resume_r10k(struct nm_machine *m, unsigned card, const union lx_regs *regs, sim_tick at)
{
    r10k_resume(m, card, &regs->mips, at);
}

static void *code_new_r10k(struct nm_machine *m, const uint8_t *(*fetch)(void *ctx, uint64_t va),
                           void *ctx)
{
    return r10k_code_new(m, fetch, ctx);
}

/* Nothing is kept of words but what they mean. */
static void code_flush_r10k(void *code, uint64_t va, uint64_t len)
{
    (void)code, (void)va, (void)len;
}

static bool code_await_r10k(void *code, uint64_t va, uint64_t times)
{
    return r10k_code_await(code, va, times);
}

static void code_free_r10k(void *code)
{
    r10k_code_free(code);
}

static const struct lx_processor r10000 = {.isa = &lx_mips,
                                           .take = take_r10k,
                                           .resume = resume_r10k,
                                           .registers = registers_r10k,
                                           .code_new = code_new_r10k,
                                           .code_flush = code_flush_r10k,
                                           .code_await = code_await_r10k,
                                           .code_free = code_free_r10k};

/* ---- the ARM11 ------------------------------------------------------------------------------- */

static void take_arm11(struct nm_machine *m, unsigned card, union lx_regs *regs,
                       struct lx_call_site *call)
{
    arm11_take(m, card, &regs->arm, &call->pc, &call->npc);
}

static void resume_arm11(struct nm_machine *m, unsigned card, const union lx_regs *regs,
                         sim_tick at)
{
    arm11_resume(m, card, &regs->arm, at);
}

static const union lx_regs *registers_arm11(struct nm_machine *m, unsigned card)
{
    return (const union lx_regs *)arm11_registers(m, card);
}

static void *code_new_arm11(struct nm_machine *m, const uint8_t *(*fetch)(void *ctx, uint64_t va),
                            void *ctx)
{
    return arm11_code_new(m, fetch, ctx);
}

static void code_flush_arm11(void *code, uint64_t va, uint64_t len)
{
    arm11_code_flush(code, va, len);
}

static bool code_await_arm11(void *code, uint64_t va, uint64_t times)
{
    return arm11_code_await(code, va, times);
}

static void code_free_arm11(void *code)
{
    arm11_code_free(code);
}

static const struct lx_processor arm11 = {.isa = &lx_arm,
                                          .take = take_arm11,
                                          .resume = resume_arm11,
                                          .registers = registers_arm11,
                                          .code_new = code_new_arm11,
                                          .code_flush = code_flush_arm11,
                                          .code_await = code_await_arm11,
                                          .code_free = code_free_arm11};

const struct lx_processor *lx_processor_of(const struct nm_params *p)
{
    static const struct lx_processor *const of[] = {&lx_r4400, &r10000, &r10000, &arm11, &arm11};

    return of[p->core];
}
