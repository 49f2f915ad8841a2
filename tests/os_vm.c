/* The address space: areas split, merge, move and go; pages come on first touch and keep their
 * bytes. */
#include "machine/values.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/memory/vm.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RW = LX_R | LX_W };

struct fixture {
    struct nm_machine *m;
    struct lx_vm vm;
    uint64_t page;
};

/** @param memory  [bytes] of each station; 0: as many as usual */
static struct fixture *setup_with(bool n64, uint64_t memory)
{
    struct nm_params p;
    struct fixture *f = calloc(1, sizeof *f);

    nm_params_default(&p);
    p.memory_size = memory ? memory : p.memory_size;
    f->m = nm_machine_new(&p, &pc_r4400);
    lx_vm_init(&f->vm, f->m, &lx_kinds[n64 ? LX_N64 : LX_O32]);
    f->page = p.page_size;
    return f;
}

static struct fixture *setup(bool n64)
{
    return setup_with(n64, 0);
}

static void teardown(struct fixture *f)
{
    lx_vm_free(&f->vm);
    nm_machine_free(f->m);
    free(f);
}

static int64_t map(struct fixture *f, uint64_t addr, uint64_t pages, unsigned rights, bool fixed)
{
    struct lx_vm_request rq = {
        .addr = addr, .len = pages * f->page, .rights = rights, .fixed = fixed, .fd = -1};

    return lx_vm_map(&f->vm, &rq);
}

static enum nm_xlate touch(struct fixture *f, uint64_t va, enum nm_access access)
{
    uint64_t pa;

    return lx_vm_touch(&f->vm, 0, va, access, &pa);
}

Test(os_vm, rights_are_kept)
{
    struct fixture *f = setup(false);
    uint64_t at = (uint64_t)map(f, 0, 4, RW, false);

    cr_expect_eq(touch(f, at, NM_STORE), NM_XLATE_OK);
    cr_expect_eq(lx_vm_protect(&f->vm, at + f->page, f->page, LX_R), 0);
    cr_expect_eq(touch(f, at + f->page, NM_LOAD), NM_XLATE_OK);
    cr_expect_eq(touch(f, at + f->page, NM_STORE), NM_XLATE_PROTECTED);
    cr_expect_eq(touch(f, at + 2 * f->page, NM_STORE), NM_XLATE_OK);
    cr_expect_eq(lx_vm_protect(&f->vm, at, f->page, 0), 0);
    cr_expect_eq(touch(f, at, NM_LOAD), NM_XLATE_PROTECTED, "an existing page keeps old rights");
    cr_expect_eq(lx_vm_unmap(&f->vm, at, f->page), 0);
    cr_expect_eq(touch(f, at, NM_LOAD), NM_XLATE_UNMAPPED);
    teardown(f);
}

/* Protects every `step`-th of so many pages. @return how many were, before one was refused */
static unsigned protect_each(struct fixture *f, uint64_t at, unsigned pages, unsigned step,
                             unsigned rights)
{
    unsigned i = 0;

    while (i < pages && lx_vm_protect(&f->vm, at + i * f->page, f->page, rights) == 0)
        i += step;
    return i;
}

/* Linux has no more than 65530 areas, and joins those that are alike. */
Test(os_vm, only_areas_that_differ_are_counted)
{
    enum { PAGES = 140000, AREAS = 65530 };
    struct fixture *f = setup(true);
    const uint64_t at = (uint64_t)map(f, 0x40000000, PAGES, LX_R, true);

    cr_expect_eq(protect_each(f, at, PAGES, 1, RW), PAGES);
    cr_expect_geq(protect_each(f, at, PAGES, 2, 0), AREAS - 2);
    cr_expect_lt(protect_each(f, at, PAGES, 2, 0), PAGES);
    cr_expect_eq(protect_each(f, at, PAGES, 1, LX_R), PAGES);
    teardown(f);
}

Test(os_vm, bytes_survive_a_move)
{
    struct fixture *f = setup(true);
    uint64_t at = (uint64_t)map(f, 0x40000000, 3, RW, true), v;
    int64_t to;

    cr_expect_eq(lx_vm_write_word(&f->vm, at + f->page, 8, UINT64_C(0x0123456789abcdef)), 0);
    map(f, at + 3 * f->page, 1, RW, true); /* in the way of growing */
    to = lx_vm_remap(&f->vm, at, 3 * f->page, 5 * f->page, true, 0);
    cr_assert(to > 0 && (uint64_t)to != at);
    cr_expect_eq(lx_vm_read_word(&f->vm, (uint64_t)to + f->page, 8, &v), 0);
    cr_expect_eq(v, UINT64_C(0x0123456789abcdef));
    cr_expect_eq(lx_vm_read_word(&f->vm, at, 8, &v), -EFAULT);
    cr_expect_eq(lx_vm_read_word(&f->vm, (uint64_t)to + 4 * f->page, 8, &v), 0);
    cr_expect_eq(v, 0);
    teardown(f);
}

/** The value of the word at the beginning of a page; -EFAULT: it cannot be read. */
static int64_t word_at(struct fixture *f, uint64_t va)
{
    uint64_t v;

    return lx_vm_read_word(&f->vm, va, 8, &v) < 0 ? -EFAULT : (int64_t)v;
}

Test(os_vm, holes_end_some_calls_and_no_others)
{
    struct fixture *f = setup(true);
    const uint64_t at = (uint64_t)map(f, 0x40000000, 4, RW, true), len = 4 * f->page;
    const uint64_t behind = at + 2 * f->page;

    lx_vm_unmap(&f->vm, at + f->page, f->page);
    cr_expect_eq(lx_vm_hole(&f->vm, at, len), at + f->page);
    cr_expect_eq(lx_vm_hole(&f->vm, behind, 2 * f->page), at + len);
    cr_expect_eq(lx_vm_write_word(&f->vm, at, 8, 1), 0);
    cr_expect_eq(lx_vm_write_word(&f->vm, behind, 8, 2), 0);
    cr_expect_eq(lx_vm_discard(&f->vm, at, len, false), -ENOMEM);
    cr_expect(word_at(f, at) == 0 && word_at(f, behind) == 0);
    cr_expect_eq(lx_vm_lock(&f->vm, at, len, true), -ENOMEM);
    cr_expect(lx_vm_has_locked(&f->vm, at, f->page) && !lx_vm_has_locked(&f->vm, behind, f->page));
    cr_expect_eq(lx_vm_protect(&f->vm, at, len, 0), -ENOMEM);
    cr_expect(word_at(f, at) == -EFAULT && word_at(f, behind) == 0);
    teardown(f);
}

Test(os_vm, pages_may_come_before_they_are_touched)
{
    struct fixture *f = setup_with(true, 1 << 20);
    const uint64_t at = (uint64_t)map(f, 0x40000000, 4, RW, true), len = 4 * f->page;
    uint64_t first;

    lx_vm_protect(&f->vm, at + 2 * f->page, f->page, 0);
    cr_expect_eq(lx_vm_populate(&f->vm, at, len, 0), -EACCES);
    cr_expect_eq(lx_vm_present(&f->vm, at, at + len, &first), 2 * f->page);
    lx_vm_protect(&f->vm, at + 2 * f->page, f->page, LX_R);
    cr_expect_eq(lx_vm_populate(&f->vm, at, len, LX_W), -EACCES);
    cr_expect_eq(lx_vm_populate(&f->vm, at, len, LX_R), 0);
    cr_expect_eq(lx_vm_present(&f->vm, at, at + len, &first), len);
    lx_vm_unmap(&f->vm, at + f->page, f->page);
    cr_expect_eq(lx_vm_populate(&f->vm, at, len, 0), -ENOMEM);
    cr_assert(map(f, 0x50000000, (64 << 20) / f->page, RW, true) > 0);
    cr_expect_eq(lx_vm_populate(&f->vm, 0x50000000, 64 << 20, 0), -ENOMEM);
    cr_expect(!f->vm.full, "nothing was touched that is not there");
    teardown(f);
}

Test(os_vm, what_is_shared_is_mapped_twice)
{
    struct fixture *f = setup(true);
    const struct lx_vm_request rq = {
        .len = 2 * f->page, .rights = RW, .shared = true, .fd = -1, .limit = UINT64_MAX};
    const uint64_t first = (uint64_t)lx_vm_map(&f->vm, &rq);
    int64_t second;

    cr_expect_eq(lx_vm_write_word(&f->vm, first, 8, 5), 0);
    second = lx_vm_remap(&f->vm, first, 0, 2 * f->page, true, 0);
    cr_assert(second > 0 && (uint64_t)second != first);
    cr_expect_eq(word_at(f, (uint64_t)second), 5);
    cr_expect_eq(lx_vm_write_word(&f->vm, (uint64_t)second + f->page, 8, 6), 0);
    cr_expect_eq(word_at(f, first + f->page), 6);
    cr_expect_eq(lx_vm_unmap(&f->vm, first, 2 * f->page), 0);
    cr_expect_eq(word_at(f, (uint64_t)second), 5);
    cr_expect_eq(lx_vm_unmap(&f->vm, (uint64_t)second, 2 * f->page), 0);
    teardown(f);
}

Test(os_vm, bad_requests_fail)
{
    struct fixture *f = setup(false);
    uint64_t at = (uint64_t)map(f, 0, 1, RW, false);

    cr_expect_eq(map(f, 0, 0, RW, false), -EINVAL);
    cr_expect_eq(map(f, 5, 1, RW, true), -EINVAL);
    cr_expect_eq(map(f, UINT64_C(0xffff0000), 1, RW, true), -ENOMEM);
    cr_expect_eq(map(f, 0, 1 << 20, RW, false), -ENOMEM);
    cr_expect_eq(lx_vm_unmap(&f->vm, at + 1, f->page), -EINVAL);
    cr_expect_eq(lx_vm_protect(&f->vm, at, 2 * f->page, RW), -ENOMEM);
    cr_expect_eq(lx_vm_remap(&f->vm, at, f->page, UINT64_MAX, true, 0), -EINVAL);
    cr_expect_eq(lx_vm_remap(&f->vm, 0, f->page, f->page, true, 0), -EFAULT);
    cr_expect_eq(lx_vm_zero(&f->vm, at, f->page + 1), -EFAULT);
    teardown(f);
}

Test(os_vm, heap_grows_and_shrinks)
{
    struct fixture *f = setup(false);
    uint64_t v = 1;

    f->vm.brk_start = f->vm.brk = 0x500000;
    cr_expect_eq(lx_vm_brk(&f->vm, 0), 0x500000);
    cr_expect_eq(lx_vm_brk(&f->vm, 0x500000 + 100), 0x500000 + 100);
    cr_expect_eq(lx_vm_write_word(&f->vm, 0x500000, 4, 7), 0);
    cr_expect_eq(lx_vm_brk(&f->vm, 0x500000), 0x500000);
    cr_expect_eq(lx_vm_read_word(&f->vm, 0x500000, 4, &v), -EFAULT);
    lx_vm_brk(&f->vm, 0x500000 + 100);
    cr_expect_eq(lx_vm_read_word(&f->vm, 0x500000, 4, &v), 0);
    cr_expect_eq(v, 0, "a page given back comes again as zeros");
    cr_expect_eq(lx_vm_brk(&f->vm, UINT64_C(0xffffffff)), 0x500000 + 100, "refused");
    teardown(f);
}

/** Random calls against a table of what should be mapped. */
Test(os_vm, random_calls_agree_with_a_table)
{
    enum { PAGES = 64 };
    struct fixture *f = setup(true);
    uint8_t rights[PAGES] = {0}; /* bit 7: mapped */
    uint64_t base = 0x10000000;
    uint32_t s = 1;

    for (int n = 0; n < 4000; n++) {
        unsigned first = (s = s * 1664525 + 1013904223) >> 20 & (PAGES - 1);
        unsigned len = 1 + (s >> 12) % 8, what = (s >> 28) % 3, bits = s >> 9 & 3;
        unsigned hole = first;
        len = first + len > PAGES ? PAGES - first : len;
        while (hole < first + len && rights[hole])
            hole++;
        if (what == 0)
            map(f, base + first * f->page, len, bits, true);
        else if (what == 1)
            lx_vm_unmap(&f->vm, base + first * f->page, len * f->page);
        else
            cr_expect_eq(lx_vm_protect(&f->vm, base + first * f->page, len * f->page, bits),
                         hole == first + len ? 0 : -ENOMEM);
        for (unsigned i = first; i < (what == 2 ? hole : first + len); i++)
            rights[i] = what == 1 ? 0 : (uint8_t)(0x80 | bits);
        for (unsigned i = 0; i < PAGES; i++) {
            enum nm_xlate want = !rights[i]         ? NM_XLATE_UNMAPPED
                                 : rights[i] & LX_W ? NM_XLATE_OK
                                                    : NM_XLATE_PROTECTED;
            cr_assert_eq(touch(f, base + i * f->page + 4, NM_STORE), want, "call %d page %u", n, i);
        }
    }
    teardown(f);
}
