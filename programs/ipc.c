/*
 * Waiting in line. The one idea: who serves does the work of the one served (takes the message,
 * changes the semaphore) at once, so the order is that of the line and not of the wake-ups.
 */
#include "programs/ipc.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <utlist.h>

struct note *note_read(struct prog *p, uint64_t va, uint64_t len, int64_t type)
{
    struct note *n = nm_alloc(1, sizeof *n + len);

    n->type = type;
    n->len = len;
    if (vm_read(&p->vm, va, n->bytes, len) == 0)
        return n;
    free(n);
    return NULL;
}

enum wake waiter_wait(struct waiter **queue, struct waiter *w, struct thread *t, nm_tick deadline)
{
    enum wake why;

    w->t = t;
    DL_APPEND(*queue, w);
    why = thread_block(t, deadline, true, NULL);
    if (w->done)
        return WAKE_EVENT;
    DL_DELETE(*queue, w);
    return why;
}

void waiter_serve(struct waiter **queue, struct waiter *w, int64_t result)
{
    DL_DELETE(*queue, w);
    w->done = true;
    w->result = result;
    thread_wake(w->t, WAKE_EVENT);
}

void waiters_refuse(struct waiter **queue, int64_t result)
{
    while (*queue)
        waiter_serve(queue, *queue, result);
}
