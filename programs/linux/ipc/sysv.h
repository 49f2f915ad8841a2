/* What the three kinds of System V IPC share: numbers, keys, owners. */
#ifndef LX_SYSV_H
#define LX_SYSV_H

#include "programs/linux/ipc/ipc.h"

enum { IPC_CREAT_ = 01000, IPC_EXCL_ = 02000, IPC_NOWAIT_ = 04000 };
enum { IPC_RMID_ = 0, IPC_SET_ = 1, IPC_STAT_ = 2, IPC_INFO_ = 3, IPC_64 = 0x100 };
enum { SYSV_SEMAPHORES, SYSV_SEGMENTS, SYSV_MESSAGES, SYSV_KINDS };

/** The head of every object; the kind's own struct begins with it. */
struct lx_sysv {
    struct lx_sysv *prev, *next; /**< of its kind, by creation */
    int id;
    uint32_t key; /**< 0: private */
    uint32_t mode, uid, gid;
    uint64_t changed; /**< [s] since 1970, by IPC_SET or creation */
};

/** Finds or creates what a ...get call asks for. `fits` says what is wrong with an existing one (0:
 *  nothing), `make` allocates a new one; both may be 0 only if they cannot be needed.
 *  @return its number or -errno */
int64_t lx_sysv_get(struct lx_call *c, int kind, uint32_t key, uint32_t flags,
                    int64_t (*fits)(struct lx_call *c, const struct lx_sysv *s),
                    int64_t (*make)(struct lx_call *c, struct lx_sysv **s));
/** By number; NULL: there is none. */
struct lx_sysv *lx_sysv_find(struct lx_prog *p, int kind, uint64_t id);
/** Whether the owner's bits allow it: 4 to read, 2 to change. */
bool lx_sysv_allows(const struct lx_sysv *s, unsigned what);
/** Takes it off the list; the caller frees it. */
void lx_sysv_remove(struct lx_prog *p, int kind, struct lx_sysv *s);
/** Appends a time [s]: the generic structures have 64 bits for it. */
void lx_sysv_out_time(struct lx_out *o, uint64_t s);
/** Appends struct ipc64_perm. */
void lx_sysv_out(struct lx_out *o, const struct lx_sysv *s);
/** IPC_SET: owner and mode from a structure at `va`. @return 0, -EFAULT, -EPERM */
int lx_sysv_set(struct lx_call *c, struct lx_sysv *s, uint64_t va);
/** [s] since 1970. */
uint64_t lx_sysv_now(const struct lx_prog *p);

/** The calls with their arguments, for their own numbers and for o32's ipc(). */
int64_t lx_sem_get(struct lx_call *c, uint32_t key, int32_t count, uint32_t flags);
int64_t lx_sem_operate(struct lx_call *c, uint64_t id, uint64_t va, uint64_t count,
                       uint64_t timeout);
int64_t lx_sem_control(struct lx_call *c, uint64_t id, uint64_t number, uint64_t command,
                       uint64_t arg);
int64_t lx_shm_get(struct lx_call *c, uint32_t key, uint64_t size, uint32_t flags);
int64_t lx_shm_attach(struct lx_call *c, uint64_t id, uint64_t addr, uint64_t flags);
int64_t lx_shm_detach(struct lx_call *c, uint64_t addr);
int64_t lx_shm_control(struct lx_call *c, uint64_t id, uint64_t command, uint64_t arg);
int64_t lx_msg_get(struct lx_call *c, uint32_t key, uint32_t flags);
int64_t lx_msg_send(struct lx_call *c, uint64_t id, uint64_t message, uint64_t size,
                    uint64_t flags);
int64_t lx_msg_receive(struct lx_call *c, uint64_t id, uint64_t message, uint64_t size,
                       int64_t type, uint64_t flags);
int64_t lx_msg_control(struct lx_call *c, uint64_t id, uint64_t command, uint64_t arg);

/** Frees one at the end, or when it is removed. */
void lx_sem_free(struct lx_prog *p, struct lx_sysv *s);
void lx_shm_free(struct lx_prog *p, struct lx_sysv *s);
void lx_msg_free(struct lx_prog *p, struct lx_sysv *s);

#endif
