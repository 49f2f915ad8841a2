/*
 * Locks and waiting in a run: who waited for what, where, for how long, and whom it was released
 * by; as a file and in memory.
 *
 * locks.json in a run's directory has addresses and numbers only; names come from the program when
 * somebody looks (prog_workload.names). It is there whenever profile.json is.
 */
#ifndef DOC_DOCUMENTS_LOCKS_H
#define DOC_DOCUMENTS_LOCKS_H

#include "base/time.h"
#include "documents/document.h"

#define DOC_LOCKS "locks.json"

/** An address that is none: of objects or places that no longer had room. */
#define DOC_LOCKS_NOWHERE (~UINT64_C(0))

/** No site. */
#define DOC_LOCKS_NONE UINT32_MAX

enum doc_lock_kind {
#define KIND(name, sentence) DOC_LOCK_##name,
#include "documents/rows/lock_kinds.def"
#undef KIND
    DOC_LOCK_KINDS
};

enum doc_lock_column {
#define COLUMN(name, unit, how, sentence) DOC_LOCK_##name,
#include "documents/rows/lock_columns.def"
#undef COLUMN
    DOC_LOCK_COLUMNS
};

/** What a site has values of: lock_columns.def. */
extern const struct doc_column doc_lock_columns[DOC_LOCK_COLUMNS];

/** lock_kinds.def; names are as results have them. */
extern const struct doc_column doc_lock_kinds[DOC_LOCK_KINDS];

/** What the file consists of: locks.def. */
extern const struct doc_document doc_locks_document;

/** A column's name as results have it, in lower case. @return buf */
const char *doc_lock_column_name(unsigned column, char buf[DOC_COLUMN_NAME]);

/**
 * How often times were how long. Up to 3 a bucket has one length; from there on there are four in
 * each doubling.
 */
enum { DOC_TIMES_BUCKETS = 252 };
struct doc_times {
    uint64_t count[DOC_TIMES_BUCKETS];
};

unsigned doc_times_bucket(uint64_t ticks);
/** [ticks] The longest time in a bucket. */
uint64_t doc_times_last(unsigned bucket);
/** [ticks] What a share of all times, in 1/1000, did not exceed: its bucket's longest. 0: none */
uint64_t doc_times_quantile(const struct doc_times *times, unsigned permille);

/** What threads wait for. */
struct doc_lock {
    uint8_t kind; /**< enum doc_lock_kind */
    uint64_t
        address; /**< virtual; NOWHERE: all that no longer had room, or what has none (sleep) */
    struct doc_times held, handover;
};

/** What a thread did with it, by a call at one place. */
struct doc_lock_site {
    uint32_t lock;   /**< index */
    uint32_t thread; /**< the operating system's number of it; 0: of all that no longer had room */
    uint64_t pc;     /**< virtual address of the call; NOWHERE: not known */
    uint64_t v[DOC_LOCK_COLUMNS];
};

struct doc_lock_thread {
    uint32_t number, by; /**< by: who made it; 0: nobody */
    sim_tick born, ended;
};

/** A wait, or a call that did not have to wait, that was long enough to be kept; in the order of
 *  their ends. */
struct doc_lock_wait {
    bool call; /**< it did not have to wait: this is what the call took. `by`, if there is one, had
                    been where it had to be at `released`, before `begin` */
    uint32_t thread, by;           /**< by: who ended it; 0: nobody, a date or a signal did */
    uint32_t site;                 /**< index: where it waited */
    uint32_t holder;               /**< index: where `by` began to hold it; NONE: it held nothing */
    sim_tick since;                /**< [ticks] from when on `by` had held it; else `released` */
    sim_tick begin, released, end; /**< [ticks] waiting from `begin` to `end`; `by` ended it */
};

/** All of it is its own; release with doc_locks_free. */
struct doc_locks {
    sim_tick ticks;  /**< [ticks] that the run took */
    uint32_t last;   /**< the thread that ended it; 0: none did */
    uint64_t least;  /**< [ticks] shorter ones are not in `wait` */
    uint64_t missed; /**< how many are not */
    struct doc_lock *lock;
    size_t locks;
    struct doc_lock_site *site;
    size_t sites;
    struct doc_lock_thread *thread; /**< in the order of their births */
    size_t threads;
    struct doc_lock_wait *wait;
    size_t waits;
};

void doc_locks_free(struct doc_locks *locks);

/** Adds b's columns to a's. */
void doc_lock_add(uint64_t a[DOC_LOCK_COLUMNS], const uint64_t b[DOC_LOCK_COLUMNS]);

/** Writes it as JSON. */
void doc_locks_write(const struct doc_locks *locks, FILE *out);

/** Reads what doc_locks_write wrote. Bad input of any kind is refused.
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool doc_locks_read(const char *path, struct doc_locks *locks, char *why, size_t size);

#endif
