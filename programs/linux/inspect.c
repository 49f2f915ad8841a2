/*
 * The program as a debugger sees it.
 *
 * The hard idea: looking must leave no trace. A page that has no memory yet gets none: it reads as
 * what it would hold, zeros or bytes of its file.
 */
#include "programs/linux/inspect.h"

#include "base/alloc.h"
#include "programs/linux/memory/vm_file.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/threads/watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <utlist.h>

static void inspect_binary(void *self, struct prog_binary *out)
{
    const struct lx_prog *p = self;

    *out = (struct prog_binary){
        .isa = p->kind->isa == &lx_arm ? PROG_ISA_ARM : PROG_ISA_MIPS,
        .abi = p->kind->name,
        .word = p->kind->word,
        .little = p->kind->little,
        .path = p->program->path,
        .process = FIRST_TID,
        .auxv = p->auxv,
        .auxv_count = p->auxv_count,
    };
}

/* ---- threads --------------------------------------------------------------------------------- */

static void inspect_describe(struct lx_prog *p, const struct lx_thread *t,
                             struct prog_inspected *out)
{
    char *text = NULL;
    size_t size;
    FILE *file = sim_text_open(&text, &size);

    lx_watch_doing(p, t, file);
    sim_text_close(file, &text);
    *out = (struct prog_inspected){.number = t->tid,
                                   .card = t->card,
                                   .on_card = t->state == TH_RUNNING,
                                   .called = t->state == TH_OS || t->state == TH_BLOCKED};
    snprintf(out->name, sizeof out->name, "%.16s", t->name);
    snprintf(out->doing, sizeof out->doing, "%s", text);
    free(text);
}

static bool inspect_next(void *self, uint32_t after, struct prog_inspected *out)
{
    struct lx_prog *p = self;
    const struct lx_thread *t, *next = NULL;

    DL_FOREACH(p->threads, t)
        if (t->state != TH_DEAD && t->tid > after && (!next || t->tid < next->tid))
            next = t;
    if (next)
        inspect_describe(p, next, out);
    return next;
}

/** A living thread, or NULL. */
static struct lx_thread *inspect_find(struct lx_prog *p, uint32_t number)
{
    struct lx_thread *t = lx_thread_find(p, number);

    return t && t->state != TH_DEAD ? t : NULL;
}

static bool inspect_thread(void *self, uint32_t number, struct prog_inspected *out)
{
    const struct lx_thread *t = inspect_find(self, number);

    if (t)
        inspect_describe(self, t, out);
    return t;
}

/* ---- registers ------------------------------------------------------------------------------- */

static bool inspect_registers(void *self, uint32_t number, void *regs)
{
    const struct lx_thread *t = inspect_find(self, number);

    if (t && t->state == TH_RUNNING)
        pc_thread_look(t->p->m, t->card, regs);
    else if (t)
        memcpy(regs, &t->regs, sizeof t->regs);
    return t;
}

static bool inspect_settles(void *self, uint32_t number)
{
    const struct lx_thread *t = inspect_find(self, number);

    return t && t->state == TH_RUNNING && pc_thread_settles(t->p->m, t->card);
}

static bool inspect_set_registers(void *self, uint32_t number, const void *regs)
{
    struct lx_thread *t = inspect_find(self, number);

    if (t && t->state == TH_RUNNING)
        pc_thread_change(t->p->m, t->card, regs);
    else if (t)
        memcpy(&t->regs, regs, sizeof t->regs);
    return t;
}
_Static_assert(sizeof(union lx_regs) <= sizeof(prog_registers), "they fit");
_Static_assert(_Alignof(union lx_regs) <= _Alignof(prog_registers), "they fit at its place");

/* ---- memory ---------------------------------------------------------------------------------- */

/** What a page without memory would hold, of [va, va + n) within it. */
static void inspect_to_come(struct lx_prog *p, const struct lx_vm_area *area, uint64_t va,
                            uint8_t *bytes, size_t n)
{
    const uint64_t at = area->offset + (va - area->start);

    memset(bytes, 0, n);
    if (!area->file || at >= area->limit)
        return;
    if (n > area->limit - at)
        n = (size_t)(area->limit - at);
    if (area->file->fd < 0 || pread(area->file->fd, bytes, n, (off_t)at) >= 0)
        lx_vm_file_overlay(&p->vm, area->file->dev, area->file->ino, at, bytes, n);
}

static size_t inspect_read(void *self, uint64_t va, void *bytes, size_t count)
{
    struct lx_prog *p = self;
    size_t done = 0, n;

    for (; done < count; done += n, va += n) {
        const uint64_t left = p->vm.page - (va & (p->vm.page - 1));
        const struct lx_vm_area *area = lx_vm_find(&p->vm, va);
        uint8_t *to = (uint8_t *)bytes + done;
        n = count - done < left ? count - done : (size_t)left;
        if (!area || area->kind == VM_REGISTERS)
            break;
        if (!pc_peek(p->m, va, to, n))
            inspect_to_come(p, area, va, to, n);
    }
    return done;
}

static bool inspect_physical(void *self, uint64_t va, uint64_t *pa)
{
    struct lx_prog *p = self;

    return nm_xlate_found(lx_vm_translate(&p->vm, 0, va, NM_LOAD, pa)) && *pa < NM_REGISTERS;
}

static size_t inspect_write(void *self, unsigned card, uint64_t va, const void *bytes, size_t count)
{
    struct lx_prog *p = self;
    size_t done = 0, n;

    for (; done < count; done += n, va += n) {
        const uint64_t left = p->vm.page - (va & (p->vm.page - 1));
        const struct lx_vm_area *area = lx_vm_find(&p->vm, va);
        uint64_t pa;
        n = count - done < left ? count - done : (size_t)left;
        if (!area || area->kind == VM_REGISTERS)
            break;
        lx_vm_bring_in(&p->vm, card, va);
        if (!inspect_physical(p, va, &pa))
            break;
        memcpy(nm_machine_image(p->m) + pa, (const uint8_t *)bytes + done, n);
        nm_machine_os_wrote(p->m, pa, n);
        lx_processors_flush(p->vm.cpus, va, n);
    }
    return done;
}

static void inspect_points(void *self, const struct pc_points *points)
{
    lx_processors_points(((struct lx_prog *)self)->vm.cpus, points);
}

const struct prog_inspect lx_inspect = {
    .binary = inspect_binary,
    .next = inspect_next,
    .thread = inspect_thread,
    .registers = inspect_registers,
    .settles = inspect_settles,
    .set_registers = inspect_set_registers,
    .read = inspect_read,
    .write = inspect_write,
    .physical = inspect_physical,
    .points = inspect_points,
};
