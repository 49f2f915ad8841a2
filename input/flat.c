/*
 * A YAML file, flattened. The file may be damaged, or made to harm: what aliases repeat is bounded.
 */
#include "input/flat.h"

#include "input/yaml.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16, ROWS_MAX = 1 << 16, TEXT_MAX = 1 << 20 /**< [bytes] of all values */ };

struct flatten {
    struct in_doc *doc;
    struct in_flat *flat;
    size_t text;      /**< [bytes] of values so far */
    const char *what; /**< is wrong; NULL: nothing */
};

/** Writes a value as one line of YAML would have it, but for quotes. */
static void put_node(struct flatten *f, yaml_node_t *node, unsigned depth, FILE *out)
{
    if (depth > DEPTH_MAX || f->text > TEXT_MAX)
        f->what = "it has too much in it";
    if (f->what)
        return;
    f->text++;
    if (node->type == YAML_SEQUENCE_NODE) {
        const yaml_node_item_t *start = node->data.sequence.items.start;
        fputc('[', out);
        for (const yaml_node_item_t *i = start; i < node->data.sequence.items.top; i++) {
            fputs(i > start ? ", " : "", out);
            put_node(f, in_node(f->doc, *i), depth + 1, out);
        }
        fputc(']', out);
    } else if (node->type == YAML_MAPPING_NODE) {
        const yaml_node_pair_t *start = node->data.mapping.pairs.start;
        fputc('{', out);
        for (const yaml_node_pair_t *p = start; p < node->data.mapping.pairs.top; p++) {
            fputs(p > start ? ", " : "", out);
            put_node(f, in_node(f->doc, p->key), depth + 1, out);
            fputs(": ", out);
            put_node(f, in_node(f->doc, p->value), depth + 1, out);
        }
        fputc('}', out);
    } else {
        f->text += node->data.scalar.length;
        for (size_t i = 0; i < node->data.scalar.length; i++)
            fputc(node->data.scalar.value[i] < ' ' ? '?' : node->data.scalar.value[i], out);
    }
}

/** The comment behind a value up to its first semicolon. Allocated. */
static char *origin_of(const struct flatten *f, const yaml_node_t *node)
{
    static const char mark[] = "  # ";
    const char *line = f->doc->text, *found = NULL;
    for (size_t n = node->end_mark.line; n && line; n--)
        line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
    const char *end = line ? line + strcspn(line, "\n") : NULL;
    for (const char *at = line; at && (at = strstr(at, mark)) && at < end; at += strlen(mark))
        found = at + strlen(mark);
    return found ? sim_format("%.*s", (int)strcspn(found, ";\n"), found) : in_strdup("");
}

static void flat_add_row(struct flatten *f, const char *key, yaml_node_t *node)
{
    struct in_flat *flat = f->flat;
    char *value;
    size_t size;
    if (flat->rows == ROWS_MAX) {
        f->what = "it has too many keys";
        return;
    }
    FILE *out = sim_text_open(&value, &size);
    put_node(f, node, 0, out);
    sim_text_close(out, &value);
    if (!(flat->rows & (flat->rows + 1))) /* room for a power of two */
        flat->row = sim_grow(flat->row, 2 * (flat->rows + 1), sizeof *flat->row);
    flat->row[flat->rows++] = (struct in_flat_row){in_strdup(key), value, origin_of(f, node)};
}

static void flat_walk(struct flatten *f, const char *prefix, const yaml_node_t *map, unsigned depth)
{
    const yaml_node_pair_t *start = map->data.mapping.pairs.start;
    for (const yaml_node_pair_t *p = start; p < map->data.mapping.pairs.top && !f->what; p++) {
        const char *name = in_scalar(in_node(f->doc, p->key));
        yaml_node_t *value = in_node(f->doc, p->value);
        if (!name) {
            f->what = "a key is no word";
            break;
        }
        char *key = sim_format("%s%s%s", prefix, *prefix ? "." : "", name);
        if (value->type == YAML_MAPPING_NODE && depth < DEPTH_MAX &&
            value->data.mapping.pairs.top > value->data.mapping.pairs.start)
            flat_walk(f, key, value, depth + 1);
        else
            flat_add_row(f, key, value);
        free(key);
    }
}

/** The first line of a complaint, without its own line end. */
static void first_line(const char *path, const char *text, char *why, size_t size)
{
    if (*text)
        snprintf(why, size, "%.*s", (int)strcspn(text, "\n"), text);
    else
        snprintf(why, size, "%s: it cannot be read", path);
}

bool in_flat_read(struct in_flat *flat, const char *path, char *why, size_t size)
{
    char *text;
    size_t length;
    struct in_diag diag = {.out = sim_text_open(&text, &length)};
    struct in_reading r = {.diag = &diag};
    struct flatten f = {.flat = flat, .doc = in_open(&r, path, path, NULL)};
    sim_text_close(diag.out, &text);
    if (!f.doc)
        first_line(path, text, why, size);
    else if (in_root(f.doc)->type != YAML_MAPPING_NODE)
        f.what = "it has no keys";
    else
        flat_walk(&f, "", in_root(f.doc), 0);
    if (f.what)
        snprintf(why, size, "%s: %s", path, f.what);
    const bool good = f.doc && !f.what;
    in_close(&r);
    free(text);
    return good;
}

void in_flat_free(struct in_flat *flat)
{
    for (size_t i = 0; i < flat->rows; i++) {
        free(flat->row[i].key);
        free(flat->row[i].value);
        free(flat->row[i].origin);
    }
    free(flat->row);
    *flat = (struct in_flat){0};
}

const struct in_flat_row *in_flat_find(const struct in_flat *flat, const char *key)
{
    for (size_t i = 0; i < flat->rows; i++)
        if (!strcmp(flat->row[i].key, key))
            return &flat->row[i];
    return NULL;
}
