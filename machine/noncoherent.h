/*
 * Accesses outside coherence: uncached reads and writes of single data, in memory or in the
 * register space of a card, and lines of non-coherent pages (TR-17; R4400 manual p. 84: page
 * attributes). They travel like everything else, but no directory learns of them.
 */
#ifndef NM_NONCOHERENT_H
#define NM_NONCOHERENT_H

#include "machine/controller.h"
#include "machine/machine.h"

/** The card, machine-wide, in whose register space `pa` lies. Precondition: pa >= NM_REGISTERS */
static inline unsigned nm_register_card(uint64_t pa)
{
    return (unsigned)((pa - NM_REGISTERS) / NM_REGISTER_SPACE);
}

/** Whether the message is one of those below, which the protocol's table does not know. */
static inline bool nm_is_noncoherent(enum nm_message message)
{
    _Static_assert(NM_MSG_UNC_RD + 8 == NM_MSG__COUNT && NM_MSG_UNC_CAST == NM_MSG__COUNT - 1,
                   "these are the last of the table");
    return message >= NM_MSG_UNC_RD;
}

/** Whether it goes back to the card that asked. */
static inline bool nm_is_noncoherent_response(enum nm_message message)
{
    return message == NM_MSG_UNC_DATA || message == NM_MSG_UNC_DONE || message == NM_MSG_NCH_DATA;
}

/** Replaces the bytes of the doubleword at `to` that `bytes` names (bit 0: the first). */
void nm_noncoherent_merge(uint8_t *to, uint64_t word, uint8_t bytes);

/**
 * A memory card takes such a message: the datum is read or written now, the answer leaves when the
 * DRAM is done.
 * @param image  host address of physical address 0
 */
void nm_noncoherent_take(struct nm_controller *c, uint8_t *image, const struct nm_packet *in,
                         sim_tick now);

#endif
