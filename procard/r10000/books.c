/*
 * What the counters hear, against what the pipeline itself knows, and against each other: the
 * identities of monitor/r10000/identities.def, and the truths that the results have beside the
 * events. A signal that is counted twice, or on one path and not on the other, shows here.
 */
#include "base/invariant.h"
#include "procard/r10000/pipeline.h"

#include <inttypes.h>

/* In every mode, with what shows in the next cycle. */
static uint64_t total(const struct r10k *c, enum r10k_signal s)
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
        SIM_MUST(total(c, row->signal) <= row->times * total(c, row->other),
                 "processor %u at %" PRIu64 ": %s: %" PRIu64 " and %" PRIu64, c->base.number,
                 c->base.now, row->text, total(c, row->signal), total(c, row->other));
    }
}

/* What the results say of a run beside the events (struct nm_truth, the profile). */
static void look_at_truth(const struct r10k *c)
{
    const uint64_t graduated = total(c, R10K_SIGNAL_GRADUATED);
    const struct {
        const char *what;
        uint64_t signal, truth;
    } same[] = {
        {"graduated: instructions, and those that count twice", graduated, c->timed + c->twos_done},
        {"primary misses of instructions", total(c, R10K_SIGNAL_L1I_MISSES),
         c->l1_misses[PC_SIDE_I]},
        {"refills of the primary data cache", total(c, R10K_SIGNAL_L1D_REFILLS),
         c->l1_misses[PC_SIDE_D]},
        {"refills of the TLB", total(c, R10K_SIGNAL_TLB_REFILLS), c->tlb_refills},
        {"quadwords of primary lines written back", total(c, R10K_SIGNAL_L1D_WRITEBACKS),
         c->l1_writebacks * (c->p->l1d_line / R10K_QUADWORD)},
        {"states of stores' lines", total(c, R10K_SIGNAL_STORES_TO_EITHER),
         total(c, R10K_SIGNAL_STORES_TO_CLEAN) + 2 * total(c, R10K_SIGNAL_STORES_TO_SHARED)},
    };
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        SIM_MUST(same[i].signal == same[i].truth,
                 "processor %u at %" PRIu64 ", %s: %" PRIu64 " counted, %" PRIu64 " true",
                 c->base.number, c->base.now, same[i].what, same[i].signal, same[i].truth);
    SIM_MUST(graduated <= total(c, R10K_SIGNAL_ISSUED) + c->twos_done + c->without_unit,
             "processor %u at %" PRIu64 ": %" PRIu64 " graduated, %" PRIu64 " issued, %" PRIu64
             " need no unit",
             c->base.number, c->base.now, graduated, total(c, R10K_SIGNAL_ISSUED), c->without_unit);
    SIM_MUST(c->timed <= total(c, R10K_SIGNAL_DECODED), "processor %u: instructions were decoded",
             c->base.number);
}

void r10k_look_at_books(const struct r10k *c)
{
    look_at_identities(c);
    look_at_truth(c);
}

static uint64_t growth(const struct r10k *c, const struct r10k_signals *before, enum r10k_signal s)
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
    const uint64_t asked =
        growth(c, before, R10K_SIGNAL_INTERVENTIONS) + growth(c, before, R10K_SIGNAL_INVALIDATES);
    for (enum r10k_signal s = 0; s < R10K_SIGNALS; s++) {
        const uint64_t grown = growth(c, before, s);
        SIM_MUST(grown <= r10k_signal_most(s) * (1 + asked),
                 "processor %u at %" PRIu64 ": %s grows by %" PRIu64, c->base.number, c->base.now,
                 r10k_signal_name(s), grown);
    }
}
