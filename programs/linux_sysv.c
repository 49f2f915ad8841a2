/*
 * System V IPC: keys and numbers, and the ways in: calls of their own, and o32's ipc(), which is
 * all of them behind one number.
 *
 * There is one process, so what is shared is shared by its threads, and what the system keeps when
 * a process ends (SEM_UNDO, segments) ends with the run.
 */
#include "programs/linux_sysv.h"

#include <stdlib.h>
#include <utlist.h>

static void (*const frees[SYSV_KINDS])(struct prog *p, struct sysv *s) = {
    [SYSV_SEMAPHORES] = sem_free, [SYSV_SEGMENTS] = shm_free, [SYSV_MESSAGES] = msg_free};

void sysv_free(struct prog *p)
{
    for (int kind = 0; kind < SYSV_KINDS; kind++)
        while (p->sysv[kind]) {
            struct sysv *s = p->sysv[kind];
            sysv_remove(p, kind, s);
            frees[kind](p, s);
        }
}

uint64_t sysv_now(const struct prog *p)
{
    return (uint64_t)PROG_EPOCH + prog_ns(p, prog_now(p)) / 1000000000;
}

struct sysv *sysv_find(struct prog *p, int kind, uint64_t id)
{
    struct sysv *s;

    DL_FOREACH(p->sysv[kind], s)
    if (s->id == (int32_t)id)
        return s;
    return NULL;
}

bool sysv_allows(const struct sysv *s, unsigned what)
{
    return (s->mode >> 6 & what) == what;
}

void sysv_remove(struct prog *p, int kind, struct sysv *s)
{
    DL_DELETE(p->sysv[kind], s);
}

static int64_t create(struct call *c, int kind, uint32_t key, uint32_t flags,
                      int64_t (*make)(struct call *c, struct sysv **s))
{
    struct prog *p = c->p;
    struct sysv *s = NULL;
    int64_t err = make(c, &s);

    if (err < 0)
        return err;
    s->id = (int)(p->next_sysv[kind]++ & INT32_MAX);
    s->key = key;
    s->mode = flags & 0777;
    s->uid = p->uid;
    s->gid = p->gid;
    s->changed = sysv_now(p);
    DL_APPEND(p->sysv[kind], s);
    return s->id;
}

int64_t sysv_get(struct call *c, int kind, uint32_t key, uint32_t flags,
                 int64_t (*fits)(struct call *c, const struct sysv *s),
                 int64_t (*make)(struct call *c, struct sysv **s))
{
    struct sysv *s = NULL;
    int64_t err;

    if (key != 0) /* IPC_PRIVATE: always a new one */
        DL_SEARCH_SCALAR(c->p->sysv[kind], s, key, key);
    if (!s)
        return key != 0 && !(flags & IPC_CREAT_) ? -ENOENT : create(c, kind, key, flags, make);
    if (flags & IPC_CREAT_ && flags & IPC_EXCL_)
        return -EEXIST;
    err = fits(c, s);
    if (err < 0)
        return err;
    return sysv_allows(s, flags >> 6 & 6) ? s->id : -EACCES;
}

void sysv_out(struct out *o, const struct sysv *s)
{
    const size_t start = o->len;

    out_int(o, 4, s->key);
    for (int i = 0; i < 2; i++) { /* owner, creator */
        out_int(o, 4, s->uid);
        out_int(o, 4, s->gid);
    }
    out_int(o, 4, s->mode);
    out_int(o, 2, 0);
    out_int(o, 2, 0);
    out_skip(o, start + (o->word == 8 ? 32 : 28));
    out_long(o, 0);
    out_long(o, 0);
}

int sysv_set(struct call *c, struct sysv *s, uint64_t va)
{
    struct in i;
    uint32_t uid, gid;

    if (in_read(&i, &c->p->vm, va, 24) < 0)
        return -EFAULT;
    in_skip(&i, 4);
    uid = (uint32_t)in_int(&i, 4);
    gid = (uint32_t)in_int(&i, 4);
    in_skip(&i, 20);
    s->uid = uid;
    s->gid = gid;
    s->mode = (s->mode & ~0777u) | ((uint32_t)in_int(&i, 4) & 0777);
    s->changed = sysv_now(c->p);
    return 0;
}

/* ---- the calls ------------------------------------------------------------------------------- */

int64_t sys_semget(struct call *c)
{
    return sem_get(c, (uint32_t)c->a[0], (int32_t)c->a[1], (uint32_t)c->a[2]);
}

int64_t sys_semop(struct call *c)
{
    return sem_operate(c, c->a[0], c->a[1], c->a[2], 0);
}

int64_t sys_semtimedop(struct call *c)
{
    return sem_operate(c, c->a[0], c->a[1], c->a[2], c->a[3]);
}

int64_t sys_semctl(struct call *c)
{
    return sem_control(c, c->a[0], c->a[1], c->a[2], c->a[3]);
}

int64_t sys_shmget(struct call *c)
{
    return shm_get(c, (uint32_t)c->a[0], c->a[1], (uint32_t)c->a[2]);
}

int64_t sys_shmat(struct call *c)
{
    return shm_attach(c, c->a[0], c->a[1], c->a[2]);
}

int64_t sys_shmdt(struct call *c)
{
    return shm_detach(c, c->a[0]);
}

int64_t sys_shmctl(struct call *c)
{
    return shm_control(c, c->a[0], c->a[1], c->a[2]);
}

int64_t sys_msgget(struct call *c)
{
    return msg_get(c, (uint32_t)c->a[0], (uint32_t)c->a[1]);
}

int64_t sys_msgsnd(struct call *c)
{
    return msg_send(c, c->a[0], c->a[1], c->a[2], c->a[3]);
}

int64_t sys_msgrcv(struct call *c)
{
    return msg_receive(c, c->a[0], c->a[1], c->a[2], (int64_t)c->a[3], c->a[4]);
}

int64_t sys_msgctl(struct call *c)
{
    return msg_control(c, c->a[0], c->a[1], c->a[2]);
}

/** semctl's last argument stands where the pointer points to. */
static int64_t ipc_semctl(struct call *c)
{
    uint32_t arg;

    if (!c->a[4])
        return -EINVAL;
    if (vm_read32(&c->p->vm, c->a[4], &arg) < 0)
        return -EFAULT;
    return sem_control(c, c->a[1], c->a[2], c->a[3], arg);
}

/** The old way passes the buffer and the type through one more pointer. */
static int64_t ipc_msgrcv(struct call *c)
{
    const int32_t type = (int32_t)c->a[5];
    uint32_t old[2];

    if (c->a[0] >> 16 != 0)
        return c->a[0] >> 16 == 1 ? msg_receive(c, c->a[1], c->a[4], c->a[2], type, c->a[3])
                                  : -EINVAL;
    if (!c->a[4])
        return -EINVAL;
    for (unsigned i = 0; i < 2; i++)
        if (vm_read32(&c->p->vm, c->a[4] + 4 * i, &old[i]) < 0)
            return -EFAULT;
    return msg_receive(c, c->a[1], old[0], c->a[2], (int32_t)old[1], c->a[3]);
}

/** The address is stored where the third argument says. */
static int64_t ipc_shmat(struct call *c)
{
    int64_t at = shm_attach(c, c->a[1], c->a[4], c->a[2]);

    if (at < 0)
        return at;
    return vm_write32(&c->p->vm, c->a[3], (uint32_t)at) < 0 ? -EFAULT : 0;
}

/** ipc(call, first, second, third, pointer, fifth), o32 only */
int64_t sys_ipc(struct call *c)
{
    enum { OP = 1, GET, CTL, TIMEDOP, SND = 11, RCV, MGET, MCTL, AT = 21, DT, SGET, SCTL };

    switch (c->a[0] & 0xffff) {
    case OP:
        return sem_operate(c, c->a[1], c->a[4], c->a[2], 0);
    case GET:
        return sem_get(c, (uint32_t)c->a[1], (int32_t)c->a[2], (uint32_t)c->a[3]);
    case CTL:
        return ipc_semctl(c);
    case TIMEDOP:
        return sem_operate(c, c->a[1], c->a[4], c->a[2], c->a[5]);
    case SND:
        return msg_send(c, c->a[1], c->a[4], c->a[2], c->a[3]);
    case RCV:
        return ipc_msgrcv(c);
    case MGET:
        return msg_get(c, (uint32_t)c->a[1], (uint32_t)c->a[2]);
    case MCTL:
        return msg_control(c, c->a[1], c->a[2], c->a[4]);
    case AT:
        return ipc_shmat(c);
    case DT:
        return shm_detach(c, c->a[4]);
    case SGET:
        return shm_get(c, (uint32_t)c->a[1], c->a[2], (uint32_t)c->a[3]);
    case SCTL:
        return shm_control(c, c->a[1], c->a[2], c->a[4]);
    default:
        return -ENOSYS;
    }
}
