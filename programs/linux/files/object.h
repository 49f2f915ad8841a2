/*
 * Descriptors of things that are not files: timers, counters, signals, watches, message queues.
 * What each kind does is in its struct lx_file_ops. Threads that wait for one wait like readers of
 * a pipe, and look again when anything has changed.
 */
#ifndef LX_OBJECT_H
#define LX_OBJECT_H

#include "programs/linux/files/file.h"

/** Events of epoll, and of poll, where to MIPS POLLWRNORM is another name for POLLOUT. */
enum {
    POLL_IN = 1,
    POLL_OUT = 4,
    POLL_ERR = 8,
    POLL_HUP = 0x10,
    POLL_NVAL = 0x20,
    POLL_RDNORM = 0x40,
    POLL_WRNORM = 0x100,
    /* What has data for reading, and room for writing; counters, timers and signals only have
     * POLL_IN and POLL_OUT, as in Linux. */
    POLL_READS = POLL_IN | POLL_RDNORM,
    POLL_WRITES = POLL_OUT | POLL_WRNORM,
    POLL_ANY = POLL_ERR | POLL_HUP, /**< concerns everybody, whatever they asked for */
};

/** What a kind of object does; a NULL member cannot be done. */
struct lx_file_ops {
    unsigned (*ready)(struct lx_thread *t,
                      const struct lx_file *f); /**< POLL_ events for that thread */
    int64_t (*read)(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
    /** `read` of what only has a number, 8 bytes: waits for it. @return 0 or -errno */
    int64_t (*number)(struct lx_call *c, struct lx_file *f, uint64_t *got);
    int64_t (*write)(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
    int64_t (*control)(struct lx_call *c, struct lx_file *f); /**< ioctl: command and argument are
                                                                   a[1] and a[2] */
    void (*closed)(struct lx_file *f); /**< a descriptor is closed, whether or not it is the last */
    void (*release)(struct lx_prog *p, struct lx_file *f); /**< the last descriptor is gone */
    const char *name; /**< what readlink says of its descriptor; NULL: its path */
    unsigned mode;    /**< what stat says of its kind; 0: no kind of file */
};

/** A new descriptor of an object. @param flags  G_O_ of the call; on failure the object is released
 *  @return the descriptor, or -EMFILE */
int64_t lx_object_open(struct lx_prog *p, const struct lx_file_ops *ops, void *object,
                       uint32_t flags);

/** Waits for a change of any object. @return 0: look again; -EAGAIN, -ERESTART_SYS */
int64_t lx_object_wait(struct lx_call *c, const struct lx_file *f);

/** read and write; -EINVAL if it cannot be done */
int64_t lx_object_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
int64_t lx_object_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);

/** The number of an object that has one, for a reader with room for `len` bytes. @return 0; -EINVAL
 *  that is too little; -EAGAIN, -ERESTART_SYS */
int64_t lx_object_number(struct lx_call *c, struct lx_file *f, uint64_t len, uint64_t *got);

/** What is ready on an open file (NULL: POLL_NVAL), for a thread: POLL_ events. */
unsigned lx_file_ready(struct lx_thread *t, const struct lx_file *f);
/** Whether those who wait for it wait at `queue`, an address that stands for them: `readers` or
 *  `writers` of a pipe, p->watchers for signals, a card, or the object itself. */
bool lx_file_waits_at(const struct lx_prog *p, const struct lx_file *f, const void *queue);
const void *lx_object_queue(const struct lx_prog *p, const struct lx_file *f);
/** Tells the epolls that watch what waits at a queue that one of `events` may have come. Where
 *  Linux wakes who waits: an edge is nothing else. */
void lx_epoll_tell(struct lx_prog *p, const void *queue, unsigned events);
/** A file is gone: no epoll watches it any more. */
void lx_epoll_forget(struct lx_prog *p, const struct lx_file *f);

/** Deadline of an optional relative timespec argument; SIM_NEVER without. @return 0 or -errno */
int lx_optional_deadline(struct lx_call *c, unsigned i, sim_tick *deadline);

/** Puts the signal mask at `va` (0: none) in force for this call. @return 0, -EINVAL, -EFAULT */
int lx_mask_enter(struct lx_call *c, uint64_t va, uint64_t size);
/** Puts the old one back, at once or after the handlers. @return `result` */
int64_t lx_mask_leave(struct lx_call *c, int64_t result);

#endif
