/* Signals: sending and taking them, sets, frames. */
#ifndef LX_SIGNAL_H
#define LX_SIGNAL_H

#include "programs/linux/process/call.h"
#include "programs/linux/process/signo.h"

enum { SA_SIGINFO_ = 8, SA_ONSTACK_ = 0x08000000, SA_RESTORER_ = 0x04000000 };
enum { HANDLER_DEFAULT = 0, HANDLER_IGNORE = 1 };
enum { SEGV_MAPERR_ = 1, SEGV_ACCERR_ = 2 };
/** Flags of the handlers' stack; the least it may have [bytes]. */
enum { SS_ONSTACK_ = 1, SS_DISABLE_ = 2, SS_MINIMUM = 2048 };
#define SS_AUTODISARM_ UINT32_C(0x80000000)

/** [bytes] of a guest's set. */
static inline unsigned lx_signal_set_bytes(const struct lx_prog *p)
{
    return p->kind->signals / 8;
}

int lx_signal_read_set(struct lx_prog *p, uint64_t va, struct lx_sigs *s);
int lx_signal_write_set(struct lx_prog *p, uint64_t va, const struct lx_sigs *s);
/** Takes KILL and STOP out: nobody blocks them. */
void lx_signal_blockable(const struct lx_prog *p, struct lx_sigs *s);
/** Sets the mask; KILL and STOP stay open. */
void lx_signal_set_mask(struct lx_thread *t, const struct lx_sigs *mask);
/** Signals queued for the thread or the process. */
void lx_signal_pending_set(const struct lx_thread *t, struct lx_sigs *s);
/** Appends a 128-byte siginfo, and a stack_t. */
void lx_signal_out_info(struct lx_out *o, const struct lx_prog *p, const struct lx_siginfo *info);
void lx_signal_out_altstack(struct lx_out *o, const struct lx_thread *t);
/** Whether the thread is on its handlers' stack. */
bool lx_signal_on_altstack(const struct lx_thread *t);
/** Gives the thread the handlers' stack that a stack_t at `va` describes.
 *  @return 0, -EFAULT, -EPERM, -EINVAL, -ENOMEM */
int lx_signal_set_altstack(struct lx_thread *t, uint64_t va);
/** What a handler's address and flags ask for. */
static inline bool lx_signal_tells(const struct lx_prog *p, const struct lx_action *a)
{
    return lx_flags_in(p->kind, LX_ACTION, a->flags) & SA_SIGINFO_;
}

/** Where a frame may end that is to begin below `sp`: there, or at the end of the handlers' stack.
 */
uint64_t lx_signal_top(const struct lx_thread *t, const struct lx_action *a, uint64_t sp);

/* ---- from sent to taken ---------------------------------------------------------------------- */

/** Queues a signal for one thread (t) or, with t NULL, for the process.
 *  @return 0, or -EAGAIN when a real-time signal with a value finds too many waiting */
int lx_signal_post(struct lx_prog *p, struct lx_thread *t, const struct lx_siginfo *info);
/** The same. One for the process goes to thread `near` (NULL: to none before others) if that takes
 *  it. */
int lx_signal_post_near(struct lx_prog *p, struct lx_thread *t, struct lx_thread *near,
                        const struct lx_siginfo *info);
/** Whether a signal to thread `t`, or with t NULL to the process, would be thrown away. */
bool lx_signal_dropped(const struct lx_prog *p, const struct lx_thread *t, int signo);
/** The signal's action has changed: if that is to ignore it, those waiting are thrown away. */
void lx_signal_settle(struct lx_prog *p, int signo);
/** A fault of this thread: cannot be ignored or blocked. @param name  SIG_ (signo.h) */
void lx_signal_force(struct lx_thread *t, int name, int code, uint64_t addr);
/** The thread's handler is done. What was sent to it before that comes first, as on Linux; what is
 *  sent while it returns waits for some instructions. Where that is without end (a storm), what is
 *  sent later waits for more. */
void lx_signal_returned(struct lx_thread *t);
/** Acts on the thread's signals before it goes on; restarts or ends an interrupted call. */
void lx_signal_deliver(struct lx_thread *t);
/** Whether a signal waits for the thread that enters a handler or ends the program. */
bool lx_signal_comes(const struct lx_thread *t);
/** The thread waits for these, blocked or not; NULL: not any more. */
void lx_signal_want(struct lx_thread *t, const struct lx_sigs *set);
/** The thread has ended, and is among the others still. */
void lx_signal_gone(struct lx_thread *t);
/** Takes a waiting signal of `set` off the queues. */
bool lx_signal_take(struct lx_thread *t, const struct lx_sigs *set, struct lx_siginfo *info);
void lx_signal_free(struct lx_prog *p);
/** The thread is gone: so is what was sent to it alone. */
void lx_signal_clear_thread(struct lx_thread *t);

/* ---- alarm.c --------------------------------------------------------------------------------- */

/** Lets those due now fire. */
void lx_timers_ring(struct lx_prog *p);

#endif
