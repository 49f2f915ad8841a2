/*
 * The books of who holds and who waits (locking_books.c), made of events in the order of time.
 */
#ifndef RUN_LOCKING_BOOKS_H
#define RUN_LOCKING_BOOKS_H

#include "base/alloc.h"
#include "documents/rows/locks.h"
#include "procard/profile.h"
#include "programs/program.h"

#include <uthash.h>

enum run_lock_role {
#define ROLE(name, sentence) RUN_LOCK_##name,
#include "run/lock_roles.def"
#undef ROLE
    RUN_LOCK_ROLES
};

/** A function that is watched: a row of lock_functions.def or lock_runtimes.def. */
struct run_lock_function {
    const char *name;
    uint8_t kind, role; /**< enum doc_lock_kind, enum run_lock_role */
};

/** Where threads have met a lock last: who let the next one go on, and when. */
struct run_lock_gift {
    uint32_t thread; /**< 0: nobody has */
    uint32_t site;   /**< where it took or posted it */
    sim_tick since;  /**< from when on it had it; else `at` */
    sim_tick at;
    bool shared; /**< it had it as readers have it */
};

/** Who has come to a barrier. */
struct run_lock_guest {
    struct run_lock_actor *actor;
    uint32_t site;
    sim_tick at;
    bool released;
    struct run_lock_gift by; /**< once it is released: who came last */
};

struct run_lock_key {
    uint64_t kind, address;
};

/** A lock under way. */
struct run_lock_book {
    struct run_lock_key key;
    uint32_t number; /**< index of its struct doc_lock */
    bool shared;     /**< stands for all that have no room: nothing is known of its owner */
    struct run_lock_gift gift;
    struct run_lock_guest *guest; /**< [guests] of a barrier, by time */
    size_t guests, room;
    UT_hash_handle hh;
};

/** A call under way. */
struct run_lock_call {
    unsigned watch;
    const struct run_lock_function *function;
    struct run_lock_book *book; /**< NULL: of a system call */
    uint64_t address, pc;
    uint32_t site;
    bool part;             /**< of the call before it: of the same lock */
    sim_tick begin, inner; /**< inner: the mutex is asked for again; SIM_NEVER: not yet */
    sim_tick asleep, late;
    struct run_lock_gift caller; /**< who ended its last sleep */
    bool waits;                  /**< STAND: it has been seen to wait, */
    sim_tick from, to;           /**< from ... to ... */
};

struct run_lock_hold {
    struct run_lock_book *book;
    uint32_t site;
    sim_tick since;
    unsigned depth; /**< of a lock that may be taken again by its owner */
    bool shared;
};

/** A thread under way. */
struct run_lock_actor {
    uint32_t number;
    uint32_t index; /**< of its struct doc_lock_thread */
    unsigned card;
    bool awake;                  /**< has a card, or waits in its queue */
    bool asleep;                 /**< sleeps, */
    bool word;                   /**< until another thread calls it, */
    uint32_t sleeps_at;          /**< at this site, */
    sim_tick slept, called;      /**< from ... to ... */
    uint64_t end_word;           /**< where its end is told; 0: nowhere, or it has not ended */
    uint64_t turn;               /**< in the order in which threads went to sleep */
    struct run_lock_gift caller; /**< who ended it */
    struct run_lock_call *call;  /**< [calls] under way */
    size_t calls, call_room;
    struct run_lock_hold *hold; /**< [holds] */
    size_t holds, hold_room;
    UT_hash_handle hh;
};

/** A card that has nothing to do, or has. */
struct run_lock_card {
    unsigned awake; /**< threads */
    bool rests;
    uint32_t site; /**< for which the last of its threads sleeps */
    sim_tick since;
};

struct run_lock_site_key {
    uint64_t lock, thread, pc;
};
struct run_lock_place {
    struct run_lock_site_key key;
    uint32_t number;
    UT_hash_handle hh;
};

struct run_lock_books {
    struct doc_locks out; /**< what is known so far */
    struct run_lock_card *card;
    unsigned cards;
    struct run_lock_book *books;
    struct run_lock_place *places;
    struct run_lock_actor *actors;
    uint64_t turns;
    uint64_t join;   /**< [bytes] from a thread's pthread_t to the word where its end is told */
    bool join_known; /**< a join has shown it */
    bool exited;     /**< out.last has ended the program */
};

/** Something heard. */
struct run_lock_event {
    sim_tick at;
    uint64_t number; /**< in the order of hearing */
    unsigned card;
    enum {
        RUN_LOCK_ENTERED,
        RUN_LOCK_RETURNED,
        RUN_LOCK_LEFT,
        RUN_LOCK_RISES, /**< the system has the card for a thread that goes on */
        RUN_LOCK_TURN,
        RUN_LOCK_SPUN_EVENT,
    } what;
    unsigned watch; /**< of a call; of a turn: enum prog_step */
    const struct run_lock_function *function;
    uint32_t thread, by;
    uint64_t word[2];    /**< arguments; of a turn or a loop: the word */
    uint64_t pc, result; /**< pc: of the call, the loop, or what goes to sleep; or of the program's
                              own call that led there */
    sim_tick since;      /**< of a turn as it says; of a loop: when it began */
    sim_tick until;      /**< of a loop: when it was out */
    sim_tick released;   /**< of a loop: when its line was taken away last; 0: not known */
};

void run_lock_books_begin(struct run_lock_books *b, unsigned cards);

/** Enters what happened next. */
void run_lock_books_enter(struct run_lock_books *b, const struct run_lock_event *e);

/** The run has ended: what is under way is put down. */
void run_lock_books_close(struct run_lock_books *b, sim_tick at);

/** Releases all but `out`. */
void run_lock_books_free(struct run_lock_books *b);

#endif
