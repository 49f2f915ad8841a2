/*
 * A busy machine for the tests of the monitoring card: real processors with a small loop of MIPS
 * instructions that shares lines, writes its own, multiplies and adds floating-point numbers.
 */
#ifndef MONITOR_RIG_H
#define MONITOR_RIG_H

#include "machine/machine.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "procard/r4400/r4400.h"

struct rig {
    struct nm_params p;
    struct nm_machine *m;
    struct r4400_code *code;
    unsigned running;
};

/** Parameters of a machine with that many cards per station, stations per ring, and rings. */
struct nm_params rig_params(unsigned processors, unsigned stations, unsigned locals);

/** Builds the machine; every card has been told to go through the loop `rounds` times. */
void rig_new(struct rig *rig, const struct nm_params *p, unsigned rounds);
/** ... of cards of another kind. */
void rig_new_of(struct rig *rig, const struct nm_params *p, const struct nm_card_kind *kind,
                unsigned rounds);
void rig_free(struct rig *rig);

/** Runs to `until` or to the first interrupt, whose card and tick it tells; cards that are done
 *  stay idle. False: it was no interrupt. */
bool rig_run(struct rig *rig, sim_tick until, struct nm_trap *trap);

/** Runs until all cards are done and everything on its way has arrived. Interrupts are ignored. */
void rig_finish(struct rig *rig);

/** A hash of the time, of all totals and of what the unsynchronised increments of the shared word
 *  add up to. */
uint64_t rig_hash(struct rig *rig);

/** A register of a card. */
static inline uint32_t rig_get(struct rig *rig, unsigned card, uint32_t offset)
{
    return nm_card_register_read(rig->m, card, offset);
}
static inline void rig_set(struct rig *rig, unsigned card, uint32_t offset, uint32_t value)
{
    nm_card_register_write(rig->m, card, offset, value);
}

/** A card's SRAM. */
static inline const struct mon_sram *rig_sram(const struct nm_machine *m, unsigned card)
{
    return &mon_const_board_of(nm_card_unit(m, card))->sram;
}

/** The word for CONTROLk. */
static inline uint32_t rig_control(enum mon_event_id event, bool mask, bool interrupt)
{
    return MON_PUT(event, CONTROL0_EVENT) | MON_PUT(mask, CONTROL0_MASK) |
           MON_PUT(interrupt, CONTROL0_INTERRUPT);
}

#endif
