/* What the three kinds of System V IPC share: numbers, keys, owners. */
#ifndef PROG_LINUX_SYSV_H
#define PROG_LINUX_SYSV_H

#include "programs/ipc.h"

enum { IPC_CREAT_ = 01000, IPC_EXCL_ = 02000, IPC_NOWAIT_ = 04000 };
enum { IPC_RMID_ = 0, IPC_SET_ = 1, IPC_STAT_ = 2, IPC_INFO_ = 3, IPC_64 = 0x100 };
enum { SYSV_SEMAPHORES, SYSV_SEGMENTS, SYSV_MESSAGES, SYSV_KINDS };

/** The head of every object; the kind's own struct begins with it. */
struct sysv {
    struct sysv *prev, *next; /**< of its kind, by creation */
    int id;
    uint32_t key; /**< 0: private */
    uint32_t mode, uid, gid;
    uint64_t changed; /**< [s] since 1970, by IPC_SET or creation */
};

/** Finds or creates what a ...get call asks for. `fits` says what is wrong with an existing one (0:
 *  nothing), `make` allocates a new one; both may be 0 only if they cannot be needed.
 *  @return its number or -errno */
int64_t sysv_get(struct call *c, int kind, uint32_t key, uint32_t flags,
                 int64_t (*fits)(struct call *c, const struct sysv *s),
                 int64_t (*make)(struct call *c, struct sysv **s));
/** By number; NULL: there is none. */
struct sysv *sysv_find(struct prog *p, int kind, uint64_t id);
/** Whether the owner's bits allow it: 4 to read, 2 to change. */
bool sysv_allows(const struct sysv *s, unsigned what);
/** Takes it off the list; the caller frees it. */
void sysv_remove(struct prog *p, int kind, struct sysv *s);
/** Appends struct ipc64_perm. */
void sysv_out(struct out *o, const struct sysv *s);
/** IPC_SET: owner and mode from a structure at `va`. @return 0, -EFAULT, -EPERM */
int sysv_set(struct call *c, struct sysv *s, uint64_t va);
/** [s] since 1970. */
uint64_t sysv_now(const struct prog *p);

/* The calls with their arguments, for their own numbers and for o32's ipc(). */
int64_t sem_get(struct call *c, uint32_t key, int32_t count, uint32_t flags);
int64_t sem_operate(struct call *c, uint64_t id, uint64_t ops, uint64_t count, uint64_t timeout);
int64_t sem_control(struct call *c, uint64_t id, uint64_t number, uint64_t command, uint64_t arg);
int64_t shm_get(struct call *c, uint32_t key, uint64_t size, uint32_t flags);
int64_t shm_attach(struct call *c, uint64_t id, uint64_t addr, uint64_t flags);
int64_t shm_detach(struct call *c, uint64_t addr);
int64_t shm_control(struct call *c, uint64_t id, uint64_t command, uint64_t arg);
int64_t msg_get(struct call *c, uint32_t key, uint32_t flags);
int64_t msg_send(struct call *c, uint64_t id, uint64_t message, uint64_t size, uint64_t flags);
int64_t msg_receive(struct call *c, uint64_t id, uint64_t message, uint64_t size, int64_t type,
                    uint64_t flags);
int64_t msg_control(struct call *c, uint64_t id, uint64_t command, uint64_t arg);

/** Frees one at the end, or when it is removed. */
void sem_free(struct prog *p, struct sysv *s);
void shm_free(struct prog *p, struct sysv *s);
void msg_free(struct prog *p, struct sysv *s);

#endif
