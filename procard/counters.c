/*
 * The processor's own event counters and the card around them.
 *
 * The hard idea is the same as of the monitoring card's interrupts (monitor.c): nobody increments a
 * counter, so an event is posted where it can overflow at the soonest, looks, and is posted anew
 * until nothing is left. A signal grows by no more than `most` per PCycle (signals.def), so with n
 * left that is n / most PCycles away. The processor's clock is the PCycle: there are no edges to
 * wait for, and the interrupt, IP7 of its Cause register, is there at the tick of the overflow.
 */
#include "procard/counters.h"

#include "procard/card.h"

static sim_fire_fn counters_look;

/* ---- the core's totals ----------------------------------------------------------------------- */

/* Takes `n` cycles from one mode, as far as it has them. @return what is left of `n` */
static uint64_t leave_out(uint64_t *total, uint64_t n)
{
    const uint64_t taken = n < *total ? n : *total;
    *total -= taken;
    return n - taken;
}

/* All time is cycles of some mode. What the core does not know of is the operating system's, or
 * nobody's, and that is kernel mode; what it has run beyond the tick is a short exception, or its
 * turn in functional mode. */
static void complete_cycles(const struct pc_card *card, sim_tick at, uint64_t cycles[R10K_MODES])
{
    const bool ran = card->cpu.now > card->counters.woken;
    uint64_t beyond = ran && card->cpu.now > at ? card->cpu.now - at : 0;
    beyond = leave_out(&cycles[R10K_EXCEPTION], beyond);
    beyond = leave_out(&cycles[R10K_USER], beyond);
    leave_out(&cycles[R10K_SUPERVISOR], beyond);
    const uint64_t known = cycles[R10K_EXCEPTION] + cycles[R10K_USER] + cycles[R10K_SUPERVISOR];
    cycles[R10K_KERNEL] = at > known ? at - known : 0;
}

bool pc_counters_are(const struct pc_card *card)
{
    return card->core->signals && pc_counters_of(card->p) < R10K_CHIPS;
}

void pc_counters_signals(const struct pc_card *card, sim_tick at, struct r10k_signals *out)
{
    union mon_own_signals all;
    if (!pc_counters_are(card)) {
        *out = (struct r10k_signals){0};
        return;
    }
    card->core->signals(&card->cpu, at, &all);
    *out = all.r10000;
    complete_cycles(card, at, out->total[R10K_SIGNAL_CYCLES]);
}

/* ---- looking at the counters ----------------------------------------------------------------- */

/* Whether a counter counts what grows when nothing else happens: cycles of kernel mode. */
static bool counters_goes_on(const struct pc_counters *counters, unsigned k)
{
    const uint32_t control = counters->unit.counter[k].control;
    return control & R10K_COUNT_KERNEL && !(control >> R10K_EVENT_SHIFT);
}

static void post_look(struct pc_card *card, sim_tick at, bool alone)
{
    struct pc_counters *counters = &card->counters;
    if (!sim_timer_set(&counters->look[alone], at))
        return;
    counters->idle += !alone;
    sim_post(card->k, at, SIM_RANK_LOOK, nm_component(card->position, 0), counters_look, card,
             alone);
}

/* After anything that may have changed what is waited for: interrupts of counters that have come to
 * their overflow, each once until it is over, and the next look. */
static void procard_counters_attend(struct pc_card *card, sim_tick now,
                                    const struct r10k_signals *signals)
{
    struct pc_counters *counters = &card->counters;
    if (card->functional || card->warm.on) /* events would come when their time is over */
        return;
    const unsigned pending = r10k_pending(&counters->unit, signals);
    if (pending & ~counters->raised)
        nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_COUNTERS);
    counters->raised = pending;
    for (unsigned k = 0; k < R10K_COUNTERS; k++) {
        const uint64_t quiet = r10k_quiet(&counters->unit, k, signals);
        if (quiet)
            post_look(card, now + quiet, counters_goes_on(counters, k));
    }
}

static void counters_look(void *self, sim_tick now, uint64_t alone)
{
    struct pc_card *card = self;
    struct r10k_signals signals;
    card->counters.idle -= !alone;
    if (!sim_timer_fires(&card->counters.look[alone], now))
        return;
    pc_l2c_look(card, now);
    if (card->core->look) {
        card->core->look(&card->cpu, now);
        return;
    }
    pc_counters_signals(card, now, &signals);
    procard_counters_attend(card, now, &signals);
}

void pc_counters_woken(struct pc_card *card)
{
    card->counters.woken = card->cpu.now;
}

void pc_counters_leave(struct pc_card *card)
{
    card->counters.look[0].at = card->counters.look[1].at = SIM_NEVER;
}

void pc_counters_go_on(struct pc_card *card, sim_tick at)
{
    struct r10k_signals signals;
    if (!pc_counters_are(card))
        return;
    pc_counters_signals(card, at, &signals);
    procard_counters_attend(card, at, &signals);
}

void pc_counters_look(struct pc_cpu *cpu, sim_tick at, bool alone)
{
    at = sim_later(at, sim_kernel_now(cpu->card->k) + 1);
    if (!cpu->untimed)
        cpu->horizon = sim_earlier(cpu->horizon, at);
    post_look(cpu->card, at, alone);
}

void pc_counters_interrupt(struct pc_cpu *cpu, sim_tick at)
{
    nm_card_interrupts(cpu->card->machine, cpu->number, at, NM_INTERRUPT_COUNTERS);
}

void pc_counters_init(struct pc_card *card)
{
    struct pc_counters *counters = &card->counters;
    counters->look[0].at = counters->look[1].at = SIM_NEVER;
    if (pc_counters_of(card->p) < R10K_CHIPS)
        counters->unit.chip = pc_counters_of(card->p);
}

/* ---- registers ------------------------------------------------------------------------------- */

enum { REGISTERS = 2 * R10K_COUNTERS };

static uint32_t counters_read_register(const struct pc_card *card, unsigned reg, sim_tick at)
{
    struct r10k_signals signals;
    if (reg >= REGISTERS || !pc_counters_are(card))
        return 0;
    if (!(reg & 1))
        return r10k_control(&card->counters.unit, reg / 2);
    pc_counters_signals(card, at, &signals);
    return r10k_value(&card->counters.unit, reg / 2, &signals);
}

static void counters_write_register(struct pc_card *card, unsigned reg, uint32_t value, sim_tick at)
{
    struct r10k_signals signals;
    if (reg >= REGISTERS || !pc_counters_are(card))
        return;
    pc_counters_signals(card, at, &signals);
    if (reg & 1)
        r10k_set_value(&card->counters.unit, reg / 2, value, &signals);
    else
        r10k_set_control(&card->counters.unit, reg / 2, value, &signals);
    procard_counters_attend(card, at, &signals);
}

uint32_t pc_pmc_read(const struct pc_cpu *cpu, unsigned reg)
{
    return counters_read_register(cpu->card, reg, cpu->now);
}

void pc_pmc_write(struct pc_cpu *cpu, unsigned reg, uint32_t value)
{
    counters_write_register(cpu->card, reg, value, cpu->now);
}

/* ---- for the rooms above (procard.h) --------------------------------------------------------- */

/* Looking at a machine changes nothing in it. */
static struct pc_card *counters_card_at(const struct nm_machine *m, unsigned card)
{
    return pc_card_of(nm_machine_card((struct nm_machine *)m, card));
}

unsigned pc_counters(const struct nm_machine *m, unsigned card)
{
    return pc_counters_are(counters_card_at(m, card)) ? R10K_COUNTERS : 0;
}

uint32_t pc_counter_control(const struct nm_machine *m, unsigned card, unsigned k)
{
    return counters_read_register(counters_card_at(m, card), 2 * k, nm_machine_now(m));
}

/* From outside: the station learns of what has been posted. */
static void write_outside(struct nm_machine *m, unsigned card, unsigned reg, uint32_t value)
{
    counters_write_register(counters_card_at(m, card), reg, value, nm_machine_now(m));
    nm_card_posted(m, card);
}

void pc_counter_set_control(struct nm_machine *m, unsigned card, unsigned k, uint32_t control)
{
    write_outside(m, card, 2 * k, control);
}

uint32_t pc_counter(const struct nm_machine *m, unsigned card, unsigned k)
{
    return counters_read_register(counters_card_at(m, card), 2 * k + 1, nm_machine_now(m));
}

void pc_counter_set(struct nm_machine *m, unsigned card, unsigned k, uint32_t value)
{
    write_outside(m, card, 2 * k + 1, value);
}

unsigned pc_counters_pending(const struct nm_machine *m, unsigned card)
{
    struct r10k_signals signals;
    pc_counters_signals(counters_card_at(m, card), nm_machine_now(m), &signals);
    return r10k_pending(&counters_card_at(m, card)->counters.unit, &signals);
}

void pc_signals(const struct nm_machine *m, unsigned card, struct r10k_signals *out)
{
    pc_counters_signals(counters_card_at(m, card), nm_machine_now(m), out);
}

bool pc_own_counts(const struct nm_machine *m, unsigned card)
{
    return counters_card_at(m, card)->core->signals != NULL;
}

const struct pc_unknown_event *pc_unknown_event_at(struct nm_machine *m, unsigned card)
{
    const struct pc_card *its = counters_card_at(m, card);
    return its->core->unknown_event ? its->core->unknown_event(&its->cpu) : NULL;
}

void pc_own_signals(const struct nm_machine *m, unsigned card, union mon_own_signals *out)
{
    const struct pc_card *its = counters_card_at(m, card);
    *out = (union mon_own_signals){.total = {0}};
    if (pc_counters_are(its)) {
        pc_signals(m, card, &out->r10000);
        return;
    }
    if (its->core->signals)
        its->core->signals(&its->cpu, nm_machine_now(m), out);
}
