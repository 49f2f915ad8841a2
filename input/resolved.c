/*
 * The resolved configuration: what the simulator understood, every default included, in the same
 * language the user writes. Running it again is the definition of repeating a run.
 */
#include "base/utf8.h"
#include "input/binary.h"
#include "input/cards.h"
#include "input/tables.h"
#include "input/write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMENT_COLUMN = 34 };

/** Character at `p` and its length; a lone byte when it is not UTF-8. */
static uint32_t resolved_decode(const char *p, size_t *length)
{
    uint32_t c = (unsigned char)*p;
    *length = sim_utf8(p, 4, &c); /* the 0 at the end is in no character */
    if (*length)
        return c;
    *length = 1;
    return (unsigned char)*p;
}

/** Characters that YAML takes as they are on one line. */
static bool resolved_is_printable(uint32_t c, size_t length)
{
    if (c < 0x80)
        return c >= 0x20 && c != 0x7f;
    return length > 1 && ((c >= 0xa0 && c < 0x2000) || (c > 0x206f && c < 0xd800) ||
                          (c >= 0xe000 && c < 0xfe00) || (c >= 0x10000 && c < 0x110000));
}

/** The same, between double quotes. */
static bool resolved_is_plain(uint32_t c, size_t length)
{
    return resolved_is_printable(c, length) && c != '"' && c != '\\';
}

bool in_text_is_printable(const char *text)
{
    size_t length;
    for (const char *p = text; *p; p += length)
        if (!resolved_is_printable(resolved_decode(p, &length), length))
            return false;
    return true;
}

void in_text_write(FILE *out, const char *text)
{
    if (!sim_is_utf8(text)) {
        in_binary_write(out, text);
        return;
    }
    fputc('"', out);
    for (const char *p = text; *p;) {
        size_t length;
        const uint32_t c = resolved_decode(p, &length);
        if (resolved_is_plain(c, length))
            fwrite(p, 1, length, out);
        else
            fprintf(out, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
        p += length;
    }
    fputc('"', out);
}

/* For a comment: a name may have any bytes, and a line must not end in it. */
static void write_plain(FILE *out, const char *name)
{
    size_t length;
    for (const char *p = name; *p; p += length) {
        const uint32_t c = resolved_decode(p, &length);
        if (resolved_is_printable(c, length))
            fwrite(p, 1, length, out);
        else
            fputc('?', out);
    }
}

/** Pads `width` characters already written and adds a comment of one line. */
static void write_comment(FILE *out, int width, const char *origin, const char *rest)
{
    fprintf(out, "%*s  # ", width < COMMENT_COLUMN ? COMMENT_COLUMN - width : 0, "");
    write_plain(out, origin);
    fputs(*rest ? "; " : "", out);
    write_plain(out, rest);
    fputc('\n', out);
}

/** Length of the part of `path` up to and with its last dot: the sections around its leaf. */
static size_t sections_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? (size_t)(dot + 1 - path) : 0;
}

/** Opens those sections of `path` that the key before, whose sections are `last`, was not in.
 *  @return the key's own name; *indent, that of the whole, becomes its own */
static const char *open_sections(FILE *out, int *indent, const char *path, char last[IN_PATH_MAX])
{
    const size_t end = sections_of(path);
    bool same = true;
    for (size_t start = 0; start < end; *indent += 2) {
        const size_t n = strcspn(path + start, ".");
        same = same && !strncmp(path, last, start + n + 1);
        if (!same)
            fprintf(out, "%*s%.*s:\n", *indent, "", (int)n, path + start);
        start += n + 1;
    }
    snprintf(last, IN_PATH_MAX, "%.*s", (int)end, path);
    return path + end;
}

static void write_params(FILE *out, int indent, const struct in_machine *mc)
{
    fprintf(out, "%*sstatus: {", indent, "");
    for (unsigned s = 0; s < IN_STATUS_STATES; s++)
        fprintf(out, "%s%s: %u", s ? ", " : "", in_state_name(s), mc->codes[s]);
    fputs("}\n", out);
    size_t count;
    char last[IN_PATH_MAX] = "", value[64];
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct in_form form = in_param_form(&rows[i]);
        const uint64_t v = nm_param_get(mc->params, &rows[i]);
        int inside = indent;
        const char *name = open_sections(out, &inside, rows[i].key, last);
        in_value_format(&form, v, value, sizeof value);
        const int width = fprintf(out, "%*s%s: %s", inside, "", name, value);
        write_comment(out, width, mc->origins ? mc->origins[i].text : "default",
                      v == nm_param_default(mc->params, &rows[i]) ? rows[i].source : "");
    }
    in_cards_write(out, indent, mc);
}

void in_machine_write_resolved(FILE *out, const struct in_machine *mc)
{
    fputs("# Machine ", out);
    write_plain(out, mc->name);
    fputs(": every parameter, where its value comes from, and the source of the\n# number.\n", out);
    write_params(out, 0, mc);
}

static void write_list(FILE *out, char *const *list)
{
    fputc('[', out);
    for (size_t i = 0; list && list[i]; i++) {
        fputs(i ? ", " : "", out);
        in_text_write(out, list[i]);
    }
    fputc(']', out);
}

/** From here; links in them stay, because the program sees the names. */
static void write_grants(FILE *out, char *const *list)
{
    char *here = getcwd(NULL, 0);
    fputc('[', out);
    for (size_t i = 0; list && list[i]; i++) {
        char *grant = sim_format("%s/%s", here ? here : ".", list[i]);
        fputs(i ? ", " : "", out);
        in_text_write(out, list[i][0] == '/' ? list[i] : grant);
        free(grant);
    }
    fputc(']', out);
    free(here);
}

static void write_map(FILE *out, char *const *list)
{
    fputc('{', out);
    for (size_t i = 0; list && list[i]; i++) {
        char *name = in_strdup(list[i]);
        char *equals = strchr(name, '=');
        if (equals)
            *equals = '\0';
        fputs(i ? ", " : "", out);
        in_text_write(out, name);
        fputs(": ", out);
        in_text_write(out, equals ? equals + 1 : "");
        free(name);
    }
    fputc('}', out);
}

/** A file's whole path; NULL: it is gone. Allocated. */
static char *absolute_path(const char *path)
{
    char *absolute = realpath(path, NULL);
    if (!absolute && errno == ENOMEM)
        sim_no_memory();
    return absolute;
}

static void resolved_write_file(FILE *out, const char *path)
{
    char *absolute = absolute_path(path);
    in_text_write(out, absolute ? absolute : path);
    free(absolute);
}

/** Shipped groups by their names, others by their files. */
static void write_groups(FILE *out, const struct in_experiment *x)
{
    fputc('[', out);
    for (unsigned i = 0; i < x->group_count; i++) {
        fputs(i ? ", " : "", out);
        if (in_is_file_name(x->groups[i]))
            resolved_write_file(out, x->group[i].path);
        else
            in_text_write(out, x->groups[i]);
    }
    fputc(']', out);
}

static void write_counters(FILE *out, const struct in_experiment *x)
{
    fputc('[', out);
    for (unsigned i = 0; i < x->wish.counters; i++) {
        const struct mon_wish_counter *c = &x->wish.counter[i];
        fprintf(out, "%s{event: %s", i ? ", " : "", in_unit(x)->events[c->event].name);
        for (const struct mon_row *f = in_unit(x)->flags; f && f->name; f++)
            fprintf(out, ", %s: %s", f->name, c->flags >> f->number & 1 ? "true" : "false");
        fprintf(out, ", start: %u}", c->start);
    }
    fputc(']', out);
}

static void write_measured(FILE *out, const struct in_measured *stat)
{
    char *text = stat->region ? sim_format("%s/%s", stat->region, stat->stat) : NULL;
    in_text_write(out, text ? text : stat->stat);
    free(text);
}

/** Every statistic as one word that names its region; of one alone the region is a key. */
static void write_expect(FILE *out, const struct in_expect *e)
{
    fputs(e->ratio ? "{ratio: [" : "{stat: ", out);
    if (e->ratio) {
        write_measured(out, &e->stat[0]);
        fputs(", ", out);
        write_measured(out, &e->stat[1]);
        fputc(']', out);
    } else {
        in_text_write(out, e->stat[0].stat);
        if (e->stat[0].region) {
            fputs(", region: ", out);
            in_text_write(out, e->stat[0].region);
        }
    }
    if (e->point[0]) {
        fputs(", points: [", out);
        in_text_write(out, e->point[0]);
        fputs(", ", out);
        in_text_write(out, e->point[1]);
        fputc(']', out);
    }
    for (int b = 0; b < IN_BOUND__COUNT; b++)
        if (e->bound[b])
            fprintf(out, ", %s: %s", in_bound_name[b], e->bound[b]);
    fputc('}', out);
}

static void write_expects(FILE *out, const struct in_experiment *x)
{
    const char *front = "";
    fputc('[', out);
    for (size_t i = 0; i < x->expects; i++) {
        if (x->sweep && !x->point && x->expect[i].point[0])
            continue; /* what the points have in common has no points */
        fputs(front, out);
        write_expect(out, &x->expect[i]);
        front = ", ";
    }
    fputc(']', out);
}

static void write_pattern(FILE *out, const struct in_experiment *x)
{
    fputc('[', out);
    in_pattern_write(out, x, ", ");
    fputc(']', out);
}

/** Writes one value; `field` is its member of struct in_experiment. */
static void write_value(FILE *out, const struct in_key *key, enum in_experiment_key id,
                        const struct in_experiment *x, const void *field)
{
    char value[64];
    switch (key->form.type) {
    case IN_PATTERN:
        if (**(char *const *)field == '{') { /* a mapping, as it was understood */
            fputs(*(char *const *)field, out);
            break;
        }
        in_text_write(out, *(char *const *)field);
        break;
    case IN_TEXT:
    case IN_WORD:
        in_text_write(out, *(char *const *)field);
        break;
    case IN_FILE:
        resolved_write_file(out, *(char *const *)field);
        break;
    case IN_LIST:
    case IN_EVENTS:
        if (id == IN_KEY_groups)
            write_groups(out, x);
        else
            write_list(out, *(char **const *)field + (id == IN_KEY_argv && x->argv && x->argv[0]));
        break;
    case IN_GRANTS:
        write_grants(out, *(char **const *)field);
        break;
    case IN_ROWS:
        (id == IN_KEY_expect    ? write_expects
         : id == IN_KEY_pattern ? write_pattern
                                : write_counters)(out, x);
        break;
    case IN_MAP:
        write_map(out, *(char **const *)field);
        break;
    default:
        in_value_format(&key->form, in_number_of(x, id), value, sizeof value);
        fputs(value, out);
        break;
    }
}

/** The same as a text. Allocated. */
static char *value_text(const struct in_key *key, enum in_experiment_key id,
                        const struct in_experiment *x, const void *field)
{
    char *text = NULL;
    size_t size;
    FILE *memory = sim_text_open(&text, &size);
    write_value(memory, key, id, x, field);
    sim_text_close(memory, &text);
    return text;
}

static bool is_absent(const struct in_key *key, const void *field)
{
    const enum in_type t = key->form.type;
    if (t == IN_SWEEP) /* what was understood is one point */
        return true;
    if ((t == IN_INT || t == IN_DECIMAL) && *key->def == '\0')
        return *(const uint64_t *)field == IN_ABSENT;
    if (t == IN_ROWS && *key->def == '\0')
        return !*(void *const *)field;
    return (t == IN_TEXT || t == IN_FILE || t == IN_WORD || t == IN_PATTERN) &&
           !*(char *const *)field;
}

/** Writes which copy of the executable to run, and what it is a copy of. */
static void write_copy(FILE *out, const struct in_experiment *x, const char *program, char *last)
{
    const char *from = x->source ? x->source : x->program;
    char *absolute = absolute_path(from);
    int indent = 0;
    const char *name = open_sections(out, &indent, "program.path", last);
    const int width = fprintf(out, "%*s%s: %s", indent, "", name, program);
    char *what =
        sim_format("%s %s", x->source ? "built from" : "copy of", absolute ? absolute : from);
    write_comment(out, width, what, "");
    free(what);
    free(absolute);
}

void in_experiment_write_resolved(FILE *out, const struct in_experiment *x, const char *program)
{
    char last[IN_PATH_MAX] = "";
    fputs("# Experiment ", out);
    write_plain(out, x->name);
    fputs(" as it was understood: every value, where it comes from, and the\n"
          "# source of each number. Run this file to repeat it.\n",
          out);
    for (size_t i = 0; i < IN_KEY__COUNT; i++) {
        const struct in_key *key = &in_experiment_table.keys[i];
        const void *field = in_field_of(x, i);
        const char *origin = x->origins ? x->origins[i].text : "default";
        if (i == IN_KEY_machine) {
            fprintf(out, "machine:");
            write_comment(out, 8, origin, x->machine.name);
            write_params(out, 2, &x->machine);
            continue;
        }
        if (program && i == IN_KEY_program)
            write_copy(out, x, program, last);
        if (is_absent(key, field) || (program && (i == IN_KEY_program || i == IN_KEY_source)))
            continue;
        int indent = 0;
        const char *name = open_sections(out, &indent, key->path, last);
        char *text = value_text(key, (enum in_experiment_key)i, x, field);
        const int width = fprintf(out, "%*s%s: %s", indent, "", name, text);
        write_comment(out, width, origin, "");
        free(text);
    }
}
