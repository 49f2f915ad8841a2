/*
 * Fast-forwarding and samples.
 *
 * The hard idea is whose time passes in a functional stretch between two samples. Threads interact
 * in time, so they must not all go at one PCycle an instruction: each processor goes at the pace
 * that it had in the last sample. So the machine's clock tells at the end what the whole program
 * would have taken, and threads meet about where they would have met.
 *
 * Caches do not learn of what happens in a functional stretch. That is what the time before a
 * sample is for, which is timed and not counted.
 */
#include "programs/approach.h"

#include "base/alloc.h"
#include "procard/procard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESTS = 64,      /**< [PCycles] between two looks whether the machine rests */
    LOOKS = 1024,    /**< [PCycles] at least, between two looks at instructions */
    FEW = 64,        /**< instructions that tell no pace */
    PACE_MAX = 4096, /**< [PCycles] an instruction: a processor that hardly got on */
};

static const double QUANTILE = 1.96; /* of the normal distribution, 95 % */

static struct nm_machine *machine(const struct prog_stages *s)
{
    return s->run->m;
}

struct prog_stages *prog_stages_new(struct prog_run *run)
{
    const struct prog_approach *a = &run->spec->approach;
    struct prog_stages *s;

    run->out->reached = a->from.kind == PROG_AT_NONE;
    if (a->from.kind == PROG_AT_NONE && a->to.kind == PROG_AT_NONE && !a->period)
        return NULL;
    s = sim_alloc(1, sizeof *s);
    s->run = run;
    s->approach = a;
    s->next = SIM_NEVER;
    s->begun = sim_alloc(nm_machine_cards(run->m), sizeof *s->begun);
    s->pace = sim_alloc(nm_machine_cards(run->m), sizeof *s->pace);
    return s;
}

/** What the samples come to. */
static struct prog_sampled sampled(const struct prog_stages *s)
{
    const double n = s->samples, mean = n ? s->sum / n : 0;
    const double spread = n > 1 ? fmax(0, (s->squares - n * mean * mean) / (n - 1)) : 0;

    return (struct prog_sampled){.samples = s->samples,
                                 .rate = mean,
                                 .error = n > 1 ? QUANTILE * sqrt(spread / n) / mean : 1};
}

void prog_stages_end(struct prog_stages *s)
{
    if (!s)
        return;
    s->run->out->sampled = sampled(s);
    free(s->begun);
    free(s->pace);
    free(s);
}

/* ---- samples --------------------------------------------------------------------------------- */

static struct prog_begun card_now(const struct prog_stages *s, unsigned card)
{
    struct nm_truth truth;

    nm_card_truth(machine(s), card, &truth);
    return (struct prog_begun){truth.instructions, truth.running};
}

static void begin_sample(struct prog_stages *s)
{
    const sim_tick now = nm_machine_now(machine(s));

    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        s->begun[c] = card_now(s, c);
    s->began = now;
    s->stage = PROG_STAGE_SAMPLE;
    s->next = now + s->approach->sample;
    prog_mark(s->run, "sample", true);
}

/** Paces of this sample; of cards that it tells too little of, those of the last one, or the mean
 * of the others. */
static void take_paces(struct prog_stages *s)
{
    uint64_t instructions = 0, running = 0;

    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++) {
        const struct prog_begun now = card_now(s, c);
        const uint64_t done = now.instructions - s->begun[c].instructions;
        const uint64_t ran = now.running - s->begun[c].running;
        instructions += done;
        running += ran;
        if (done >= FEW && ran >= done)
            s->pace[c] = sim_earlier(ran * NM_PACE / done, PACE_MAX * NM_PACE);
        else if (done >= FEW)
            s->pace[c] = NM_PACE;
    }
    if (!instructions)
        return;
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        if (!s->pace[c])
            s->pace[c] = sim_later(running * NM_PACE / instructions, NM_PACE);
    const double rate = (double)(nm_machine_now(machine(s)) - s->began) / (double)instructions;
    if (getenv("DBG")) { fprintf(stderr, "sample %u at %lu rate %.4f pace", s->samples, (unsigned long)s->began, rate*16); for (unsigned c=0;c<16;c++) fprintf(stderr," %.2f", s->pace[c]/256.0); fputc('\n',stderr);}
    s->sum += rate;
    s->squares += rate * rate;
    s->samples++;
}

static void rest(struct prog_stages *s)
{
    s->stage = PROG_STAGE_REST;
    nm_machine_freeze(machine(s));
}

static void end_sample(struct prog_stages *s)
{
    take_paces(s);
    prog_mark(s->run, "sample", false);
    rest(s);
}

/** The length of a stretch, half the period to one and a half: with equal ones, a program whose own
 *  periods are in step would always be seen doing the same. */
static sim_tick stretch(const struct prog_stages *s)
{
    uint64_t x = (s->samples + 1 + s->run->spec->seed) * 0x9e3779b97f4a7c15; /* splitmix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return s->approach->period / 2 + (x ^ x >> 31) % s->approach->period;
}

/* ---- stages ---------------------------------------------------------------------------------- */

static void forward(struct prog_stages *s)
{
    const bool samples = s->reached && !s->passed;

    nm_machine_set_mode(machine(s), NM_MODE_FUNCTIONAL);
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        nm_card_set_pace(machine(s), c, s->pace[c] ? s->pace[c] : NM_PACE);
    s->stage = s->passed ? PROG_STAGE_AFTER : PROG_STAGE_FORWARD;
    s->next = samples ? nm_machine_now(machine(s)) + stretch(s) : SIM_NEVER;
}

/** The machine is timed: what comes first. */
static void detail(struct prog_stages *s)
{
    if (!s->approach->period) {
        s->stage = PROG_STAGE_DETAIL;
        s->next = SIM_NEVER;
        return;
    }
    s->stage = PROG_STAGE_WARM;
    s->next = nm_machine_now(machine(s)) + s->approach->warm;
}

void prog_stages_begin(struct prog_stages *s)
{
    s->reached = s->run->out->reached;
    if (s->reached) {
        detail(s);
        return;
    }
    nm_machine_freeze(machine(s));
    forward(s);
}

static uint64_t instructions(const struct prog_stages *s)
{
    uint64_t n = 0;

    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        n += pc_cpu_at(machine(s), c)->instructions;
    return n;
}

/** The point that is waited for, if it is one of instructions. */
static const struct prog_point *counted(const struct prog_stages *s)
{
    const struct prog_point *p = s->reached ? &s->approach->to : &s->approach->from;

    return p->kind == PROG_AT_INSTRUCTIONS && !s->passed ? p : NULL;
}

static sim_tick look_at(const struct prog_stages *s)
{
    const struct prog_point *p = counted(s);
    const sim_tick now = nm_machine_now(machine(s));
    uint64_t done, left;

    if (!p)
        return SIM_NEVER;
    done = instructions(s);
    left = done < p->instructions ? p->instructions - done : 0;
    return now + sim_later(left / nm_machine_cards(machine(s)), LOOKS);
}

sim_tick prog_stages_date(const struct prog_stages *s)
{
    if (!s)
        return SIM_NEVER;
    if (s->stage == PROG_STAGE_REST)
        return nm_machine_now(machine(s)) + RESTS;
    return sim_earlier(s->next, look_at(s));
}

void prog_stages_mark(struct prog_stages *s, const char *name, bool begin)
{
    if (!s)
        return;
    const struct prog_point *p = begin ? &s->approach->from : &s->approach->to;

    if (p->kind != PROG_AT_MARK || strcmp(p->mark, name) != 0)
        return;
    if (begin)
        s->reached = true;
    else
        s->passed = s->reached;
}

/** Whether points have come. */
static void look(struct prog_stages *s)
{
    const struct prog_point *p = counted(s);

    if (!p || instructions(s) < p->instructions)
        return;
    s->passed = s->reached;
    s->reached = true;
}

/** Ends what a second point has overtaken. */
static void leave(struct prog_stages *s)
{
    if (s->stage == PROG_STAGE_SAMPLE)
        prog_mark(s->run, "sample", false);
    if (s->stage == PROG_STAGE_FORWARD)
        s->stage = PROG_STAGE_AFTER;
    else
        rest(s);
    s->next = SIM_NEVER;
}

void prog_stages_step(struct prog_stages *s)
{
    if (!s || s->run->over || s->stage == PROG_STAGE_AFTER)
        return;
    const sim_tick now = nm_machine_now(machine(s));

    look(s);
    s->run->out->reached = s->reached;
    if (s->stage == PROG_STAGE_REST) {
        if (nm_machine_rests(machine(s)))
            forward(s);
    } else if (s->passed) {
        leave(s);
    } else if (s->stage == PROG_STAGE_FORWARD &&
               (s->next == SIM_NEVER ? s->reached : now >= s->next)) {
        nm_machine_set_mode(machine(s), NM_MODE_TIMED);
        detail(s);
    } else if (s->stage == PROG_STAGE_WARM && now >= s->next) {
        begin_sample(s);
    } else if (s->stage == PROG_STAGE_SAMPLE && now >= s->next) {
        end_sample(s);
    }
}
