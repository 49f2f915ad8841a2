/*
 * The processors of a machine as the personality's.
 *
 * The hard idea is an awaited instruction on a machine of several kinds of cores: each kind counts
 * how often its own processors come there. So there every time stops a processor, and the times are
 * counted here.
 */
#include "programs/linux/processor/processor.h"

#include "base/alloc.h"

#include <stdlib.h>

/** The code of one space, as some cards' instructions. */
struct text {
    const struct nm_params *card; /* one of them */
    unsigned block;               /* of the machine's stations: all are of it */
    const struct pc_program_ops *kind;
    void *code;
};

struct lx_processors {
    struct nm_machine *m;
    struct text *text; /* [texts] */
    unsigned texts;
    uint64_t awaited, came, due; /* with several of them: times that processors came there */
    unsigned of[];               /* [cards] which of them it executes */
};

static const struct text *processor_text_of(const struct lx_processors *ps, unsigned card)
{
    return &ps->text[ps->of[card]];
}

/** Whether the same bytes are the same instructions to both. */
static bool reads_alike(const struct nm_params *a, const struct nm_params *b)
{
    return nm_value_core(a) == nm_value_core(b) && nm_value_isa(a) == nm_value_isa(b);
}

/** The text for such a card: one that is there, or a new one. Processors of different blocks run at
 *  a time, so each block has its own. */
static unsigned find_text(struct lx_processors *ps, unsigned card, pc_fetch_fn *fetch, void *ctx)
{
    const struct nm_params *p = nm_card_params(ps->m, card);
    const struct pc_program_ops *kind = pc_programs_at(ps->m, card);
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

struct lx_processors *lx_processors_new(struct nm_machine *m, pc_fetch_fn *fetch, void *ctx)
{
    const unsigned cards = nm_machine_cards(m);
    struct lx_processors *ps = sim_alloc(1, sizeof *ps + cards * sizeof *ps->of);

    ps->m = m;
    for (unsigned c = 0; c < cards; c++) {
        ps->of[c] = find_text(ps, c, fetch, ctx);
        pc_code_give(m, c, processor_text_of(ps, c)->code);
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

void lx_processors_flush(const struct lx_processors *ps, uint64_t va, uint64_t len)
{
    for (unsigned i = 0; i < ps->texts; i++)
        if (ps->text[i].kind->code_flush)
            ps->text[i].kind->code_flush(ps->text[i].code, va, len);
    for (unsigned c = 0; c < nm_machine_cards(ps->m); c++)
        pc_code_changed(ps->m, c, va, len);
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

void lx_processors_points(const struct lx_processors *ps, const struct pc_points *points)
{
    for (unsigned i = 0; i < ps->texts; i++)
        ps->text[i].kind->code_points(ps->text[i].code, points);
}

bool lx_processors_came(struct lx_processors *ps, unsigned card)
{
    const struct text *text = processor_text_of(ps, card);

    if (ps->texts == 1)
        return true;
    text->kind->code_await(text->code, ps->awaited, 1);
    return ++ps->came == ps->due;
}
