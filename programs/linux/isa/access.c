/* The addresses of accesses, as a handler of interrupts finds them out (mips_access.c,
 * arm_access.c). */
#include "programs/linux/isa/access.h"

#include "programs/linux/process/isa.h"

bool lx_read_code(struct lx_prog *p, uint64_t pc, unsigned width, uint32_t *word)
{
    uint64_t pa;

    if (!nm_xlate_found(lx_vm_translate(&p->vm, 0, pc, NM_FETCH, &pa)) || pa >= NM_REGISTERS)
        return false;
    *word = (uint32_t)lx_kind_get(p->kind, nm_machine_image(p->m) + pa, width);
    return true;
}

unsigned lx_accesses(void *self, unsigned card, struct prog_access out[PROG_ACCESSES_MAX])
{
    struct lx_prog *p = self;

    if (!p->cards[card].running)
        return 0;
    return p->kind->isa->accesses(p, pc_thread_registers(p->m, card), out);
}
