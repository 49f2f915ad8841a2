/* The R4400 as the personality's processor. */
#include "programs/linux/processor.h"

static void take(struct nm_machine *m, unsigned card, struct mips_regs *regs,
                 struct lx_call_site *call)
{
    const struct r4400 *core = r4400_at(m, card);

    *call = (struct lx_call_site){core->call_pc, core->call_npc};
    r4400_take(m, card, regs);
}

static const struct mips_regs *registers(struct nm_machine *m, unsigned card)
{
    return &r4400_at(m, card)->r;
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

const struct lx_processor lx_r4400 = {.take = take,
                                      .resume = r4400_resume,
                                      .registers = registers,
                                      .code_new = code_new,
                                      .code_flush = code_flush,
                                      .code_await = code_await,
                                      .code_free = code_free};
