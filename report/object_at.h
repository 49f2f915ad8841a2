/*
 * Which object an address belongs to, by name: variables with their members, blocks of the heap by
 * the place that got them, stacks, thread-local variables.
 */
#ifndef REP_OBJECT_AT_H
#define REP_OBJECT_AT_H

#include "report/objects.h"
#include "report/profile.h"
#include "report/profile_code.h"
#include "report/truth.h"

enum rep_object_kind {
    REP_OBJECT_NONE,   /**< nothing is known of the address: it has it as its name */
    REP_OBJECT_STATIC, /**< a static variable */
    REP_OBJECT_HEAP,   /**< a block that malloc, mmap or their like gave */
    REP_OBJECT_HEADER, /**< what malloc has in front of a block */
    REP_OBJECT_STACK,
    REP_OBJECT_TLS, /**< a thread-local variable */
    REP_OBJECT_CODE /**< a function */
};

enum { REP_OBJECT_NAME = 768 };

/** What lies at an address. */
struct rep_object {
    enum rep_object_kind kind;
    char key[REP_OBJECT_NAME]; /**< the object: "tallies", "heap 256 bytes by make at lab.c:33 [5]",
                                    "stack of thread 1003", "TLS of thread 1003: errno" */
    char name[REP_OBJECT_NAME];      /**< what lies there: "tallies[3].n", "heap ... [5] +0x40" */
    uint64_t from, size;             /**< [bytes] virtual; size 0: not known */
    uint64_t offset;                 /**< [bytes] of the address in it */
    struct prog_object variable;     /**< of a STATIC or TLS: for prog_names.member */
    const struct rep_block *block;   /**< of a HEAP or HEADER */
    const struct rep_thread *thread; /**< of a STACK or TLS */
};

struct rep_finder;

/** All of them are the caller's, and outlive it, as truths that are asked about do. @param code may
 * know nothing
 *  @return the caller's */
struct rep_finder *rep_finder_new(const struct rep_objects *objects,
                                  const struct rep_profile *profile, struct rep_code *code);
void rep_finder_free(struct rep_finder *finder);

/** What lay at `va` between two ticks. If that was one thing after the other, it is the one that
 *  was there for longest, then the youngest. */
void rep_object_at(struct rep_finder *finder, uint64_t va, sim_tick from, sim_tick to,
                   struct rep_object *out);

/** What a row of the truth asked for, by its tenant: also where memory was used again. */
void rep_object_asked(struct rep_finder *finder, const struct rep_truth *truth,
                      const struct pc_missed_row *row, struct rep_object *out);

/** Whether the object that a row asked for has `va`, too, which is then described. Without a block,
 *  stack or thread-local variable it is what never moves that decides. */
bool rep_object_same(struct rep_finder *finder, const struct rep_truth *truth,
                     const struct pc_missed_row *row, uint64_t va, struct rep_object *out);

/** Takes the number off the key of a heap block: blocks of one site are one object. */
void rep_object_group(struct rep_object *object);

/** The place in the program that a site is known by: of the calls that led to it, the last one that
 *  comes from a source line; if none does, the last one.
 *  @param buf  gets "make at lab.c:33", "make", or an address @return buf */
const char *rep_site_name(struct rep_finder *finder, uint32_t site, char *buf, size_t size);

#endif
