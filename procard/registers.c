/*
 * Accesses to a card's register space: by this processor, by another card's, or by the host. What
 * the registers mean is in the counter unit (monitor/) and sync.c (interrupts and barriers).
 */
#include "machine/values.h"
#include "procard/card.h"
#include "procard/procard.h"

static sim_fire_fn registers_deliver;

/* Bits of the interrupt register that have gone up interrupt the processor, each once until it is
 * cleared. */
static void registers_attend(struct pc_card *card, sim_tick now)
{
    const uint32_t pending = pc_sync_pending(&card->sync);
    if (pending & ~card->called)
        sim_post(card->k, now + card->p->monitor_interrupt * pc_bus_cycle(card), SIM_RANK_OS,
                 nm_component(card->position, PC_OS_ORDER_CALL), registers_deliver, card, 0);
    card->called = pending;
}

static void registers_deliver(void *self, sim_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)arg;
    nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_REGISTER);
}

uint32_t pc_register_read(struct pc_card *card, uint32_t offset, sim_tick now)
{
    if (pc_l2c_has(card, offset))
        return pc_l2c_read(card, offset, now);
    if (!pc_sync_has(offset))
        return pc_monitor_read(card, offset, now);
    const uint32_t value = pc_sync_read(&card->sync, offset);
    registers_attend(card, now);
    return value;
}

unsigned pc_register_write(struct pc_card *card, unsigned writer, uint32_t offset, uint32_t value,
                           sim_tick now)
{
    if (!pc_l2c_has(card, offset) && !pc_sync_has(offset))
        return pc_monitor_write(card, writer, offset, value, now);
    const unsigned reason = pc_l2c_has(card, offset) ? pc_l2c_write(card, offset, value, now)
                                                     : pc_sync_write(&card->sync, offset, value);
    if (reason)
        pc_monitor_refuse(card, offset, reason);
    registers_attend(card, now);
    return reason;
}

const struct mon_register_row *pc_register_at(struct nm_machine *m, unsigned card, uint32_t offset)
{
    const struct pc_card *c = pc_card_of(nm_machine_card(m, card));
    return pc_l2c_has(c, offset) ? pc_l2c_register_at(c, offset)
           : pc_sync_has(offset) ? pc_sync_register_at(offset)
                                 : mon_unit_register(nm_card_unit(m, card)->ops, offset);
}
