/* Futexes: what the plain ones (futex.c) and those with an owner (futex_pi.c) share. */
#ifndef PROG_FUTEX_H
#define PROG_FUTEX_H

#include "programs/syscall.h"

/** Bits of the word of a lock that the kernel knows. */
#define FUTEX_WAITERS    UINT32_C(0x80000000)
#define FUTEX_OWNER_DIED UINT32_C(0x40000000)
#define FUTEX_TID_MASK   UINT32_C(0x3fffffff)

/** Sleeps on `addr` at the end of its queue. @return why it goes on; it is off the queue then */
enum wake futex_sleep(struct thread *t, uint64_t addr, enum futex_kind kind, nm_tick deadline);
/** A call of the thread that has the turn wakes sleepers: counts it (truth.wakes). */
void futex_called(struct prog *p);
/** Ends a sleep. */
void futex_rouse(struct thread *t);
/** Puts a sleeper at the end of another queue. */
void futex_move(struct thread *t, uint64_t addr, enum futex_kind kind);

/** The word at `addr` may be a futex. @return 0, -EINVAL, -EFAULT */
int futex_check(const struct call *c, uint64_t addr);
/** Deadline from argument 3. @return 0, -EFAULT, -EINVAL */
int futex_deadline(struct call *c, bool absolute, bool realtime, nm_tick *deadline);

/* futex_pi.c: the commands of sys_futex that know an owner. */
int64_t futex_lock_pi(struct call *c, bool realtime);
int64_t futex_trylock_pi(struct call *c);
int64_t futex_unlock_pi(struct call *c);
int64_t futex_wait_requeue_pi(struct call *c, bool realtime);
int64_t futex_cmp_requeue_pi(struct call *c);
/** A thread ends: locks that others wait for go to the first of them. */
void futex_pi_exit(struct thread *t);

#endif
