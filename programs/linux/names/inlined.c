/*
 * Inlined functions. A process of its own (dwarf.h) walks the debugging information and sends a
 * line for each place: address, name, and the function around it, with a blank that is no part of
 * names between them. What comes is held to that form.
 */
#include "programs/linux/names/inlined.h"

#include "programs/linux/names/dwarf.h"
#include "programs/linux/names/symbols.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char BLANK[] = "\t";

/* ---- in the process that reads --------------------------------------------------------------- */

/** What a symbol of the function would be called. @return NULL: it has no name */
static const char *symbol_of(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    return name ? name : dwarf_diename(function);
}

static void send_place(Dwarf_Die *inlined, const char *in, FILE *out)
{
    const char *name = symbol_of(inlined);
    Dwarf_Addr va;

    if (name && in && !dwarf_entrypc(inlined, &va) &&
        fprintf(out, "%" PRIx64 "%s%s%s%s\n", (uint64_t)va, BLANK, name, BLANK, in) < 0)
        lx_dwarf_stop();
}

/** All that is in `parent`. @param in  the function around it; NULL: none */
static void send_places(Dwarf_Die *parent, const char *in, FILE *out)
{
    Dwarf_Die die;

    for (bool more = dwarf_child(parent, &die) == 0; more;
         more = dwarf_siblingof(&die, &die) == 0) {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_inlined_subroutine)
            send_place(&die, in, out);
        send_places(&die, tag == DW_TAG_subprogram ? symbol_of(&die) : in, out);
    }
}

static void send_all(Dwarf *dwarf, FILE *out)
{
    Dwarf_Off at = 0, next;
    size_t size;

    while (dwarf_nextcu(dwarf, at, &next, &size, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf, at + size, &unit))
            send_places(&unit, NULL, out);
        at = next;
    }
}

/* ---- here ------------------------------------------------------------------------------------ */

void lx_inlined(int fd, const struct lx_elf_image *image,
                void (*each)(void *ctx, const char *name, const char *in, uint64_t va), void *ctx)
{
    char line[2 * LX_SYMBOL_LONGEST + 64];
    pid_t child;
    FILE *from = lx_dwarf_begin(fd, send_all, &child);

    while (from && fgets(line, sizeof line, from)) {
        char *rest, *va = strtok_r(line, BLANK, &rest), *name = strtok_r(NULL, BLANK, &rest),
                    *in = strtok_r(NULL, "\n", &rest);
        if (va && name && in && lx_is_name(name) && lx_is_name(in))
            each(ctx, name, in, strtoull(va, NULL, 16) + image->bias);
    }
    lx_dwarf_end(from, child);
}
