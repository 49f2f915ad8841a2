/*
 * System V shared memory: a nameless file of the host, mapped shared as often as somebody attaches
 * it; all mappings of a file are one memory. A removed segment lives until the last is detached.
 */
#include "programs/host.h"
#include "programs/linux/ipc/sysv.h"

#include "base/alloc.h"
#include "programs/linux/ipc/ipc.h"
#include "programs/linux/memory/vm_file.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utlist.h>

enum { REMOVED = 01000 };
enum { SHM_RDONLY_ = 010000, SHM_RND_ = 020000, SHM_REMAP_ = 040000, SHM_EXEC_ = 0100000 };
enum { SHM_HUGETLB_ = 04000 };
enum { SHM_LOCK_ = 11, SHM_UNLOCK_ = 12 };

struct attachment {
    struct attachment *prev, *next;
    uint64_t at, len;
};

struct segment {
    struct lx_sysv head;
    int fd;
    uint64_t dev, ino; /* of the file */
    uint64_t size;
    uint64_t attached_at, detached_at; /* [s] */
    struct attachment *attached;
};

static struct segment *segment_of(struct lx_prog *p, uint64_t id)
{
    return (struct segment *)(void *)lx_sysv_find(p, SYSV_SEGMENTS, id);
}

/** Whole pages. */
static uint64_t shm_bytes_of(const struct lx_prog *p, uint64_t size)
{
    return (size + p->vm.page - 1) & ~(p->vm.page - 1);
}

void lx_shm_free(struct lx_prog *p, struct lx_sysv *s)
{
    struct segment *g = (struct segment *)(void *)s;
    struct attachment *a, *tmp;

    DL_FOREACH_SAFE(g->attached, a, tmp)
        free(a);
    prog_host_close(g->fd);
    lx_give_back(p, shm_bytes_of(p, g->size));
    free(g);
}

static int64_t shm_fits(struct lx_call *c, const struct lx_sysv *s)
{
    return c->size > ((const struct segment *)(const void *)s)->size ? -EINVAL : 0;
}

static int64_t shm_make(struct lx_call *c, struct lx_sysv **s)
{
    struct segment *g;
    struct lx_sysv *i;
    struct stat st;
    unsigned segments;
    int fd;

    if (c->size == 0 || c->size > lx_memory(c->p))
        return -EINVAL;
    if (c->flags & SHM_HUGETLB_) /* nobody has put huge pages aside */
        return -ENOMEM;
    DL_COUNT(c->p->sysv[SYSV_SEGMENTS], i, segments);
    if (segments >= LX_SHM_SEGMENTS || !lx_keep(c->p, shm_bytes_of(c->p, c->size)))
        return -ENOSPC;
    fd = prog_host_memfd_create("segment", MFD_CLOEXEC);
    if (fd < 0 || prog_host_ftruncate(fd, (off_t)shm_bytes_of(c->p, c->size)) < 0 ||
        prog_host_fstat(fd, &st) < 0) {
        prog_host_close(fd);
        lx_give_back(c->p, shm_bytes_of(c->p, c->size));
        return -ENOMEM;
    }
    g = sim_alloc(1, sizeof *g);
    g->fd = fd;
    g->dev = st.st_dev;
    g->ino = st.st_ino;
    g->size = c->size;
    *s = &g->head;
    return 0;
}

int64_t lx_shm_get(struct lx_call *c, uint32_t key, uint64_t size, uint32_t flags)
{
    c->size = size;
    c->flags = flags;
    return lx_sysv_get(c, SYSV_SEGMENTS, key, flags, shm_fits, shm_make);
}

/** Where it goes: 0 anywhere. @return -EINVAL: nowhere */
static int64_t shm_place(const struct lx_vm *vm, uint64_t addr, uint64_t flags)
{
    if (addr & (vm->page - 1))
        return flags & SHM_RND_ ? (int64_t)(addr & ~(vm->page - 1)) : -EINVAL;
    return !addr && flags & SHM_REMAP_ ? -EINVAL : (int64_t)addr;
}

/** Attachments that munmap or another mapping has taken away are none. */
static void look_after(struct lx_prog *p, struct segment *g)
{
    struct attachment *a, *tmp;

    DL_FOREACH_SAFE(g->attached, a, tmp) {
        const struct lx_vm_area *area = lx_vm_find(&p->vm, a->at);
        if (area && area->file && area->file->dev == g->dev && area->file->ino == g->ino)
            continue;
        DL_DELETE(g->attached, a);
        free(a);
    }
}

int64_t lx_shm_attach(struct lx_call *c, uint64_t id, uint64_t addr, uint64_t flags)
{
    struct segment *g = segment_of(c->p, id);
    const int64_t want = shm_place(&c->p->vm, addr, flags);
    struct lx_vm_request rq = {
        .addr = (uint64_t)want,
        .rights = LX_R | (flags & SHM_RDONLY_ ? 0u : LX_W) | (flags & SHM_EXEC_ ? LX_X : 0u),
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
    if (!lx_sysv_allows(&g->head, flags & SHM_RDONLY_ ? 4 : 6))
        return -EACCES;
    look_after(c->p, g);
    rq.fd = g->fd;
    rq.len = shm_bytes_of(c->p, g->size);
    at = lx_vm_map(&c->p->vm, &rq);
    if (at < 0)
        return at == -EEXIST ? -EINVAL : at;
    DL_SEARCH_SCALAR(g->attached, a, at, (uint64_t)at);
    if (!a) { /* else it was attached over itself */
        a = sim_alloc(1, sizeof *a);
        DL_APPEND(g->attached, a);
    }
    a->at = (uint64_t)at;
    a->len = rq.len;
    g->attached_at = lx_sysv_now(c->p);
    return at;
}

/** A removed segment nobody has attached is gone. */
static void shm_let_go(struct lx_prog *p, struct segment *g)
{
    if (!(g->head.mode & REMOVED) || lx_vm_file_mapped(&p->vm, g->dev, g->ino))
        return;
    lx_sysv_remove(p, SYSV_SEGMENTS, &g->head);
    lx_shm_free(p, &g->head);
}

void lx_shm_left(struct lx_prog *p, uint64_t dev, uint64_t ino)
{
    struct lx_sysv *s;

    DL_FOREACH(p->sysv[SYSV_SEGMENTS], s) {
        struct segment *g = (struct segment *)(void *)s;
        if (g->dev != dev || g->ino != ino)
            continue;
        g->detached_at = lx_sysv_now(p);
        shm_let_go(p, g);
        return;
    }
}

int64_t lx_shm_detach(struct lx_call *c, uint64_t addr)
{
    struct lx_sysv *s;
    struct attachment *a;

    DL_FOREACH(c->p->sysv[SYSV_SEGMENTS], s) {
        struct segment *g = (struct segment *)(void *)s;
        look_after(c->p, g);
        DL_SEARCH_SCALAR(g->attached, a, at, addr);
        if (!a)
            continue;
        DL_DELETE(g->attached, a);
        g->detached_at = lx_sysv_now(c->p);
        lx_vm_unmap(&c->p->vm, a->at,
                    a->len); /* lx_shm_left, if this was the last: g may be gone */
        free(a);
        return 0;
    }
    return -EINVAL;
}

static int64_t stat_segment(struct lx_call *c, struct segment *g, uint64_t va)
{
    const struct attachment *a;
    unsigned attached;
    struct lx_out o;

    look_after(c->p, g);
    DL_COUNT(g->attached, a, attached);
    lx_out_start(&o, c->p->kind);
    lx_sysv_out(&o, &g->head);
    lx_out_long(&o, g->size);
    lx_sysv_out_time(&o, g->attached_at);
    lx_sysv_out_time(&o, g->detached_at);
    lx_sysv_out_time(&o, g->head.changed);
    lx_out_int(&o, 4, FIRST_TID);
    lx_out_int(&o, 4, g->attached_at ? FIRST_TID : 0);
    lx_out_long(&o, attached);
    lx_out_skip(&o, o.len + (c->p->n64 ? 16 : 8));
    return lx_out_write(&o, &c->p->vm, va);
}

/** IPC_INFO: struct shminfo, longs: the largest and smallest size, how many, and in all. */
static int64_t shm_info(struct lx_call *c, uint64_t va)
{
    const uint64_t most = lx_memory(c->p);
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, most);
    lx_out_long(&o, 1);
    lx_out_long(&o, LX_SHM_SEGMENTS);
    lx_out_long(&o, LX_SHM_SEGMENTS);
    lx_out_long(&o, most / c->p->vm.page);
    for (int i = 0; i < 4; i++)
        lx_out_long(&o, 0);
    return lx_out_write(&o, &c->p->vm, va);
}

int64_t lx_shm_control(struct lx_call *c, uint64_t id, uint64_t command, uint64_t arg)
{
    struct segment *g = segment_of(c->p, id);

    command &= ~(uint64_t)IPC_64;
    if (command == IPC_INFO_)
        return shm_info(c, arg);
    if (!g || (int32_t)id < 0)
        return -EINVAL;
    switch (command) {
    case IPC_RMID_:
        g->head.mode |= REMOVED;
        g->head.key = 0; /* cannot be found any more */
        shm_let_go(c->p, g);
        return 0;
    case IPC_SET_:
        return lx_sysv_set(c, &g->head, arg);
    case IPC_STAT_:
        return lx_sysv_allows(&g->head, 4) ? stat_segment(c, g, arg) : -EACCES;
    case SHM_LOCK_:
    case SHM_UNLOCK_:
        return 0; /* pages always are in memory */
    default:
        return -EINVAL;
    }
}
