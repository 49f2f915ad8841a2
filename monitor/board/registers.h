/*
 * The NUMAchine's counter unit as software sees it: its kind, and the names of its registers.
 */
#ifndef MON_REGISTERS_H
#define MON_REGISTERS_H

#include "monitor/unit.h"

#pragma GCC visibility push(default)

/** The kind of unit. */
extern const struct mon_unit_ops mon_numachine;

enum {
    MON_COUNTERS = 4,           /**< counters of a card (N-2) */
    MON_SRAM_WORDS = 65536,     /**< (N-78) */
    MON_BIT_SRAM = MON_COUNTERS /**< of OVERFLOW and INTERRUPT, beside one bit per counter */
};

/** Offset of a register: MON_REG_COUNTER0 ... */
enum mon_register {
#define REGISTER(name, offset, bits, access, reset, sentence) MON_REG_##name = offset,
#define FIELD(register, name, low, bits, sentence)
#include "monitor/board/registers.def"
#undef REGISTER
#undef FIELD
};

/** Bits a register has: MON_BITS_COMMAND. */
enum mon_register_bits {
#define REGISTER(name, offset, bits, access, reset, sentence) MON_BITS_##name = bits,
#define FIELD(register, name, low, bits, sentence)
#include "monitor/board/registers.def"
#undef REGISTER
#undef FIELD
};

/** Low bit and value mask of a field: MON_LOW_MASK_PHASE, MON_MAX_MASK_PHASE. */
enum mon_field {
#define REGISTER(name, offset, bits, access, reset, sentence)
#define FIELD(register, name, low, bits, sentence) \
    MON_LOW_##register##_##name = low, MON_MAX_##register##_##name = (1 << (bits)) - 1,
#include "monitor/board/registers.def"
#undef REGISTER
#undef FIELD
};

/** Value of a field in a register's word; `field` like MASK_PHASE. */
#define MON_GET(word, field) ((word) >> MON_LOW_##field & MON_MAX_##field)
/** A field's value where it stands in the word. */
#define MON_PUT(value, field) ((uint32_t)(value) << MON_LOW_##field)

/** Why a write was refused (reasons.def). */
enum mon_reason {
#define REASON(name, number, sentence) MON_REASON_##name = number,
#include "monitor/board/reasons.def"
#undef REASON
};

#pragma GCC visibility pop

#endif
