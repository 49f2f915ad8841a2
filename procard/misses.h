/*
 * The truth of misses: why each miss of a secondary cache and each upgrade had to be, its cost, the
 * instruction that asked, and the bytes of each line that each card has touched.
 *
 * It is made in a profiled run, whose interpreter keeps the bytes that are touched beside the lines
 * of the primary caches. Nothing simulated changes. The definitions of true and false sharing are
 * in copies.h; what can be counted, in misses.def.
 *
 * Not seen: the operating system's reads and writes for a program go to the memory image, past
 * all caches.
 */
#ifndef PC_MISSES_H
#define PC_MISSES_H

#include "procard/profile.h"

/** A card's part in a line. */
struct pc_missed_copy {
    uint64_t line; /**< physical address */
    uint64_t va;   /**< virtual address of the line, as the card asked for it first */
    uint32_t card;
    bool code;            /**< of the half for instructions, in a split cache */
    uint64_t read[2];     /**< bytes ever read: those of the line's first 64 bytes, and the rest */
    uint64_t written[2];  /**< ... written */
    uint64_t taken;       /**< [copies] taken away by other cards' requests */
    uint64_t evicted;     /**< [copies] gone to make room */
    sim_tick first, last; /**< requests for it */
};

/** What an instruction on a path of a thread has asked of a line, in a phase. */
struct pc_missed_row {
    uint32_t copy; /**< number of the card's part in the line */
    uint32_t phase, thread, path;
    uint64_t pc, va;      /**< va: of its first request */
    uint32_t tenant;      /**< the tenant of that address: a number of pc_tenant_fn; 0: not asked */
    sim_tick first, last; /**< requests */
    const int64_t *v;     /**< by enum pc_miss_column */
};

/** What sharing made of a line in a stretch of its time (windows.h). */
struct pc_missed_window {
    uint32_t copy;       /**< number of a card's part in the line: the first */
    sim_tick begin, end; /**< its first request, and its last */
    const int64_t *v;    /**< by enum pc_miss_column */
};

/** What sharing would make of a line's bytes if lines had another size, or all objects lay some
 *  bytes further on (sizes.h). */
struct pc_missed_size {
    uint32_t copy; /**< number of a card's part in the line: the first */
    uint32_t bytes, offset;
    uint32_t falsely, truly;                   /**< misses */
    uint32_t upgrades_falsely, upgrades_truly; /**< upgrades */
};

struct pc_misses;

/**
 * Asks of all cards of a profiled machine from now on; before its first run.
 * @param profile  outlives it
 * @return the caller's, released after the machine's last run and before its end; NULL: there are
 * no caches
 */
struct pc_misses *pc_misses_new(struct pc_profile *profile);
void pc_misses_free(struct pc_misses *misses);

/** Has it told what sharing there would be at other line sizes and offsets; before the machine's
 *  first run. */
void pc_misses_sizes(struct pc_misses *misses);

/** The tenant of an address now, when a thread asks for it: a number, 0 if there is none. */
typedef uint32_t pc_tenant_fn(void *ctx, uint32_t thread, uint64_t va);

/**
 * Has `tenant` called at each request, before the machine's first run: requests for one tenant of
 * an address are told from those for another. Once a card has 256 rows of a line, further tenants
 * of it are put together, as number 1 (PC_TENANT_SEVERAL).
 *
 * Cards run ahead of each other, and tenants are told in the cards' order, not in that of time.
 * That is right for a program without races: a thread that gives memory back, or gets it, knows of
 * its use by others only through memory that they wrote, so they have been let run that far.
 */
void pc_misses_tenants(struct pc_misses *misses, pc_tenant_fn *tenant, void *ctx);

/** Ends the truth: after the machine's last run. To be called once, before the four below. */
void pc_misses_end(struct pc_misses *misses);

/** By line, card and half. @return how many; *copies holds until pc_misses_free */
size_t pc_misses_copies(const struct pc_misses *misses, const struct pc_missed_copy **copies);

/** By copy, phase, thread, path, pc and tenant. @return how many; *rows holds, and
 *  all that it points to, until pc_misses_free */
size_t pc_misses_rows(const struct pc_misses *misses, const struct pc_missed_row **rows);

/** By copy and begin. @return how many; *windows holds, and all that it points to, until
 *  pc_misses_free */
size_t pc_misses_windows(const struct pc_misses *misses, const struct pc_missed_window **windows);

/** By copy, bytes and offset. @return how many, 0 without pc_misses_sizes; *sizes holds until
 *  pc_misses_free */
size_t pc_misses_of_sizes(const struct pc_misses *misses, const struct pc_missed_size **sizes);

#endif
