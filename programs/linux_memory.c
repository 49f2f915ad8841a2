/* Memory calls: MIPS numbers of flags on one side, areas (vm.c) on the other. */
#include "programs/linux_file.h"
#include "programs/mapped.h"

#include <sys/stat.h>

/** MIPS Linux mmap flags. */
enum {
    G_MAP_SHARED = 0x01,
    G_MAP_PRIVATE = 0x02,
    G_MAP_TYPE = 0x0f,
    G_MAP_FIXED = 0x10,
    G_MAP_ANONYMOUS = 0x800,
    G_MAP_FIXED_NOREPLACE = 0x100000,
    G_MREMAP_MAYMOVE = 1,
    G_MREMAP_FIXED = 2,
    G_PROT_MASK = 7,
    G_MADV_DONTNEED = 4,
};

static int64_t map(struct call *c, uint64_t offset)
{
    uint64_t flags = c->a[3];
    struct vm_request rq = {
        .addr = c->a[0],
        .len = c->a[1],
        .rights = c->a[2] & G_PROT_MASK,
        .fixed = flags & G_MAP_FIXED,
        .noreplace = flags & G_MAP_FIXED_NOREPLACE,
        .shared = (flags & G_MAP_TYPE) != G_MAP_PRIVATE,
        .fd = -1,
        .offset = offset,
        .limit = UINT64_MAX,
    };

    if (!(flags & G_MAP_TYPE))
        return -EINVAL;
    if (!(flags & G_MAP_ANONYMOUS)) {
        const struct file *f = file_get(c->p, (int32_t)c->a[4]);
        if (!f)
            return -EBADF;
        if (mapped_kind(f))
            return mapped_map(c, f, &rq);
        if (f->kind != FILE_HOST || f->standard)
            return -ENODEV;
        if ((f->flags & 3) == 1 || (rq.shared && (rq.rights & PROG_W) && (f->flags & 3) != 2))
            return -EACCES;
        rq.fd = f->host;
    }
    return vm_map(&c->p->vm, &rq);
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

int64_t sys_madvise(struct call *c)
{
    if (c->a[2] == G_MADV_DONTNEED)
        return vm_discard(&c->p->vm, c->a[0], c->a[1]);
    return vm_mapped(&c->p->vm, c->a[0], c->a[1]);
}

int64_t sys_msync(struct call *c)
{
    return vm_sync(&c->p->vm, c->a[0], c->a[1]);
}

int64_t sys_cacheflush(struct call *c)
{
    pc_code_flush(c->p->vm.code, c->a[0], c->a[1]);
    return 0;
}
