/*
 * The guest's address space: what Linux's memory manager would set up in the R4400's TLB.
 *
 * The hard idea: an area is a promise, a page is a fact. mmap only records areas; the first access
 * to a page (by a processor, or by a system call on its behalf) allocates it from the machine,
 * filled with zeros or from the file. Page entries are then all that translation looks at. Rights
 * are kept in the entries too, so they are corrected whenever an area changes.
 */
#include "programs/linux/memory/vm_file.h"

#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A page entry is its physical address, with rights, PRESENT, the kind and OF_FILE in the low bits.
 */
enum {
    PRESENT = 8,
    KIND_SHIFT = 4,
    KIND = 3,
    OF_FILE = 64, /* a shared page: its file's, not the area's */
    LOW_BITS = 127,
    LEAF_BITS = 9,
    LEAF = 1 << LEAF_BITS
};

/** Entries of neighbouring pages. There only while one of them is present, so that all leaves take
 *  no more than about a page of the host's for each page the machine has. */
struct lx_vm_leaf {
    unsigned present;
    uint64_t e[LEAF];
};

/* The largest page: the operating system's is one. */
enum { OS_BYTES = 0x10000, STACK_GAP = 16 << 20 };

/* ---- page entries ---------------------------------------------------------------------------- */

/** Entry of the page at `va`, or NULL when it has no leaf. */
static uint64_t *vm_entry(const struct lx_vm *vm, uint64_t va)
{
    const uint64_t page = va >> vm->shift, top = page >> LEAF_BITS;

    return top < vm->tops && vm->leaves[top] ? &vm->leaves[top]->e[page & (LEAF - 1)] : NULL;
}

/** The page at `va`, which is not present, becomes so. */
static void set_entry(struct lx_vm *vm, uint64_t va, uint64_t e)
{
    struct lx_vm_leaf **leaf = &vm->leaves[va >> vm->shift >> LEAF_BITS];

    if (!*leaf)
        *leaf = sim_alloc(1, sizeof **leaf);
    (*leaf)->present++;
    *vm_entry(vm, va) = e;
}

/** The page at `va`, which is present, no longer is. */
static void clear_entry(struct lx_vm *vm, uint64_t va)
{
    struct lx_vm_leaf **leaf = &vm->leaves[va >> vm->shift >> LEAF_BITS];

    *vm_entry(vm, va) = 0;
    if (--(*leaf)->present > 0)
        return;
    free(*leaf);
    *leaf = NULL;
}

/** Calls fn on every present entry of [start, end); skips empty leaves. */
static void each_page(struct lx_vm *vm, uint64_t start, uint64_t end,
                      void (*fn)(struct lx_vm *vm, uint64_t va, uint64_t *e, void *ctx), void *ctx)
{
    uint64_t leaf_bytes = vm->page << LEAF_BITS;

    for (uint64_t va = start; va < end; va += vm->page) {
        uint64_t *e = vm_entry(vm, va);
        if (!e)
            va = (va & ~(leaf_bytes - 1)) + leaf_bytes - vm->page;
        else if (*e & PRESENT)
            fn(vm, va, e, ctx);
    }
}

static void drop_page(struct lx_vm *vm, uint64_t va, uint64_t *e, void *ctx)
{
    (void)ctx;
    if (!(*e & OF_FILE))
        nm_page_free(vm->m, *e & ~(uint64_t)LOW_BITS);
    clear_entry(vm, va);
    vm->resident -= vm->page;
}

static void set_rights(struct lx_vm *vm, uint64_t va, uint64_t *e, void *ctx)
{
    const unsigned *rights = ctx;

    (void)vm, (void)va;
    *e = (*e & ~(uint64_t)(LX_R | LX_W | LX_X)) | *rights;
}

/** The processors must forget what they know of [start, end). */
static void shoot_down(struct lx_vm *vm, uint64_t start, uint64_t end)
{
    nm_machine_unmap(vm->m, start, end - start);
    lx_processors_flush(vm->cpus, start, end - start);
}

/* ---- areas ----------------------------------------------------------------------------------- */

/** Index of the first area that ends after `va`. */
static size_t area_after(const struct lx_vm *vm, uint64_t va)
{
    size_t lo = 0, hi = vm->count;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (vm->areas[mid].end <= va)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

const struct lx_vm_area *lx_vm_find(const struct lx_vm *vm, uint64_t va)
{
    size_t i = area_after(vm, va);

    return i < vm->count && vm->areas[i].start <= va ? &vm->areas[i] : NULL;
}

static void vm_insert(struct lx_vm *vm, size_t at, const struct lx_vm_area *a)
{
    SIM_ROOM(vm->areas, vm->count, vm->room, 32);
    assert(vm->areas); /* there is room */
    memmove(vm->areas + at + 1, vm->areas + at, (vm->count - at) * sizeof *vm->areas);
    vm->areas[at] = *a;
    vm->count++;
}

/** One more area is made of this one. */
static void hold_file(const struct lx_vm_area *a)
{
    if (!a->file)
        return;
    a->file->refs++;
    if (a->shared)
        lx_vm_file_share(a->file);
}

static void release_file(struct lx_vm *vm, const struct lx_vm_area *a)
{
    if (!a->file)
        return;
    if (a->shared)
        lx_vm_file_unshare(vm, a->file);
    lx_vm_file_release(vm, a->file);
}

static void vm_erase(struct lx_vm *vm, size_t at)
{
    release_file(vm, &vm->areas[at]);
    memmove(vm->areas + at, vm->areas + at + 1, (vm->count - at - 1) * sizeof *vm->areas);
    vm->count--;
}

/** Makes `va` a border between areas. */
static void vm_split(struct lx_vm *vm, uint64_t va)
{
    size_t i = area_after(vm, va);
    struct lx_vm_area tail;

    if (i == vm->count || vm->areas[i].start >= va)
        return;
    tail = vm->areas[i];
    tail.offset += va - tail.start;
    tail.start = va;
    hold_file(&tail);
    vm->areas[i].end = va;
    vm_insert(vm, i + 1, &tail);
}

/** Grows the previous area instead of adding one, when nothing tells them apart. */
static void add_area(struct lx_vm *vm, const struct lx_vm_area *a)
{
    size_t i = area_after(vm, a->start);
    struct lx_vm_area *prev = i > 0 ? &vm->areas[i - 1] : NULL;

    if (prev && prev->end == a->start && !prev->file && !a->file && prev->rights == a->rights &&
        prev->shared == a->shared && prev->locked == a->locked && prev->kind == a->kind &&
        a->kind != VM_REGISTERS)
        prev->end = a->end;
    else
        vm_insert(vm, i, a);
}

/** Whether nothing tells an area from the one behind it. */
static bool areas_alike(const struct lx_vm_area *a, const struct lx_vm_area *behind)
{
    return a->end == behind->start && a->file == behind->file && a->rights == behind->rights &&
           a->kind == behind->kind && a->kind != VM_REGISTERS && a->shared == behind->shared &&
           a->read_only == behind->read_only && a->locked == behind->locked &&
           (!a->file ||
            (a->limit == behind->limit && a->offset + (a->end - a->start) == behind->offset));
}

/** Makes one of neighbours that are alike. */
static void areas_join(struct lx_vm *vm)
{
    size_t last = 0;

    for (size_t i = 1; i < vm->count; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        if (areas_alike(&vm->areas[last], a)) {
            vm->areas[last].end = a->end;
            release_file(vm, a);
        } else
            vm->areas[++last] = *a;
    }
    vm->count = vm->count ? last + 1 : 0;
}

static bool areas_have_room(const struct lx_vm *vm, uint64_t start, uint64_t end, size_t more)
{
    const struct lx_vm_area *first = lx_vm_find(vm, start), *last = lx_vm_find(vm, end);

    return vm->count + (first && first->start < start) + (last && last->start < end) + more <=
           LX_VM_AREAS_MAX;
}

/** Whether there is room for the areas that borders at `start` and `end` make, and `more`. Linux
 *  joins neighbours at once. Here they stay apart while there is room: a stack that a program has
 *  mapped is known by its area. */
static bool areas_fit(struct lx_vm *vm, uint64_t start, uint64_t end, size_t more)
{
    if (areas_have_room(vm, start, end, more))
        return true;
    areas_join(vm);
    return areas_have_room(vm, start, end, more);
}

static bool range_free(const struct lx_vm *vm, uint64_t start, uint64_t len)
{
    size_t i = area_after(vm, start);

    return i == vm->count || vm->areas[i].start >= start + len;
}

/** Highest free place below the top of the mapping area; 0 if there is none. */
static uint64_t find_place(const struct lx_vm *vm, uint64_t len)
{
    uint64_t end = vm->top;

    for (size_t i = vm->count; i-- > 0;) {
        const struct lx_vm_area *a = &vm->areas[i];
        if (a->end <= end && end - a->end >= len)
            break;
        if (a->start < end)
            end = a->start;
    }
    return end >= vm->floor + len ? end - len : 0;
}

/** True if [addr, addr+len) is page aligned and inside the user's addresses. */
static bool range_ok(const struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    return !(addr & (vm->page - 1)) && len <= vm->limit && addr <= vm->limit - len;
}

static void clear_range(struct lx_vm *vm, uint64_t start, uint64_t end)
{
    size_t i;

    if (range_free(vm, start, end - start))
        return;
    lx_vm_note_mapped(vm);
    lx_vm_sync(vm, start, end - start);
    vm_split(vm, start);
    vm_split(vm, end);
    shoot_down(vm, start, end);
    each_page(vm, start, end, drop_page, NULL);
    i = area_after(vm, start);
    while (i < vm->count && vm->areas[i].start < end)
        vm_erase(vm, i);
}

/* ---- mapping calls --------------------------------------------------------------------------- */

/** Chooses where a mapping goes: exactly there, at the hint, or at the highest free place. */
static int64_t choose_place(struct lx_vm *vm, const struct lx_vm_request *rq, uint64_t len)
{
    uint64_t hint = rq->addr & ~(vm->page - 1), at;

    if (rq->fixed || rq->noreplace)
        return (int64_t)rq->addr;
    if (hint >= vm->page && range_ok(vm, hint, len) && range_free(vm, hint, len))
        return (int64_t)hint;
    at = find_place(vm, len);
    return at ? (int64_t)at : -ENOMEM;
}

int lx_vm_may_place(const struct lx_vm *vm, const struct lx_vm_request *rq)
{
    const uint64_t len = lx_vm_whole_pages(vm, rq->len);

    if (rq->len == 0 || (rq->fd >= 0 && (rq->offset & (vm->page - 1))))
        return -EINVAL;
    if (len < rq->len || len > lx_vm_end(vm))
        return -ENOMEM;
    if (!rq->fixed && !rq->noreplace)
        return 0;
    if (!range_ok(vm, rq->addr, len))
        return rq->addr & (vm->page - 1) ? -EINVAL : -ENOMEM;
    return rq->noreplace && !range_free(vm, rq->addr, len) ? -EEXIST : 0;
}

/** The file of an area to be: the request's, or one without a name if others may map it, too.
 *  @return false: the host has no descriptor left */
static bool map_file(struct lx_vm *vm, const struct lx_vm_request *rq, uint64_t len,
                     struct lx_vm_area *a)
{
    if (rq->fd >= 0) {
        a->file = lx_vm_file_open(vm, rq->fd, rq->writable);
        return a->file;
    }
    if (a->shared && a->kind == VM_COHERENT) {
        a->file = lx_vm_file_unnamed(vm, len);
        a->offset = 0;
    }
    return true;
}

int64_t lx_vm_map(struct lx_vm *vm, const struct lx_vm_request *rq)
{
    uint64_t len = lx_vm_whole_pages(vm, rq->len);
    struct lx_vm_area a = {.rights = rq->rights,
                           .kind = rq->kind,
                           .shared = rq->shared,
                           .read_only = rq->shared && rq->fd >= 0 && !rq->writable,
                           .locked = rq->locked || vm->lock_all,
                           .offset = rq->offset,
                           .limit = rq->limit};
    int64_t at = lx_vm_may_place(vm, rq);

    if (at == 0)
        at = choose_place(vm, rq, len);
    if (at < 0)
        return at;
    if (!areas_fit(vm, (uint64_t)at, (uint64_t)at + len, 1) ||
        !lx_vm_may_map(vm, (uint64_t)at, len, rq->rights, rq->shared))
        return -ENOMEM;
    if (a.locked && !lx_vm_may_lock(vm, (uint64_t)at, len))
        return -EAGAIN;
    if (!map_file(vm, rq, len, &a))
        return -ENFILE;
    if (a.file && a.shared)
        lx_vm_file_share(a.file);
    a.start = (uint64_t)at;
    a.end = a.start + len;
    clear_range(vm, a.start, a.end);
    add_area(vm, &a);
    return at;
}

int64_t lx_vm_unmap(struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    if (len == 0 || !range_ok(vm, addr, len))
        return -EINVAL;
    if (!areas_fit(vm, addr, addr + lx_vm_whole_pages(vm, len), 0))
        return -ENOMEM;
    clear_range(vm, addr, addr + lx_vm_whole_pages(vm, len));
    return 0;
}

uint64_t lx_vm_hole(const struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    const uint64_t end = addr + len;

    for (size_t i = area_after(vm, addr); addr < end && i < vm->count && vm->areas[i].start <= addr;
         i++)
        addr = vm->areas[i].end;
    return addr < end ? addr : end;
}

int64_t lx_vm_mapped(const struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    return lx_vm_hole(vm, addr, len) == addr + len ? 0 : -ENOMEM;
}

/** As far as [addr, end) may have other rights. @param[out] err  why not farther: -ENOMEM, -EACCES;
 *  0: all of it may */
static uint64_t protect_end(const struct lx_vm *vm, uint64_t addr, uint64_t end, unsigned rights,
                            int64_t *err)
{
    const uint64_t hole = lx_vm_hole(vm, addr, end - addr);

    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < hole; i++)
        if (vm->areas[i].read_only && (rights & LX_W)) {
            *err = -EACCES;
            return vm->areas[i].start > addr ? vm->areas[i].start : addr;
        }
    *err = hole == end ? 0 : -ENOMEM;
    return hole;
}

int64_t lx_vm_protect(struct lx_vm *vm, uint64_t addr, uint64_t len, unsigned rights)
{
    uint64_t end;
    int64_t err;

    if (!range_ok(vm, addr, len))
        return addr & (vm->page - 1) ? -EINVAL : -ENOMEM;
    end = protect_end(vm, addr, addr + lx_vm_whole_pages(vm, len), rights, &err);
    if (end == addr)
        return err;
    if (!areas_fit(vm, addr, end, 0) || ((rights & LX_W) && !lx_vm_may_write(vm, addr, end - addr)))
        return -ENOMEM;
    vm_split(vm, addr);
    vm_split(vm, end);
    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < end; i++)
        vm->areas[i].rights = rights;
    shoot_down(vm, addr, end);
    each_page(vm, addr, end, set_rights, &rights);
    return err;
}

int64_t lx_vm_lock(struct lx_vm *vm, uint64_t addr, uint64_t len, bool locked)
{
    const uint64_t end = lx_vm_hole(vm, addr, len);

    if (!areas_fit(vm, addr, end, 0) || (locked && !lx_vm_may_lock(vm, addr, len)))
        return -ENOMEM;
    vm_split(vm, addr);
    vm_split(vm, end);
    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < end; i++)
        vm->areas[i].locked = locked;
    return end == addr + len ? 0 : -ENOMEM;
}

void lx_vm_lock_areas(struct lx_vm *vm, bool locked)
{
    for (size_t i = 0; i < vm->count; i++)
        vm->areas[i].locked = locked;
}

bool lx_vm_has_locked(const struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < addr + len; i++)
        if (vm->areas[i].locked)
            return true;
    return false;
}

static void count_page(struct lx_vm *vm, uint64_t va, uint64_t *e, void *ctx)
{
    uint64_t *counted = ctx;

    (void)e;
    counted[0] += vm->page;
    if (va < counted[1])
        counted[1] = va;
}

uint64_t lx_vm_present(struct lx_vm *vm, uint64_t start, uint64_t end, uint64_t *first)
{
    uint64_t counted[2] = {0, end};

    each_page(vm, start, end, count_page, counted);
    *first = counted[1];
    return counted[0];
}

/** Moves the pages and areas of [from, from+len) to `to`, which is free. */
static void move_range(struct lx_vm *vm, uint64_t from, uint64_t to, uint64_t len)
{
    vm_split(vm, from);
    vm_split(vm, from + len);
    for (uint64_t off = 0; off < len; off += vm->page) {
        const uint64_t *e = vm_entry(vm, from + off);
        if (e && (*e & PRESENT)) {
            set_entry(vm, to + off, *e);
            clear_entry(vm, from + off);
        }
    }
    for (;;) {
        size_t i = area_after(vm, from);
        struct lx_vm_area a;
        if (i == vm->count || vm->areas[i].start >= from + len)
            break;
        a = vm->areas[i];
        hold_file(&a);
        vm_erase(vm, i);
        a.start = a.start - from + to;
        a.end = a.end - from + to;
        add_area(vm, &a);
    }
    shoot_down(vm, from, from + len);
}

/** Lengthens the area that ends at `end`, if what follows is free. */
static bool grow_in_place(struct lx_vm *vm, uint64_t end, uint64_t more)
{
    size_t i = area_after(vm, end - 1);

    if (!range_ok(vm, end, more) || !range_free(vm, end, more))
        return false;
    vm->areas[i].end += more;
    return true;
}

bool lx_vm_has_registers(const struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < addr + len; i++)
        if (vm->areas[i].kind == VM_REGISTERS)
            return true;
    return false;
}

/** Whether [addr, end) is one mapping to Linux, which joins neighbours that are alike. */
static bool is_one(const struct lx_vm *vm, uint64_t addr, uint64_t end)
{
    size_t i = area_after(vm, addr);

    while (i + 1 < vm->count && vm->areas[i].end < end &&
           areas_alike(&vm->areas[i], &vm->areas[i + 1]))
        i++;
    return i < vm->count && vm->areas[i].end >= end;
}

/** Whether the mapping [addr, end) may have so much more. @return 0, -EFAULT, -EINVAL, -ENOMEM,
 *  -EAGAIN */
static int64_t may_grow(struct lx_vm *vm, uint64_t addr, uint64_t end, uint64_t more)
{
    const struct lx_vm_area *a = lx_vm_find(vm, addr);
    const uint64_t nowhere = lx_vm_end(vm);

    if (!is_one(vm, addr, end))
        return -EFAULT;
    if (a->kind == VM_REGISTERS) /* they end where the card's do */
        return -EINVAL;
    if (!lx_vm_may_map(vm, nowhere, more, a->rights, a->shared))
        return -ENOMEM;
    return a->locked && !lx_vm_may_lock(vm, nowhere, more) ? -EAGAIN : 0;
}

/** Takes [from, from + len) away from where it is, to a place for `to` bytes. */
static int64_t move_away(struct lx_vm *vm, uint64_t from, uint64_t len, uint64_t to, uint64_t fixed)
{
    const uint64_t at = fixed ? fixed : find_place(vm, to);

    if (!at || to > lx_vm_end(vm))
        return -ENOMEM;
    if (fixed)
        clear_range(vm, at, at + to);
    move_range(vm, from, at, len);
    if (to > len)
        grow_in_place(vm, at + len, to - len);
    return (int64_t)at;
}

/** Maps what is shared at `addr` a second time. */
static int64_t map_again(struct lx_vm *vm, uint64_t addr, uint64_t len, uint64_t fixed)
{
    struct lx_vm_area again = vm->areas[area_after(vm, addr)];
    const uint64_t at = fixed ? fixed : find_place(vm, len);

    if (!at || len > lx_vm_end(vm))
        return -ENOMEM;
    again.offset += addr - again.start;
    again.start = at;
    again.end = at + len;
    hold_file(&again);
    clear_range(vm, at, at + len);
    add_area(vm, &again);
    return (int64_t)at;
}

int64_t lx_vm_remap(struct lx_vm *vm, uint64_t addr, uint64_t old_len, uint64_t new_len,
                    bool may_move, uint64_t fixed)
{
    uint64_t from = lx_vm_whole_pages(vm, old_len), to = lx_vm_whole_pages(vm, new_len);
    const struct lx_vm_area *a = lx_vm_find(vm, addr);
    int64_t err;

    if (new_len == 0 || to < new_len || !range_ok(vm, addr, from) ||
        (fixed && (!range_ok(vm, fixed, to) || (fixed < addr + from && addr < fixed + to))))
        return -EINVAL;
    if (!a)
        return -EFAULT;
    if (from == 0 && (!a->shared || a->kind != VM_COHERENT))
        return -EINVAL;
    if (!areas_fit(vm, addr, addr + from, 1) || (fixed && !areas_fit(vm, fixed, fixed + to, 3)))
        return -ENOMEM;
    if (to < from) {
        clear_range(vm, addr + to, addr + from);
        from = to;
    }
    if (!fixed && to == from)
        return (int64_t)addr;
    if (lx_vm_mapped(vm, addr, from) < 0)
        return -EFAULT;
    if (to > from && (err = may_grow(vm, addr, addr + from, to - from)) < 0)
        return err;
    if (!fixed && from > 0 && grow_in_place(vm, addr + from, to - from))
        return (int64_t)addr;
    if (!may_move)
        return -ENOMEM;
    return from ? move_away(vm, addr, from, to, fixed) : map_again(vm, addr, to, fixed);
}

uint64_t lx_vm_brk(struct lx_vm *vm, uint64_t want)
{
    uint64_t have = lx_vm_whole_pages(vm, vm->brk), need = lx_vm_whole_pages(vm, want);

    if (want < vm->brk_start || want > vm->top)
        return vm->brk;
    if (need > have) {
        struct lx_vm_area a = {
            .start = have, .end = need, .rights = LX_R | LX_W, .locked = vm->lock_all};
        if (!range_ok(vm, have, need - have) || !range_free(vm, have, need - have) ||
            !lx_vm_may_map(vm, have, need - have, a.rights, false) ||
            (a.locked && !lx_vm_may_lock(vm, have, need - have)))
            return vm->brk;
        add_area(vm, &a);
    } else if (need < have) {
        clear_range(vm, need, have);
    }
    return vm->brk = want;
}

int64_t lx_vm_discard(struct lx_vm *vm, uint64_t addr, uint64_t len, bool locked)
{
    uint64_t end = addr + lx_vm_whole_pages(vm, len);

    if (!range_ok(vm, addr, len))
        return -EINVAL;
    shoot_down(vm, addr, end);
    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < end; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        if (a->locked && !locked)
            return -EINVAL;
        if (!a->shared) /* others see those */
            each_page(vm, a->start > addr ? a->start : addr, a->end < end ? a->end : end, drop_page,
                      NULL);
    }
    return lx_vm_mapped(vm, addr, end - addr);
}

bool lx_vm_is_own(const struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < addr + len; i++)
        if (vm->areas[i].shared || vm->areas[i].file)
            return false;
    return true;
}

int64_t lx_vm_sync(struct lx_vm *vm, uint64_t addr, uint64_t len)
{
    uint64_t end = addr + len;

    for (size_t i = area_after(vm, addr); i < vm->count && vm->areas[i].start < end; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        const uint64_t from = a->start > addr ? a->start : addr, to = a->end < end ? a->end : end;
        if (a->shared && a->file)
            lx_vm_file_flush(vm, a->file, a->offset + (from - a->start),
                             a->offset + (to - a->start));
    }
    return 0;
}

void lx_vm_drop_beyond(struct lx_vm *vm, const struct lx_vm_file *f, uint64_t size)
{
    for (size_t i = 0; i < vm->count; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        uint64_t from = a->start;
        if (a->file != f || a->limit != UINT64_MAX)
            continue;
        if (size > a->offset)
            from = size - a->offset < a->end - a->start ? a->start + (size - a->offset) : a->end;
        shoot_down(vm, from, a->end);
        each_page(vm, from, a->end, drop_page, NULL);
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

/** Fills a new page from its area's file. */
static void vm_fill(struct lx_vm *vm, const struct lx_vm_area *a, uint64_t va, uint64_t pa)
{
    uint64_t off = a->offset + (va - a->start), n = vm->page;

    if (!a->file || off >= a->limit)
        return;
    if (n > a->limit - off)
        n = a->limit - off;
    lx_vm_file_fill(vm, a->file, off, nm_machine_image(vm->m) + pa, (size_t)n);
    nm_machine_os_wrote(vm->m, pa, vm->page);
}

bool lx_vm_beyond(const struct lx_vm *vm, uint64_t va)
{
    const struct lx_vm_area *a = lx_vm_find(vm, va);

    return a && a->file && a->limit == UINT64_MAX &&
           a->offset + ((va & ~(vm->page - 1)) - a->start) >= lx_vm_file_size(a->file);
}

/** Rights an access needs. A page that may be read may be executed: the R4400 has no such bit. */
static bool vm_allowed(unsigned rights, enum nm_access access)
{
    switch (access) {
    case NM_FETCH:
        return rights & (LX_R | LX_X);
    case NM_STORE:
    case NM_CONDITIONAL:
        return rights & LX_W;
    default:
        return rights & (LX_R | LX_W);
    }
}

static enum nm_xlate vm_attribute(enum lx_vm_kind kind)
{
    static const uint8_t attributes[] = {NM_XLATE_OK, NM_XLATE_UNCACHED, NM_XLATE_NONCOHERENT,
                                         NM_XLATE_UNCACHED};
    return attributes[kind];
}

enum nm_xlate lx_vm_translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                              uint64_t *pa)
{
    struct lx_vm *vm = ctx;
    uint64_t page = va & ~(vm->page - 1);
    uint64_t *e = vm_entry(vm, va);
    const struct lx_vm_area *a;

    (void)card;
    if (e && (*e & PRESENT)) {
        if (!vm_allowed((unsigned)*e, access))
            return NM_XLATE_PROTECTED;
        *pa = (*e & ~(uint64_t)LOW_BITS) | (va - page);
        return vm_attribute(*e >> KIND_SHIFT & KIND);
    }
    a = lx_vm_find(vm, va);
    if (!a)
        return NM_XLATE_UNMAPPED;
    if (!vm_allowed(a->rights, access))
        return NM_XLATE_PROTECTED;
    if (a->kind == VM_REGISTERS) {
        *pa = NM_REGISTERS + a->offset + (va - a->start);
        return NM_XLATE_UNCACHED;
    }
    return NM_XLATE_ABSENT;
}

/** A page for `va`: its file's, or a new one. @return false: the machine's memory is full */
static bool get_page(struct lx_vm *vm, unsigned card, const struct lx_vm_area *a, uint64_t va,
                     uint64_t *pa)
{
    const uint64_t index = (a->offset + (va - a->start)) >> vm->shift;
    const bool cached = a->file && a->shared;
    const uint64_t *there = cached ? lx_vm_file_page(a->file, index) : NULL;

    if (there) {
        *pa = *there;
        return true;
    }
    if (!nm_page_alloc(vm->m, card, va, pa))
        return false;
    vm_fill(vm, a, va, *pa);
    if (cached)
        lx_vm_file_add_page(a->file, index, *pa);
    return true;
}

void lx_vm_bring_in(struct lx_vm *vm, unsigned card, uint64_t va)
{
    const uint64_t page = va & ~(vm->page - 1), *e = vm_entry(vm, va);
    const struct lx_vm_area *a = lx_vm_find(vm, va);
    uint64_t got;

    if (!a || a->kind == VM_REGISTERS || (e && (*e & PRESENT)) || lx_vm_beyond(vm, va))
        return; /* somebody was faster, or took it away */
    if (!get_page(vm, card, a, page, &got)) {
        vm->full = true;
        return;
    }
    set_entry(vm, va,
              got | (uint64_t)a->kind << KIND_SHIFT | PRESENT | a->rights |
                  (a->file && a->shared ? OF_FILE : 0u));
    vm->resident += vm->page;
    if (vm->resident > vm->resident_peak)
        vm->resident_peak = vm->resident;
    if (vm->paged)
        vm->paged(vm->paged_ctx, page, got);
}

/** Brings in [at, end) of an area. @return 0, -EFAULT, -ENOMEM as lx_vm_populate */
static int64_t populate_area(struct lx_vm *vm, uint64_t at, uint64_t end)
{
    for (; at < end; at += vm->page) {
        if (lx_vm_beyond(vm, at))
            return -EFAULT;
        lx_vm_bring_in(vm, vm->toucher, at);
        if (vm->full) { /* the program has touched nothing yet: it may go on */
            vm->full = false;
            return -ENOMEM;
        }
    }
    return 0;
}

int64_t lx_vm_populate(struct lx_vm *vm, uint64_t addr, uint64_t len, unsigned rights)
{
    const uint64_t end = addr + len;
    int64_t err = 0;

    for (size_t i = area_after(vm, addr); err == 0 && addr < end; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        if (i == vm->count || a->start > addr)
            return -ENOMEM;
        if (a->kind != VM_REGISTERS && (!a->rights || (a->rights & rights) != rights))
            return -EACCES;
        if (a->kind != VM_REGISTERS)
            err = populate_area(vm, addr, a->end < end ? a->end : end);
        addr = a->end;
    }
    return err;
}

enum nm_xlate lx_vm_touch(struct lx_vm *vm, unsigned card, uint64_t va, enum nm_access access,
                          uint64_t *pa)
{
    const enum nm_xlate x = lx_vm_translate(vm, card, va, access, pa);

    if (x != NM_XLATE_ABSENT)
        return x;
    lx_vm_bring_in(vm, card, va);
    return vm->full ? NM_XLATE_UNMAPPED : lx_vm_translate(vm, card, va, access, pa);
}

/** The decoder's question: where are the bytes of the instruction at `va`? */
static const uint8_t *vm_fetch(void *ctx, uint64_t va)
{
    struct lx_vm *vm = ctx;
    uint64_t pa;

    if (!nm_xlate_found(lx_vm_translate(vm, 0, va, NM_FETCH, &pa)) || pa >= NM_REGISTERS)
        return NULL;
    return nm_machine_image(vm->m) + pa;
}

/* ---- the space itself ------------------------------------------------------------------------ */

uint64_t lx_vm_end(const struct lx_vm *vm)
{
    return vm->kind->end;
}

void lx_vm_init(struct lx_vm *vm, struct nm_machine *m, const struct lx_kind *kind)
{
    const struct nm_params *p = nm_machine_params(m);
    struct nm_space space;

    memset(vm, 0, sizeof *vm);
    vm->m = m;
    nm_machine_fills_pages(m);
    vm->kind = kind;
    vm->page = nm_value_page_size(p);
    vm->shift = (unsigned)__builtin_ctzll(vm->page);
    vm->tops = ((kind->os + OS_BYTES) >> vm->shift >> LEAF_BITS) + 1;
    vm->leaves = sim_alloc(vm->tops, sizeof *vm->leaves);
    vm->floor = 0x10000;
    vm->limit = kind->os + OS_BYTES;
    vm->top = lx_vm_end(vm) - STACK_GAP;
    vm->most = (struct lx_vm_most){UINT64_MAX, UINT64_MAX, UINT64_MAX};
    vm->cpus = lx_processors_new(m, vm_fetch, vm);
    space = (struct nm_space){.ctx = vm, .translate = lx_vm_translate};
    nm_machine_set_space(m, &space);
}

void lx_vm_free(struct lx_vm *vm)
{
    if (!vm->leaves)
        return;
    while (vm->count > 0)
        vm_erase(vm, vm->count - 1);
    free(vm->areas);
    for (size_t i = 0; i < vm->tops; i++)
        free(vm->leaves[i]);
    free(vm->leaves);
    lx_processors_free(vm->cpus);
}

int lx_vm_os_page(struct lx_vm *vm, const void *code, size_t len)
{
    const uint64_t va = vm->kind->os;
    const struct lx_vm_request rq = {
        .addr = va, .len = vm->page, .fd = -1, .noreplace = true, .rights = LX_R | LX_W};
    int64_t r = lx_vm_map(vm, &rq);

    if (r >= 0)
        r = lx_vm_write(vm, va, code, len);
    if (r >= 0)
        r = lx_vm_protect(vm, va, vm->page, LX_R | LX_X);
    if (va > vm->kind->end) /* far from all that is the program's */
        vm->limit = vm->kind->end;
    return r < 0 ? (int)r : 0;
}

/* ---- copying --------------------------------------------------------------------------------- */

/** Host address of `va` for a system call's access, with how many bytes follow on the page. */
static uint8_t *vm_reach(struct lx_vm *vm, uint64_t va, enum nm_access access, size_t *left,
                         uint64_t *pa)
{
    if (!nm_xlate_found(lx_vm_touch(vm, vm->toucher, va, access, pa)) || *pa >= NM_REGISTERS)
        return NULL; /* a system call cannot copy registers */
    *left = vm->page - (va & (vm->page - 1));
    return nm_machine_image(vm->m) + *pa;
}

int lx_vm_read(struct lx_vm *vm, uint64_t va, void *buf, size_t len)
{
    for (uint8_t *to = buf; len > 0;) {
        size_t n;
        uint64_t pa;
        const uint8_t *from = vm_reach(vm, va, NM_LOAD, &n, &pa);
        if (!from)
            return -EFAULT;
        n = n < len ? n : len;
        memcpy(to, from, n);
        to += n;
        va += n;
        len -= n;
    }
    return 0;
}

/** Writes `buf`, or zeros when it is NULL. */
static int vm_put(struct lx_vm *vm, uint64_t va, const uint8_t *buf, size_t len)
{
    while (len > 0) {
        size_t n;
        uint64_t pa;
        uint8_t *to = vm_reach(vm, va, NM_STORE, &n, &pa);
        if (!to)
            return -EFAULT;
        n = n < len ? n : len;
        if (buf) {
            memcpy(to, buf, n);
            buf += n;
        } else {
            memset(to, 0, n);
        }
        nm_machine_os_wrote(vm->m, pa, n);
        va += n;
        len -= n;
    }
    return 0;
}

int lx_vm_write(struct lx_vm *vm, uint64_t va, const void *buf, size_t len)
{
    return vm_put(vm, va, buf, len);
}

int lx_vm_zero(struct lx_vm *vm, uint64_t va, size_t len)
{
    return vm_put(vm, va, NULL, len);
}

int64_t lx_vm_string(struct lx_vm *vm, uint64_t va, char *buf, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (lx_vm_read(vm, va + i, buf + i, 1) < 0)
            return -EFAULT;
        if (buf[i] == '\0')
            return (int64_t)i;
    }
    return -ENAMETOOLONG;
}

int lx_vm_read_word(struct lx_vm *vm, uint64_t va, unsigned width, uint64_t *v)
{
    uint8_t b[8];

    if (lx_vm_read(vm, va, b, width) < 0)
        return -EFAULT;
    *v = lx_kind_get(vm->kind, b, width);
    return 0;
}

int lx_vm_write_word(struct lx_vm *vm, uint64_t va, unsigned width, uint64_t v)
{
    uint8_t b[8];

    lx_kind_put(vm->kind, b, width, v);
    return lx_vm_write(vm, va, b, width);
}

int lx_vm_read32(struct lx_vm *vm, uint64_t va, uint32_t *v)
{
    uint64_t w;

    if (lx_vm_read_word(vm, va, 4, &w) < 0)
        return -EFAULT;
    *v = (uint32_t)w;
    return 0;
}

int lx_vm_write32(struct lx_vm *vm, uint64_t va, uint32_t v)
{
    return lx_vm_write_word(vm, va, 4, v);
}
