/*
 * The R4400, the R10000 and the ARM11 as the personality's processors.
 *
 * The hard idea is an awaited instruction on a machine of several kinds of cores: each kind counts
 * how often its own processors come there. So there every time stops a processor, and the times are
 * counted here.
 */
#include "programs/linux/processor/processor.h"

#include "base/alloc.h"
#include "procard/arm11/arm11.h"
#include "procard/r10000/r10000.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/binary/kind.h"

#include <stdlib.h>

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

static void *code_new(lx_fetch_fn *fetch, void *ctx, const struct nm_params *card)
{
    return r4400_code_new(fetch, ctx, (enum nm_isa)card->isa);
}

static void code_give(struct nm_machine *m, unsigned card, void *code)
{
    r4400_give_code(m, card, code);
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

static const struct lx_processor r4400 = {.isa = &lx_mips,
                                          .take = take,
                                          .resume = resume,
                                          .registers = registers,
                                          .code_new = code_new,
                                          .code_give = code_give,
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

static void *code_new_r10k(lx_fetch_fn *fetch, void *ctx, const struct nm_params *card)
{
    return r10k_code_new(fetch, ctx, (enum nm_isa)card->isa);
}

static void code_give_r10k(struct nm_machine *m, unsigned card, void *code)
{
    r10k_give_code(m, card, code);
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
                                           .code_give = code_give_r10k,
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

static void *code_new_arm11(lx_fetch_fn *fetch, void *ctx, const struct nm_params *card)
{
    return arm11_code_new(fetch, ctx, card);
}

static void code_give_arm11(struct nm_machine *m, unsigned card, void *code)
{
    arm11_give_code(m, card, code);
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
                                          .code_give = code_give_arm11,
                                          .code_flush = code_flush_arm11,
                                          .code_await = code_await_arm11,
                                          .code_free = code_free_arm11};

const struct lx_processor *lx_processor_of(const struct nm_params *card)
{
    static const struct lx_processor *const of[] = {[NM_CORE_R4400] = &r4400,
                                                    [NM_CORE_R10000] = &r10000,
                                                    [NM_CORE_R12000] = &r10000,
                                                    [NM_CORE_ARM1136] = &arm11,
                                                    [NM_CORE_ARM1176] = &arm11};

    return of[card->core];
}

/* ---- those of a machine ---------------------------------------------------------------------- */

/** The code of one space, as some cards' instructions. */
struct text {
    const struct nm_params *card; /* one of them */
    unsigned block;               /* of the machine's stations: all are of it */
    const struct lx_processor *kind;
    void *code;
};

struct lx_processors {
    struct nm_machine *m;
    struct text *text; /* [texts] */
    unsigned texts;
    uint64_t awaited, came, due; /* with several of them: times that processors came there */
    unsigned of[];               /* [cards] which of them it executes */
};

static const struct text *text_of(const struct lx_processors *ps, unsigned card)
{
    return &ps->text[ps->of[card]];
}

/** Whether the same bytes are the same instructions to both. */
static bool reads_alike(const struct nm_params *a, const struct nm_params *b)
{
    return a->core == b->core && a->isa == b->isa;
}

/** The text for such a card: one that is there, or a new one. Processors of different blocks run at
 *  a time, so each block has its own. */
static unsigned find_text(struct lx_processors *ps, unsigned card, lx_fetch_fn *fetch, void *ctx)
{
    const struct nm_params *p = nm_card_params(ps->m, card);
    const struct lx_processor *kind = lx_processor_of(p);
    const unsigned block = nm_machine_block(ps->m, card);
    unsigned i = 0;

    while (i < ps->texts && !(ps->text[i].block == block && reads_alike(ps->text[i].card, p)))
        i++;
    if (i < ps->texts)
        return i;
    ps->text = sim_grow(ps->text, ps->texts + 1, sizeof *ps->text);
    ps->text[ps->texts++] = (struct text){p, block, kind, kind->code_new(fetch, ctx, p)};
    return i;
}

struct lx_processors *lx_processors_new(struct nm_machine *m, lx_fetch_fn *fetch, void *ctx)
{
    const unsigned cards = nm_machine_cards(m);
    struct lx_processors *ps = sim_alloc(1, sizeof *ps + cards * sizeof *ps->of);

    ps->m = m;
    for (unsigned c = 0; c < cards; c++) {
        ps->of[c] = find_text(ps, c, fetch, ctx);
        text_of(ps, c)->kind->code_give(m, c, text_of(ps, c)->code);
    }
    return ps;
}

void lx_processors_free(struct lx_processors *ps)
{
    for (unsigned i = 0; i < ps->texts; i++)
        ps->text[i].kind->code_free(ps->text[i].code);
    free(ps->text);
    free(ps);
}

void lx_processor_take(const struct lx_processors *ps, unsigned card, union lx_regs *regs,
                       struct lx_call_site *call)
{
    text_of(ps, card)->kind->take(ps->m, card, regs, call);
}

void lx_processor_resume(const struct lx_processors *ps, unsigned card, const union lx_regs *regs,
                         sim_tick at)
{
    text_of(ps, card)->kind->resume(ps->m, card, regs, at);
}

const union lx_regs *lx_processor_registers(const struct lx_processors *ps, unsigned card)
{
    return text_of(ps, card)->kind->registers(ps->m, card);
}

void lx_processors_flush(const struct lx_processors *ps, uint64_t va, uint64_t len)
{
    for (unsigned i = 0; i < ps->texts; i++)
        ps->text[i].kind->code_flush(ps->text[i].code, va, len);
}

bool lx_processors_await(struct lx_processors *ps, uint64_t va, uint64_t times)
{
    if (ps->texts == 1)
        return ps->text->kind->code_await(ps->text->code, va, times);
    if (ps->awaited != va)
        ps->came = ps->due = 0;
    for (unsigned i = 0; ps->awaited != va && i < ps->texts; i++)
        ps->text[i].kind->code_await(ps->text[i].code, va, 1);
    ps->awaited = va;
    ps->due = times > UINT64_MAX - ps->due ? UINT64_MAX : ps->due + times;
    return va && ps->came >= ps->due;
}

bool lx_processors_came(struct lx_processors *ps, unsigned card)
{
    const struct text *text = text_of(ps, card);

    if (ps->texts == 1)
        return true;
    text->kind->code_await(text->code, ps->awaited, 1);
    return ++ps->came == ps->due;
}
