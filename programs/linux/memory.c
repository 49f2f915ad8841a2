/* Memory calls: numbers of flags (MIPS's, kind.h) on one side, areas (vm.c) on the other. */
#include "programs/linux/files/file.h"
#include "programs/linux/files/mapped.h"

#include <inttypes.h>
#include <stdio.h>

/** MIPS Linux mmap flags. */
enum {
    G_MAP_SHARED = 0x01,
    G_MAP_PRIVATE = 0x02,
    G_MAP_SHARED_VALIDATE = 0x03,
    G_MAP_TYPE = 0x0f,
    G_MAP_FIXED = 0x10,
    G_MAP_ANONYMOUS = 0x800,
    G_MAP_LOCKED = 0x8000,
    G_MAP_POPULATE = 0x10000,
    G_MAP_NONBLOCK = 0x20000,
    G_MAP_STACK = 0x40000,
    G_MAP_HUGETLB = 0x80000,
    G_MAP_FIXED_NOREPLACE = 0x100000,
    G_MREMAP_MAYMOVE = 1,
    G_MREMAP_FIXED = 2,
    G_MREMAP_DONTUNMAP = 4,
    G_PROT_MASK = 7,
    G_PROT_KNOWN = 0x1f, /* PROT_SEM too; */
    GENERIC_PROT_KNOWN = 0xf,
    G_MS_ALL = 7,
    G_MS_BOTH = 5,
    G_MS_INVALIDATE = 2,
    G_MADV_DONTNEED = 4,
    G_MADV_FREE = 8,
    G_MADV_REMOVE = 9,
    G_MADV_WIPEONFORK = 18,
    G_MADV_POPULATE_READ = 22,
    G_MADV_POPULATE_WRITE = 23,
    G_MADV_DONTNEED_LOCKED = 24,
    G_MADV_LAST = 25,
    G_MADV_HOLE = 5, /* 5 .. 7 mean nothing */
    G_MADV_HOLE_END = 7,
};

/** Flags a mapping may have; with MAP_SHARED_VALIDATE others are refused. */
#define G_MAP_KNOWN 0x1fffffu

static bool is_shared(uint64_t flags)
{
    return (flags & G_MAP_TYPE) != G_MAP_PRIVATE;
}

/** What a mapping takes from its file. @return 0 or -errno */
static int64_t map_of_file(const struct lx_file *f, struct lx_vm_request *rq)
{
    if (f->kind == FILE_PATH || f->flags & G_O_PATH)
        return -EBADF;
    if (f->kind == FILE_ZERO)
        return 0;
    if (f->kind != FILE_HOST || f->standard || (f->synth && f->synth->kind != SYN_PROGRAM))
        return -ENODEV;
    if (!lx_may_read(f) || (rq->shared && (rq->rights & LX_W) && (f->flags & 3) != 2))
        return -EACCES;
    rq->fd = f->host;
    rq->writable = (f->flags & 3) == 2;
    return rq->shared ? lx_seals_on_map(f, rq->rights & LX_W, &rq->writable) : 0;
}

/** Which one, in words: "254th". */
static const char *memory_ordinal(unsigned n)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};

    return n % 10 < 4 && n / 10 % 10 != 1 ? ends[n % 10] : ends[0];
}

/** Says once that a thread gets no stack: the program may wait for it for ever. */
static void say_stack(struct lx_prog *p, uint64_t len)
{
    const unsigned n = p->alive; /* without the first */
    char text[256];

    if (p->stack_said || p->vm.most.all != UINT64_MAX || p->vm.most.data != UINT64_MAX)
        return;
    p->stack_said = true;
    snprintf(text, sizeof text,
             "numachine: note: no room for the stack (%" PRIu64 " KB) of a %u%s thread in %" PRIu64
             " GB: smaller stacks (pthread_attr_setstacksize, OMP_STACKSIZE)%s\n",
             len >> 10, n, memory_ordinal(n), (lx_vm_end(&p->vm) + (1 << 30) - 1) >> 30,
             p->n64 || p->kind->generic ? "" : ", or n64");
    prog_say(p->run, text);
}

/** Gives pages memory, for the time that as many faults take. @return as lx_vm_populate */
static int64_t memory_give(struct lx_call *c, uint64_t at, uint64_t len, unsigned rights)
{
    struct lx_vm *vm = &c->p->vm;
    const uint64_t before = vm->resident;
    const int64_t err = lx_vm_populate(vm, at, len, rights);
    const uint64_t given = (vm->resident - before) >> vm->shift;

    c->t->given += given;
    c->t->usage.faults += given;
    return err;
}

/** Locked memory is there at once, and so is what shall be. As in Linux nobody hears of what
 *  cannot be had: it is missed when it is touched. */
static void memory_settle(struct lx_call *c, uint64_t at, uint64_t len, bool asked)
{
    const struct lx_vm_area *a = lx_vm_find(&c->p->vm, at);

    if (a && (asked || (a->locked && !c->p->vm.lock_on_touch)))
        memory_give(c, at, len, 0);
}

static int64_t memory_map(struct lx_call *c, uint64_t offset)
{
    uint64_t flags = c->a[3], type = flags & G_MAP_TYPE;
    struct lx_vm_request rq = {
        .addr = c->a[0],
        .len = c->a[1],
        .rights = c->a[2] & G_PROT_MASK,
        .fixed = flags & G_MAP_FIXED,
        .noreplace = flags & G_MAP_FIXED_NOREPLACE,
        .shared = is_shared(flags),
        .locked = flags & G_MAP_LOCKED,
        .fd = -1,
        .offset = offset,
        .limit = UINT64_MAX,
    };
    int64_t err = 0;

    if (type < G_MAP_SHARED ||
        type > (flags & G_MAP_ANONYMOUS ? G_MAP_PRIVATE : G_MAP_SHARED_VALIDATE))
        return -EINVAL;
    if (!(flags & G_MAP_ANONYMOUS)) {
        const struct lx_file *f = lx_file_get(c->p, (int32_t)c->a[4]);
        if (!f)
            return -EBADF;
        if (flags & G_MAP_HUGETLB)
            return -EINVAL;
        if (lx_mapped_kind(f))
            return lx_mapped_map(c, f, &rq);
        if (type == G_MAP_SHARED_VALIDATE && flags & ~(uint64_t)G_MAP_KNOWN)
            return -EOPNOTSUPP;
        err = lx_vm_may_place(&c->p->vm, &rq);
        if (err == 0)
            err = map_of_file(f, &rq);
    } else if (flags & G_MAP_HUGETLB && rq.len) {
        err = -ENOMEM; /* nobody has put huge pages aside */
    }
    if (rq.locked && c->p->vm.most.locked == 0)
        err = -EPERM;
    if (err == 0)
        err = lx_host_says(c->p, lx_vm_map(&c->p->vm, &rq));
    if (err == -ENOMEM && flags & G_MAP_STACK)
        say_stack(c->p, rq.len);
    if (err > 0)
        memory_settle(c, (uint64_t)err, lx_vm_whole_pages(&c->p->vm, rq.len),
                      (flags & (G_MAP_POPULATE | G_MAP_NONBLOCK)) == G_MAP_POPULATE);
    return err;
}

int64_t lx_sys_mmap(struct lx_call *c)
{
    return memory_map(c, c->a[5]);
}

/** mmap2's offset counts 4096 bytes whatever the page size. */
int64_t lx_sys_mmap2(struct lx_call *c)
{
    return memory_map(c, c->a[5] << 12);
}

int64_t lx_sys_munmap(struct lx_call *c)
{
    return lx_vm_unmap(&c->p->vm, c->a[0], c->a[1]);
}

int64_t lx_sys_mprotect(struct lx_call *c)
{
    const uint64_t known = c->p->kind->generic ? GENERIC_PROT_KNOWN : G_PROT_KNOWN;

    if (c->a[2] & ~known)
        return -EINVAL;
    return lx_vm_protect(&c->p->vm, c->a[0], c->a[1], c->a[2] & G_PROT_MASK);
}

int64_t lx_sys_mremap(struct lx_call *c)
{
    const uint64_t flags = c->a[3], moves = G_MREMAP_FIXED | G_MREMAP_DONTUNMAP;
    int64_t at;

    if (flags & ~(moves | G_MREMAP_MAYMOVE) || (flags & moves && !(flags & G_MREMAP_MAYMOVE)) ||
        (flags & G_MREMAP_DONTUNMAP && c->a[1] != c->a[2]))
        return -EINVAL;
    at = lx_vm_remap(&c->p->vm, c->a[0], c->a[1], c->a[2], flags & G_MREMAP_MAYMOVE,
                     flags & G_MREMAP_FIXED ? c->a[4] : 0);
    if (at > 0 && c->a[2] > c->a[1])
        memory_settle(c, (uint64_t)at + lx_vm_whole_pages(&c->p->vm, c->a[1]),
                      lx_vm_whole_pages(&c->p->vm, c->a[2]) - lx_vm_whole_pages(&c->p->vm, c->a[1]),
                      false);
    return at;
}

int64_t lx_sys_brk(struct lx_call *c)
{
    const uint64_t old = lx_vm_whole_pages(&c->p->vm, c->p->vm.brk),
                   brk = lx_vm_brk(&c->p->vm, c->a[0]);

    if (brk > old)
        memory_settle(c, old, lx_vm_whole_pages(&c->p->vm, brk) - old, false);
    return (int64_t)brk;
}

/** Whether a range starts at a page and does not wrap around. */
static bool is_range(const struct lx_call *c)
{
    return !(c->a[0] & (c->p->vm.page - 1)) && c->a[0] + c->a[1] >= c->a[0];
}

int64_t lx_sys_madvise(struct lx_call *c)
{
    const uint64_t advice = c->a[2];

    if (advice > G_MADV_LAST || (advice >= G_MADV_HOLE && advice <= G_MADV_HOLE_END) ||
        advice == G_MADV_REMOVE || !is_range(c))
        return -EINVAL;
    if (advice == G_MADV_DONTNEED || advice == G_MADV_DONTNEED_LOCKED)
        return lx_vm_discard(&c->p->vm, c->a[0], c->a[1], advice == G_MADV_DONTNEED_LOCKED);
    if (advice == G_MADV_POPULATE_READ || advice == G_MADV_POPULATE_WRITE) {
        const int64_t err = memory_give(c, c->a[0], lx_vm_whole_pages(&c->p->vm, c->a[1]),
                                        advice == G_MADV_POPULATE_READ ? LX_R : LX_W);
        return err == -EACCES ? -EINVAL : err;
    }
    if ((advice == G_MADV_FREE || advice == G_MADV_WIPEONFORK) &&
        !lx_vm_is_own(&c->p->vm, c->a[0], c->a[1]))
        return -EINVAL;
    return lx_vm_mapped(&c->p->vm, c->a[0], c->a[1]);
}

int64_t lx_sys_msync(struct lx_call *c)
{
    if (c->a[2] & ~(uint64_t)G_MS_ALL || (c->a[2] & G_MS_BOTH) == G_MS_BOTH || !is_range(c))
        return -EINVAL;
    if ((c->a[2] & G_MS_INVALIDATE) && lx_vm_has_locked(&c->p->vm, c->a[0], c->a[1]))
        return -EBUSY;
    lx_vm_sync(&c->p->vm, c->a[0], c->a[1]);
    return lx_vm_mapped(&c->p->vm, c->a[0], c->a[1]);
}

/* ---- keeping pages in memory: they always are, once they have some --------------------------- */

/** @param touch  they have memory when they are touched, not at once */
static int64_t memory_lock(struct lx_call *c, bool locked, bool touch)
{
    const uint64_t page = c->p->vm.page, from = c->a[0] & ~(page - 1);
    const uint64_t all = (c->a[0] - from + c->a[1] + page - 1) & ~(page - 1);
    const uint64_t len = c->p->n64 ? all : (uint32_t)all; /* of a word, as Linux reckons */
    int64_t err;

    if (locked && c->p->vm.most.locked == 0)
        return -EPERM;
    if (from + len < from)
        return -EINVAL;
    err = lx_vm_lock(&c->p->vm, from, len, locked);
    if (err == 0 && locked && !touch) {
        err = memory_give(c, from, len, 0);
        err = err == -ENOMEM ? -EAGAIN : err < 0 ? -ENOMEM : 0; /* POSIX' words */
    }
    return err;
}

int64_t lx_sys_mlock(struct lx_call *c)
{
    return memory_lock(c, true, false);
}

int64_t lx_sys_munlock(struct lx_call *c)
{
    return memory_lock(c, false, false);
}

int64_t lx_sys_mlock2(struct lx_call *c)
{
    return c->a[2] > 1 ? -EINVAL : memory_lock(c, true, c->a[2]);
}

/** All that is mapped has memory; of the first stack, what lies above the lowest page in use. */
static void memory_settle_all(struct lx_call *c)
{
    struct lx_vm *vm = &c->p->vm;

    for (size_t i = 0; i < vm->count; i++) {
        uint64_t from = vm->areas[i].start;
        const uint64_t end = vm->areas[i].end;
        if (from < vm->stack_end && vm->stack_end <= end)
            lx_vm_present(vm, from, end, &from);
        memory_give(c, from, end - from, 0);
    }
}

int64_t lx_sys_mlockall(struct lx_call *c)
{
    enum { CURRENT = 1, FUTURE = 2, ON_FAULT = 4 };
    struct lx_vm *vm = &c->p->vm;
    struct lx_vm_usage u;

    if (c->a[0] & ~UINT64_C(7) || !(c->a[0] & (CURRENT | FUTURE)))
        return -EINVAL;
    if (vm->most.locked == 0)
        return -EPERM;
    lx_vm_usage_of(vm, 0, UINT64_MAX, &u);
    if ((c->a[0] & CURRENT) && u.all > vm->most.locked)
        return -ENOMEM;
    vm->lock_all = c->a[0] & FUTURE;
    vm->lock_on_touch = c->a[0] & ON_FAULT;
    if (c->a[0] & CURRENT)
        lx_vm_lock_areas(vm, true);
    if (c->a[0] & CURRENT && !vm->lock_on_touch)
        memory_settle_all(c);
    return 0;
}

int64_t lx_sys_munlockall(struct lx_call *c)
{
    c->p->vm.lock_all = c->p->vm.lock_on_touch = false;
    lx_vm_lock_areas(&c->p->vm, false);
    return 0;
}

/** Every page is present that was touched; and one that was not costs no disk. */
int64_t lx_sys_mincore(struct lx_call *c)
{
    const uint64_t page = c->p->vm.page, len = lx_vm_whole_pages(&c->p->vm, c->a[1]);
    uint64_t hole;

    if (c->a[0] & (page - 1))
        return -EINVAL;
    if (len < c->a[1] || c->a[0] >= lx_vm_end(&c->p->vm) || len > lx_vm_end(&c->p->vm) - c->a[0])
        return -ENOMEM;
    hole = lx_vm_hole(&c->p->vm, c->a[0], len);
    for (uint64_t va = c->a[0]; va < hole; va += page)
        if (lx_vm_write_word(&c->p->vm, c->a[2] + (va - c->a[0]) / page, 1, 1) < 0)
            return -EFAULT;
    return hole == c->a[0] + len ? 0 : -ENOMEM;
}

int64_t lx_sys_cacheflush(struct lx_call *c)
{
    lx_processors_flush(c->p->vm.cpus, c->a[0], c->a[1]);
    return 0;
}

/** cacheflush of ARM: from an address to another, no flags. */
int64_t lx_sys_arm_cacheflush(struct lx_call *c)
{
    if (c->a[1] < c->a[0] || c->a[2])
        return -EINVAL;
    if (lx_vm_mapped(&c->p->vm, c->a[0], c->a[1] - c->a[0]) < 0)
        return -EFAULT;
    lx_processors_flush(c->p->vm.cpus, c->a[0], c->a[1] - c->a[0]);
    return 0;
}
