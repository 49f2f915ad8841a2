/*
 * Directories. The whole listing is taken when reading begins and given in alphabetical order, with
 * small positions: the host's order and its 64-bit positions differ from file system to file
 * system.
 */
#include "programs/linux_file.h"

#include "machine/alloc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct directory {
    size_t count, at;
    struct dirent **entry; /* as scandir gives them */
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

void directory_free(struct file *f)
{
    if (!f->directory)
        return;
    for (size_t i = 0; i < f->directory->count; i++)
        free(f->directory->entry[i]);
    free(f->directory->entry);
    free(f->directory);
    f->directory = NULL;
}

static int64_t list(struct file *f)
{
    struct directory *d = nm_alloc(1, sizeof *d);
    int n;

    n = scandirat(f->host, ".", &d->entry, NULL, by_name);
    if (n < 0) {
        free(d);
        return -errno;
    }
    d->count = (size_t)n;
    f->directory = d;
    return 0;
}

int64_t directory_seek(struct file *f, int64_t offset, uint64_t whence)
{
    struct directory *d = f->directory;

    if (whence == SEEK_CUR)
        offset += (int64_t)d->at;
    if (whence > SEEK_CUR || offset < 0)
        return -EINVAL;
    if (offset == 0)
        directory_free(f);
    else
        d->at = (uint64_t)offset < d->count ? (size_t)offset : d->count;
    return offset;
}

/** struct linux_dirent64 { u64 ino; s64 off; u16 reclen; u8 type; char name[]; } */
static size_t out_entry(struct out *o, const struct prog *p, const struct dirent *e, size_t next)
{
    size_t len = strlen(e->d_name) + 1, reclen = (19 + len + 7) & ~(size_t)7;

    out_start(o, p->n64);
    out_int(o, 8, guest_inode(p, e->d_ino));
    out_int(o, 8, next);
    out_int(o, 2, reclen);
    out_int(o, 1, e->d_type);
    memcpy(o->buf + o->len, e->d_name, len);
    o->len += len;
    out_skip(o, reclen);
    return reclen;
}

int64_t sys_getdents64(struct call *c)
{
    struct directory *d;
    uint64_t done = 0;
    int64_t err = c->f->kind == FILE_HOST ? 0 : -ENOTDIR;

    if (!err && !c->f->directory)
        err = list(c->f);
    if (err < 0)
        return err;
    for (d = c->f->directory; d->at < d->count; d->at++) {
        struct out o;
        size_t len = out_entry(&o, c->p, d->entry[d->at], d->at + 1);
        if (done + len > c->a[2])
            return done > 0 ? (int64_t)done : -EINVAL;
        if (out_write(&o, &c->p->vm, c->a[1] + done) < 0)
            return -EFAULT;
        done += len;
    }
    return (int64_t)done;
}
