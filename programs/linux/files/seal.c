/*
 * Seals of nameless files (memfd_create): what may never be done to one again. They belong to the
 * file, not to a descriptor, and can only be added.
 */
#include "programs/linux/files/file.h"
#include "programs/linux/files/inode.h"

enum { SEAL_SEAL = 1, SEAL_SHRINK = 2, SEAL_GROW = 4, SEAL_WRITE = 8, SEAL_FUTURE_WRITE = 16 };

enum { SEALS = 31, SEALS_WRITE = SEAL_WRITE | SEAL_FUTURE_WRITE };

void lx_seals_born(struct lx_inode *n, bool sealable)
{
    n->memory = n->nameless = n->counted = true;
    n->seals = sealable ? 0 : SEAL_SEAL;
}

static int64_t add_seals(struct lx_call *c, uint64_t seals)
{
    struct lx_inode *n = c->f->inode;

    if (!lx_may_write(c->f))
        return -EPERM;
    if (seals & ~(uint64_t)SEALS)
        return -EINVAL;
    if (n->seals & SEAL_SEAL)
        return -EPERM;
    if (seals & SEAL_WRITE && lx_vm_file_written_by_memory(&c->p->vm, n->key.dev, n->key.ino))
        return -EBUSY;
    n->seals |= (unsigned)seals;
    return 0;
}

int64_t lx_seal_fcntl(struct lx_call *c, bool add, uint64_t seals)
{
    if (!c->f->inode || !c->f->inode->memory)
        return -EINVAL;
    return add ? add_seals(c, seals) : (int64_t)c->f->inode->seals;
}

int64_t lx_seals_on_write(const struct lx_file *f, uint64_t size, uint64_t end)
{
    const unsigned seals = f->inode ? f->inode->seals : 0;

    return seals & SEALS_WRITE || (seals & SEAL_GROW && end > size) ? -EPERM : 0;
}

int64_t lx_seals_on_resize(const struct lx_file *f, uint64_t from, uint64_t to)
{
    const unsigned seals = f->inode ? f->inode->seals : 0;

    return (seals & SEAL_SHRINK && to < from) || (seals & SEAL_GROW && to > from) ? -EPERM : 0;
}

int64_t lx_seals_on_map(const struct lx_file *f, bool stores, bool *storable)
{
    const unsigned seals = f->inode ? f->inode->seals : 0;

    if (seals & SEALS_WRITE && *storable && (stores || seals & SEAL_WRITE))
        return -EPERM;
    if (seals & SEALS_WRITE)
        *storable = false;
    return 0;
}
