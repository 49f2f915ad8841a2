/*
 * Accesses to a card's register space, whoever makes them: this processor, another card's, or the
 * host. What the registers mean is in monitor/board.c (the monitoring card) and sync.c (interrupts
 * and barriers).
 */
#include "procard/card.h"
#include "procard/procard.h"

static nm_fire_fn deliver;

/* Bits of the interrupt register that have gone up interrupt the processor, each once until it is
 * cleared. */
static void attend(struct pc_card *card, nm_tick now)
{
    const uint32_t pending = pc_sync_pending(&card->sync);
    if (pending & ~card->called)
        nm_post(card->k, now + card->p->monitor_interrupt * nm_bus_cycle(card->bus), NM_RANK_OS,
                nm_component(card->position, PC_OS_ORDER_CALL), deliver, card, 0);
    card->called = pending;
}

static void deliver(void *self, nm_tick now, uint64_t arg)
{
    struct pc_card *card = self;
    (void)arg;
    nm_card_interrupts(card->machine, card->cpu.number, now, NM_INTERRUPT_REGISTER);
}

static uint32_t read_monitor(struct pc_card *card, uint32_t offset, nm_tick now)
{
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    const uint32_t value = mon_board_read(&card->monitor.board, offset, &taps);
    pc_monitor_refresh(card, now);
    return value;
}

static enum mon_reason write_monitor(struct pc_card *card, unsigned writer, uint32_t offset,
                                     uint32_t value, nm_tick now)
{
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    const enum mon_reason reason =
        mon_board_write_by(&card->monitor.board, writer, offset, value, &taps);
    pc_monitor_refresh(card, now);
    return reason;
}

uint32_t pc_register_read(struct pc_card *card, uint32_t offset, nm_tick now)
{
    if (!pc_sync_has(offset))
        return read_monitor(card, offset, now);
    const uint32_t value = pc_sync_read(&card->sync, offset);
    attend(card, now);
    return value;
}

enum mon_reason pc_register_write(struct pc_card *card, unsigned writer, uint32_t offset,
                                  uint32_t value, nm_tick now)
{
    if (!pc_sync_has(offset))
        return write_monitor(card, writer, offset, value, now);
    const enum mon_reason reason = pc_sync_write(&card->sync, offset, value);
    if (reason != MON_REASON_none)
        mon_board_refuse(&card->monitor.board, offset, reason);
    attend(card, now);
    return reason;
}

const struct mon_register_row *pc_register_at(uint32_t offset)
{
    return pc_sync_has(offset) ? pc_sync_register_at(offset) : mon_register_at(offset);
}
