/* The registers of the monitoring card: none yet. They read as zero and take no value. */
#include "procard/card.h"

uint32_t pc_monitor_read(struct pc_card *card, uint32_t offset, nm_tick now)
{
    (void)card, (void)offset, (void)now;
    return 0;
}

void pc_monitor_write(struct pc_card *card, uint32_t offset, uint32_t value, nm_tick now)
{
    (void)card, (void)offset, (void)value, (void)now;
}
