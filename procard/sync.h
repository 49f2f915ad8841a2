/*
 * The registers of a processor card with which processors wait for each other and call each other:
 * an interrupt register, barriers, and windows through which a store goes to many cards.
 *
 * Plain logic: the card around it (registers.c, uncached.c) brings accesses at their time, sends
 * what goes through a window, and interrupts its processor.
 */
#ifndef PC_SYNC_H
#define PC_SYNC_H

#include "machine/params.h"
#include "monitor/unit.h"
#include "ring/mask.h"

enum {
    PC_SYNC_BEGIN = 0x1000, /**< [bytes] the registers lie from here on, */
    PC_SYNC_END = 0x1100,   /**< up to here */
    PC_SYNC_WORDS = (PC_SYNC_END - PC_SYNC_BEGIN) / 4,
    PC_WINDOWS = 4,
    PC_WINDOW = 0x20000,     /**< [bytes] offset of the first window */
    PC_WINDOW_SPAN = 0x8000, /**< [bytes] of each: the registers' offsets that it reaches */
    PC_BARRIERS = 8
};

_Static_assert(PC_WINDOW + PC_WINDOWS * PC_WINDOW_SPAN <= MON_SRAM_WINDOW &&
                   (int)PC_SYNC_END <= (int)PC_WINDOW_SPAN,
               "windows reach the registers and leave the SRAM alone");

/** Offset of a register: PC_SYNC_IRQ ... */
enum pc_sync_register {
#define REGISTER(name, offset, bits, access, reset, sentence) PC_SYNC_##name = offset,
#define FIELD(register, name, low, bits, sentence)
#include "procard/sync.def"
#undef REGISTER
#undef FIELD
};

/** Rows of sync.def, in its order, and one without a name. */
const struct mon_register_row *pc_sync_registers(size_t *count);
/** The register at an offset, or NULL. */
const struct mon_register_row *pc_sync_register_at(uint32_t offset);
const struct mon_field_row *pc_sync_fields(size_t *count);

struct pc_sync {
    uint32_t word[PC_SYNC_WORDS]; /**< by (offset - PC_SYNC_BEGIN) / 4 */
};

/** As after power-on, on a machine with these parameters. */
void pc_sync_init(struct pc_sync *s, const struct nm_params *p);

/** Whether the offset is in the registers' range, with a register there or without. */
static inline bool pc_sync_has(uint32_t offset)
{
    return offset >= PC_SYNC_BEGIN && offset < PC_SYNC_END;
}

/** Precondition of both: pc_sync_has(offset), a multiple of 4. What is not there reads 0. */
uint32_t pc_sync_read(struct pc_sync *s, uint32_t offset);
/** @return 0, or why not (MON_REFUSED); then nothing has changed */
unsigned pc_sync_write(struct pc_sync *s, uint32_t offset, uint32_t value);

/** Bits of the interrupt register that are set and enabled. */
uint32_t pc_sync_pending(const struct pc_sync *s);

/** Whether the offset is in a window. */
static inline bool pc_sync_is_window(uint32_t offset)
{
    return offset >= PC_WINDOW && offset < PC_WINDOW + PC_WINDOWS * PC_WINDOW_SPAN;
}

/** The cards that a store into a window goes to. */
struct pc_sync_cast {
    uint32_t offset; /**< of the register that is written at each */
    ring_mask route; /**< stations; 0: none */
    uint8_t cards;   /**< bit per card of each of them; 0: none */
};

/** Precondition: pc_sync_is_window(offset). Bits of stations and cards that do not exist are left
 *  out. */
struct pc_sync_cast pc_sync_cast(const struct pc_sync *s, const struct ring_shape *shape,
                                 unsigned cards, uint32_t offset);

#endif
