/*
 * Variables and arguments of functions, in the process that reads debugging information.
 *
 * The hard idea is that a variable moves: it is in the frame while some instructions execute, in a
 * register while others do, and nowhere in between. So each is sent once for each stretch of
 * instructions, with its place there. Places that would have to be computed (parts in several
 * registers, values of callers) are left out.
 */
#include "programs/linux/names/types_sender.h"

#include <dwarf.h>
#include <string.h>

/** A stretch of instructions. */
struct stretch {
    Dwarf_Addr from, to;
};

/** The function whose variables are sent. */
struct sent_function {
    struct sender *s;
    uint64_t base; /**< its frame's: LX_PLACE_CFA, or a register */
    const char *name;
    unsigned inlined;    /**< so many functions are around it that it is inlined in */
    bool told;           /**< its name is */
    Dwarf_Die *declared; /**< a variable whose place in the source is still to be told; NULL: none
                          */
};

static void tell_function(struct sent_function *f)
{
    struct lx_sent record = {.kind = LX_SENT_FUNCTION, .at = f->inlined};

    if (!f->told)
        lx_types_send_record(f->s, &record, f->name);
    f->told = true;
}

/** Where an expression says a value is. @return false: it says more than is understood */
static bool place_of(const struct sent_function *f, const Dwarf_Op *op, size_t ops, uint64_t *out)
{
    uint64_t mode = LX_PLACE_MEMORY;

    if (ops == 2 && op[1].atom == DW_OP_deref)
        mode = LX_PLACE_BEHIND;
    else if (ops != 1)
        return false;
    if (op->atom == DW_OP_fbreg)
        *out = lx_place(mode, f->base, (int64_t)op->number);
    else if (op->atom == DW_OP_call_frame_cfa)
        *out = lx_place(mode, LX_PLACE_CFA, 0);
    else if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
        *out = lx_place(mode, op->atom - DW_OP_breg0, (int64_t)op->number);
    else if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 && ops == 1)
        *out = lx_place(LX_PLACE_REGISTER, op->atom - DW_OP_reg0, 0);
    else
        return false;
    return f->base != LX_PLACE_NONE || op->atom != DW_OP_fbreg;
}

static void send_place(struct sent_function *f, const char *name, const Dwarf_Die *type,
                       struct stretch during, uint64_t place)
{
    struct lx_sent record = {.kind = LX_SENT_AUTO,
                             .id = during.from,
                             .size = during.to,
                             .type = lx_types_send_id(type->addr),
                             .at = place};

    if (during.from >= during.to)
        return;
    tell_function(f);
    if (f->declared)
        lx_types_send_source(f->s, f->declared);
    f->declared = NULL;
    lx_types_send_record(f->s, &record, name);
}

/** A variable that is in several places, such as the members of a struct: those in registers. */
static void send_pieces(struct sent_function *f, const char *name, const Dwarf_Die *type,
                        struct stretch during, const Dwarf_Op *op, size_t ops)
{
    int64_t at = 0;

    for (size_t i = 0; i < ops; i++) {
        const bool is_register = op[i].atom >= DW_OP_reg0 && op[i].atom <= DW_OP_reg31;
        if (op[i].atom == DW_OP_piece)
            at += (int64_t)op[i].number;
        else if (is_register && i + 1 < ops && op[i + 1].atom == DW_OP_piece)
            send_place(f, name, type, during,
                       lx_place(LX_PLACE_REGISTER, op[i].atom - DW_OP_reg0, at));
    }
}

/** A place that holds for all of a scope. */
static void send_everywhere(struct sent_function *f, const char *name, const Dwarf_Die *type,
                            Dwarf_Die *scope, uint64_t place)
{
    struct stretch during;
    Dwarf_Addr base;
    ptrdiff_t next = 0;

    while ((next = dwarf_ranges(scope, next, &base, &during.from, &during.to)) > 0)
        send_place(f, name, type, during, place);
}

static bool is_list(Dwarf_Attribute *location)
{
    const unsigned form = dwarf_whatform(location);

    return form == DW_FORM_sec_offset || form == DW_FORM_data4 || form == DW_FORM_data8 ||
           form == DW_FORM_loclistx;
}

/** @param scope  what the variable is declared in */
static void send_local(struct sent_function *f, Dwarf_Die *variable, Dwarf_Die *scope)
{
    const char *name = dwarf_diename(variable);
    Dwarf_Attribute location;
    Dwarf_Die type;
    Dwarf_Op *op;
    size_t ops;
    uint64_t place;
    struct stretch during;
    Dwarf_Addr base;
    ptrdiff_t next = 0;

    if (!name || !dwarf_attr(variable, DW_AT_location, &location) ||
        !lx_types_send_type_of(variable, &type))
        return;
    f->declared = variable;
    if (!is_list(&location)) {
        if (dwarf_getlocation(&location, &op, &ops) == 0 && place_of(f, op, ops, &place))
            send_everywhere(f, name, &type, scope, place);
    } else {
        while ((next = dwarf_getlocations(&location, next, &base, &during.from, &during.to, &op,
                                          &ops)) > 0)
            if (place_of(f, op, ops, &place))
                send_place(f, name, &type, during, place);
            else
                send_pieces(f, name, &type, during, op, ops);
    }
    if (f->told)
        lx_types_send_all_of(f->s, &type);
}

static void send_scope(struct sent_function *f, Dwarf_Die *scope)
{
    Dwarf_Die child;

    for (bool more = dwarf_child(scope, &child) == 0; more;
         more = dwarf_siblingof(&child, &child) == 0)
        switch (dwarf_tag(&child)) {
        case DW_TAG_variable:
        case DW_TAG_formal_parameter:
            send_local(f, &child, scope);
            break;
        case DW_TAG_lexical_block:
            send_scope(f, &child);
            break;
        case DW_TAG_inlined_subroutine: {
            const char *name = lx_types_send_function(f->s, &child);
            struct sent_function in = {.s = f->s,
                                       .base = f->base,
                                       .name = name ? name : f->name,
                                       .inlined = f->inlined + 1};
            send_scope(&in, &child);
            f->told = f->told && !in.told;
            break;
        }
        default:
            break;
        }
}

static uint64_t frame_base(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t ops;

    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute) || is_list(&attribute) ||
        dwarf_getlocation(&attribute, &op, &ops) || ops != 1)
        return LX_PLACE_NONE;
    if (op->atom == DW_OP_call_frame_cfa)
        return LX_PLACE_CFA;
    return op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31 ? op->atom - DW_OP_reg0
                                                             : LX_PLACE_NONE;
}

void lx_locals_send(struct sender *s, Dwarf_Die *function, const char *name)
{
    struct sent_function f = {.s = s, .base = frame_base(function), .name = name};

    if (!dwarf_hasattr(function, DW_AT_declaration))
        send_scope(&f, function);
}
