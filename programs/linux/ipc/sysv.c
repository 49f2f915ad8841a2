/*
 * System V IPC: keys and numbers, and the ways in: calls of their own, and o32's ipc(), which is
 * all of them behind one number.
 *
 * There is one process, so what is shared is shared by its threads, and what the system keeps when
 * a process ends (SEM_UNDO, segments) ends with the run.
 */
#include "programs/linux/ipc/sysv.h"

#include <utlist.h>

static void (*const frees[SYSV_KINDS])(struct lx_prog *p, struct lx_sysv *s) = {
    [SYSV_SEMAPHORES] = lx_sem_free, [SYSV_SEGMENTS] = lx_shm_free, [SYSV_MESSAGES] = lx_msg_free};

void lx_sysv_free(struct lx_prog *p)
{
    for (int kind = 0; kind < SYSV_KINDS; kind++)
        while (p->sysv[kind]) {
            struct lx_sysv *s = p->sysv[kind];
            lx_sysv_remove(p, kind, s);
            frees[kind](p, s);
        }
}

uint64_t lx_sysv_now(const struct lx_prog *p)
{
    return (uint64_t)LX_EPOCH + lx_ns(p, lx_now(p)) / 1000000000;
}

struct lx_sysv *lx_sysv_find(struct lx_prog *p, int kind, uint64_t id)
{
    struct lx_sysv *s;

    DL_FOREACH(p->sysv[kind], s)
        if (s->id == (int32_t)id)
            return s;
    return NULL;
}

bool lx_sysv_allows(const struct lx_sysv *s, unsigned what)
{
    return (s->mode >> 6 & what) == what;
}

void lx_sysv_remove(struct lx_prog *p, int kind, struct lx_sysv *s)
{
    DL_DELETE(p->sysv[kind], s);
}

static int64_t sysv_create(struct lx_call *c, int kind, uint32_t key, uint32_t flags,
                           int64_t (*make)(struct lx_call *c, struct lx_sysv **s))
{
    struct lx_prog *p = c->p;
    struct lx_sysv *s = NULL;
    int64_t err = make(c, &s);

    if (err < 0)
        return err;
    s->id = (int)(p->next_sysv[kind]++ & INT32_MAX);
    s->key = key;
    s->mode = flags & 0777;
    s->uid = p->uid;
    s->gid = p->gid;
    s->changed = lx_sysv_now(p);
    DL_APPEND(p->sysv[kind], s);
    return s->id;
}

int64_t lx_sysv_get(struct lx_call *c, int kind, uint32_t key, uint32_t flags,
                    int64_t (*fits)(struct lx_call *c, const struct lx_sysv *s),
                    int64_t (*make)(struct lx_call *c, struct lx_sysv **s))
{
    struct lx_sysv *s = NULL;
    int64_t err;

    if (key != 0) /* IPC_PRIVATE: always a new one */
        DL_SEARCH_SCALAR(c->p->sysv[kind], s, key, key);
    if (!s)
        return key != 0 && !(flags & IPC_CREAT_) ? -ENOENT : sysv_create(c, kind, key, flags, make);
    if (flags & IPC_CREAT_ && flags & IPC_EXCL_)
        return -EEXIST;
    err = fits(c, s);
    if (err < 0)
        return err;
    return lx_sysv_allows(s, flags >> 6 & 6) ? s->id : -EACCES;
}

void lx_sysv_out_time(struct lx_out *o, uint64_t s)
{
    lx_out_int(o, o->kind->generic ? 8 : o->word, s);
}

void lx_sysv_out(struct lx_out *o, const struct lx_sysv *s)
{
    const size_t start = o->len;

    lx_out_int(o, 4, s->key);
    for (int i = 0; i < 2; i++) { /* owner, creator */
        lx_out_int(o, 4, s->uid);
        lx_out_int(o, 4, s->gid);
    }
    lx_out_int(o, 4, s->mode);
    lx_out_int(o, 2, 0);
    lx_out_int(o, 2, 0);
    lx_out_skip(o, start + (o->word == 8 ? 32 : 28));
    lx_out_long(o, 0);
    lx_out_long(o, 0);
}

int lx_sysv_set(struct lx_call *c, struct lx_sysv *s, uint64_t va)
{
    struct lx_in i;
    uint32_t uid, gid;

    if (lx_in_read(&i, &c->p->vm, va, 24) < 0)
        return -EFAULT;
    lx_in_skip(&i, 4);
    uid = (uint32_t)lx_in_int(&i, 4);
    gid = (uint32_t)lx_in_int(&i, 4);
    lx_in_skip(&i, 20);
    s->uid = uid;
    s->gid = gid;
    s->mode = (s->mode & ~0777u) | ((uint32_t)lx_in_int(&i, 4) & 0777);
    s->changed = lx_sysv_now(c->p);
    return 0;
}

/* ---- the calls ------------------------------------------------------------------------------- */

int64_t lx_sys_semget(struct lx_call *c)
{
    return lx_sem_get(c, (uint32_t)c->a[0], (int32_t)c->a[1], (uint32_t)c->a[2]);
}

int64_t lx_sys_semop(struct lx_call *c)
{
    return lx_sem_operate(c, c->a[0], c->a[1], c->a[2], 0);
}

int64_t lx_sys_semtimedop(struct lx_call *c)
{
    return lx_sem_operate(c, c->a[0], c->a[1], c->a[2], c->a[3]);
}

int64_t lx_sys_semctl(struct lx_call *c)
{
    return lx_sem_control(c, c->a[0], c->a[1], c->a[2], c->a[3]);
}

int64_t lx_sys_shmget(struct lx_call *c)
{
    return lx_shm_get(c, (uint32_t)c->a[0], c->a[1], (uint32_t)c->a[2]);
}

int64_t lx_sys_shmat(struct lx_call *c)
{
    return lx_shm_attach(c, c->a[0], c->a[1], c->a[2]);
}

int64_t lx_sys_shmdt(struct lx_call *c)
{
    return lx_shm_detach(c, c->a[0]);
}

int64_t lx_sys_shmctl(struct lx_call *c)
{
    return lx_shm_control(c, c->a[0], c->a[1], c->a[2]);
}

int64_t lx_sys_msgget(struct lx_call *c)
{
    return lx_msg_get(c, (uint32_t)c->a[0], (uint32_t)c->a[1]);
}

int64_t lx_sys_msgsnd(struct lx_call *c)
{
    return lx_msg_send(c, c->a[0], c->a[1], c->a[2], c->a[3]);
}

int64_t lx_sys_msgrcv(struct lx_call *c)
{
    return lx_msg_receive(c, c->a[0], c->a[1], c->a[2], (int64_t)c->a[3], c->a[4]);
}

int64_t lx_sys_msgctl(struct lx_call *c)
{
    return lx_msg_control(c, c->a[0], c->a[1], c->a[2]);
}

/** semctl's last argument stands where the pointer points to. */
static int64_t ipc_semctl(struct lx_call *c)
{
    uint32_t arg;

    if (!c->a[4])
        return -EINVAL;
    if (lx_vm_read32(&c->p->vm, c->a[4], &arg) < 0)
        return -EFAULT;
    return lx_sem_control(c, c->a[1], c->a[2], c->a[3], arg);
}

/** The old way passes the buffer and the type through one more pointer. */
static int64_t ipc_msgrcv(struct lx_call *c)
{
    const int32_t type = (int32_t)c->a[5];
    uint32_t old[2];

    if (c->a[0] >> 16 != 0)
        return c->a[0] >> 16 == 1 ? lx_msg_receive(c, c->a[1], c->a[4], c->a[2], type, c->a[3])
                                  : -EINVAL;
    if (!c->a[4])
        return -EINVAL;
    for (unsigned i = 0; i < 2; i++)
        if (lx_vm_read32(&c->p->vm, c->a[4] + 4 * i, &old[i]) < 0)
            return -EFAULT;
    return lx_msg_receive(c, c->a[1], old[0], c->a[2], (int32_t)old[1], c->a[3]);
}

/** The address is stored where the third argument says. */
static int64_t ipc_shmat(struct lx_call *c)
{
    int64_t at = lx_shm_attach(c, c->a[1], c->a[4], c->a[2]);

    if (at < 0)
        return at;
    return lx_vm_write32(&c->p->vm, c->a[3], (uint32_t)at) < 0 ? -EFAULT : 0;
}

/** ipc(call, first, second, third, pointer, fifth), o32 only */
int64_t lx_sys_ipc(struct lx_call *c)
{
    enum { OP = 1, GET, CTL, TIMEDOP, SND = 11, RCV, MGET, MCTL, AT = 21, DT, SGET, SCTL };

    switch (c->a[0] & 0xffff) {
    case OP:
        return lx_sem_operate(c, c->a[1], c->a[4], c->a[2], 0);
    case GET:
        return lx_sem_get(c, (uint32_t)c->a[1], (int32_t)c->a[2], (uint32_t)c->a[3]);
    case CTL:
        return ipc_semctl(c);
    case TIMEDOP:
        return lx_sem_operate(c, c->a[1], c->a[4], c->a[2], c->a[5]);
    case SND:
        return lx_msg_send(c, c->a[1], c->a[4], c->a[2], c->a[3]);
    case RCV:
        return ipc_msgrcv(c);
    case MGET:
        return lx_msg_get(c, (uint32_t)c->a[1], (uint32_t)c->a[2]);
    case MCTL:
        return lx_msg_control(c, c->a[1], c->a[2], c->a[4]);
    case AT:
        return ipc_shmat(c);
    case DT:
        return lx_shm_detach(c, c->a[4]);
    case SGET:
        return lx_shm_get(c, (uint32_t)c->a[1], c->a[2], (uint32_t)c->a[3]);
    case SCTL:
        return lx_shm_control(c, c->a[1], c->a[2], c->a[4]);
    default:
        return -ENOSYS;
    }
}
