/*
 * Coprocessor 15, as a user program sees it: the registers of cp15.def.
 */
#include "procard/arm11/profile.h"

#include "machine/values.h"

/* `n` PCycles behind the instruction's own. */
static void stalls(struct arm11 *c, enum pc_status state, uint64_t n)
{
    arm11_spends(c, state, n);
    c->spent[0].to++;
}

static bool flush_prefetch(struct arm11 *c, uint32_t value)
{
    enum { REFILL = 4 }; /* [PCycles] as a branch that was wrong, assumed */
    (void)value;
    if (!c->base.untimed)
        stalls(c, PC_ST_KILL_BRANCH, REFILL);
    return true;
}

/* All loads and stores are done, also the one in the uncached store buffer. */
static bool all_done(struct arm11 *c, bool counts)
{
    return c->base.untimed || (pc_sync(&c->base, c->base.now, &c->why) && arm11_barrier(c, counts));
}

static bool drain(struct arm11 *c, uint32_t value)
{
    (void)value;
    return all_done(c, true);
}

/* A barrier that orders needs no more than that what is older is done. */
static bool order(struct arm11 *c, uint32_t value)
{
    (void)value;
    return all_done(c, c->p->arm11_dmb_drains);
}

static bool read_tls_user(struct arm11 *c, uint32_t *value)
{
    *value = c->r.tls_user;
    return true;
}

static bool write_tls_user(struct arm11 *c, uint32_t value)
{
    c->r.tls_user = value;
    return true;
}

static bool read_tls(struct arm11 *c, uint32_t *value)
{
    *value = c->r.tls;
    return true;
}

#define COUNTER(name, reg)                                              \
    static bool read_##name(struct arm11 *c, uint32_t *value)           \
    {                                                                   \
        *value = arm11_counter_read(c, reg);                            \
        if (!c->base.untimed)                                           \
            stalls(c, PC_ST_STALL_OTHER, c->p->arm11_counter_read - 1); \
        return true;                                                    \
    }                                                                   \
    static bool write_##name(struct arm11 *c, uint32_t value)           \
    {                                                                   \
        arm11_counter_write(c, reg, value);                             \
        return true;                                                    \
    }
COUNTER(pmnc, ARM11_PMNC)
COUNTER(ccnt, ARM11_CCNT)
COUNTER(pmn0, ARM11_PMN0)
COUNTER(pmn1, ARM11_PMN1)
#undef COUNTER

/* Whether a user program has a register at all: of an ARM1176, the counters only with bit V of the
 * access validation control register, which programs cannot write ([M] 3-137). */
static bool has(const struct arm11 *c, const struct arm11_cp15 *r)
{
    return c->p->core != NM_CORE_ARM1176 || r->crn != 15 || c->p->arm11_user_counters;
}

static const struct arm11_cp15 registers[] = {
#define CP15(crn, op1, crm, op2, read, write, name) {crn, op1, crm, op2, name, read, write},
#include "procard/arm11/cp15.def"
#undef CP15
};

const struct arm11_cp15 *arm11_cp15_find(const struct arm11 *c, uint32_t word)
{
    for (unsigned i = 0; i < sizeof registers / sizeof *registers; i++) {
        const struct arm11_cp15 *r = &registers[i];
        if (r->crn == (word >> 16 & 15) && r->op1 == (word >> 21 & 7) && r->crm == (word & 15) &&
            r->op2 == (word >> 5 & 7) && has(c, r))
            return r;
    }
    return NULL;
}
