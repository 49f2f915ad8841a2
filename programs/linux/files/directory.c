/*
 * Directories. The whole listing is taken when reading begins and given in alphabetical order, with
 * small positions: the host's order and its 64-bit positions differ from file system to file
 * system. Directories that exist only in the view have the names the view gives them.
 */
#include "programs/host.h"
#include "programs/linux/files/file.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/path.h"

#include "base/alloc.h"

#include <assert.h>
#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
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

static void free_listing(struct directory *d)
{
    for (size_t i = 0; i < d->count; i++)
        free(d->entry[i]);
    free(d->entry);
    free(d);
}

void lx_directory_free(struct lx_prog *p, struct lx_file *f)
{
    if (!f->directory)
        return;
    lx_give_back(p, f->kept);
    f->kept = 0;
    free_listing(f->directory);
    f->directory = NULL;
}

/** [bytes] What a listing takes here. */
static uint64_t directory_bytes_of(const struct directory *d)
{
    uint64_t sum = sizeof *d;

    for (size_t i = 0; i < d->count; i++)
        sum += sizeof *d->entry + offsetof(struct dirent, d_name) + strlen(d->entry[i]->d_name) + 1;
    return sum;
}

/** An entry of a directory that has none on the host. @param path  of what it names */
static struct dirent *entry_made_up(const char *path, const char *name, unsigned char type)
{
    struct dirent *e = sim_alloc(1, sizeof *e);

    e->d_ino = lx_path_number(path, type == DT_DIR);
    e->d_type = type;
    snprintf(e->d_name, sizeof e->d_name, "%s", name);
    return e;
}

static int directory_compare(const void *a, const void *b)
{
    return by_name((const struct dirent **)a, (const struct dirent **)b);
}

static unsigned char type_of(const char *path)
{
    unsigned number;
    const struct lx_synthetic *row = lx_synthetic_find(path, &number);

    if (!row)
        return DT_DIR;
    switch (row->kind) {
    case SYN_TEXT:
    case SYN_NAME:
        return DT_REG;
    case SYN_EXE:
    case SYN_FD:
    case SYN_LINK:
    case SYN_SELF:
        return DT_LNK;
    case SYN_PROCESS:
        return DT_DIR;
    default:
        return DT_CHR;
    }
}

/** Adds the entry of a name in the directory. @param type  DT_UNKNOWN: what its path says */
static void list_name(const char *dir, const char *name, unsigned char type, struct directory *d)
{
    char *path = sim_format("%s/%s", strcmp(dir, "/") == 0 ? "" : dir, name);

    d->entry = sim_grow(d->entry, d->count + 1, sizeof *d->entry);
    d->entry[d->count++] = entry_made_up(path, name, type == DT_UNKNOWN ? type_of(path) : type);
    free(path);
}

/** Whether a listing has that number of a row: of processes only the program. */
static bool is_listed(struct lx_prog *p, const struct lx_synthetic *row, unsigned number)
{
    if (row->kind == SYN_PROCESS)
        return number == FIRST_TID;
    return row->kind != SYN_DEVICE && lx_path_row_there(p, row, number);
}

/** Adds the numbers that exist of a row whose path has one right beneath the directory. @param head
 *  what stands before the number @param type  of all of them */
static void list_numbers(struct lx_prog *p, const char *dir, const struct lx_synthetic *row,
                         const char *head, unsigned char type, struct directory *d)
{
    const unsigned most = p->next_tid > FD_MAX ? p->next_tid : FD_MAX;

    for (unsigned n = 0; n < most; n++) {
        char *name = is_listed(p, row, n) ? sim_format("%s%u", head, n) : NULL;
        if (!name)
            continue;
        list_name(dir, name, type, d);
        free(name);
    }
}

/** All such rows; those of one directory follow each other, and count once. */
static void list_numbered(struct lx_prog *p, const char *dir, struct directory *d)
{
    char *last = NULL;

    for (size_t i = 0; lx_synthetic_row(i); i++) {
        const struct lx_synthetic *row = lx_synthetic_row(i);
        const char *rest = lx_synthetic_beneath(i, dir);
        const size_t len = rest && rest[0] == '/' ? strcspn(rest + 1, "#/") : 0;
        if (!rest || rest[0] != '/' || rest[1 + len] != '#')
            continue;
        char *head = sim_strndup(rest + 1, len);
        const char *behind = rest + 1 + len + 1;
        if (!last || strcmp(last, head) != 0)
            list_numbers(p, dir, row, head, *behind || row->kind == SYN_PROCESS ? DT_DIR : DT_LNK,
                         d);
        free(last);
        last = head;
    }
    free(last);
}

static void list_view(struct lx_prog *p, const struct lx_file *f, struct directory *d)
{
    const char *dir = f->place.path;
    char **names = lx_view_list(p->view, dir);
    char *above = sim_strndup(dir, (size_t)(strrchr(dir, '/') - dir));

    d->entry = sim_alloc(2, sizeof *d->entry);
    d->entry[d->count++] = entry_made_up(dir, ".", DT_DIR);
    d->entry[d->count++] = entry_made_up(above, "..", DT_DIR);
    free(above);
    for (size_t i = 0; names[i]; free(names[i++]))
        list_name(dir, names[i], DT_UNKNOWN, d);
    free(names);
    list_numbered(p, dir, d);
}

static int64_t directory_list(struct lx_prog *p, struct lx_file *f)
{
    struct directory *d = sim_alloc(1, sizeof *d);
    int n = 0;

    if (f->host < 0)
        list_view(p, f, d);
    else if ((n = prog_host_list(f->host, &d->entry)) >= 0)
        d->count = (size_t)n;
    if (n < 0) {
        free(d);
        return lx_host_says(p, -errno);
    }
    qsort(d->entry, d->count, sizeof *d->entry, directory_compare);
    if (!lx_keep(p, directory_bytes_of(d))) {
        free_listing(d);
        return -ENOMEM;
    }
    f->kept = directory_bytes_of(d);
    f->directory = d;
    return 0;
}

int64_t lx_directory_seek(struct lx_prog *p, struct lx_file *f, int64_t offset, uint64_t whence)
{
    struct directory *d;
    int64_t err = f->directory ? 0 : directory_list(p, f);

    if (err < 0)
        return err;
    d = f->directory;
    assert(d);
    if (whence == SEEK_CUR && __builtin_add_overflow(offset, (int64_t)d->at, &offset))
        return -EINVAL;
    if (whence > SEEK_CUR || offset < 0)
        return -EINVAL;
    if (offset == 0)
        lx_directory_free(p, f);
    else
        d->at = (uint64_t)offset < d->count ? (size_t)offset : d->count;
    return offset;
}

/** struct linux_dirent64 { u64 ino; s64 off; u16 reclen; u8 type; char name[]; } */
static size_t out_entry(struct lx_out *o, struct lx_prog *p, const struct lx_file *f,
                        const struct dirent *e, size_t next)
{
    size_t len = strlen(e->d_name) + 1, reclen = (19 + len + 7) & ~(size_t)7;

    lx_out_start(o, p->kind);
    lx_out_int(o, 8, f->host < 0 ? e->d_ino : lx_inode_at(p, f->place.st.st_dev, e->d_ino)->number);
    lx_out_int(o, 8, next);
    lx_out_int(o, 2, reclen);
    lx_out_int(o, 1, e->d_type);
    memcpy(o->buf + o->len, e->d_name, len);
    o->len += len;
    lx_out_skip(o, reclen);
    return reclen;
}

int64_t lx_sys_getdents64(struct lx_call *c)
{
    struct directory *d;
    uint64_t done = 0;
    int64_t err = c->f->flags & G_O_PATH ? -EBADF : c->f->kind != FILE_FOLDER ? -ENOTDIR : 0;

    if (!err && !c->f->directory)
        err = directory_list(c->p, c->f);
    if (err < 0)
        return err;
    assert(c->f->directory);
    for (d = c->f->directory; d->at < d->count; d->at++) {
        struct lx_out o;
        size_t len = out_entry(&o, c->p, c->f, d->entry[d->at], d->at + 1);
        if (done + len > c->a[2])
            return done > 0 ? (int64_t)done : -EINVAL;
        if (lx_out_write(&o, &c->p->vm, c->a[1] + done) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        done += len;
    }
    return (int64_t)done;
}
