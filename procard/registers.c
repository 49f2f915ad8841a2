/*
 * Register accesses of the monitoring card, whoever makes them: this processor, another card's, or
 * the host. What they mean is in monitor/board.c.
 */
#include "procard/card.h"

uint32_t pc_monitor_read(struct pc_card *card, uint32_t offset, nm_tick now)
{
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    const uint32_t value = mon_board_read(&card->monitor.board, offset, &taps);
    pc_monitor_refresh(card, now);
    return value;
}

enum mon_reason pc_monitor_write(struct pc_card *card, unsigned writer, uint32_t offset,
                                 uint32_t value, nm_tick now)
{
    struct mon_taps taps;
    pc_monitor_taps(card, now, &taps);
    const enum mon_reason reason =
        mon_board_write_by(&card->monitor.board, writer, offset, value, &taps);
    pc_monitor_refresh(card, now);
    return reason;
}
