/*
 * Files behind memory: what Linux calls the page cache, as far as mappings need one.
 *
 * The hard idea: a page of a file that is mapped shared exists once, however often it is mapped. It
 * belongs to the file, not to an area, and read and write look at it too, so that there
 * is one truth: the page where there is one, the host's file elsewhere. What differs from the
 * host's file is written back when asked, when a mapping goes, and at the end.
 */
#include "programs/linux/memory/vm_file.h"
#include "programs/host.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include <utlist.h>

/** Of files without a name: no device of the host's has this number. */
#define NO_DEVICE UINT64_MAX

struct lx_vm_cached {
    uint64_t index, pa;
    UT_hash_handle hh;
};

static struct lx_vm_file *find_file(const struct lx_vm *vm, uint64_t dev, uint64_t ino)
{
    struct lx_vm_file *f;

    DL_FOREACH(vm->files, f)
        if (f->dev == dev && f->ino == ino)
            return f;
    return NULL;
}

static struct lx_vm_file *vm_file_new(struct lx_vm *vm, uint64_t dev, uint64_t ino)
{
    struct lx_vm_file *f = sim_alloc(1, sizeof *f);

    f->dev = dev;
    f->ino = ino;
    f->fd = -1;
    DL_APPEND(vm->files, f);
    return f;
}

struct lx_vm_file *lx_vm_file_open(struct lx_vm *vm, int fd, bool writable)
{
    struct stat st;
    struct lx_vm_file *f;
    int own;

    if (prog_host_fstat(fd, &st) != 0)
        return NULL;
    f = find_file(vm, st.st_dev, st.st_ino);
    if (f && (f->writable || !writable)) {
        f->refs++;
        return f;
    }
    own = prog_host_copy(fd);
    if (own < 0)
        return NULL;
    if (!f)
        f = vm_file_new(vm, st.st_dev, st.st_ino);
    prog_host_close(f->fd);
    f->fd = own;
    f->writable = writable;
    f->refs++;
    return f;
}

struct lx_vm_file *lx_vm_file_unnamed(struct lx_vm *vm, uint64_t bytes)
{
    struct lx_vm_file *f = vm_file_new(vm, NO_DEVICE, ++vm->unnamed);

    f->bytes = bytes;
    f->refs = 1;
    return f;
}

void lx_vm_file_share(struct lx_vm_file *f)
{
    f->shared++;
}

static void vm_file_forget(struct lx_vm *vm, struct lx_vm_file *f, struct lx_vm_cached *c)
{
    HASH_DEL(f->pages, c);
    nm_page_free(vm->m, c->pa);
    free(c);
}

void lx_vm_file_unshare(struct lx_vm *vm, struct lx_vm_file *f)
{
    struct lx_vm_cached *c, *tmp;

    if (--f->shared > 0)
        return;
    lx_vm_file_flush(vm, f, 0, UINT64_MAX);
    HASH_ITER(hh, f->pages, c, tmp)
        vm_file_forget(vm, f, c);
}

void lx_vm_file_release(struct lx_vm *vm, struct lx_vm_file *f)
{
    if (--f->refs > 0)
        return;
    DL_DELETE(vm->files, f);
    prog_host_close(f->fd);
    if (vm->left)
        vm->left(vm->wrote_ctx, f->dev, f->ino);
    free(f);
}

uint64_t lx_vm_file_size(const struct lx_vm_file *f)
{
    struct stat st;

    if (f->fd < 0)
        return f->bytes;
    return prog_host_fstat(f->fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/** Reads what there is of [at, at + n). @param[out] error  errno, untouched if the host could
 *  @return bytes */
static size_t read_host(int fd, uint8_t *to, size_t n, uint64_t at, int *error)
{
    size_t done = 0;

    for (ssize_t got = 1; done < n && got > 0; done += got > 0 ? (size_t)got : 0) {
        got = prog_host_pread(fd, to + done, n - done, (off_t)(at + done));
        if (got < 0)
            *error = errno;
    }
    return done;
}

/** Writes a page back if it is not what the file has. A failure (disk full) is lost here as it is
 * in Linux. */
static void flush_page(struct lx_vm *vm, struct lx_vm_file *f, const struct lx_vm_cached *c,
                       uint64_t size)
{
    const uint64_t at = c->index * vm->page;
    const uint8_t *page = nm_machine_image(vm->m) + c->pa;
    const size_t n = at >= size ? 0 : size - at < vm->page ? (size_t)(size - at) : (size_t)vm->page;
    uint8_t *old = sim_alloc(n, 1);
    int error;

    if (n > 0 && (read_host(f->fd, old, n, at, &error) != n || memcmp(old, page, n) != 0) &&
        prog_host_pwrite(f->fd, page, n, (off_t)at) > 0 && vm->wrote)
        vm->wrote(vm->wrote_ctx, f->dev, f->ino);
    free(old);
}

void lx_vm_file_flush(struct lx_vm *vm, struct lx_vm_file *f, uint64_t at, uint64_t end)
{
    const uint64_t size = f->pages ? lx_vm_file_size(f) : 0;
    struct lx_vm_cached *c, *tmp;

    if (!f->writable)
        return;
    HASH_ITER(hh, f->pages, c, tmp)
        if (c->index * vm->page < end && (c->index + 1) * vm->page > at)
            flush_page(vm, f, c, size);
}

uint64_t *lx_vm_file_page(struct lx_vm_file *f, uint64_t index)
{
    struct lx_vm_cached *c;

    HASH_FIND(hh, f->pages, &index, sizeof index, c);
    return c ? &c->pa : NULL;
}

void lx_vm_file_add_page(struct lx_vm_file *f, uint64_t index, uint64_t pa)
{
    struct lx_vm_cached *c = sim_alloc(1, sizeof *c);

    c->index = index;
    c->pa = pa;
    HASH_ADD(hh, f->pages, index, sizeof c->index, c);
}

void lx_vm_file_fill(struct lx_vm *vm, const struct lx_vm_file *f, uint64_t at, uint8_t *to,
                     size_t n)
{
    if (f->fd >= 0) /* else zeros, which it has; of the host's they would be another program */
        n = read_host(f->fd, to, n, at, &vm->unreadable);
    lx_vm_file_overlay(vm, f->dev, f->ino, at, to, n);
}

/** The part of [at, at + n) that lies in a cached page. @return its place in the image, or NULL */
static uint8_t *cached_part(const struct lx_vm *vm, const struct lx_vm_file *f, uint64_t at,
                            size_t *n, uint64_t *pa)
{
    const uint64_t in = at & (vm->page - 1), left = vm->page - in;
    const uint64_t *page = lx_vm_file_page((struct lx_vm_file *)f, at / vm->page);

    if (*n > left)
        *n = (size_t)left;
    *pa = page ? *page + in : 0;
    return page ? nm_machine_image(vm->m) + *pa : NULL;
}

void lx_vm_file_overlay(const struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t at,
                        uint8_t *buf, size_t len)
{
    const struct lx_vm_file *f = vm->files ? find_file(vm, dev, ino) : NULL;
    uint64_t pa;

    for (size_t n; f && f->pages && len > 0; at += n, buf += n, len -= n) {
        const uint8_t *from;
        n = len;
        from = cached_part(vm, f, at, &n, &pa);
        if (from)
            memcpy(buf, from, n);
    }
}

bool lx_vm_file_mapped(const struct lx_vm *vm, uint64_t dev, uint64_t ino)
{
    return vm->files && find_file(vm, dev, ino);
}

bool lx_vm_file_written_by_memory(struct lx_vm *vm, uint64_t dev, uint64_t ino)
{
    const struct lx_vm_file *f = vm->files ? find_file(vm, dev, ino) : NULL;

    return f && f->shared > 0 && f->writable;
}

void lx_vm_file_wrote(struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t at, const uint8_t *buf,
                      size_t len)
{
    const struct lx_vm_file *f = vm->files ? find_file(vm, dev, ino) : NULL;
    uint64_t pa;

    for (size_t n; f && f->pages && len > 0; at += n, buf += n, len -= n) {
        uint8_t *to;
        n = len;
        to = cached_part(vm, f, at, &n, &pa);
        if (!to)
            continue;
        memcpy(to, buf, n);
        nm_machine_os_wrote(vm->m, pa, n);
    }
}

/** Clears what a shared page has behind the file's end. */
static void clear_tail(struct lx_vm *vm, struct lx_vm_file *f, uint64_t end)
{
    size_t n = vm->page - (end & (vm->page - 1));
    uint64_t pa;
    uint8_t *tail = n < vm->page ? cached_part(vm, f, end, &n, &pa) : NULL;

    if (!tail)
        return;
    memset(tail, 0, n);
    nm_machine_os_wrote(vm->m, pa, n);
}

void lx_vm_file_grew(struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t was)
{
    struct lx_vm_file *f = vm->files ? find_file(vm, dev, ino) : NULL;

    if (f)
        clear_tail(vm, f, was);
}

void lx_vm_file_resized(struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t size)
{
    struct lx_vm_file *f = vm->files ? find_file(vm, dev, ino) : NULL;
    const uint64_t pages = (size + vm->page - 1) / vm->page;
    struct lx_vm_cached *c, *tmp;

    if (!f)
        return;
    lx_vm_drop_beyond(vm, f, pages * vm->page);
    HASH_ITER(hh, f->pages, c, tmp)
        if (c->index >= pages)
            vm_file_forget(vm, f, c);
    clear_tail(vm, f, size);
}
