/*
 * System V shared memory: a nameless file of the host, mapped shared as often as somebody attaches
 * it; all mappings of a file are one memory. A removed segment lives until the last is detached.
 */
#include "programs/linux_sysv.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

enum { SEGMENTS_MAX = 4096, REMOVED = 01000 };
enum { SHM_RDONLY_ = 010000, SHM_RND_ = 020000, SHM_REMAP_ = 040000, SHM_EXEC_ = 0100000 };
enum { SHM_LOCK_ = 11, SHM_UNLOCK_ = 12 };

struct attachment {
    struct attachment *prev, *next;
    uint64_t at, len;
};

struct segment {
    struct sysv head;
    int fd;
    uint64_t size;
    uint64_t attached_at, detached_at; /* [s] */
    struct attachment *attached;
};

static struct segment *segment_of(struct prog *p, uint64_t id)
{
    return (struct segment *)(void *)sysv_find(p, SYSV_SEGMENTS, id);
}

void shm_free(struct prog *p, struct sysv *s)
{
    struct segment *g = (struct segment *)(void *)s;
    struct attachment *a, *tmp;

    (void)p;
    DL_FOREACH_SAFE(g->attached, a, tmp)
    free(a);
    close(g->fd);
    free(g);
}

static int64_t fits(struct call *c, const struct sysv *s)
{
    return c->size > ((const struct segment *)(const void *)s)->size ? -EINVAL : 0;
}

static int64_t make(struct call *c, struct sysv **s)
{
    struct segment *g;
    struct sysv *i;
    unsigned segments;
    int fd;

    if (c->size == 0 || c->size > INT64_MAX - c->p->vm.page)
        return -EINVAL;
    DL_COUNT(c->p->sysv[SYSV_SEGMENTS], i, segments);
    if (segments >= SEGMENTS_MAX)
        return -ENOSPC;
    fd = memfd_create("segment", MFD_CLOEXEC);
    if (fd < 0 ||
        ftruncate(fd, (off_t)((c->size + c->p->vm.page - 1) & ~(c->p->vm.page - 1))) < 0) {
        if (fd >= 0)
            close(fd);
        return -ENOMEM;
    }
    g = nm_alloc(1, sizeof *g);
    g->fd = fd;
    g->size = c->size;
    *s = &g->head;
    return 0;
}

int64_t shm_get(struct call *c, uint32_t key, uint64_t size, uint32_t flags)
{
    c->size = size;
    return sysv_get(c, SYSV_SEGMENTS, key, flags, fits, make);
}

/** Where it goes: 0 anywhere. @return -EINVAL: nowhere */
static int64_t place(const struct vm *vm, uint64_t addr, uint64_t flags)
{
    if (addr & (vm->page - 1))
        return flags & SHM_RND_ ? (int64_t)(addr & ~(vm->page - 1)) : -EINVAL;
    return !addr && flags & SHM_REMAP_ ? -EINVAL : (int64_t)addr;
}

int64_t shm_attach(struct call *c, uint64_t id, uint64_t addr, uint64_t flags)
{
    struct segment *g = segment_of(c->p, id);
    const int64_t want = place(&c->p->vm, addr, flags);
    struct vm_request rq = {
        .addr = (uint64_t)want,
        .rights = PROG_R | (flags & SHM_RDONLY_ ? 0u : PROG_W) | (flags & SHM_EXEC_ ? PROG_X : 0u),
        .fixed = want > 0 && flags & SHM_REMAP_,
        .noreplace = want > 0 && !(flags & SHM_REMAP_),
        .shared = true,
        .writable = true,
        .limit = UINT64_MAX,
    };
    struct attachment *a;
    int64_t at;

    if (!g || want < 0)
        return -EINVAL;
    if (!sysv_allows(&g->head, flags & SHM_RDONLY_ ? 4 : 6))
        return -EACCES;
    rq.fd = g->fd;
    rq.len = (g->size + c->p->vm.page - 1) & ~(c->p->vm.page - 1);
    at = vm_map(&c->p->vm, &rq);
    if (at < 0)
        return at == -EEXIST ? -EINVAL : at;
    a = nm_alloc(1, sizeof *a);
    a->at = (uint64_t)at;
    a->len = rq.len;
    DL_APPEND(g->attached, a);
    g->attached_at = sysv_now(c->p);
    return at;
}

/** A removed segment nobody has attached is gone. */
static void let_go(struct prog *p, struct segment *g)
{
    if (!(g->head.mode & REMOVED) || g->attached)
        return;
    sysv_remove(p, SYSV_SEGMENTS, &g->head);
    shm_free(p, &g->head);
}

int64_t shm_detach(struct call *c, uint64_t addr)
{
    struct sysv *s;
    struct attachment *a;

    DL_FOREACH(c->p->sysv[SYSV_SEGMENTS], s)
    {
        struct segment *g = (struct segment *)(void *)s;
        DL_SEARCH_SCALAR(g->attached, a, at, addr);
        if (!a)
            continue;
        vm_unmap(&c->p->vm, a->at, a->len);
        DL_DELETE(g->attached, a);
        free(a);
        g->detached_at = sysv_now(c->p);
        let_go(c->p, g);
        return 0;
    }
    return -EINVAL;
}

static int64_t stat_segment(struct call *c, const struct segment *g, uint64_t va)
{
    const struct attachment *a;
    unsigned attached;
    struct out o;

    DL_COUNT(g->attached, a, attached);
    out_start(&o, c->p->n64);
    sysv_out(&o, &g->head);
    out_long(&o, g->size);
    out_long(&o, g->attached_at);
    out_long(&o, g->detached_at);
    out_long(&o, g->head.changed);
    out_int(&o, 4, FIRST_TID);
    out_int(&o, 4, g->attached_at ? FIRST_TID : 0);
    out_long(&o, attached);
    out_skip(&o, o.len + (c->p->n64 ? 16 : 8));
    return out_write(&o, &c->p->vm, va);
}

/** IPC_INFO: struct shminfo, longs: the largest and smallest size, how many, and in all. */
static int64_t info(struct call *c, uint64_t va)
{
    const uint64_t most = c->p->par->memory_size * nm_params_stations(c->p->par);
    struct out o;

    out_start(&o, c->p->n64);
    out_long(&o, most);
    out_long(&o, 1);
    out_long(&o, SEGMENTS_MAX);
    out_long(&o, SEGMENTS_MAX);
    out_long(&o, most / c->p->vm.page);
    for (int i = 0; i < 4; i++)
        out_long(&o, 0);
    return out_write(&o, &c->p->vm, va);
}

int64_t shm_control(struct call *c, uint64_t id, uint64_t command, uint64_t arg)
{
    struct segment *g = segment_of(c->p, id);

    command &= ~(uint64_t)IPC_64;
    if (command == IPC_INFO_)
        return info(c, arg);
    if (!g || (int32_t)id < 0)
        return -EINVAL;
    switch (command) {
    case IPC_RMID_:
        g->head.mode |= REMOVED;
        g->head.key = 0; /* cannot be found any more */
        let_go(c->p, g);
        return 0;
    case IPC_SET_:
        return sysv_set(c, &g->head, arg);
    case IPC_STAT_:
        return sysv_allows(&g->head, 4) ? stat_segment(c, g, arg) : -EACCES;
    case SHM_LOCK_:
    case SHM_UNLOCK_:
        return 0; /* pages always are in memory */
    default:
        return -EINVAL;
    }
}
