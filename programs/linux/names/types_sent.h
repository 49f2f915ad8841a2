/*
 * How the process that reads types sends them: records, each with the bytes of its name behind it.
 * A type is known by a number that means nothing else. Its record may come after those that use it.
 */
#ifndef LX_TYPES_SENT_H
#define LX_TYPES_SENT_H

#include "programs/linux/names/dwarf.h"

#include <stdint.h>

enum lx_sent_kind {
    LX_SENT_LEAF,    /**< a type without parts: `size` */
    LX_SENT_STRUCT,  /**< `size`; its members follow */
    LX_SENT_UNION,   /**< the same */
    LX_SENT_MEMBER,  /**< of the last STRUCT or UNION: `type`, or a bit field of `size` bytes whose
                          type is 0; `at` [bytes] from the beginning; or, if `id` is not 0, a
                         virtual base, whose place is `at` bytes in front of the first function in
                         the struct's table */
    LX_SENT_ARRAY,   /**< `at` elements of `type`; LX_SENT_OPEN: a number that is not known */
    LX_SENT_POINTER, /**< of `size` bytes, to a `type`; 0: to nothing that is known */
    LX_SENT_COLUMNS, /**< an ARRAY of Fortran's, whose first element has the number `size` */
    LX_SENT_DESCRIPTOR, /**< of `size` bytes: it begins with the address of an array of `type`, of
                             Fortran; its BOUNDs follow */
    LX_SENT_BOUND,      /**< of the last DESCRIPTOR: where in it the first and last number are of a
                             dimension: `at` and `size`, the first dimension first */
    LX_SENT_STATIC,     /**< a variable of `type` at address `at` */
    LX_SENT_LOCAL,      /**< the same, `at` bytes from the beginning of a thread's variables */
    LX_SENT_DECLARED, /**< the same, where its symbol is, whose name this is: a compiler may say no
                           more of a member of a template */
    LX_SENT_FUNCTION, /**< its variables follow; `at` functions are around it that it is inlined
                           in */
    LX_SENT_AUTO,     /**< a variable of the last FUNCTION, of `type`, which is at the place `at`
                           (lx_place) while instructions at [id, size) execute */
    LX_SENT_SOURCE    /**< where the source declares what the next record names: in line `at` of the
                           file with the number `id`; 0: it does not say. Numbers begin with 1, and
                           a new one has the file's path as its name. Of AUTOs it holds up to the
                           next SOURCE */
};

#define LX_SENT_OPEN UINT64_MAX

enum { LX_SENT_NAME = 512 /**< [bytes] of a name but a path; longer ones are cut off */ };

/** Where a function's variable is: in memory so many bytes from a register or from the frame's end
 *  (the caller's stack pointer), in memory at the address that lies there; or what is so many bytes
 *  behind its beginning is in a register. */
enum { LX_PLACE_MEMORY, LX_PLACE_BEHIND, LX_PLACE_REGISTER };
enum { LX_PLACE_CFA = 32, LX_PLACE_NONE = 63, LX_PLACE_OFFSET = 48 /**< [bits] */ };

static inline uint64_t lx_place(uint64_t mode, uint64_t base, int64_t offset)
{
    return mode << 56 | base << LX_PLACE_OFFSET |
           ((uint64_t)offset & ((UINT64_C(1) << LX_PLACE_OFFSET) - 1));
}

struct lx_sent {
    uint64_t id, type, at, size;
    uint32_t kind; /**< enum lx_sent_kind */
    uint32_t name; /**< [bytes] that follow */
};

/** Sends all static and thread-local variables, those of functions, and the types of all. */
lx_dwarf_fn lx_types_send;

#endif
