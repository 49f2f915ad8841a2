#include "programs/linux/files/name.h"
#include "programs/linux/threads/threads.h"

#include <string.h>

int64_t lx_name_write(struct lx_call *c, const struct lx_file *f, uint64_t va, uint64_t len)
{
    struct lx_thread *t = lx_thread_named(c->p, f->number);
    char text[sizeof t->name] = "";

    if (!t)
        return -ESRCH;
    if (lx_vm_read(&c->p->vm, va, text, len < sizeof text ? len : sizeof text - 1) < 0)
        return -EFAULT;
    memcpy(t->name, text, sizeof text);
    return (int64_t)len;
}
