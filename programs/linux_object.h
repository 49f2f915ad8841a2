/*
 * Descriptors of things that are not files: timers, counters, signals, watches, message queues.
 * What each kind does stands in its struct file_ops; those who wait for one wait like readers of a
 * pipe and look again when anything has changed.
 */
#ifndef PROG_LINUX_OBJECT_H
#define PROG_LINUX_OBJECT_H

#include "programs/linux_file.h"

/** Events of poll, as the guest has them. */
enum { POLL_IN = 1, POLL_OUT = 4, POLL_ERR = 8, POLL_HUP = 0x10, POLL_NVAL = 0x20 };

/** What a kind of object does; a NULL member cannot be done. */
struct file_ops {
    unsigned (*ready)(struct thread *t, const struct file *f); /**< POLL_ events for that thread */
    int64_t (*read)(struct call *c, struct file *f, uint64_t va, uint64_t len);
    int64_t (*write)(struct call *c, struct file *f, uint64_t va, uint64_t len);
    void (*release)(struct prog *p, struct file *f); /**< the last descriptor is gone */
};

/** A new descriptor of an object. @param flags  G_O_ of the call; on failure the object is released
 *  @return the descriptor, or -EMFILE */
int64_t object_open(struct prog *p, const struct file_ops *ops, void *object, uint32_t flags);

/** Waits for a change of any object. @return 0: look again; -EAGAIN, -ERESTART_SYS */
int64_t object_wait(struct call *c, const struct file *f);

/** read and write; -EINVAL if it cannot be done */
int64_t object_read(struct call *c, struct file *f, uint64_t va, uint64_t len);
int64_t object_write(struct call *c, struct file *f, uint64_t va, uint64_t len);

/** What is ready on an open file (NULL: POLL_NVAL), for a thread: POLL_ events. */
unsigned file_ready(struct thread *t, const struct file *f);
/** Grows whenever something is read from it or written to it. */
uint64_t file_moved(const struct file *f);
/** A file is gone: no epoll watches it any more. */
void epoll_forget(struct prog *p, const struct file *f);

/** Deadline of an optional relative timespec argument; NM_NEVER without. @return 0 or -errno */
int optional_deadline(struct call *c, unsigned i, nm_tick *deadline);

/** Puts the signal mask at `va` (0: none) in force for this call. @return 0, -EINVAL, -EFAULT */
int mask_enter(struct call *c, uint64_t va, uint64_t size);
/** Puts the old one back, at once or after the handlers. @return `result` */
int64_t mask_leave(struct call *c, int64_t result);

#endif
