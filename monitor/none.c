/*
 * The counter unit of a card that has none, so that no caller has to ask first whether there is
 * one.
 */
#include "monitor/unit.h"

#include "base/alloc.h"

#include <stdlib.h>

static struct mon_unit *none_create(const struct mon_site *site)
{
    struct mon_unit *unit = sim_alloc(1, sizeof *unit);
    (void)site;
    unit->ops = &mon_none;
    return unit;
}

static void none_release(struct mon_unit *unit)
{
    free(unit);
}

static uint32_t none_read_register(struct mon_unit *unit, uint32_t offset,
                                   const struct mon_taps *now)
{
    (void)unit, (void)offset, (void)now;
    return 0;
}

static unsigned none_write_register(struct mon_unit *unit, unsigned writer, uint32_t offset,
                                    uint32_t value, const struct mon_taps *now)
{
    (void)unit, (void)writer, (void)offset, (void)value, (void)now;
    return MON_REFUSED_NO_REGISTER;
}

static unsigned none_pending(const struct mon_unit *unit, const struct mon_taps *now,
                             uint64_t known, unsigned *which)
{
    (void)unit, (void)now, (void)known;
    *which = 0;
    return 0;
}

static const struct mon_row reasons[] = {
    {"no_register", "", "the card has no counters, so there is no register",
     MON_REFUSED_NO_REGISTER},
    {"read_only", "", "the register cannot be written", MON_REFUSED_READ_ONLY},
    {0}};

const struct mon_unit_ops mon_none = {.name = "none",
                                      .reasons = reasons,
                                      .create = none_create,
                                      .free = none_release,
                                      .read = none_read_register,
                                      .write = none_write_register,
                                      .pending = none_pending};
