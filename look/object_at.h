/*
 * Which object an address belongs to, by name: variables with their members, blocks of the heap by
 * the place that got them, stacks, thread-local variables.
 */
#ifndef LOOK_OBJECT_AT_H
#define LOOK_OBJECT_AT_H

#include "documents/rows/objects.h"
#include "documents/rows/profile.h"
#include "documents/rows/truth.h"
#include "look/code.h"

enum look_object_kind {
    LOOK_OBJECT_NONE,   /**< nothing is known of the address: it has it as its name */
    LOOK_OBJECT_STATIC, /**< a static variable */
    LOOK_OBJECT_HEAP,   /**< a block that malloc, mmap or their like gave */
    LOOK_OBJECT_HEADER, /**< what malloc has in front of a block */
    LOOK_OBJECT_STACK,
    LOOK_OBJECT_TLS, /**< a thread-local variable, or the thread's descriptor */
    LOOK_OBJECT_CODE /**< a function */
};

enum { LOOK_OBJECT_NAME = 768 };

/** What lies at an address. */
struct look_object {
    enum look_object_kind kind;
    char key[LOOK_OBJECT_NAME];      /**< the object: "tallies", "heap 256 bytes by make at lab.c:33
                                        [5]",      "stack of thread 1003", "TLS of thread 1003: errno" */
    char name[LOOK_OBJECT_NAME];     /**< what lies there: "tallies[3].n", "heap ... [5] +0x40" */
    uint64_t from, size;             /**< [bytes] virtual; size 0: not known */
    uint64_t offset;                 /**< [bytes] of the address in it */
    struct prog_object variable;     /**< of a STATIC or TLS: for prog_names.member */
    const struct doc_block *block;   /**< of a HEAP or HEADER */
    const struct doc_thread *thread; /**< of a STACK or TLS */
};

struct look_finder;

/** All of them are the caller's, and outlive it, as truths that are asked about do. @param code may
 * know nothing
 *  @return the caller's */
struct look_finder *look_finder_new(const struct doc_objects *objects,
                                    const struct doc_profile *profile, struct look_code *code);
void look_finder_free(struct look_finder *finder);

/** What lay at `va` between two ticks: of things within each other, the smallest; of those of one
 *  kind that were there one after the other, the one that was there for longest, then the youngest.
 */
void look_object_at(struct look_finder *finder, uint64_t va, sim_tick from, sim_tick to,
                    struct look_object *out);

/** What a row of the truth asked for, by its tenant: also where memory was used again. */
void look_object_asked(struct look_finder *finder, const struct doc_truth *truth,
                       const struct pc_missed_row *row, struct look_object *out);

/** Whether the object that a row asked for has `va`, too, which is then described. Without a block,
 *  stack or thread-local variable it is what never moves that decides. */
bool look_object_same(struct look_finder *finder, const struct doc_truth *truth,
                      const struct pc_missed_row *row, uint64_t va, struct look_object *out);

/** Takes the number off the key of a heap block: blocks of one site are one object. */
void look_object_group(struct look_object *object);

/** The place in the program that a site is known by: of the calls that led to it, the last one that
 *  comes from a source line; if none does, the last one.
 *  @param buf  gets "make at lab.c:33", "make", or an address @return buf */
const char *look_site_name(struct look_finder *finder, uint32_t site, char *buf, size_t size);

#endif
