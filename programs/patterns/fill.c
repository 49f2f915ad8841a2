/*
 * Batches of references, by shape: those that are drawn one by one, rounds of a pair, turns of a
 * group, and locks.
 *
 * In a closed loop a batch holds as many references as fit. In an open loop it holds one, because
 * the moment at which it is done decides whether the next one is late; when the core asks again is
 * that moment.
 */
#include "programs/patterns/parts.h"

enum {
    BATCH = PATTERNS_BATCH,
    WORD = 4, /**< [bytes] of words that are waited for, */
    WORD_SHIFT = 2,
};

static uint64_t fill_value_of(const struct patterns_plan *plan, enum patterns_key key)
{
    return plan->phase->value[key];
}

static struct pc_packed fill_reference(bool store, const struct patterns_plan *plan, uint64_t va,
                                       uint64_t ticks, uint64_t value)
{
    return (struct pc_packed){
        .what = pc_pack(store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD, plan->shift, va),
        .ticks = (uint32_t)ticks,
        .value = (uint32_t)value};
}

static struct pc_packed word_store(uint64_t va, uint64_t value)
{
    return (struct pc_packed){
        .what = pc_pack(PC_REFERENCE_STORE, WORD_SHIFT, va), .ticks = 1, .value = (uint32_t)value};
}

static struct pc_packed fill_work(uint64_t ticks)
{
    return (struct pc_packed){.what = pc_pack(PC_REFERENCE_COMPUTE, 0, 0),
                              .ticks = (uint32_t)ticks};
}

static struct patterns_draw draw_of(const struct patterns_run *p, const struct patterns_member *m,
                                    uint64_t number)
{
    return patterns_draw(p->team.run->spec->seed, (uint32_t)(m->phase << 16 | m->thread), number);
}

/** [PCycles] of work that belong to a reference. */
static uint64_t fill_think(const struct patterns_plan *plan, const struct patterns_draw *draw)
{
    return fill_value_of(plan, PATTERNS_spacing) == PATTERNS_DRAWN
               ? patterns_geometric_draw(&plan->spaces, draw->word[3])
               : fill_value_of(plan, PATTERNS_think);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static uint64_t word_drawn(const struct patterns_plan *plan, const struct patterns_member *m,
                           uint64_t number, const struct patterns_draw *draw)
{
    (void)number;
    return patterns_region(plan, m) + (patterns_below(draw->word[1], plan->count) << plan->shift);
}

/** What is left of the word that chose the line chooses in it. */
static uint64_t line_drawn(const struct patterns_plan *plan, const struct patterns_member *m,
                           uint64_t number, const struct patterns_draw *draw)
{
    const uint64_t throw = draw->word[1] * plan->count, in_line = plan->line >> plan->shift;
    const struct patterns_alias *alias = &plan->zipf[throw >> 32];
    const uint64_t line = draw->word[2] <= alias->own ? throw >> 32 : alias->other;

    (void)number;
    return patterns_region(plan, m) + line * plan->line +
           (patterns_below((uint32_t) throw, in_line) << plan->shift);
}

static uint64_t fill_stepped(const struct patterns_plan *plan, const struct patterns_member *m,
                             uint64_t number, const struct patterns_draw *draw)
{
    (void)draw;
    return patterns_region(plan, m) + number % plan->count * fill_value_of(plan, PATTERNS_stride);
}

static uint64_t own_word(const struct patterns_plan *plan, const struct patterns_member *m,
                         uint64_t number, const struct patterns_draw *draw)
{
    (void)draw;
    return patterns_region(plan, m) + number % plan->count * plan->row + m->rank * plan->apart;
}

static uint64_t fill_remote(const struct patterns_plan *plan, const struct patterns_member *m,
                            uint64_t number, const struct patterns_draw *draw)
{
    (void)draw;
    return patterns_region(plan, m) + number % plan->places * plan->part +
           number / plan->places % plan->count * plan->line;
}

patterns_address_fn *patterns_address(enum patterns_kind kind)
{
    static patterns_address_fn *const addresses[PATTERNS_KINDS] = {
        [PATTERNS_KIND_private] = word_drawn,      [PATTERNS_KIND_uniform] = word_drawn,
        [PATTERNS_KIND_read_mostly] = word_drawn,  [PATTERNS_KIND_zipf] = line_drawn,
        [PATTERNS_KIND_stride] = fill_stepped,     [PATTERNS_KIND_false_shared] = own_word,
        [PATTERNS_KIND_all_to_all] = fill_remote,  [PATTERNS_KIND_neighbour] = fill_remote,
        [PATTERNS_KIND_bit_reverse] = fill_remote, [PATTERNS_KIND_transpose] = fill_remote,
    };

    return addresses[kind];
}

/* ---- drawn one by one ------------------------------------------------------------------------ */

/** The next reference, without work behind it. */
static struct pc_packed patterns_fill_drawn(const struct patterns_plan *plan,
                                            struct patterns_member *m,
                                            const struct patterns_draw *draw)
{
    const uint64_t number = m->done++;
    const bool stores = draw->word[0] < plan->stores &&
                        (plan->phase->kind != PATTERNS_KIND_read_mostly || !m->rank);

    m->made++;
    return fill_reference(stores, plan, plan->address(plan, m, number, draw), 1, number);
}

static void fill_closed(struct patterns_run *p, struct patterns_member *m,
                        const struct patterns_plan *plan, struct driven_batch *out)
{
    const uint64_t references = fill_value_of(plan, PATTERNS_references),
                   burst = fill_value_of(plan, PATTERNS_burst),
                   pause = fill_value_of(plan, PATTERNS_pause);
    struct patterns_draw draw = {{0}};

    for (; out->count < BATCH && m->done < references; out->count++) {
        if (plan->draws)
            draw = draw_of(p, m, m->done);
        m->batch[out->count] = patterns_fill_drawn(plan, m, &draw);
        m->batch[out->count].ticks += (uint32_t)fill_think(plan, &draw);
        if (burst && m->done % burst == 0)
            m->batch[out->count].ticks += (uint32_t)pause;
    }
}

/** When the next reference is offered: threads one after the other within a space. */
static sim_tick fill_offered(const struct patterns_run *p, const struct patterns_member *m,
                             const struct patterns_plan *plan, const struct patterns_draw *draw)
{
    const unsigned __int128 nth = (unsigned __int128)m->done * p->team.threads + m->thread;

    if (plan->spaces.logs)
        return m->due + patterns_geometric_draw(&plan->spaces, draw->word[3]);
    return m->began + (sim_tick)(nth * 1000 * PATTERNS_ONE / fill_value_of(plan, PATTERNS_rate) /
                                 p->team.threads);
}

static void fill_open(struct patterns_run *p, struct patterns_member *m,
                      const struct patterns_plan *plan, sim_tick now, struct driven_batch *out)
{
    const struct patterns_draw draw = draw_of(p, m, m->done);
    sim_tick due;

    if (!m->waited)
        m->due = fill_offered(p, m, plan, &draw);
    due = m->due;
    m->waited = due > now && due - now > UINT32_MAX; /* more than a batch can wait */
    if (due > now)
        m->batch[out->count++] = fill_work(m->waited ? UINT32_MAX : due - now);
    if (m->waited)
        return;
    m->batch[out->count++] = patterns_fill_drawn(plan, m, &draw);
    m->pending = true;
    m->issued = due > now ? due : now;
}

static void fill_drawn(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                       const struct driven_result *result, struct driven_batch *out)
{
    const struct patterns_plan *plan = &p->plan[m->phase];

    (void)result;
    if (plan->open)
        fill_open(p, m, plan, now, out);
    else
        fill_closed(p, m, plan, out);
}

void patterns_settle(struct patterns_run *p, struct patterns_member *m, sim_tick now)
{
    struct patterns_sums *sums = &p->plan[m->phase].sums;

    if (!m->pending)
        return;
    m->pending = false;
    sums->late += m->issued - m->due;
    patterns_note(sums, now - m->issued - 1); /* but for the reference's own */
}

/* ---- words that are waited for --------------------------------------------------------------- */

static void fill_act(struct driven_batch *out, enum driven_act act, uint64_t va, uint64_t value,
                     enum pc_relation relation)
{
    out->act = act;
    out->size = WORD;
    out->address = va;
    out->value = (uint32_t)value;
    out->relation = relation;
}

/** References of a round or turn, as many as fit. @param count  of the whole round
 *  @return whether it, or the phase, is over */
static bool fill_round(struct patterns_run *p, struct patterns_member *m, uint64_t count,
                       struct driven_batch *out)
{
    const struct patterns_plan *plan = &p->plan[m->phase];
    const uint64_t references = fill_value_of(plan, PATTERNS_references), round = m->done / count;
    const bool turn = plan->phase->kind == PATTERNS_KIND_migratory;
    const uint64_t data = patterns_region(plan, m) + plan->front;

    do {
        const struct patterns_draw draw =
            plan->draws ? draw_of(p, m, m->done) : (struct patterns_draw){{0}};
        const uint64_t at = m->done++ % count;
        const uint64_t va = data + (turn ? at / 2 * plan->line : at << plan->shift);
        m->made++;
        m->batch[out->count++] = fill_reference(turn ? at % 2 : !m->rank, plan, va,
                                                1 + fill_think(plan, &draw), round + 1);
    } while (out->count < BATCH && m->done % count && m->done < references);
    return m->done % count == 0 || m->done == references;
}

/** A pair's rounds: the first word counts what is stored, the second what is loaded. */
static void fill_rounds(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                        const struct driven_result *result, struct driven_batch *out)
{
    const struct patterns_plan *plan = &p->plan[m->phase];
    const uint64_t word = patterns_region(plan, m), round = m->done / plan->count;
    const uint64_t mine = word + m->rank * plan->line, other = word + !m->rank * plan->line;

    (void)now, (void)result;
    if (!m->waited && m->done % plan->count == 0) {
        m->waited = true;
        fill_act(out, DRIVEN_WAIT, other, round + m->rank, PC_AT_LEAST);
        return;
    }
    if (fill_round(p, m, plan->count, out)) {
        m->batch[out->count++] = word_store(mine, round + 1);
        m->waited = false;
    }
}

/** A group's turns: the word is the number of the present one. */
static void fill_turns(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                       const struct driven_result *result, struct driven_batch *out)
{
    const struct patterns_plan *plan = &p->plan[m->phase];
    const uint64_t word = patterns_region(plan, m), count = 2 * plan->count,
                   turn = m->done / count * m->of + m->rank;

    (void)now, (void)result;
    if (!m->waited && m->done % count == 0) {
        m->waited = true;
        fill_act(out, DRIVEN_WAIT, word, turn, PC_AT_LEAST);
        return;
    }
    if (fill_round(p, m, count, out)) {
        m->batch[out->count++] = word_store(word, turn + 1);
        m->waited = false;
    }
}

/* ---- locks ----------------------------------------------------------------------------------- */

/** The first attempt. */
static void try_lock(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                     struct driven_batch *out)
{
    const struct patterns_plan *plan = &p->plan[m->phase];
    const struct patterns_draw draw =
        plan->draws ? draw_of(p, m, m->done) : (struct patterns_draw){{0}};
    const uint64_t wait = fill_think(plan, &draw), word = patterns_region(plan, m);

    if (wait)
        m->batch[out->count++] = fill_work(wait);
    m->issued = now + wait;
    switch (fill_value_of(plan, PATTERNS_lock)) {
    case PATTERNS_TAS:
        m->stage = PATTERNS_SWAPS;
        fill_act(out, DRIVEN_SWAP, word, 1, PC_IS);
        break;
    case PATTERNS_TTAS:
        m->stage = PATTERNS_LOOKS;
        fill_act(out, DRIVEN_WAIT, word, 0, PC_IS);
        break;
    default:
        m->stage = PATTERNS_TAKES;
        fill_act(out, DRIVEN_ADD, word, 1, PC_IS);
        break;
    }
}

/** The lock is the thread's: it holds it, and gives it back. */
static void hold_lock(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                      struct driven_batch *out)
{
    struct patterns_plan *plan = &p->plan[m->phase];
    const uint64_t word = patterns_region(plan, m), hold = fill_value_of(plan, PATTERNS_hold);
    const bool ticket = fill_value_of(plan, PATTERNS_lock) == PATTERNS_TICKET;

    patterns_note(&plan->sums, now - m->issued);
    if (hold)
        m->batch[out->count++] = fill_work(hold);
    m->batch[out->count++] =
        ticket ? word_store(word + plan->line, m->ticket + 1) : word_store(word, 0);
    m->stage = PATTERNS_FREE;
    m->done++;
    m->made++;
}

static void fill_locks(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                       const struct driven_result *result, struct driven_batch *out)
{
    const struct patterns_plan *plan = &p->plan[m->phase];
    const uint64_t word = patterns_region(plan, m);
    const bool looks = fill_value_of(plan, PATTERNS_lock) == PATTERNS_TTAS;

    switch (m->stage) {
    case PATTERNS_FREE:
        try_lock(p, m, now, out);
        return;
    case PATTERNS_LOOKS:
        m->stage = PATTERNS_SWAPS;
        fill_act(out, DRIVEN_SWAP, word, 1, PC_IS);
        return;
    case PATTERNS_TAKES:
        m->ticket = (uint32_t)result->value;
        m->stage = PATTERNS_WAITS;
        fill_act(out, DRIVEN_WAIT, word + plan->line, m->ticket, PC_IS);
        return;
    case PATTERNS_SWAPS:
        if (result->value) {
            m->stage = looks ? PATTERNS_LOOKS : PATTERNS_SWAPS;
            fill_act(out, looks ? DRIVEN_WAIT : DRIVEN_SWAP, word, !looks, PC_IS);
            return;
        }
        break;
    case PATTERNS_WAITS:
        break;
    }
    hold_lock(p, m, now, out);
}

/* ---- by shape -------------------------------------------------------------------------------- */

void patterns_fill(struct patterns_run *p, struct patterns_member *m, sim_tick now,
                   const struct driven_result *result, struct driven_batch *out)
{
    static void (*const shapes[])(struct patterns_run *, struct patterns_member *, sim_tick,
                                  const struct driven_result *, struct driven_batch *) = {
#define KIND(id, word, shape, footprint, keys, sentence) fill_##shape,
#include "programs/patterns/kinds.def"
#undef KIND
    };

    out->act = DRIVEN_MORE;
    shapes[p->plan[m->phase].phase->kind](p, m, now, result, out);
    out->reference = m->batch;
}
