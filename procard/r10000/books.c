/*
 * What the counters hear, against what the pipeline itself knows, and against each other: the
 * identities of monitor/r10000/identities.def, and the truths that the results have beside the
 * events. A signal that is counted twice, or on one path and not on the other, shows here.
 */
#include "base/invariant.h"
#include "procard/r10000/pipeline.h"

#include <inttypes.h>

/* In every mode, with what shows in the next cycle. */
static uint64_t books_total(const struct r10k *c, enum r10k_signal s)
{
    uint64_t sum = c->late[s];
    for (unsigned mode = 0; mode < R10K_MODES; mode++)
        sum += c->signals.total[s][mode];
    return sum;
}

struct identity {
    enum r10k_signal signal, other;
    uint64_t times;
    const char *text;
};

static void look_at_identities(const struct r10k *c)
{
    static const struct identity identities[] = {
#define AT_MOST(signal, times, other, why)               \
    {R10K_SIGNAL_##signal, R10K_SIGNAL_##other, (times), \
     #signal " <= " #times " x " #other ": " why},
#include "monitor/r10000/identities.def"
#undef AT_MOST
    };
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        const struct identity *row = &identities[i];
        SIM_MUST(books_total(c, row->signal) <= row->times * books_total(c, row->other),
                 "processor %u at %" PRIu64 ": %s: %" PRIu64 " and %" PRIu64, c->base.number,
                 c->base.now, row->text, books_total(c, row->signal), books_total(c, row->other));
    }
}

/* Of those that have graduated, units may still have a branch: two others were done when it was
 * (issue_finishes). */
static uint64_t books_in_units(const struct r10k *c)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < R10K_FINISHING; i++)
        sum += c->finishing[i].integer + c->finishing[i].fp;
    for (unsigned i = 0; i < c->count; i++)
        sum -= c->entry[(c->head + i) % R10K_ENTRIES].finishes >= c->unfinished;
    return sum;
}

/* What the results say of a run beside the events (struct nm_truth, the profile). */
static void look_at_truth(const struct r10k *c)
{
    const uint64_t graduated = books_total(c, R10K_SIGNAL_GRADUATED);
    const struct {
        const char *what;
        uint64_t signal, truth;
    } same[] = {
        {"graduated: instructions, and those that count twice", graduated, c->timed + c->twos_done},
        {"primary misses of instructions", books_total(c, R10K_SIGNAL_L1I_MISSES),
         c->l1_misses[PC_SIDE_I]},
        {"refills of the primary data cache", books_total(c, R10K_SIGNAL_L1D_REFILLS),
         c->l1_misses[PC_SIDE_D]},
        {"refills of the TLB", books_total(c, R10K_SIGNAL_TLB_REFILLS), c->tlb_refills},
        {"quadwords of primary lines written back", books_total(c, R10K_SIGNAL_L1D_WRITEBACKS),
         c->l1_writebacks * (nm_value_l1d_line(c->p) / R10K_QUADWORD)},
        {"states of stores' lines", books_total(c, R10K_SIGNAL_STORES_TO_EITHER),
         books_total(c, R10K_SIGNAL_STORES_TO_CLEAN) +
             2 * books_total(c, R10K_SIGNAL_STORES_TO_SHARED)},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        SIM_MUST(same[i].signal == same[i].truth,
                 "processor %u at %" PRIu64 ", %s: %" PRIu64 " counted, %" PRIu64 " true",
                 c->base.number, c->base.now, same[i].what, same[i].signal, same[i].truth);
    const uint64_t issued = books_total(c, R10K_SIGNAL_ISSUED) + books_in_units(c);
    SIM_MUST(graduated <= issued + c->twos_done + c->without_unit,
             "processor %u at %" PRIu64 ": %" PRIu64 " graduated, %" PRIu64 " issued, %" PRIu64
             " need no unit",
             c->base.number, c->base.now, graduated, issued, c->without_unit);
    SIM_MUST(c->timed <= books_total(c, R10K_SIGNAL_DECODED),
             "processor %u: instructions were decoded", c->base.number);
}

void r10k_look_at_books(const struct r10k *c)
{
    look_at_identities(c);
    look_at_truth(c);
}

static uint64_t books_growth(const struct r10k *c, const struct r10k_signals *before,
                             enum r10k_signal s)
{
    uint64_t grown = 0;
    for (unsigned mode = 0; mode < R10K_MODES; mode++)
        grown += c->signals.total[s][mode] - before->total[s][mode];
    return grown;
}

/* Others ask between two cycles. Where requests take no time (warming) they also do in one, of
 * several that the core makes in it; each may bring about what a cycle may. */
void r10k_look_at_growth(const struct r10k *c, const struct r10k_signals *before)
{
    const uint64_t asked = books_growth(c, before, R10K_SIGNAL_INTERVENTIONS) +
                           books_growth(c, before, R10K_SIGNAL_INVALIDATES);
    for (enum r10k_signal s = 0; s < R10K_SIGNALS; s++) {
        const uint64_t grown = books_growth(c, before, s);
        SIM_MUST(grown <= r10k_signal_most(s) * (1 + asked),
                 "processor %u at %" PRIu64 ": %s grows by %" PRIu64, c->base.number, c->base.now,
                 r10k_signal_name(s), grown);
    }
}

/* ---- what is passed over --------------------------------------------------------------------- */

/* From when on an instruction has its operands: the data of a store are not asked for. */
static sim_tick operands_at(const struct r10k *c, const struct r10k_entry *e)
{
    const bool memory = e->w->traits & (R10K_LOAD | R10K_STORE);
    sim_tick at = 0;
    for (unsigned i = 0; i < e->w->sources; i++) {
        if (memory && i == e->w->data)
            continue;
        if (e->w->traits & R10K_WHOLE && c->half[e->source[i]] && !r10k_is_oldest(c, e))
            return SIM_NEVER;
        at = sim_later(at, r10k_ready_for(c, e, i));
    }
    return at;
}

/* The first tick from `at` on at which its unit takes an instruction. */
static sim_tick unit_at(const struct r10k *c, const struct r10k_entry *e, sim_tick at)
{
    switch (e->w->unit) {
    case R10K_UNIT_ALU2:
        return e->w->repeat > 1 ? sim_later(at, c->alu2_free) : at;
    case R10K_UNIT_DIV:
        return sim_later(at, c->div_free);
    case R10K_UNIT_SQRT:
    case R10K_UNIT_RSQRT:
        return sim_later(at, c->sqrt_free);
    case R10K_UNIT_ADD:
        at = sim_later(at, c->add_free);
        while (c->madd_adds[at % 4] == at)
            at++;
        return at;
    default:
        return at;
    }
}

static void must_sleep(const struct r10k *c, const struct r10k_entry *e, sim_tick at, sim_tick now,
                       sim_tick next, const char *what)
{
    SIM_MUST(at >= next,
             "processor %u at %" PRIu64 ": asleep until %" PRIu64
             ", though the instruction at %#" PRIx64 " (word %08" PRIx32 ") %s at %" PRIu64,
             c->base.number, now, next, e->pc, e->w->word, what, at);
}

static void look_at_queues(const struct r10k *c, sim_tick now, sim_tick next)
{
    for (uint32_t left = c->places.used; left; left &= left - 1) {
        const struct r10k_entry *e = &c->entry[c->places.entry[__builtin_ctz(left)]];
        const sim_tick at = operands_at(c, e);
        if (at != SIM_NEVER)
            must_sleep(c, e, unit_at(c, e, sim_later(at, now + 1)), now, next, "can issue");
    }
}

/* Loads may also wait for older stores, and are left out. */
static void look_at_addresses(const struct r10k *c, sim_tick now, sim_tick next)
{
    const uint64_t unknown = r10k_by_age(c, c->unknown);
    for (uint64_t left = r10k_by_age(c, c->queued); left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        const struct r10k_entry *e = &c->entry[(c->head + i) % R10K_ENTRIES];
        if (unknown && i == (unsigned)__builtin_ctzll(unknown))
            must_sleep(c, e, operands_at(c, e), now, next, "can have its address calculated");
        if (c->trying & r10k_bit(c, e) && e->access == R10K_ACCESS_READY && !e->exc && !e->tlb &&
            !(e->w->traits & (R10K_LOAD | R10K_ALONE)))
            must_sleep(c, e, e->again, now, next, "can try its access");
    }
}

static sim_tick registers_at(const struct r10k *c, const struct r10k_entry *e)
{
    sim_tick at = 0;
    for (unsigned i = 0; i < e->w->sources; i++)
        at = sim_later(at, r10k_ready_for(c, e, i));
    return at;
}

void r10k_look_at_issue(const struct r10k *c, const struct r10k_entry *e, sim_tick now)
{
    const sim_tick at = registers_at(c, e);
    SIM_MUST(at <= now,
             "processor %u at %" PRIu64 ": the instruction at %#" PRIx64 " (word %08" PRIx32
             ") issues, and has its registers at %" PRIu64,
             c->base.number, now, e->pc, e->w->word, at);
    SIM_MUST(!c->scratch.gpr[0], "processor %u at %" PRIu64 ": register 0 is %#" PRIx64,
             c->base.number, now, c->scratch.gpr[0]);
}

/* What the queues' bits say of registers is so, and nobody who could be told has been forgotten. */
static void look_at_place(const struct r10k *c, unsigned place)
{
    const struct r10k_entry *e = &c->entry[c->places.entry[place]];
    const bool ready = c->places.ready >> place & 1, coming = c->places.coming >> place & 1;
    const sim_tick at = registers_at(c, e);
    SIM_MUST(e->place == place && (ready    ? at <= c->issues
                                   : coming ? at == e->wakes
                                            : at == SIM_NEVER),
             "processor %u: the instruction at %#" PRIx64 " (word %08" PRIx32
             "), place %u, has its registers at %" PRIu64 "; ready: %d, coming: %d",
             c->base.number, e->pc, e->w->word, place, at, ready, coming);
}

void r10k_look_at_places(const struct r10k *c)
{
    for (uint32_t left = c->places.used; left; left &= left - 1)
        look_at_place(c, (unsigned)__builtin_ctz(left));
    SIM_MUST(!((c->places.ready | c->places.coming) & ~c->places.used),
             "processor %u: empty places wait", c->base.number);
}

void r10k_look_at_sleep(const struct r10k *c, sim_tick now, sim_tick next)
{
    if (next == now + 1)
        return;
    look_at_queues(c, now, next);
    look_at_addresses(c, now, next);
    if (c->count)
        must_sleep(c, &c->entry[c->head], c->entry[c->head].done, now, next, "can graduate");
    for (unsigned i = 0; i < c->branches; i++)
        if (c->entry[c->branch[i]].known)
            must_sleep(c, &c->entry[c->branch[i]], c->entry[c->branch[i]].again, now, next,
                       "can be verified");
    for (unsigned i = 0; i < R10K_MISSES; i++)
        SIM_MUST(!c->miss[i].phase || c->miss[i].phase == R10K_MISS_MEMORY || c->miss[i].at >= next,
                 "processor %u at %" PRIu64 ": asleep until %" PRIu64 ", though line %#" PRIx64
                 " is ready at %" PRIu64,
                 c->base.number, now, next, c->miss[i].line, c->miss[i].at);
}
