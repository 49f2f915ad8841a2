/*
 * What message queues and System V IPC share: threads wait in the order in which they came, and are
 * handed what they wait for, so that no thread that comes later gets it first.
 */
#ifndef LX_IPC_H
#define LX_IPC_H

#include "programs/linux/process/call.h"
#include "programs/linux/process/most.h"

/** One thread in a queue; lives on its actor's stack while it waits. */
struct lx_waiter {
    struct lx_waiter *prev, *next;
    struct lx_thread *t;
    bool done;            /**< has been served, and is off the queue */
    int64_t result;       /**< then: of the call */
    int64_t type;         /**< what kind of message it takes, or sends */
    struct lx_note *note; /**< the message it brings, or was given */
    const void *request;  /**< other things that are asked for */
};

/** A message. */
struct lx_note {
    struct lx_note *prev, *next;
    int64_t type; /**< System V: its type; POSIX: its priority */
    size_t len;
    uint8_t bytes[];
};

/** Copies `len` bytes from the guest. @return 0, -EFAULT, -ENOMEM (lx_keep) */
int lx_note_read(struct lx_prog *p, uint64_t va, uint64_t len, int64_t type, struct lx_note **note);
/** NULL is fine. */
void lx_note_free(struct lx_prog *p, struct lx_note *n);

/** Waits at the end of the queue until served. @return WAKE_EVENT: served; otherwise off the queue
 */
enum lx_wake lx_waiter_wait(struct lx_waiter **queue, struct lx_waiter *w, struct lx_thread *t,
                            sim_tick deadline);
/** Serves one. */
void lx_waiter_serve(struct lx_waiter **queue, struct lx_waiter *w, int64_t result);
/** Serves all with an error. */
void lx_waiters_refuse(struct lx_waiter **queue, int64_t result);

/** The last mapping of a file that may be a segment's is gone. */
void lx_shm_left(struct lx_prog *p, uint64_t dev, uint64_t ino);

/** Frees what is left at the end. */
void lx_mqueues_free(struct lx_prog *p);
void lx_sysv_free(struct lx_prog *p);

#endif
