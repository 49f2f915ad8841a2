/*
 * ARM: the operating system's page.
 *
 * A C library for ARM does not know which ARM it runs on. It calls functions at fixed addresses of
 * the kernel's last page for what older processors cannot do: compare and exchange, barriers, the
 * thread pointer. Here they are code that the processors execute, so that their caches, counters
 * and clocks see it.
 */
#include "programs/linux/isa/arm.h"

#include "base/alloc.h"

#include <stdlib.h>

enum { PAGE = 0x1000 };

int lx_arm_page(struct lx_prog *p)
{
    static const struct {
        uint16_t offset;
        uint32_t word;
    } words[] = {
#define WORD(offset, word, text) {offset, word},
#include "programs/linux/isa/arm_page.def"
#undef WORD
    };
    uint8_t *page = sim_alloc(1, PAGE);
    int err;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        lx_kind_put(p->kind, page + words[i].offset, 4, words[i].word);
    err = lx_vm_os_page(&p->vm, page, PAGE);
    free(page);
    return err;
}
