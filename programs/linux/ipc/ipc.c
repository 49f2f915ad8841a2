/*
 * Waiting in line. The one idea: the thread that serves another does the other's work at once
 * (takes the message, changes the semaphore). So the order is that of the line, not of the
 * wake-ups.
 */
#include "programs/linux/ipc/ipc.h"

#include "base/alloc.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <utlist.h>

int lx_note_read(struct lx_prog *p, uint64_t va, uint64_t len, int64_t type, struct lx_note **note)
{
    struct lx_note *n;

    if (!lx_keep(p, sizeof *n + len))
        return -ENOMEM;
    n = sim_alloc(1, sizeof *n + len);
    n->type = type;
    n->len = len;
    *note = n;
    if (lx_vm_read(&p->vm, va, n->bytes, len) == 0)
        return 0;
    lx_note_free(p, n);
    *note = NULL;
    return -EFAULT;
}

void lx_note_free(struct lx_prog *p, struct lx_note *n)
{
    if (n)
        lx_give_back(p, sizeof *n + n->len);
    free(n);
}

enum lx_wake lx_waiter_wait(struct lx_waiter **queue, struct lx_waiter *w, struct lx_thread *t,
                            sim_tick deadline)
{
    enum lx_wake why;

    w->t = t;
    DL_APPEND(*queue, w);
    why = lx_thread_block(t, deadline, true, NULL);
    if (w->done)
        return WAKE_EVENT;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference) who waits is in the queue */
    DL_DELETE(*queue, w);
    return why;
}

void lx_waiter_serve(struct lx_waiter **queue, struct lx_waiter *w, int64_t result)
{
    DL_DELETE(*queue, w);
    w->done = true;
    w->result = result;
    lx_thread_wake(w->t, WAKE_EVENT);
}

void lx_waiters_refuse(struct lx_waiter **queue, int64_t result)
{
    while (*queue)
        lx_waiter_serve(queue, *queue, result);
}
