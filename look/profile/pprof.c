/*
 * A profile for pprof, Speedscope and others: messages of protocol buffers, by pprof's
 * profile.proto, compressed as gzip does.
 *
 * A sample is a row of the profile: where it was spent and the calls that led there, each an
 * address. What was inlined at an address are further lines of it, the innermost first. Values are
 * all columns, and have no number below 0: what would be, at the borders of a region, is 0.
 */
#include "look/profile/write.h"

#include "base/alloc.h"

#include <string.h>
#include <uthash.h>
#include <zlib.h>

/* Numbers of fields, as profile.proto has them. */
enum {
    PROFILE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING = 6,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT = 14,
    TYPE_TYPE = 1,
    TYPE_UNIT = 2,
    SAMPLE_LOCATION = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_NUMBER = 3,
    MAPPING_ID = 1,
    MAPPING_FILE = 5,
    MAPPING_FUNCTIONS = 7,
    MAPPING_FILES = 8,
    MAPPING_LINES = 9,
    MAPPING_INLINE = 10,
    LOCATION_ID = 1,
    LOCATION_MAPPING = 2,
    LOCATION_ADDRESS = 3,
    LOCATION_LINE = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_SYSTEM_NAME = 3,
    FUNCTION_FILE = 4,
};

/** A message that grows. */
struct message {
    uint8_t *at;
    size_t size, room;
};

/** Something that has a number, from 1 on; of strings from 0 on. */
struct numbered {
    uint64_t number;
    UT_hash_handle hh;
    char key[];
};

struct pprof {
    struct look_view *view;
    struct message profile;
    struct numbered *strings, *functions, *locations;
};

/* ---- messages -------------------------------------------------------------------------------- */

static void pprof_byte(struct message *m, uint8_t byte)
{
    SIM_ROOM(m->at, m->size, m->room, 256);
    m->at[m->size++] = byte;
}

static void pprof_varint(struct message *m, uint64_t value)
{
    for (; value > 127; value >>= 7)
        pprof_byte(m, (uint8_t)(value | 128));
    pprof_byte(m, (uint8_t)value);
}

static void put_field(struct message *m, unsigned field, uint64_t value)
{
    pprof_varint(m, (uint64_t)field << 3);
    pprof_varint(m, value);
}

static void put_block(struct message *m, unsigned field, const void *bytes, size_t size)
{
    pprof_varint(m, (uint64_t)field << 3 | 2);
    pprof_varint(m, size);
    for (size_t i = 0; i < size; i++)
        pprof_byte(m, ((const uint8_t *)bytes)[i]);
}

/* Puts a message into another one, and releases it. */
static void put_within(struct message *m, unsigned field, struct message *inner)
{
    put_block(m, field, inner->at, inner->size);
    free(inner->at);
}

/* ---- what has numbers ------------------------------------------------------------------------ */

/* @return whether it is new */
static bool pprof_number(struct numbered **all, const char *key, unsigned first, uint64_t *number)
{
    struct numbered *known;
    HASH_FIND_STR(*all, key, known);
    const bool fresh = !known;
    if (fresh) {
        known = sim_alloc(1, sizeof *known + strlen(key) + 1);
        strcpy(known->key, key);
        known->number = first + HASH_COUNT(*all);
        HASH_ADD_STR(*all, key, known);
    }
    *number = known->number;
    return fresh;
}

static void pprof_forget(struct numbered **all)
{
    struct numbered *one, *next;
    HASH_ITER(hh, *all, one, next) {
        HASH_DEL(*all, one);
        free(one);
    }
}

static uint64_t pprof_string(struct pprof *p, const char *text)
{
    uint64_t number;
    if (pprof_number(&p->strings, text, 0, &number))
        put_block(&p->profile, PROFILE_STRING, text, strlen(text));
    return number;
}

static uint64_t pprof_function(struct pprof *p, const char *name, const char *file)
{
    uint64_t number;
    char *key = sim_format("%s\n%s", name, file ? file : "");
    if (pprof_number(&p->functions, key, 1, &number)) {
        const uint64_t text = pprof_string(p, name);
        struct message m = {0};
        put_field(&m, FUNCTION_ID, number);
        put_field(&m, FUNCTION_NAME, text);
        put_field(&m, FUNCTION_SYSTEM_NAME, text);
        put_field(&m, FUNCTION_FILE, pprof_string(p, file ? file : ""));
        put_within(&p->profile, PROFILE_FUNCTION, &m);
    }
    free(key);
    return number;
}

static void put_line(struct pprof *p, struct message *m, const char *name, const char *file,
                     unsigned line)
{
    struct message inner = {0};
    put_field(&inner, LINE_FUNCTION, pprof_function(p, name, file));
    put_field(&inner, LINE_LINE, line);
    put_within(m, LOCATION_LINE, &inner);
}

/* An address of a function that has code. */
static uint64_t pprof_location(struct pprof *p, uint64_t va, uint32_t function)
{
    const struct look_function *f = &p->view->function[function];
    static const struct look_chain nothing;
    const struct look_chain *chain =
        va == PC_PROFILE_NOWHERE ? &nothing : look_code_chain(p->view->code, va);
    uint64_t number;
    char key[64];
    snprintf(key, sizeof key, "%llx %lx", (unsigned long long)va, (unsigned long)function);
    if (!pprof_number(&p->locations, key, 1, &number))
        return number;
    struct message m = {0};
    put_field(&m, LOCATION_ID, number);
    put_field(&m, LOCATION_MAPPING, 1);
    put_field(&m, LOCATION_ADDRESS, va == PC_PROFILE_NOWHERE ? 0 : va);
    for (unsigned i = 0; i + 1 < chain->frames; i++) {
        const struct prog_frame *frame = &chain->frame[i];
        put_line(p, &m, frame->function ? frame->function : "(unnamed)", frame->file, frame->line);
    }
    put_line(p, &m, f->name, f->file,
             chain->frames ? chain->frame[chain->frames - 1].line : f->line);
    put_within(&p->profile, PROFILE_LOCATION, &m);
    return number;
}

/* ---- samples --------------------------------------------------------------------------------- */

static int64_t pprof_natural(int64_t value)
{
    return value > 0 ? value : 0;
}

static struct message pprof_values(const struct look_cost *cost)
{
    const struct look_measure total = look_measure_total();
    struct message m = {0};
    pprof_varint(&m, (uint64_t)pprof_natural(look_measured(&total, cost)));
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        pprof_varint(&m, (uint64_t)pprof_natural(cost->v[c]));
    return m;
}

static void put_sample(struct pprof *p, const struct pc_profile_row *row)
{
    const struct look_view *view = p->view;
    const struct pc_profile_path *path = view->profile->path;
    const struct look_cost cost = look_cost_of(row);
    struct message m = {0}, where = {0}, values = pprof_values(&cost), label = {0};
    uint32_t at = row->path;
    pprof_varint(&where, pprof_location(p, row->pc, view->called[at]));
    for (; path[at].parent != at; at = path[at].parent)
        pprof_varint(&where, pprof_location(p, path[at].call, view->called[path[at].parent]));
    put_within(&m, SAMPLE_LOCATION, &where);
    put_within(&m, SAMPLE_VALUE, &values);
    put_field(&label, LABEL_KEY, pprof_string(p, "thread"));
    put_field(&label, LABEL_NUMBER, row->thread);
    put_within(&m, SAMPLE_LABEL, &label);
    put_within(&p->profile, PROFILE_SAMPLE, &m);
}

static void put_type(struct pprof *p, const char *name, const char *unit)
{
    struct message m = {0};
    put_field(&m, TYPE_TYPE, pprof_string(p, name));
    put_field(&m, TYPE_UNIT, pprof_string(p, unit));
    put_within(&p->profile, PROFILE_TYPE, &m);
}

static void put_types(struct pprof *p)
{
    char name[DOC_COLUMN_NAME];
    put_type(p, "pcycles", "PCycles");
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        put_type(p, doc_column_name(c, name), doc_columns.row[c].unit);
    put_field(&p->profile, PROFILE_DEFAULT, pprof_string(p, "pcycles"));
}

static void put_mapping(struct pprof *p)
{
    const struct look_code *code = p->view->code;
    const bool symbols = code->names && code->names->symbols,
               lines = code->names && code->names->lines;
    struct message m = {0};
    put_field(&m, MAPPING_ID, 1);
    put_field(&m, MAPPING_FILE, pprof_string(p, code->program ? code->program : ""));
    put_field(&m, MAPPING_FUNCTIONS, symbols);
    put_field(&m, MAPPING_FILES, lines);
    put_field(&m, MAPPING_LINES, lines);
    put_field(&m, MAPPING_INLINE, lines);
    put_within(&p->profile, PROFILE_MAPPING, &m);
}

/* As gzip has it, without a name and a time. */
static void put_compressed(const struct message *m, FILE *out)
{
    enum { WINDOW = 15, GZIP = 16, MEMORY = 8 };
    z_stream z = {.next_in = m->at, .avail_in = (uInt)m->size};
    uint8_t bytes[1 << 14];
    int state = Z_OK;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW + GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        sim_no_memory();
    while (state == Z_OK) {
        z.next_out = bytes;
        z.avail_out = sizeof bytes;
        state = deflate(&z, Z_FINISH);
        fwrite(bytes, 1, sizeof bytes - z.avail_out, out);
    }
    deflateEnd(&z);
}

void look_profile_pprof(struct look_view *view, const struct look_show *show, FILE *out)
{
    struct pprof p = {.view = view};
    const struct doc_profile *profile = view->profile;
    (void)show;
    pprof_string(&p, ""); /* the first one has to be */
    put_types(&p);
    put_mapping(&p);
    if (view->code->command)
        put_field(&p.profile, PROFILE_COMMENT, pprof_string(&p, view->code->command));
    for (size_t i = 0; i < profile->rows; i++)
        if (look_view_has(view, &profile->row[i]))
            put_sample(&p, &profile->row[i]);
    put_compressed(&p.profile, out);
    pprof_forget(&p.strings);
    pprof_forget(&p.functions);
    pprof_forget(&p.locations);
    free(p.profile.at);
}
