/*
 * Devices that exist to be mapped. The one idea: a mapping is an ordinary area whose pages carry an
 * attribute, or have registers behind them instead of memory; all that follows is the processor's.
 *
 * A program learns of a monitoring card's interrupt as it learns of a device in Linux: threads that
 * read or poll a descriptor of the card go on, and SIGIO goes to the owner of every descriptor with
 * O_ASYNC.
 */
#include "programs/linux/files/mapped.h"
#include "programs/linux/files/object.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum { COUNT = 4 /* [bytes] a read gives */ };

/** "card" or "card7". @return -ENOENT, or the card */
static int64_t card_named(const struct lx_call *c, const char *name)
{
    char *end;
    unsigned long number;

    if (strncmp(name, "card", 4) != 0)
        return -ENOENT;
    if (!lx_has_cards(c->p)) /* no cards, and no interrupt to wait for */
        return -ENODEV;
    if (!name[4])
        return c->t->card;
    if (!isdigit((unsigned char)name[4]) || (name[4] == '0' && name[5]) || strlen(name) > 8)
        return -ENOENT;
    number = strtoul(name + 4, &end, 10);
    return *end || number >= nm_machine_cards(c->p->m) ? -ENOENT : (int64_t)number;
}

int64_t lx_mapped_open(struct lx_call *c, const char *name, uint32_t flags)
{
    struct lx_prog *p = c->p;
    enum lx_file_kind kind = strcmp(name, "uncached") == 0      ? FILE_UNCACHED
                             : strcmp(name, "noncoherent") == 0 ? FILE_NONCOHERENT
                                                                : FILE_CARD;
    int64_t card = kind == FILE_CARD ? card_named(c, name) : 0;
    struct lx_file *f;

    if (card < 0)
        return card;
    f = lx_file_new(p, kind, -1, flags);
    f->card = (unsigned)card;
    f->interrupts = p->cards[card].interrupts;
    return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/** Registers can only be shared; [offset, offset + len) must be theirs. */
static int64_t map_registers(struct lx_call *c, const struct lx_file *f, struct lx_vm_request *rq)
{
    if (!rq->shared || rq->rights & LX_X || rq->offset > NM_REGISTER_SPACE ||
        rq->len > NM_REGISTER_SPACE - rq->offset)
        return -EINVAL;
    rq->kind = VM_REGISTERS;
    rq->offset += (uint64_t)f->card * NM_REGISTER_SPACE;
    return lx_vm_map(&c->p->vm, rq);
}

int64_t lx_mapped_map(struct lx_call *c, const struct lx_file *f, struct lx_vm_request *rq)
{
    const unsigned access = f->flags & 3; /* 0 read, 1 write, 2 both */

    if (access == 1 || (rq->rights & LX_W && access != 2))
        return -EACCES;
    if (rq->offset & (c->p->vm.page - 1))
        return -EINVAL;
    if (f->kind == FILE_CARD)
        return map_registers(c, f, rq);
    nm_machine_in_turn(c->p->vm.m);
    rq->kind = f->kind == FILE_UNCACHED ? VM_UNCACHED : VM_NONCOHERENT;
    rq->offset = 0;
    return lx_vm_map(&c->p->vm, rq);
}

bool lx_mapped_ready(const struct lx_prog *p, const struct lx_file *f)
{
    return f->interrupts != p->cards[f->card].interrupts;
}

int64_t lx_mapped_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    if (len != COUNT)
        return -EINVAL;
    while (!lx_mapped_ready(c->p, f)) {
        if (f->flags & G_O_NONBLOCK)
            return -EAGAIN;
        if (lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL)
            return -ERESTART_SYS;
    }
    if (lx_vm_write32(&c->p->vm, va, c->p->cards[f->card].interrupts) < 0)
        return -EFAULT;
    f->interrupts = c->p->cards[f->card].interrupts;
    return COUNT;
}

bool lx_mapped_awaited(const struct lx_prog *p)
{
    const struct lx_file *f;

    DL_FOREACH(p->files, f)
        if (f->kind == FILE_CARD)
            return !nm_machine_asleep(p->m);
    return false;
}

/** SIGIO for the owner of a descriptor: a thread if one has that number, else the program. */
static void tell_owner(struct lx_prog *p, const struct lx_file *f)
{
    const struct lx_siginfo info = {.signo = f->signal ? f->signal : lx_signo(p, SIG_IO),
                                    .code = SI_KERNEL_};
    struct lx_thread *t = f->owner > FIRST_TID ? lx_thread_find(p, (uint32_t)f->owner) : NULL;

    if (f->owner != 0)
        lx_signal_post(p, t, &info);
}

void lx_mapped_interrupt(struct lx_prog *p, unsigned card)
{
    p->cards[card].interrupts++;
    for (unsigned fd = 0; fd < FD_MAX; fd++) {
        const struct lx_file *f = p->fds[fd].file;
        bool first = f && f->kind == FILE_CARD && f->card == card && f->flags & G_O_ASYNC;
        for (unsigned before = 0; first && before < fd; before++)
            first = p->fds[before].file != f; /* descriptors made by dup are one file */
        if (first)
            tell_owner(p, f);
    }
    lx_epoll_tell(p, &p->cards[card], POLL_READS);
    lx_thread_wake_all(p, p->fds);
}
