/*
 * A loop in which a processor does nothing but look: what a core tells of it (cursor.h).
 *
 * A processor spins while it goes round a loop, all loads in it come from where they came from the
 * last time round and bring what they brought then, what they bring decides whether it stays, and
 * it stores nothing, but by store-conditionals of the loop itself, which leave the word as it was.
 * From outside the loop nothing is to be seen of it.
 */
#ifndef PC_LOOP_H
#define PC_LOOP_H

#include "base/time.h"

#include <stdbool.h>
#include <stdint.h>

enum { PC_LOOP_VALUES = 6 };

/** A core has come round a loop. */
struct pc_round {
    uint64_t head, pc; /**< virtual addresses of its first instruction, and of its last transfer */
    uint64_t va;       /**< of the word that it looks at; NOWHERE: not known */
    uint64_t stores;   /**< that the processor has ever completed */
    uint64_t changed;  /**< store-conditionals that have ever changed their word, */
    uint64_t failed;   /**< and that have failed */
    unsigned scs;      /**< store-conditionals in the loop: it may have completed each */
    bool waits;        /**< what it loads decides whether it goes round once more */
    unsigned values;   /**< how many values tell one time round from another, and */
    uint64_t value[PC_LOOP_VALUES]; /**< ... which they are: what the addresses of its loads come
                                       from, and their data */
};

/** A loop that a card is in, or has been in last: the outermost that has closed. */
struct pc_loop {
    struct pc_round round; /**< the last one; head and pc 0: none */
    struct pc_round inner; /**< the last one of a loop within; likewise */
    bool left;             /**< by its own transfer: the wait is over, if no loop is around it */
    unsigned tries;        /**< store-conditionals within, since the last round */
    uint32_t thread;
    uint64_t rounds;   /**< in vain, of loops within, too */
    uint64_t pc, va;   /**< of the last of those: as struct pc_round has them */
    sim_tick from, to; /**< [ticks] from the first look on until the last of them, or its end */
    sim_tick lost;     /**< [ticks] when its line was taken away last; 0: never */
    uint32_t lost_to;  /**< the thread that took it */
};

struct pc_cursor;

/** A store-conditional has been made. @param changes  other bytes than the word has or had */
void pc_cursor_tried(struct pc_cursor *cursor, bool changes, bool stored);

enum { PC_LOOKS = 4 };

/** The last accesses of a core that may have taken longer, from its last transfer elsewhere on:
 * when a loop closes for the first time, they tell when its first time round began. */
struct pc_looks {
    struct {
        uint64_t pc;
        sim_tick at; /**< [ticks] before it */
    } look[PC_LOOKS];
    unsigned count; /**< the last is look[(count - 1) % PC_LOOKS] */
};

#endif
