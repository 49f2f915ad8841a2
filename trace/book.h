/*
 * Signals and when they changed: what every recording is made of.
 *
 * A signal has one value at a time. Only changes are kept, those in the book's window; of what was
 * before only the value at its begin is. What comes in may be dated differently from signal to
 * signal, but of one signal in the order of time. All changes are sorted when the book is closed.
 */
#ifndef TRC_BOOK_H
#define TRC_BOOK_H

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** No value is known. */
#define TRC_UNKNOWN UINT64_MAX

/** What a signal is of: which files have it. */
enum trc_of {
    TRC_OF_WIRE,      /**< of the machine: waveforms */
    TRC_OF_PROCESSOR, /**< what a processor does */
    TRC_OF_THREAD,    /**< what a thread does: enum trc_thread_state, and its card << 8 */
};

struct trc_signal {
    enum trc_of of;
    unsigned number; /**< of the processor's card, or the operating system's of the thread */
    char part[64];   /**< component as in the results, "machine.station[3].bus"; "": none */
    char name[64];
    unsigned bits; /**< it has, 1 to 63 */
    const char *(*word)(
        uint64_t value); /**< what a value is called, static; NULL: it is a number */
    uint64_t first;      /**< its value when the window begins */

    /* of the book */
    uint64_t now, before; /**< the last value, and the one before */
    size_t last;          /**< its last change; SIZE_MAX: none is kept */
};

/** From `at` on the signal has the value. */
struct trc_change {
    sim_tick at;
    uint64_t value;
    uint32_t signal; /**< index; of a change that came to nothing UINT32_MAX */
    uint32_t number; /**< in the order of coming */
};

struct trc_book {
    sim_tick from, to; /**< [ticks] the window [from, to) */
    size_t signals, changes;
    struct trc_signal *signal; /**< [signals] */
    struct trc_change *change; /**< [changes] once closed: by time, signal, coming */

    /* the book's own */
    size_t signals_room, changes_room;
};

/** An empty book of that window; trc_book_free releases it. */
void trc_book_open(struct trc_book *book, sim_tick from, sim_tick to);
void trc_book_free(struct trc_book *book);

/** Adds a signal (copied), whose value is `first` so far. @return its index */
uint32_t trc_book_add(struct trc_book *book, const struct trc_signal *signal);

/** The signal has a value from `at` on. Dates of one signal do not go back. */
void trc_book_set(struct trc_book *book, uint32_t signal, sim_tick at, uint64_t value);

/** Nothing more comes; the window ends at `to`, if not before. One that begins there or later has
 *  no signals. Once. */
void trc_book_close(struct trc_book *book, sim_tick to);

#endif
