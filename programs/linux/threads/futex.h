/* Futexes: plain ones (futex.c), and those with an owner (futex_pi.c). */
#ifndef LX_FUTEX_H
#define LX_FUTEX_H

#include "programs/linux/process/call.h"

/** The operating system's own call: wakes one thread that waits for the word at `addr` as a shared
 * one. */
void lx_futex_call(struct lx_prog *p, uint64_t addr);
/** Robust list of a thread that ends: mark its locks "owner died" and wake a waiter. */
void lx_futex_thread_exit(struct lx_thread *t);

/** Bits of the word of a lock that the kernel knows. */
#define FUTEX_WAITERS    UINT32_C(0x80000000)
#define FUTEX_OWNER_DIED UINT32_C(0x40000000)
#define FUTEX_TID_MASK   UINT32_C(0x3fffffff)

/** Whether both are the same word, known in the same way. */
bool lx_futex_same(const struct lx_futex *a, const struct lx_futex *b);
/** Sleeps on a word at the end of its queue. @return why it goes on; it is off the queue then */
enum lx_wake lx_futex_sleep(struct lx_thread *t, const struct lx_futex *w, enum lx_futex_kind kind,
                            sim_tick deadline);
/** A call of the thread that has the turn wakes sleepers: counts it (truth.wakes). */
void lx_futex_called(struct lx_prog *p);
/** Ends a sleep. */
void lx_futex_rouse(struct lx_thread *t);
/** Puts a sleeper at the end of another queue. */
void lx_futex_move(struct lx_thread *t, const struct lx_futex *w, enum lx_futex_kind kind);

/** The word at `addr`, as the call's flags say. @return 0, -EINVAL, -EFAULT */
int lx_futex_word(const struct lx_call *c, uint64_t addr, struct lx_futex *w);
/** Deadline from argument 3. @return 0, -EFAULT, -EINVAL */
int lx_futex_deadline(struct lx_call *c, bool absolute, bool realtime, sim_tick *deadline);

/** futex_pi.c: the commands of lx_sys_futex that know an owner. */
int64_t lx_futex_lock_pi(struct lx_call *c, bool realtime);
int64_t lx_futex_trylock_pi(struct lx_call *c);
int64_t lx_futex_unlock_pi(struct lx_call *c);
int64_t lx_futex_wait_requeue_pi(struct lx_call *c, bool realtime);
int64_t lx_futex_cmp_requeue_pi(struct lx_call *c);
/** A thread ends: locks that others wait for go to the first of them. */
void lx_futex_pi_exit(struct lx_thread *t);

#endif
