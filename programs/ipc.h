/*
 * What message queues and System V IPC share: threads that wait in the order they came and are
 * handed what they wait for, so that nobody who comes later gets it first.
 */
#ifndef PROG_IPC_H
#define PROG_IPC_H

#include "programs/syscall.h"

/** One thread in a queue; lives on its actor's stack while it waits. */
struct waiter {
    struct waiter *prev, *next;
    struct thread *t;
    bool done;           /**< has been served, and is off the queue */
    int64_t result;      /**< then: of the call */
    int64_t type;        /**< what kind of message it takes, or sends */
    struct note *note;   /**< the message it brings, or was given */
    const void *request; /**< whatever else is asked for */
};

/** A message. */
struct note {
    struct note *prev, *next;
    int64_t type; /**< System V: its type; POSIX: its priority */
    size_t len;
    uint8_t bytes[];
};

/** Copies `len` bytes from the guest. @return NULL: they are not there */
struct note *note_read(struct prog *p, uint64_t va, uint64_t len, int64_t type);

/** Waits at the end of the queue until served. @return WAKE_EVENT: served; otherwise off the queue
 */
enum wake waiter_wait(struct waiter **queue, struct waiter *w, struct thread *t, nm_tick deadline);
/** Serves one. */
void waiter_serve(struct waiter **queue, struct waiter *w, int64_t result);
/** Serves all with an error. */
void waiters_refuse(struct waiter **queue, int64_t result);

/** Frees what is left at the end. */
void mqueues_free(struct prog *p);
void sysv_free(struct prog *p);

#endif
