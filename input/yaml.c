/*
 * From a file to YAML nodes with places, or to a complaint that shows where.
 *
 * The one hard idea: libyaml is trusted with syntax only. Size, encoding, the number of documents
 * and empty texts are checked here; nodes are handed out one at a time and never expanded, so that
 * an alias costs nothing however often or deeply it is repeated.
 */
#include "input/yaml.h"

#include "input/binary.h"

#include "programs/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *in_strdup(const char *s)
{
    const size_t n = strlen(s) + 1;
    return memcpy(sim_alloc(n, 1), s, n);
}

void in_push(char ***list, const char *s)
{
    size_t n = 0;
    while (*list && (*list)[n])
        n++;
    char **grown = sim_grow(*list, n + 2, sizeof *grown);
    grown[n] = in_strdup(s);
    grown[n + 1] = NULL;
    *list = grown;
}

void in_free_list(char **list)
{
    for (size_t i = 0; list && list[i]; i++)
        free(list[i]);
    free(list);
}

const char *in_next_item(void *list, size_t i)
{
    char **items = list;
    for (size_t k = 0; items && items[k]; k++)
        if (k == i)
            return items[k];
    return NULL;
}

char *in_path_beside(const char *beside, const char *name)
{
    const char *slash = beside && name[0] != '/' ? strrchr(beside, '/') : NULL;
    const size_t lead = slash ? (size_t)(slash + 1 - beside) : 0;
    char *path = sim_alloc(lead + strlen(name) + 1, 1);
    memcpy(path, beside ? beside : "", lead);
    strcpy(path + lead, name);
    return path;
}

void in_complain(struct in_reading *r, const struct in_place *at, const char *format, ...)
{
    char message[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(message, sizeof message, format, ap);
    va_end(ap);
    const struct in_doc *doc = at ? at->doc : NULL;
    if (!doc)
        in_error(r->diag, NULL, NULL, 0, 0, "%s", message);
    else if (doc->swept_in)
        in_error(r->diag, doc->swept_in->shown, doc->swept_in->text, doc->line, doc->column,
                 "%s: %s", doc->shown, message);
    else if (doc->inline_text)
        in_error(r->diag, NULL, NULL, 0, 0, "%s: %s", doc->shown, message);
    else
        in_error(r->diag, doc->shown, doc->text, at->line, at->column, "%s", message);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

yaml_node_t *in_root(struct in_doc *doc)
{
    return yaml_document_get_root_node(&doc->yaml);
}

yaml_node_t *in_node(struct in_doc *doc, int index)
{
    return yaml_document_get_node(&doc->yaml, index);
}

struct in_place in_at(struct in_doc *doc, const yaml_node_t *node)
{
    return (struct in_place){doc, (unsigned)node->start_mark.line + 1,
                             (unsigned)node->start_mark.column + 1};
}

const char *in_scalar(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE || strcmp((const char *)node->tag, YAML_STR_TAG) != 0)
        return NULL;
    const char *text = (const char *)node->data.scalar.value;
    return strlen(text) == node->data.scalar.length ? text : NULL;
}

bool in_is_null(const yaml_node_t *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    const char *text = in_scalar(node);
    if (!text || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return false;
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
        if (!strcmp(text, nulls[i]))
            return true;
    return false;
}

const char *in_kind(const yaml_node_t *node)
{
    if (node->type == YAML_SEQUENCE_NODE)
        return "a list";
    if (node->type == YAML_MAPPING_NODE)
        return "a mapping";
    if (in_is_null(node))
        return "empty";
    return in_scalar(node) ? "a single value" : "tagged or binary";
}

/* ---- reading --------------------------------------------------------------------------------- */

/** Editors of some systems put a mark of byte order in front. */
static void take_mark_away(char *text, size_t *size)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    if (*size < sizeof mark || memcmp(text, mark, sizeof mark) != 0)
        return;
    *size -= sizeof mark;
    memmove(text, text + sizeof mark, *size);
}

/** Reads all of `f`. @return NULL, or the complaint */
static const char *yaml_read_all(FILE *f, char **text, size_t *size)
{
    char *buffer = sim_alloc(IN_TEXT_MAX + 2, 1);
    *size = fread(buffer, 1, IN_TEXT_MAX + 1, f);
    *text = buffer;
    if (ferror(f))
        return strerror(errno);
    take_mark_away(buffer, size);
    buffer[*size] = '\0';
    return NULL;
}

const char *in_unreadable_kind(mode_t mode)
{
    return S_ISREG(mode)    ? NULL
           : S_ISDIR(mode)  ? "it is a directory"
           : S_ISFIFO(mode) ? "it is a pipe; only standard input, named -, may be one"
           : S_ISSOCK(mode) ? "it is a socket"
                            : "it is a device";
}

static const char *read_path(const char *path, char **text, size_t *size)
{
    struct stat st;
    const char *complaint = NULL;
    FILE *f = NULL;
    if (!strcmp(path, "-"))
        return yaml_read_all(stdin, text, size);
    if (stat(path, &st))
        return strerror(errno);
    if ((complaint = in_unreadable_kind(st.st_mode)))
        return complaint;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || !(f = fdopen(fd, "r")))
        complaint = strerror(errno);
    else /* it may have become another file meanwhile */
        complaint = fstat(fd, &st) ? strerror(errno) : in_unreadable_kind(st.st_mode);
    if (!complaint)
        complaint = yaml_read_all(f, text, size);
    if (f)
        fclose(f);
    else if (fd >= 0)
        close(fd);
    return complaint;
}

static struct in_doc *new_doc(struct in_reading *r, const char *path, const char *shown)
{
    struct in_doc *doc = sim_alloc(1, sizeof *doc);
    doc->path = path ? in_strdup(path) : NULL;
    doc->shown = in_strdup(shown);
    doc->next = r->docs;
    r->docs = doc;
    return doc;
}

/** Place of byte `offset`, counting characters as libyaml does. */
static struct in_place place_of_byte(struct in_doc *doc, size_t offset)
{
    struct in_place at = {doc, 1, 1};
    for (size_t i = 0; i < offset && i < doc->size; i++) {
        if (doc->text[i] == '\n') {
            at.line++;
            at.column = 1;
        } else if ((doc->text[i] & 0xc0) != 0x80) {
            at.column++;
        }
    }
    return at;
}

/** Refuses what is not text, with the first offending byte. */
static bool check_text(struct in_reading *r, struct in_doc *doc)
{
    const unsigned char *t = (const unsigned char *)doc->text;
    const bool utf16 = doc->size >= 2 && ((t[0] == 0xff && t[1] == 0xfe) ||
                                          (t[0] == 0xfe && t[1] == 0xff) || !t[0] || !t[1]);
    const struct in_place start = {doc, 1, 1};
    const size_t length = strlen(doc->text);
    if (doc->size >= 4 && !memcmp(t, "\177ELF", 4)) {
        in_complain(r, &start, "this is an executable, not YAML; to run it: numachine stat -- %s",
                    doc->shown);
    } else if (!doc->inline_text && prog_language_of(doc->shown)) {
        in_complain(r, &start,
                    "this is a program's source, not YAML; an experiment names it: program: "
                    "{source: %s}; or compile it, and run it by numachine stat",
                    doc->shown);
    } else if (utf16) {
        in_complain(r, &start, "not UTF-8 text (UTF-16 or UTF-32?): save it as UTF-8");
    } else if (doc->size > IN_TEXT_MAX) {
        in_complain(r, &start, "larger than %d KB: not a machine, an experiment or a group",
                    IN_TEXT_MAX / 1024);
    } else if (length != doc->size) {
        const struct in_place at = place_of_byte(doc, length);
        in_complain(r, &at, "not a text file: it holds a zero byte here");
    } else {
        return true;
    }
    return false;
}

/** Bytes of the anchor's or alias's name at a place, and where it begins. */
static int anchor_name_at(const struct in_doc *doc, const yaml_mark_t *mark, const char **name)
{
    const char *at = doc->text;
    for (size_t left = mark->index; left && *at; left--) /* a mark counts characters */
        for (at++; (*at & 0xc0) == 0x80; at++)
            ;
    *name = at;
    *name += **name == '&' || **name == '*';
    return (int)strcspn(*name, " \t\r\n,[]{}:");
}

/** What libyaml finds when it puts nodes together: anchors and aliases. */
static void complain_anchor(struct in_reading *r, struct in_doc *doc, const yaml_parser_t *p)
{
    const struct in_place at = {doc, (unsigned)p->problem_mark.line + 1,
                                (unsigned)p->problem_mark.column + 1};
    const char *name;
    const int n = anchor_name_at(doc, &p->problem_mark, &name);
    if (p->context) /* there is a first one */
        in_complain(r, &at,
                    "the anchor &%.*s is already in line %zu; give one of them another name", n,
                    name, p->context_mark.line + 1);
    else
        in_complain(r, &at, "no anchor &%.*s stands before *%.*s", n, name, n, name);
}

static void complain_syntax(struct in_reading *r, struct in_doc *doc, const yaml_parser_t *p)
{
    struct in_place at = {doc, (unsigned)p->problem_mark.line + 1,
                          (unsigned)p->problem_mark.column + 1};
    const char *problem = p->problem;
    if (p->error == YAML_MEMORY_ERROR || !p->problem) /* it is not always said */
        sim_no_memory();
    if (p->error == YAML_READER_ERROR) {
        at = place_of_byte(doc, p->problem_offset);
        in_complain(r, &at, "not UTF-8 text: %s", problem);
    } else if (p->error == YAML_COMPOSER_ERROR) {
        complain_anchor(r, doc, p);
    } else if (strstr(problem, "cannot start any token")) {
        in_complain(r, &at,
                    "not YAML: this character cannot start a value; indent with spaces, not "
                    "tabs, and quote values that begin with %%, @ or `");
    } else if (p->context) {
        in_complain(r, &at, "not YAML: %s, %s begun in line %zu", problem, p->context,
                    p->context_mark.line + 1);
    } else {
        in_complain(r, &at, "not YAML: %s", problem);
    }
}

/** Makes !!binary the text that it is; what is none stays, and nobody takes it for a text. */
static void yaml_decode(yaml_document_t *yaml)
{
    yaml_node_t *node;
    for (int i = 1; (node = yaml_document_get_node(yaml, i)); i++)
        if (node->type == YAML_SCALAR_NODE &&
            strcmp((const char *)node->tag, "tag:yaml.org,2002:binary") == 0 &&
            in_binary_read((char *)node->data.scalar.value, &node->data.scalar.length)) {
            strcpy((char *)node->tag, YAML_STR_TAG); /* which is shorter */
            node->data.scalar.style = YAML_DOUBLE_QUOTED_SCALAR_STYLE;
        }
}

static void start_parser(yaml_parser_t *parser, const struct in_doc *doc)
{
    if (!yaml_parser_initialize(parser))
        sim_no_memory();
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)doc->text, doc->size);
}

/** What the first pass over a text has seen. */
struct survey {
    int documents, depth, anchors;
};

/** Counts one event. @return NULL, or what is too much */
static const char *count_event(struct survey *s, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++s->documents > 1 ? "a second document begins here; one file holds one" : NULL;
    case YAML_SEQUENCE_START_EVENT:
        s->anchors += event->data.sequence_start.anchor != NULL;
        s->depth++;
        break;
    case YAML_MAPPING_START_EVENT:
        s->anchors += event->data.mapping_start.anchor != NULL;
        s->depth++;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        s->depth--;
        break;
    case YAML_SCALAR_EVENT:
        s->anchors += event->data.scalar.anchor != NULL;
        break;
    default:
        break;
    }
    return s->depth > IN_DEPTH_MAX       ? "lists or mappings are nested too deeply here"
           : s->anchors > IN_ANCHORS_MAX ? "more anchors (&) than any file needs"
                                         : NULL;
}

/** First pass, event by event: syntax, and bounds on everything libyaml takes long over. */
static bool yaml_survey(struct in_reading *r, struct in_doc *doc)
{
    yaml_parser_t parser;
    yaml_event_t event;
    struct survey seen = {0};
    bool good = true, more = true;
    start_parser(&parser, doc);
    while (good && more) {
        good = yaml_parser_parse(&parser, &event);
        if (!good) {
            complain_syntax(r, doc, &parser);
            break;
        }
        const char *excess = count_event(&seen, &event);
        const struct in_place at = {doc, (unsigned)event.start_mark.line + 1,
                                    (unsigned)event.start_mark.column + 1};
        if (excess)
            in_complain(r, &at, "%s", excess);
        good = !excess;
        more = event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return good;
}

/** Second pass: the nodes. */
static bool yaml_load(struct in_reading *r, struct in_doc *doc)
{
    const struct in_place start = {doc, 1, 1};
    yaml_parser_t parser;
    start_parser(&parser, doc);
    doc->parsed = yaml_parser_load(&parser, &doc->yaml);
    if (doc->parsed)
        yaml_decode(&doc->yaml);
    if (!doc->parsed)
        complain_syntax(r, doc, &parser);
    else if (!in_root(doc))
        in_complain(r, &start, "nothing in it");
    yaml_parser_delete(&parser);
    return doc->parsed && in_root(doc);
}

static struct in_doc *yaml_parse(struct in_reading *r, struct in_doc *doc)
{
    return check_text(r, doc) && yaml_survey(r, doc) && yaml_load(r, doc) ? doc : NULL;
}

struct in_doc *in_open(struct in_reading *r, const char *path, const char *shown,
                       const struct in_place *asked)
{
    const bool is_stdin = !strcmp(path, "-");
    struct in_doc *doc = new_doc(r, is_stdin ? NULL : path, is_stdin ? "<stdin>" : shown);
    const struct in_place whole = {doc, 0, 0};
    const char *complaint = read_path(path, &doc->text, &doc->size);
    if (complaint && asked)
        in_complain(r, asked, "cannot read '%s': %s", shown, complaint);
    else if (complaint)
        in_complain(r, &whole, "cannot read it: %s", complaint);
    return complaint || !doc->text ? NULL : yaml_parse(r, doc);
}

struct in_doc *in_open_text(struct in_reading *r, const char *text, const char *shown)
{
    struct in_doc *doc = new_doc(r, NULL, shown);
    doc->text = in_strdup(text);
    doc->size = strlen(text);
    doc->inline_text = true;
    return yaml_parse(r, doc);
}

struct in_doc *in_open_swept(struct in_reading *r, const char *text, const struct in_swept *swept)
{
    struct in_doc *doc = new_doc(r, r->file->path, swept->set);
    doc->text = in_strdup(text);
    doc->size = strlen(text);
    doc->inline_text = true;
    doc->swept_in = r->file;
    doc->line = swept->line;
    doc->column = swept->column;
    return yaml_parse(r, doc);
}

void in_close(struct in_reading *r)
{
    while (r->docs) {
        struct in_doc *doc = r->docs;
        r->docs = doc->next;
        if (doc->parsed)
            yaml_document_delete(&doc->yaml);
        free(doc->path);
        free(doc->shown);
        free(doc->text);
        free(doc);
    }
}
