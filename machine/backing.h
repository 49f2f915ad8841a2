/*
 * What lines hold. The protocol moves rights and time; the bytes are in one memory image, in the
 * stale copies beside it, and in checking mode a second time in every cache and packet.
 */
#ifndef NM_BACKING_H
#define NM_BACKING_H

#include "base/room.h"
#include "machine/check.h"
#include "machine/stale.h"

/** Shared by all components of a machine, which owns them. */
struct nm_backing {
    uint8_t *image;         /**< all stations' memories, by physical address */
    struct nm_stale *stale; /**< copies older than the image */
    struct nm_check *check; /**< the checking mode */
    struct sim_room *room;  /**< for the components' bytes of lines */
    struct sim_room *parts; /**< for the components, and the data of each access */
    uint8_t *heeds; /**< [cards] not 0: the card must hear of what nobody's store has written
                         (nm_card_ops.os_wrote) */
};

#endif
