/* Memory calls: MIPS numbers of flags on one side, areas (vm.c) on the other. */
#include "programs/linux_file.h"
#include "programs/mapped.h"

#include <sys/stat.h>

/** MIPS Linux mmap flags. */
enum {
    G_MAP_SHARED = 0x01,
    G_MAP_PRIVATE = 0x02,
    G_MAP_SHARED_VALIDATE = 0x03,
    G_MAP_TYPE = 0x0f,
    G_MAP_FIXED = 0x10,
    G_MAP_ANONYMOUS = 0x800,
    G_MAP_FIXED_NOREPLACE = 0x100000,
    G_MREMAP_MAYMOVE = 1,
    G_MREMAP_FIXED = 2,
    G_PROT_MASK = 7,
    G_PROT_KNOWN = 0x1f, /* PROT_SEM too */
    G_MS_ALL = 7,
    G_MS_BOTH = 5,
    G_MADV_DONTNEED = 4,
    G_MADV_REMOVE = 9,
    G_MADV_LAST = 25,
    G_MADV_HOLE = 5, /* 5 .. 7 mean nothing */
    G_MADV_HOLE_END = 7,
};

/** Flags a mapping may have; with MAP_SHARED_VALIDATE others are refused. */
#define G_MAP_KNOWN 0x1fffffu

static bool is_shared(uint64_t flags)
{
    return (flags & G_MAP_TYPE) != G_MAP_PRIVATE;
}

/** What a mapping takes from its file. @return 0 or -errno */
static int64_t map_of_file(const struct file *f, struct vm_request *rq)
{
    if (f->kind == FILE_PATH || f->flags & G_O_PATH)
        return -EBADF;
    if (f->kind == FILE_ZERO)
        return 0;
    if (f->kind != FILE_HOST || f->standard)
        return -ENODEV;
    if (!may_read(f) || (rq->shared && (rq->rights & PROG_W) && (f->flags & 3) != 2))
        return -EACCES;
    rq->fd = f->host;
    rq->writable = (f->flags & 3) == 2;
    return rq->shared ? seals_on_map(f, rq->rights & PROG_W, &rq->writable) : 0;
}

static int64_t map(struct call *c, uint64_t offset)
{
    uint64_t flags = c->a[3], type = flags & G_MAP_TYPE;
    struct vm_request rq = {
        .addr = c->a[0],
        .len = c->a[1],
        .rights = c->a[2] & G_PROT_MASK,
        .fixed = flags & G_MAP_FIXED,
        .noreplace = flags & G_MAP_FIXED_NOREPLACE,
        .shared = is_shared(flags),
        .fd = -1,
        .offset = offset,
        .limit = UINT64_MAX,
    };
    int64_t err = 0;

    if (type < G_MAP_SHARED || type > G_MAP_SHARED_VALIDATE)
        return -EINVAL;
    if (!(flags & G_MAP_ANONYMOUS)) {
        const struct file *f = file_get(c->p, (int32_t)c->a[4]);
        if (!f)
            return -EBADF;
        if (mapped_kind(f))
            return mapped_map(c, f, &rq);
        if (type == G_MAP_SHARED_VALIDATE && flags & ~(uint64_t)G_MAP_KNOWN)
            return -EOPNOTSUPP;
        err = map_of_file(f, &rq);
    }
    return err < 0 ? err : host_says(c->p, vm_map(&c->p->vm, &rq));
}

int64_t sys_mmap(struct call *c)
{
    return map(c, c->a[5]);
}

/** mmap2's offset counts 4096 bytes whatever the page size. */
int64_t sys_mmap2(struct call *c)
{
    return map(c, c->a[5] << 12);
}

int64_t sys_munmap(struct call *c)
{
    return vm_unmap(&c->p->vm, c->a[0], c->a[1]);
}

int64_t sys_mprotect(struct call *c)
{
    if (c->a[2] & ~(uint64_t)G_PROT_KNOWN)
        return -EINVAL;
    return vm_protect(&c->p->vm, c->a[0], c->a[1], c->a[2] & G_PROT_MASK);
}

int64_t sys_mremap(struct call *c)
{
    uint64_t flags = c->a[3];

    if ((flags & G_MREMAP_FIXED) && !(flags & G_MREMAP_MAYMOVE))
        return -EINVAL;
    return vm_remap(&c->p->vm, c->a[0], c->a[1], c->a[2], flags & G_MREMAP_MAYMOVE,
                    flags & G_MREMAP_FIXED ? c->a[4] : 0);
}

int64_t sys_brk(struct call *c)
{
    return (int64_t)vm_brk(&c->p->vm, c->a[0]);
}

/** Whether a range starts at a page and does not wrap around. */
static bool is_range(const struct call *c)
{
    return !(c->a[0] & (c->p->vm.page - 1)) && c->a[0] + c->a[1] >= c->a[0];
}

int64_t sys_madvise(struct call *c)
{
    const uint64_t advice = c->a[2];

    if (advice > G_MADV_LAST || (advice >= G_MADV_HOLE && advice <= G_MADV_HOLE_END) ||
        advice == G_MADV_REMOVE || !is_range(c))
        return -EINVAL;
    if (advice == G_MADV_DONTNEED)
        return vm_discard(&c->p->vm, c->a[0], c->a[1]);
    return vm_mapped(&c->p->vm, c->a[0], c->a[1]);
}

int64_t sys_msync(struct call *c)
{
    if (c->a[2] & ~(uint64_t)G_MS_ALL || (c->a[2] & G_MS_BOTH) == G_MS_BOTH || !is_range(c))
        return -EINVAL;
    vm_sync(&c->p->vm, c->a[0], c->a[1]);
    return vm_mapped(&c->p->vm, c->a[0], c->a[1]);
}

/* ---- keeping pages in memory: they always are ------------------------------------------------ */

int64_t sys_mlock(struct call *c)
{
    const uint64_t page = c->p->vm.page, from = c->a[0] & ~(page - 1);
    const uint64_t end = (c->a[0] + c->a[1] + page - 1) & ~(page - 1);

    if (end < from)
        return -EINVAL;
    return vm_mapped(&c->p->vm, from, end - from);
}

int64_t sys_mlock2(struct call *c)
{
    return c->a[2] > 1 ? -EINVAL : sys_mlock(c);
}

int64_t sys_mlockall(struct call *c)
{
    enum { CURRENT = 1, FUTURE = 2, ON_FAULT = 4 };

    return c->a[0] & ~UINT64_C(7) || !(c->a[0] & (CURRENT | FUTURE)) ? -EINVAL : 0;
}

/** Every page is present that was touched; and one that was not costs no disk. */
int64_t sys_mincore(struct call *c)
{
    const uint64_t page = c->p->vm.page, pages = (c->a[1] + page - 1) / page;
    int64_t err = c->a[0] & (page - 1)          ? -EINVAL
                  : c->a[0] + c->a[1] < c->a[0] ? -ENOMEM
                                                : vm_mapped(&c->p->vm, c->a[0], pages * page);

    for (uint64_t i = 0; !err && i < pages; i++)
        err = vm_write_word(&c->p->vm, c->a[2] + i, 1, 1);
    return err;
}

int64_t sys_cacheflush(struct call *c)
{
    pc_code_flush(c->p->vm.code, c->a[0], c->a[1]);
    return 0;
}
