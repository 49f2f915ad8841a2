/*
 * Variables and their types, in the process that reads debugging information (dwarf.h): nothing
 * here has to be safe from what the file says.
 */
#include "programs/linux/names/demangle.h"
#include "programs/linux/names/texts.h"
#include "programs/linux/names/types_sender.h"

#include "base/alloc.h"

#include <dwarf.h>
#include <gelf.h>
#include <uthash.h>

/** What has been sent of a DIE, or is known of it. */
struct seen {
    const void *die;
    char *name; /**< of a declaration or a type: with what is around it */
    UT_hash_handle hh;
};

/** A source file that has been sent. */
struct sent_file {
    UT_hash_handle hh;
    uint64_t number;
    char path[];
};

enum sender_turn {
    DECLARES, /**< names of declarations and types are noted, and nothing is sent yet */
    SENDS,    /**< static and thread-local variables are sent */
    LOCALS    /**< variables of functions are */
};

struct sender {
    FILE *out;
    enum sender_turn turn;
    struct seen *types, *declared;
    struct sent_file *files;
    Dwarf_Die *target; /**< [targets] what pointers lead to, to be sent */
    size_t targets;
};

/** What is around a DIE: the text in front of the names in it. */
struct around {
    const char *space; /**< "space::" */
    const char *all;   /**< "space::function::" */
};

static struct seen *types_send_find(struct seen *list, const void *die)
{
    struct seen *seen;

    HASH_FIND_PTR(list, &die, seen);
    return seen;
}

/** @return whether it is new */
static bool types_send_note(struct seen **list, const void *die, const char *name)
{
    struct seen *seen = types_send_find(*list, die);

    if (seen)
        return false;
    seen = sim_alloc(1, sizeof *seen);
    seen->die = die;
    seen->name = name ? sim_strdup(name) : NULL;
    HASH_ADD_PTR(*list, die, seen);
    return true;
}

void lx_types_send_record(const struct sender *s, struct lx_sent *record, const char *name)
{
    record->name =
        (uint32_t)strnlen(name, record->kind == LX_SENT_SOURCE ? LX_FILE_LONGEST : LX_SENT_NAME);
    if (fwrite(record, sizeof *record, 1, s->out) != 1 ||
        fwrite(name, 1, record->name, s->out) != record->name)
        lx_dwarf_stop();
}

/** @return "": it has none */
static const char *own_name(Dwarf_Die *die)
{
    const char *name = dwarf_diename(die);

    return name ? name : "";
}

/* ---- types ----------------------------------------------------------------------------------- */

uint64_t lx_types_send_id(const void *die)
{
    return (uint64_t)(uintptr_t)die;
}

static bool types_send_number(Dwarf_Die *die, unsigned name, uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;

    if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &value))
        return false;
    *out = value;
    return true;
}

/** The path of the file that declares a DIE, which may be a declaration's elsewhere: the number of
 * a file means something in its own unit only. @return false: it is not known */
static bool declaring_file(Dwarf_Die *die, char path[LX_FILE_LONGEST + 1])
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Files *files;
    Dwarf_Die unit;
    Dwarf_Half version;

    *path = '\0';
    if (dwarf_attr_integrate(die, DW_AT_decl_file, &attribute) &&
        !dwarf_formudata(&attribute, &number) &&
        dwarf_cu_die(attribute.cu, &unit, &version, NULL, NULL, NULL, NULL, NULL) &&
        (number || version >= 5) && !dwarf_getsrcfiles(&unit, &files, NULL))
        lx_file_name(files, dwarf_filesrc(files, number, NULL, NULL), path);
    return *path;
}

/** @return whether it is new: its number is one more than all others */
static bool types_send_number_file(struct sender *s, const char *path, uint64_t *number)
{
    struct sent_file *file;
    const size_t length = strlen(path);

    HASH_FIND(hh, s->files, path, length, file);
    const bool known = file;
    if (!known) {
        file = sim_alloc(1, sizeof *file + length + 1);
        file->number = HASH_COUNT(s->files) + 1;
        memcpy(file->path, path, length + 1);
        HASH_ADD_KEYPTR(hh, s->files, file->path, length, file);
    }
    *number = file->number;
    return !known;
}

void lx_types_send_source(struct sender *s, Dwarf_Die *die)
{
    struct lx_sent record = {.kind = LX_SENT_SOURCE};
    char path[LX_FILE_LONGEST + 1] = "";
    const bool known = types_send_number(die, DW_AT_decl_line, &record.at) && record.at &&
                       declaring_file(die, path);
    const bool named = known && types_send_number_file(s, path, &record.id);

    lx_types_send_record(s, &record, named ? path : "");
}

bool lx_types_send_type_of(Dwarf_Die *die, Dwarf_Die *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Die type;

    return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
           dwarf_formref_die(&attribute, &type) && dwarf_peel_type(&type, out) == 0;
}

static uint64_t types_send_size_of(Dwarf_Die *type)
{
    Dwarf_Word size;

    return dwarf_aggregate_size(type, &size) ? 0 : size;
}

static void send_type(struct sender *s, Dwarf_Die *type);

/** Elements in a dimension of an array. */
static uint64_t count_of(Dwarf_Die *range)
{
    uint64_t count, upper, lower = 0;

    if (types_send_number(range, DW_AT_count, &count))
        return count;
    if (!types_send_number(range, DW_AT_upper_bound, &upper))
        return LX_SENT_OPEN;
    types_send_number(range, DW_AT_lower_bound, &lower);
    return upper - lower + 1; /* none: upper is all ones, of 32 bits perhaps */
}

static uint64_t types_send_address_size(Dwarf_Die *die)
{
    uint8_t size = 0;
    Dwarf_Die unit;

    return dwarf_diecu(die, &unit, &size, NULL) ? size : 0;
}

/** Where in an array's descriptor a bound is. @return false: it is not there */
static bool bound_at(Dwarf_Die *range, unsigned name, uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t ops;

    if (!dwarf_attr(range, name, &attribute) || dwarf_getlocation(&attribute, &op, &ops) ||
        ops != 3 || op[0].atom != DW_OP_push_object_address || op[1].atom != DW_OP_plus_uconst ||
        op[2].atom != DW_OP_deref)
        return false;
    *out = op[1].number;
    return true;
}

/** An array of Fortran's whose place and bounds are known only when the program runs. @return
 * false: it is none */
static bool send_descriptor(struct sender *s, Dwarf_Die *array, Dwarf_Die *element)
{
    struct lx_sent record = {.kind = LX_SENT_DESCRIPTOR,
                             .id = lx_types_send_id(array->addr),
                             .type = lx_types_send_id(element->addr)};
    Dwarf_Die range;
    uint64_t from, to = 0;

    if (!dwarf_hasattr(array, DW_AT_data_location))
        return false;
    for (bool more = dwarf_child(array, &range) == 0; more;
         more = dwarf_siblingof(&range, &range) == 0)
        if (bound_at(&range, DW_AT_upper_bound, &to))
            record.size = to + types_send_address_size(array);
    lx_types_send_record(s, &record, "");
    for (bool more = dwarf_child(array, &range) == 0; more;
         more = dwarf_siblingof(&range, &range) == 0)
        if (bound_at(&range, DW_AT_lower_bound, &from) && bound_at(&range, DW_AT_upper_bound, &to))
            lx_types_send_record(
                s, &(struct lx_sent){.kind = LX_SENT_BOUND, .at = from, .size = to}, "");
    send_type(s, element);
    return true;
}

static bool is_fortran(Dwarf_Die *die)
{
    Dwarf_Die unit;

    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    switch (dwarf_srclang(&unit)) {
    case DW_LANG_Fortran77:
    case DW_LANG_Fortran90:
    case DW_LANG_Fortran95:
    case DW_LANG_Fortran03:
    case DW_LANG_Fortran08:
        return true;
    default:
        return false;
    }
}

/** The same as send_array, with the first dimension innermost: next to each other are elements
 *  whose first numbers follow each other. */
static void send_columns(struct sender *s, Dwarf_Die *array, Dwarf_Die *element)
{
    enum { MOST = 15 };
    Dwarf_Die range[MOST];
    unsigned ranges = 0;

    for (bool more = dwarf_child(array, &range[0]) == 0; more && ranges < MOST; ranges++) {
        Dwarf_Die next;
        more = dwarf_siblingof(&range[ranges], &next) == 0;
        if (more && ranges + 1 < MOST)
            range[ranges + 1] = next;
    }
    for (unsigned i = ranges; i-- > 0;) {
        uint64_t lower = 1;
        types_send_number(&range[i], DW_AT_lower_bound, &lower);
        const uint64_t count = count_of(&range[i]);
        struct lx_sent record = {
            .kind = LX_SENT_COLUMNS,
            .id = i + 1 == ranges ? lx_types_send_id(array->addr) : lx_types_send_id(range[i].addr),
            .type = lx_types_send_id(i ? range[i - 1].addr : element->addr),
            .at = count == LX_SENT_OPEN || dwarf_hasattr(&range[i], DW_AT_lower_bound) ? count
                                                                                       : count - 1,
            .size = lower};
        lx_types_send_record(s, &record, "");
    }
    send_type(s, element);
}

/** An array of several dimensions is one of arrays: each dimension is a type, the first is the
 *  array. */
static void send_array(struct sender *s, Dwarf_Die *array)
{
    Dwarf_Die element, range;
    const void *id = array->addr;
    bool more = dwarf_child(array, &range) == 0;

    if (!lx_types_send_type_of(array, &element) || send_descriptor(s, array, &element))
        return;
    if (is_fortran(array)) {
        send_columns(s, array, &element);
        return;
    }
    while (more) {
        Dwarf_Die dimension = range;
        more = dwarf_siblingof(&range, &range) == 0;
        struct lx_sent record = {.kind = LX_SENT_ARRAY,
                                 .id = lx_types_send_id(id),
                                 .type = lx_types_send_id(more ? range.addr : element.addr),
                                 .at = count_of(&dimension)};
        lx_types_send_record(s, &record, "");
        id = range.addr;
    }
    send_type(s, &element);
}

static uint64_t offset_of(Dwarf_Die *member)
{
    Dwarf_Attribute attribute;
    Dwarf_Word value;
    Dwarf_Op *op;
    size_t ops;

    if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute))
        return 0;
    if (dwarf_formudata(&attribute, &value) == 0)
        return value;
    if (dwarf_getlocation(&attribute, &op, &ops) == 0 && ops == 1 && op->atom == DW_OP_plus_uconst)
        return op->number;
    return UINT64_MAX; /* known only when the program runs */
}

/** Whether the program is little-endian. */
static bool is_little(Dwarf_Die *die)
{
    Dwarf *dwarf = dwarf_cu_getdwarf(die->cu);
    Elf *elf = dwarf ? dwarf_getelf(dwarf) : NULL;
    GElf_Ehdr eh;

    return elf && gelf_getehdr(elf, &eh) && eh.e_ident[EI_DATA] == ELFDATA2LSB;
}

/** Bytes that a bit field has a part of. Bits count from the first byte's highest one in a
 *  big-endian program, from its lowest one in a little-endian one. An old offset counts from the
 *  highest bit of what holds the field in both. */
static void send_bits(struct sender *s, Dwarf_Die *member, uint64_t bits)
{
    uint64_t first = 0, behind = 0, unit = 0;
    struct lx_sent record = {.kind = LX_SENT_MEMBER};

    if (!types_send_number(member, DW_AT_data_bit_offset, &first)) {
        types_send_number(member, DW_AT_bit_offset, &behind);
        if (is_little(member) && types_send_number(member, DW_AT_byte_size, &unit))
            behind = 8 * unit - behind - bits;
        first = 8 * offset_of(member) + behind;
    }
    record.at = first / 8;
    record.size = (first + bits + 7) / 8 - first / 8;
    lx_types_send_record(s, &record, own_name(member));
}

/** A buffer of libstdc++'s for an object that is made later: its type is in its template's
 * argument.
 */
static bool send_buffer(struct sender *s, Dwarf_Die *type)
{
    const char *name = own_name(type);
    struct lx_sent record = {.kind = LX_SENT_MEMBER};
    Dwarf_Die child, of;

    if (strncmp(name, "__aligned_membuf<", 17) != 0 && strncmp(name, "__aligned_buffer<", 17) != 0)
        return false;
    for (bool more = dwarf_child(type, &child) == 0; more;
         more = dwarf_siblingof(&child, &child) == 0)
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter &&
            lx_types_send_type_of(&child, &of)) {
            record.type = lx_types_send_id(of.addr);
            lx_types_send_record(s, &record, "");
            send_type(s, &of);
            return true;
        }
    return false;
}

/** Where in a class's table of virtual functions the place of a virtual base is, so many bytes in
 *  front of what the object points to. @return false: it is none */
static bool base_in_table(Dwarf_Die *member, uint64_t *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t ops;

    if (!dwarf_hasattr(member, DW_AT_virtuality) ||
        !dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute) ||
        dwarf_getlocation(&attribute, &op, &ops) || ops != 6 || op[0].atom != DW_OP_dup ||
        op[1].atom != DW_OP_deref || op[3].atom != DW_OP_minus || op[4].atom != DW_OP_deref ||
        op[5].atom != DW_OP_plus)
        return false;
    *out = op[2].atom >= DW_OP_lit0 && op[2].atom <= DW_OP_lit31
               ? (Dwarf_Word)op[2].atom - DW_OP_lit0
               : op[2].number;
    return true;
}

static void send_member(struct sender *s, Dwarf_Die *member)
{
    uint64_t bits;
    Dwarf_Die type;
    struct lx_sent record = {.kind = LX_SENT_MEMBER, .at = offset_of(member)};

    if (dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration))
        return; /* a static one */
    if (types_send_number(member, DW_AT_bit_size, &bits)) {
        send_bits(s, member, bits);
    } else if (lx_types_send_type_of(member, &type) &&
               (record.at != UINT64_MAX || base_in_table(member, &record.at))) {
        record.id = dwarf_hasattr(member, DW_AT_virtuality);
        record.type = lx_types_send_id(type.addr);
        lx_types_send_record(s, &record,
                             dwarf_tag(member) == DW_TAG_inheritance ? "" : own_name(member));
    }
}

static bool is_member(Dwarf_Die *die)
{
    return dwarf_tag(die) == DW_TAG_member || dwarf_tag(die) == DW_TAG_inheritance;
}

static void send_struct(struct sender *s, Dwarf_Die *type, enum lx_sent_kind kind)
{
    struct lx_sent record = {
        .kind = kind, .id = lx_types_send_id(type->addr), .size = types_send_size_of(type)};
    const struct seen *named = types_send_find(s->declared, type->addr);
    Dwarf_Die member, of;
    bool more;

    lx_types_send_source(s, type);
    lx_types_send_record(s, &record, named ? named->name : own_name(type));
    if (send_buffer(s, type))
        return;
    for (more = dwarf_child(type, &member) == 0; more;
         more = dwarf_siblingof(&member, &member) == 0)
        if (is_member(&member))
            send_member(s, &member);
    for (more = dwarf_child(type, &member) == 0; more;
         more = dwarf_siblingof(&member, &member) == 0)
        if (is_member(&member) && lx_types_send_type_of(&member, &of))
            send_type(s, &of);
}

/** What it leads to comes later: types lead to each other in long chains. */
static void send_pointer(struct sender *s, Dwarf_Die *pointer, struct lx_sent *record)
{
    Dwarf_Die target;

    if (!record->size)
        record->size = pointer->cu ? types_send_address_size(pointer) : 0;
    record->kind = LX_SENT_POINTER;
    if (lx_types_send_type_of(pointer, &target) && dwarf_tag(&target) != DW_TAG_subroutine_type) {
        record->type = lx_types_send_id(target.addr);
        if (!(s->targets & (s->targets + 1)))
            s->target = sim_grow(s->target, 2 * s->targets + 1, sizeof *s->target);
        s->target[s->targets++] = target;
    }
    lx_types_send_record(s, record, "");
}

static void send_type(struct sender *s, Dwarf_Die *type)
{
    struct lx_sent record = {.kind = LX_SENT_LEAF, .id = lx_types_send_id(type->addr)};

    if (!types_send_note(&s->types, type->addr, NULL))
        return;
    switch (dwarf_tag(type)) {
    case DW_TAG_array_type:
        send_array(s, type);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
        send_struct(s, type, LX_SENT_STRUCT);
        break;
    case DW_TAG_union_type:
        send_struct(s, type, LX_SENT_UNION);
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
        record.size = types_send_size_of(type);
        send_pointer(s, type, &record);
        break;
    default:
        record.size = types_send_size_of(type);
        lx_types_send_record(s, &record, own_name(type));
    }
}

void lx_types_send_all_of(struct sender *s, Dwarf_Die *type)
{
    send_type(s, type);
    while (s->targets) {
        Dwarf_Die target = s->target[--s->targets];
        send_type(s, &target);
    }
}

/* ---- variables ------------------------------------------------------------------------------- */

bool lx_types_send_operand(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *out)
{
    Dwarf_Attribute entry;
    Dwarf_Addr address;

    *out = op->number;
    if (op->atom != DW_OP_addrx && op->atom != DW_OP_constx)
        return true;
    if (dwarf_getlocation_attr(location, op, &entry) || dwarf_formaddr(&entry, &address))
        return false;
    *out = address;
    return true;
}

/** Where a variable lies, if that is an address or a place among a thread's variables. */
static bool types_send_place_of(Dwarf_Die *variable, struct lx_sent *out)
{
    enum { PUSH_TLS = 0xe0 /* DW_OP_GNU_push_tls_address */ };
    Dwarf_Attribute attribute;
    Dwarf_Op *op;
    size_t ops;

    if (!dwarf_attr(variable, DW_AT_location, &attribute) ||
        dwarf_getlocation(&attribute, &op, &ops))
        return false;
    out->kind = ops == 1 ? LX_SENT_STATIC : LX_SENT_LOCAL;
    if (!ops || !lx_types_send_operand(&attribute, op, &out->at))
        return false;
    return (ops == 1 && (op[0].atom == DW_OP_addr || op[0].atom == DW_OP_addrx)) ||
           (ops == 2 && (op[1].atom == PUSH_TLS || op[1].atom == DW_OP_form_tls_address));
}

/** The name of a variable or function with what is around its declaration, which is elsewhere for
 *  what belongs to a class; the caller's. */
static char *types_send_name_of(const struct sender *s, Dwarf_Die *die, const struct around *around)
{
    Dwarf_Attribute attribute;
    Dwarf_Die declaration;
    const struct seen *seen = NULL;

    if (dwarf_attr_integrate(die, DW_AT_specification, &attribute) &&
        dwarf_formref_die(&attribute, &declaration))
        seen = types_send_find(s->declared, declaration.addr);
    if (seen && seen->name)
        return sim_strdup(seen->name);
    char *name = sim_format("%s%s", around->all, own_name(die));
    lx_plain_templates(name);
    return name;
}

const char *lx_types_send_function(const struct sender *s, Dwarf_Die *inlined)
{
    Dwarf_Attribute attribute;
    Dwarf_Die function;
    const struct seen *seen = NULL;

    if (dwarf_attr(inlined, DW_AT_abstract_origin, &attribute) &&
        dwarf_formref_die(&attribute, &function))
        seen = types_send_find(s->declared, function.addr);
    return seen ? seen->name : dwarf_diename(inlined);
}

/** What it is called by the linker; NULL: it is not a declaration, or has no such name. */
static const char *linked_name(Dwarf_Die *variable)
{
    Dwarf_Attribute attribute;

    if (!dwarf_hasattr(variable, DW_AT_declaration) ||
        (!dwarf_attr(variable, DW_AT_linkage_name, &attribute) &&
         !dwarf_attr(variable, DW_AT_MIPS_linkage_name, &attribute)))
        return NULL;
    return dwarf_formstring(&attribute);
}

static void send_variable(struct sender *s, Dwarf_Die *variable, const struct around *around)
{
    char *name = types_send_name_of(s, variable, around);
    struct lx_sent record = {0};
    Dwarf_Die type;

    if (s->turn == DECLARES && dwarf_hasattr(variable, DW_AT_declaration))
        types_send_note(&s->declared, variable->addr, name);
    if (s->turn == SENDS && lx_types_send_type_of(variable, &type)) {
        const bool placed = types_send_place_of(variable, &record);
        const char *linked = placed ? NULL : linked_name(variable);
        record.type = lx_types_send_id(type.addr);
        if (linked)
            record.kind = LX_SENT_DECLARED;
        if (placed || linked) {
            lx_types_send_source(s, variable);
            lx_types_send_record(s, &record, linked ? linked : name);
            lx_types_send_all_of(s, &type);
        }
    }
    free(name);
}

/** Fortran's COMMON, which has no type: its symbol has it. */
static void send_common(struct sender *s, Dwarf_Die *common)
{
    struct lx_sent record = {.kind = LX_SENT_DECLARED};
    Dwarf_Attribute attribute;
    const char *linked = dwarf_attr(common, DW_AT_linkage_name, &attribute)
                             ? dwarf_formstring(&attribute)
                             : own_name(common);

    if (s->turn != SENDS || !linked)
        return;
    lx_types_send_source(s, common);
    lx_types_send_record(s, &record, linked);
}

static void types_send_walk(struct sender *s, Dwarf_Die *die, const struct around *around);

/** What is in something with a name. @param function  its name is in front of its own variables
 *  only */
static void walk_into(struct sender *s, Dwarf_Die *die, const struct around *around, bool function)
{
    const struct around outer = {around->space, around->space};
    char *name = types_send_name_of(s, die, &outer);
    char *all = *own_name(die) ? sim_format("%s::", name) : sim_strdup(around->space);
    const struct around inner = {function ? around->space : all, all};

    if (s->turn == DECLARES)
        types_send_note(&s->declared, die->addr, name);
    if (s->turn == LOCALS && dwarf_tag(die) == DW_TAG_subprogram)
        lx_locals_send(s, die, name);
    types_send_walk(s, die, &inner);
    free(all);
    free(name);
}

static void walk_one(struct sender *s, Dwarf_Die *die, const struct around *around)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
        send_variable(s, die, around);
        break;
    case DW_TAG_member:
        if (dwarf_hasattr(die, DW_AT_external))
            send_variable(s, die, around);
        break;
    case DW_TAG_common_block:
        send_common(s, die);
        break;
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
        walk_into(s, die, around, false);
        break;
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
        walk_into(s, die, around, true);
        break;
    case DW_TAG_lexical_block:
        types_send_walk(s, die, around);
        break;
    default:
        break;
    }
}

static void types_send_walk(struct sender *s, Dwarf_Die *die, const struct around *around)
{
    Dwarf_Die child;

    for (bool more = dwarf_child(die, &child) == 0; more;
         more = dwarf_siblingof(&child, &child) == 0)
        walk_one(s, &child, around);
}

static void walk_all(struct sender *s, Dwarf *dwarf)
{
    const struct around nothing = {"", ""};
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (lx_dwarf_next(dwarf, &unit, &die))
        types_send_walk(s, &die, &nothing);
}

/** A definition may be in front of its declaration, which knows its name. */
void lx_types_send(Dwarf *dwarf, FILE *out)
{
    struct sender s = {.out = out};

    for (s.turn = DECLARES; s.turn <= LOCALS; s.turn++)
        walk_all(&s, dwarf);
}
