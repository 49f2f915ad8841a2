#include "programs/linux/files/name.h"
#include "base/alloc.h"
#include "programs/linux/files/object.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <string.h>

/* A name that is open. The thread may end before it is written. */
struct name {
    uint32_t tid;
};

static unsigned name_ready(struct lx_thread *t, const struct lx_file *f)
{
    (void)t, (void)f;
    return POLL_IN | POLL_OUT;
}

static int64_t name_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    const struct name *n = f->object;
    struct lx_thread *t = lx_thread_named(c->p, n->tid);
    char text[sizeof t->name] = "";

    if (!t)
        return -ESRCH;
    if (lx_vm_read(&c->p->vm, va, text, len < sizeof text ? len : sizeof text - 1) < 0)
        return -EFAULT;
    memcpy(t->name, text, sizeof text);
    return (int64_t)len;
}

static void name_release(struct lx_prog *p, struct lx_file *f)
{
    (void)p;
    free(f->object);
}

static const struct lx_file_ops name_ops = {
    .ready = name_ready,
    .write = name_write,
    .release = name_release,
    .mode = S_IFREG | 0044,
};

int64_t lx_name_open(struct lx_prog *p, uint32_t tid, uint32_t flags)
{
    struct name *n;

    if (!lx_thread_named(p, tid))
        return -ENOENT;
    n = sim_alloc(1, sizeof *n);
    n->tid = tid;
    return lx_object_open(p, &name_ops, n, flags);
}
