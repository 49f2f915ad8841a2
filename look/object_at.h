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
    char key[LOOK_OBJECT_NAME];    /**< the object: "tallies", "*pool", "rows[]", "queue (local of
                                      main)", "heap 256 bytes by make at lab.c:33 [5]",
                                      "stack of thread 1003", "TLS of thread 1003: errno" */
    char name[LOOK_OBJECT_NAME];   /**< what lies there: "tallies[3].n", "pool->left", "heap ... [5]
                                      +0x40" */
    char memory[LOOK_OBJECT_NAME]; /**< of a named part of a block or stack: what its key would be
                                      without the name, "heap 256 bytes by ... [5]"; else "" */
    uint64_t from, size;           /**< [bytes] virtual; size 0: not known */
    uint64_t offset;               /**< [bytes] of the address in it */
    struct prog_object variable;   /**< of a STATIC or TLS, and of named parts of blocks and
                                      stacks, where it is one element of an array: for
                                      prog_names.member; without a name: none of these */
    const struct doc_part *part;   /**< of a named part of a block or stack; else NULL */
    const struct doc_block *block; /**< of a HEAP or HEADER */
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

/** Takes what tells objects of one kind apart off the key: the number of a heap block (blocks of
 *  one site are one object, and so are their headers: "headers of heap 8 bytes by make at
 *  lab.c:33"), the indices in a path, the thread of a local variable. */
void look_object_group(struct look_object *object);

/** What all blocks of the place are called together that got a block, or that of a header: "heap 8
 *  bytes by make at lab.c:33", whatever the program calls it; "" of other objects. @return buf */
const char *look_object_place(const struct look_object *object, char buf[LOOK_OBJECT_NAME]);

/** The key of a place's headers, as look_object_group makes it. @return buf */
const char *look_object_headers(const char *place, char buf[LOOK_OBJECT_NAME]);

/** Where what malloc has in front of a block begins; the block's own beginning, if it has nothing
 *  there. [bytes] virtual */
uint64_t look_object_header(struct look_finder *finder, const struct doc_block *block);

/** Whether a block, or that of a header, is one of C++'s `new`. */
bool look_object_is_new(const struct look_finder *finder, const struct look_object *object);

/** Takes the indices, and the thread, off a path: "rows[][]" of "rows[3][5]". */
void look_object_cut_numbers(char *path);

/** The member of an object at an offset in it, as prog_names.member has it: of one with a
 *  `variable`. */
void look_object_member(const struct look_finder *finder, const struct look_object *object,
                        uint64_t offset, unsigned depth, struct prog_member *out);

/** What that is called: "pool->stats[2].tested". @return buf */
const char *look_object_member_name(const struct look_finder *finder,
                                    const struct look_object *object,
                                    const struct prog_member *member, char *buf, size_t size);

/** The thread that had an address last, in its stack or with its thread-local variables, of those
 *  born before then. NULL: none had */
const struct doc_thread *look_object_thread(const struct look_finder *finder, uint64_t va,
                                            sim_tick before);

/** What its struct is called, or that of its elements: `name`; "": it has none.
 *  @param object  one with a `variable` */
void look_object_type(const struct look_finder *finder, const struct look_object *object,
                      struct prog_member *out);

/** The line that declares an object: of what a pointer leads to its struct, if that is the
 * program's own; else the variable that its name begins with.
 *  @param out  its file as it is called today @return false: that is not known */
bool look_object_declared(const struct look_finder *finder, const struct look_object *object,
                          struct prog_line *out);

/** Cuts off what begins with a library's own member: "queue.lock" of "queue.lock.__data.__lock". */
void look_object_cut_library(char *name);

/** What is behind the name of the variable that a path begins with: " (local of main)"; "" of
 * others.
 *  @return buf */
const char *look_object_owner(const struct look_finder *finder, const struct look_object *object,
                              char *buf, size_t size);

/** All parts of blocks and stacks that have names. */
const struct doc_part *look_object_parts(const struct look_finder *finder, size_t *count);

/** As the object that a block or stack has there whose part it is. */
void look_object_of_part(struct look_finder *finder, const struct doc_part *part,
                         struct look_object *out);

/** Forgets the part: it is the whole block then, called by its memory, or the stack. */
void look_object_unnamed(struct look_object *object, uint64_t va);

/** The place in the program that a site is known by: of the calls that led to it, the last one that
 *  comes from a source line; if none does, the last one. Functions have no arguments there, also of
 *  templates, unless that would be the name of another place, too.
 *  @return "make at lab.c:33", "make", or an address; valid until look_finder_free */
const char *look_site_name(struct look_finder *finder, uint32_t site);

/** What is shown for a name with a site in it whose function is there in full: "heap 8 bytes by
 *  Pool<int>::get(int) at pool.h:7 [2]". @return the caller's; NULL: it is no such name */
char *look_object_brief(struct look_finder *finder, const char *name);

#endif
