/*
 * How much memory a program has mapped, and how much it may: RLIMIT_AS, RLIMIT_DATA,
 * RLIMIT_MEMLOCK, RLIMIT_STACK. Nothing is counted while there is no limit: the areas are added up
 * when one is asked.
 *
 * The first stack is mapped whole from the beginning, where Linux lets it grow: what counts of it
 * is what has been touched.
 */
#include "programs/linux/memory/vm.h"

static bool is_stack(const struct lx_vm *vm, const struct lx_vm_area *a)
{
    return a->start < vm->stack_end && vm->stack_end <= a->end;
}

/** Whether memory with such rights is data: written, and nobody else's. */
static bool is_data(unsigned rights, bool shared)
{
    return (rights & LX_W) && !shared;
}

static void vm_limit_add(struct lx_vm_usage *u, const struct lx_vm_area *a, uint64_t bytes)
{
    u->all += bytes;
    u->data += is_data(a->rights, a->shared) ? bytes : 0;
    u->code += a->file && a->rights & LX_X ? bytes : 0;
    u->locked += a->locked ? bytes : 0;
}

/** Whether an area is the program's, to be counted: not registers, nor the system's page. */
static bool vm_limit_counts(const struct lx_vm *vm, const struct lx_vm_area *a)
{
    return a->kind != VM_REGISTERS && a->start < lx_vm_end(vm);
}

void lx_vm_note_mapped(struct lx_vm *vm)
{
    uint64_t mapped = 0;

    for (size_t i = 0; i < vm->count; i++)
        if (vm_limit_counts(vm, &vm->areas[i]) && !is_stack(vm, &vm->areas[i]))
            mapped += vm->areas[i].end - vm->areas[i].start;
    if (mapped > vm->mapped_peak)
        vm->mapped_peak = mapped;
}

void lx_vm_usage_of(struct lx_vm *vm, uint64_t from, uint64_t to, struct lx_vm_usage *u)
{
    *u = (struct lx_vm_usage){0};
    for (size_t i = 0; i < vm->count; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        const uint64_t start = a->start > from ? a->start : from, end = a->end < to ? a->end : to;
        uint64_t first;
        if (start >= end || !vm_limit_counts(vm, a))
            continue;
        u->resident += lx_vm_present(vm, start, end, &first);
        if (is_stack(vm, a))
            u->stack += end - first;
        else
            vm_limit_add(u, a, end - start);
    }
    u->all_peak = (u->all > vm->mapped_peak ? u->all : vm->mapped_peak) + u->stack;
    u->all += u->stack;
}

/** Whether `more` bytes can be added to `have`. */
static bool vm_limit_fits(uint64_t have, uint64_t more, uint64_t most)
{
    return most == UINT64_MAX || (have <= most && more <= most - have);
}

bool lx_vm_may_map(struct lx_vm *vm, uint64_t at, uint64_t len, unsigned rights, bool shared)
{
    struct lx_vm_usage u, old;

    if (vm->most.all == UINT64_MAX && vm->most.data == UINT64_MAX)
        return true;
    lx_vm_usage_of(vm, 0, UINT64_MAX, &u);
    lx_vm_usage_of(vm, at, at + len, &old);
    return vm_limit_fits(u.all - old.all, len, vm->most.all) &&
           (!is_data(rights, shared) || vm_limit_fits(u.data - old.data, len, vm->most.data));
}

bool lx_vm_may_write(struct lx_vm *vm, uint64_t at, uint64_t len)
{
    uint64_t more = 0;
    struct lx_vm_usage u;

    if (vm->most.data == UINT64_MAX)
        return true;
    for (size_t i = 0; i < vm->count; i++) {
        const struct lx_vm_area *a = &vm->areas[i];
        const uint64_t start = a->start > at ? a->start : at;
        const uint64_t end = a->end < at + len ? a->end : at + len;
        if (start < end && !a->shared && !(a->rights & LX_W))
            more += end - start;
    }
    lx_vm_usage_of(vm, 0, UINT64_MAX, &u);
    return vm_limit_fits(u.data, more, vm->most.data);
}

bool lx_vm_may_lock(struct lx_vm *vm, uint64_t at, uint64_t len)
{
    struct lx_vm_usage u, old;

    if (vm->most.locked == UINT64_MAX)
        return true;
    lx_vm_usage_of(vm, 0, UINT64_MAX, &u);
    lx_vm_usage_of(vm, at, at + len, &old);
    return vm_limit_fits(u.locked - old.locked, len, vm->most.locked);
}

/** One past what is mapped below an area. */
static uint64_t below(const struct lx_vm *vm, const struct lx_vm_area *a)
{
    return a > vm->areas ? a[-1].end : vm->floor;
}

void lx_vm_stack(struct lx_vm *vm, uint64_t bytes)
{
    struct lx_vm_area *a = (struct lx_vm_area *)lx_vm_find(vm, vm->stack_end - 1);
    uint64_t start, first;

    if (!a)
        return;
    start = bytes < vm->stack_end - below(vm, a) ? vm->stack_end - bytes : below(vm, a);
    start &= ~(vm->page - 1);
    if (start <= a->start) {
        a->start = start;
        return;
    }
    lx_vm_present(vm, a->start, vm->stack_end, &first);
    first = start < first ? start : first;
    if (first > a->start)
        lx_vm_unmap(vm, a->start, first - a->start);
}
