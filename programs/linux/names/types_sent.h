/*
 * How the process that reads types sends them: records, each with the bytes of its name behind it.
 * A type is known by a number that means nothing else. Its record may come after those that use it.
 */
#ifndef LX_TYPES_SENT_H
#define LX_TYPES_SENT_H

#include "programs/linux/names/dwarf.h"

#include <stdint.h>

enum lx_sent_kind {
    LX_SENT_LEAF,   /**< a type without parts: `size` */
    LX_SENT_STRUCT, /**< `size`; its members follow */
    LX_SENT_UNION,  /**< the same */
    LX_SENT_MEMBER, /**< of the last STRUCT or UNION: `type`, or a bit field of `size` bytes whose
                         type is 0; `at` [bytes] from the beginning */
    LX_SENT_ARRAY,  /**< `at` elements of `type`; LX_SENT_OPEN: a number that is not known */
    LX_SENT_STATIC, /**< a variable of `type` at address `at` */
    LX_SENT_LOCAL   /**< the same, `at` bytes from the beginning of a thread's variables */
};

#define LX_SENT_OPEN UINT64_MAX

enum { LX_SENT_NAME = 512 /**< [bytes] of a name; longer ones are cut off */ };

struct lx_sent {
    uint64_t id, type, at, size;
    uint32_t kind; /**< enum lx_sent_kind */
    uint32_t name; /**< [bytes] that follow */
};

/** Sends all static and thread-local variables, and their types. */
lx_dwarf_fn lx_types_send;

#endif
