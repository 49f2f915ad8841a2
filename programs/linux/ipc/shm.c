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

struct segment {
    struct lx_sysv head;
    int fd;
    uint64_t dev, ino; /* of the file */
    uint64_t size;
    uint64_t attached_at, detached_at; /* [s] */
};

static struct segment *segment_of(struct lx_prog *p, uint64_t id)
{
    return (struct segment *)(void *)lx_sysv_find(p, SYSV_SEGMENTS, id);
}

void lx_shm_free(struct lx_prog *p, struct lx_sysv *s)
{
    struct segment *g = (struct segment *)(void *)s;

    prog_host_close(g->fd);
    lx_give_back(p, lx_vm_whole_pages(&p->vm, g->size));
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
    if (segments >= LX_SHM_SEGMENTS || !lx_keep(c->p, lx_vm_whole_pages(&c->p->vm, c->size)))
        return -ENOSPC;
    fd = prog_host_memfd_create("segment", MFD_CLOEXEC);
    if (fd < 0 || prog_host_ftruncate(fd, (off_t)lx_vm_whole_pages(&c->p->vm, c->size)) < 0 ||
        prog_host_fstat(fd, &st) < 0) {
        prog_host_close(fd);
        lx_give_back(c->p, lx_vm_whole_pages(&c->p->vm, c->size));
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

static bool shm_is_of(const struct lx_vm_area *a, const struct segment *g)
{
    return a->file && a->file->dev == g->dev && a->file->ino == g->ino;
}

/** As Linux counts: each area that is of the segment, also parts of one attachment. */
static unsigned shm_attached(const struct lx_vm *vm, const struct segment *g)
{
    unsigned n = 0;

    for (size_t i = 0; i < vm->count; i++)
        n += shm_is_of(&vm->areas[i], g);
    return n;
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
    int64_t at;

    if (!g || want < 0)
        return -EINVAL;
    if (!lx_sysv_allows(&g->head, flags & SHM_RDONLY_ ? 4 : 6))
        return -EACCES;
    rq.fd = g->fd;
    rq.len = lx_vm_whole_pages(&c->p->vm, g->size);
    at = lx_vm_map(&c->p->vm, &rq);
    if (at < 0)
        return at == -EEXIST ? -EINVAL : at;
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

/** The first area from `addr` on that lies where an attachment at `addr` would have it.
 *  @param only  of this segment, or NULL: of any @param[out] g  whose it is */
static const struct lx_vm_area *shm_part(const struct lx_prog *p, uint64_t addr,
                                         const struct segment *only, struct segment **g)
{
    for (size_t i = 0; i < p->vm.count; i++) {
        const struct lx_vm_area *a = &p->vm.areas[i];
        struct lx_sysv *s;
        if (!a->file || a->start < addr || a->start - addr != a->offset)
            continue;
        DL_FOREACH(p->sysv[SYSV_SEGMENTS], s) {
            *g = (struct segment *)(void *)s;
            if (shm_is_of(a, *g) && (!only || *g == only))
                return a;
        }
    }
    return NULL;
}

/** Takes away what is left of the attachment at `addr`, and nothing that has come in its place. */
int64_t lx_shm_detach(struct lx_call *c, uint64_t addr)
{
    struct segment *only, *g;
    const struct lx_vm_area *a = shm_part(c->p, addr, NULL, &only);
    uint64_t bytes;

    if (!a || addr & (c->p->vm.page - 1))
        return -EINVAL;
    bytes = lx_vm_whole_pages(&c->p->vm, only->size);
    only->detached_at = lx_sysv_now(c->p);
    do /* lx_shm_left with the last: the segment may be gone */
        lx_vm_unmap(&c->p->vm, a->start, a->end - a->start);
    while ((a = shm_part(c->p, addr, only, &g)) && a->end - addr <= bytes);
    return 0;
}

static int64_t stat_segment(struct lx_call *c, struct segment *g, uint64_t va)
{
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_sysv_out(&o, &g->head);
    lx_out_long(&o, g->size);
    lx_sysv_out_time(&o, g->attached_at);
    lx_sysv_out_time(&o, g->detached_at);
    lx_sysv_out_time(&o, g->head.changed);
    lx_out_int(&o, 4, FIRST_TID);
    lx_out_int(&o, 4, g->attached_at ? FIRST_TID : 0);
    lx_out_long(&o, shm_attached(&c->p->vm, g));
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
