/*
 * Kernels: parallel functions in C that run on the simulated NUMAchine without a guest program. The
 * host computes; the simulated processors make the references that the kernel names. The same file
 * built for the MIPS is an ordinary program with threads, its guest twin. docs/kernels.md has one
 * from begin to end.
 *
 *     static void *setup(kn_program *p)          takes arguments, takes memory; no references
 *     static void work(kn_thread *t, void *data) what each thread does, thread 0 among them
 *     static int check(kn_program *p, void *data) 0: the result is right
 *     KN_KERNEL(setup, work, check)
 *
 * KN_LOAD, KN_STORE and KN_COMPUTE are what a thread does; what they name is memory of kn_alloc.
 * Threads agree by kn_word, kn_lock and kn_barrier, which are simulated with load-linked and
 * store-conditional. Between these, a thread computes ahead of its processor: so what one thread
 * writes and another reads must lie on two sides of a lock, a barrier, or a wait. Words that are
 * read without are read by kn_get.
 *
 * Thread i runs on processor i.
 */
#ifndef NUMACHINE_KERNEL_H
#define NUMACHINE_KERNEL_H

#if !defined(_GNU_SOURCE) && !defined(_FEATURES_H)
#define _GNU_SOURCE /* the guest's threads choose their processors */
#endif

#include <stddef.h>
#include <stdint.h>

/** What a wait is for: that the word ... the value. */
enum kn_relation {
    KN_IS,      /**< is */
    KN_IS_NOT,  /**< is not */
    KN_AT_LEAST /**< has come to, or passed, counting up */
};

/** A word of 32 bits that threads change together, or wait for. It begins as 0. In `check`, when
 * all threads have ended, `word` is its value; while they run, only the calls below know it. */
typedef struct {
    volatile uint32_t word;
} kn_word;

/** Threads that ask for it get it in turn. Begins free. */
typedef struct {
    kn_word asked, served;
    uint32_t mine; /**< what the owner has asked for */
} kn_lock;

/** All threads come to it before one goes on, again and again. */
typedef struct {
    kn_word arrived, begun;
} kn_barrier;

typedef struct kn_program kn_program;
typedef struct kn_thread kn_thread;

/** [bytes] between things that shall not share a line, of any machine. */
#define KN_APART 256

/* ---- a program ------------------------------------------------------------------------------- */

/** @return how many threads there are */
static inline unsigned kn_threads(const kn_program *p);

/** A number that the user may give as an argument NAME=NUMBER; without it, `standard`. One that is
 *  not in [least, most] ends the program with a message. */
static inline uint64_t kn_number(kn_program *p, const char *name, uint64_t standard, uint64_t least,
                                 uint64_t most);

/** Zeroed memory that all threads share, aligned to KN_APART. A page is where the thread is that
 *  touches it first, if the machine places so. It stays. */
static inline void *kn_alloc(kn_program *p, size_t bytes);

/** Writes to standard output, as printf. */
#define kn_print(p, ...) KN_PRINT_(p, __VA_ARGS__)

/** For `check`: what has been found is held against what was wanted, both whole numbers or both
 *  floating. If they differ, that is printed: where, what, and both values.
 *  @return 1: they differ */
#define kn_differs(p, found, wanted)     \
    _Generic((found) + (wanted), float   \
             : kn_differs_real_, double  \
             : kn_differs_real_, default \
             : kn_differs_whole_)((p), #found, __FILE__, __LINE__, (found), (wanted))

/* ---- a thread -------------------------------------------------------------------------------- */

/** @return its number, from 0 */
static inline unsigned kn_self(const kn_thread *t);
/** @return its program */
static inline kn_program *kn_program_of(const kn_thread *t);

/** The word's value, now. */
static inline uint32_t kn_get_(kn_thread *t, kn_word *w);
/** The word gets a value. */
static inline void kn_set_(kn_thread *t, kn_word *w, uint32_t value);
/** Adds to the word. @return what it was */
static inline uint32_t kn_add_(kn_thread *t, kn_word *w, uint32_t value);
/** Exchanges it. @return what it was */
static inline uint32_t kn_swap_(kn_thread *t, kn_word *w, uint32_t value);
/** The word becomes `value` if it is `expected`. @return what it was */
static inline uint32_t kn_compare_(kn_thread *t, kn_word *w, uint32_t expected, uint32_t value);
/** Looks at the word until it is, is not, or is at least `value`. */
static inline void kn_wait_(kn_thread *t, kn_word *w, enum kn_relation relation, uint32_t value);
/** A region of the run begins, or ends; `name` is a literal of at most 60 characters. */
static inline void kn_begin_(kn_thread *t, const char *name);
static inline void kn_end_(kn_thread *t, const char *name);
/** The monitoring card of the thread's processor gets this PhaseID, 0 to 15. */
static inline void kn_phase_(kn_thread *t, unsigned id);

/* Each says where in the source it stands, for messages. */
#define kn_get(t, w)         (KN_HERE_(t, "kn_get"), kn_get_((t), (w)))
#define kn_set(t, w, value)  (KN_HERE_(t, "kn_set"), kn_set_((t), (w), (value)))
#define kn_add(t, w, value)  (KN_HERE_(t, "kn_add"), kn_add_((t), (w), (value)))
#define kn_swap(t, w, value) (KN_HERE_(t, "kn_swap"), kn_swap_((t), (w), (value)))
#define kn_compare(t, w, expected, value) \
    (KN_HERE_(t, "kn_compare"), kn_compare_((t), (w), (expected), (value)))
#define kn_wait(t, w, relation, value) \
    (KN_HERE_(t, "kn_wait"), kn_wait_((t), (w), (relation), (value)))
#define kn_begin(t, name)   (KN_HERE_(t, "kn_begin"), kn_begin_((t), (name)))
#define kn_end(t, name)     (KN_HERE_(t, "kn_end"), kn_end_((t), (name)))
#define kn_acquire(t, lock) (KN_HERE_(t, "kn_acquire"), kn_acquire_((t), (lock)))
#define kn_release(t, lock) (KN_HERE_(t, "kn_release"), kn_release_((t), (lock)))
#define kn_meet(t, barrier) (KN_HERE_(t, "kn_meet"), kn_meet_((t), (barrier)))
#define kn_phase(t, id)     (KN_HERE_(t, "kn_phase"), kn_phase_((t), (id)))

/*
 * KN_LOAD(t, x)      the value of x, which is loaded; 1, 2, 4 or 8 bytes
 * KN_STORE(t, x, v)  x becomes v, which is stored
 * KN_COMPUTE(t, n)   n PCycles of other instructions
 */
#if defined(__mips__) || defined(KN_GUEST)
#include "numachine_kernel_guest.h"
#else
#include "numachine_kernel_host.h"
#endif

/* ---- what check compares ------------------------------------------------------------------------
 */

static inline int kn_differs_whole_(kn_program *p, const char *what, const char *file, int line,
                                    long long found, long long wanted)
{
    if (found != wanted)
        kn_print(p, "%s:%d: %s is %lld, not %lld\n", file, line, what, found, wanted);
    return found != wanted;
}

static inline int kn_differs_real_(kn_program *p, const char *what, const char *file, int line,
                                   double found, double wanted)
{
    if (found != wanted)
        kn_print(p, "%s:%d: %s is %.17g, not %.17g\n", file, line, what, found, wanted);
    return found != wanted;
}

/* ---- made of these --------------------------------------------------------------------------- */

static inline void kn_acquire_(kn_thread *t, kn_lock *lock)
{
    const uint32_t mine = kn_add_(t, &lock->asked, 1);
    kn_wait_(t, &lock->served, KN_IS, mine);
    KN_STORE(t, lock->mine, mine);
}

/** The lock goes to the thread that has waited longest. The caller has the lock. */
static inline void kn_release_(kn_thread *t, kn_lock *lock)
{
    kn_set_(t, &lock->served, KN_LOAD(t, lock->mine) + 1);
}

static inline void kn_meet_(kn_thread *t, kn_barrier *barrier)
{
    const uint32_t all = kn_threads(kn_program_of(t)), before = kn_add_(t, &barrier->arrived, 1);
    const uint32_t round = before / all + 1;
    if (before % all == all - 1)
        kn_set_(t, &barrier->begun, round);
    else
        kn_wait_(t, &barrier->begun, KN_AT_LEAST, round);
}

#endif
