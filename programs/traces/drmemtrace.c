/*
 * What DynamoRIO prints of a drmemtrace trace (-simulator_type view): of each record its number,
 * the number of its instruction, its thread, and then "ifetch N byte(s) @ 0x...", "read N byte(s) @
 * 0x... by PC ...", "write ...", or "<marker: ...>". Older releases leave the number of the
 * instruction out and put a T in front of the thread. What stands before the heading is the
 * program's own; the bytes of a long instruction may take a line more, which repeats the numbers.
 */
#include "programs/traces/text.h"

#include <string.h>

/* @return false: the line is not a record's; else *rest is behind the thread */
static bool read_front(const char *line, uint64_t *thread, const char **rest)
{
    uint64_t number;
    tr_text_blanks(&line);
    if (!tr_text_decimal(&line, &number))
        return false;
    tr_text_blanks(&line);
    if (tr_text_decimal(&line, &number))
        tr_text_blanks(&line);
    if (*line++ != ':')
        return false;
    tr_text_blanks(&line);
    tr_text_word(&line, "T");
    if (!tr_text_decimal(&line, thread) || (*line != ' ' && *line != '\t'))
        return false;
    tr_text_blanks(&line);
    *rest = line;
    return true;
}

/* " N byte(s) @ 0x..." */
static bool read_place(const char *p, uint64_t *address, uint64_t *size)
{
    tr_text_blanks(&p);
    if (!tr_text_decimal(&p, size))
        return false;
    tr_text_blanks(&p);
    if (!tr_text_word(&p, "byte(s) @"))
        return false;
    tr_text_blanks(&p);
    return tr_text_hex(&p, address);
}

static bool is_heading(const char *line)
{
    tr_text_blanks(&line);
    return !strncmp(line, "<--record#->", 12);
}

static int says(const char *line)
{
    const char *rest;
    uint64_t thread, address, size;
    if (is_heading(line))
        return 1;
    if (!read_front(line, &thread, &rest))
        return 0;
    return *rest == '<' || (tr_text_word(&rest, "ifetch") && read_place(rest, &address, &size));
}

static bool is(const char *bytes, size_t size)
{
    return tr_text_lines(bytes, size, says);
}

/* What is in a trace without being a reference: bytes of a long instruction, and hints. */
static bool is_silent(const char *rest)
{
    static const char *const words[] = {"<",        "prefetch",   "non-fetched",      "dc_flush",
                                        "ic_flush", "data flush", "instruction flush"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncmp(rest, words[i], strlen(words[i])))
            return true;
    return strspn(rest, "0123456789abcdefABCDEF ") == strlen(rest);
}

static void take_record(struct tr_text *text, const char *line, uint64_t thread, const char *rest)
{
    static const struct {
        const char *word;
        enum tr_kind kind;
    } rows[] = {{"ifetch ", TR_OP_FETCH}, {"read ", TR_OP_LOAD}, {"write ", TR_OP_STORE}};
    uint64_t address, size;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *place = rest;
        if (!tr_text_word(&place, rows[i].word) || !read_place(place, &address, &size))
            continue;
        tr_text_on(text, thread);
        if (rows[i].kind == TR_OP_FETCH)
            tr_text_instruction(text, address, size);
        else
            tr_text_refer(text, rows[i].kind, address, size);
        return;
    }
    if (!is_silent(rest))
        tr_input_complain(text->source.in,
                          "'%.80s' is no record of drmemtrace's; only what -simulator_type view "
                          "prints is read",
                          line);
}

static void take(struct tr_text *text, const char *line)
{
    uint64_t thread;
    const char *rest;
    if (!strncmp(line, "View tool results", 17))
        text->over = true;
    else if (read_front(line, &thread, &rest))
        take_record(text, line, thread, rest);
    else if (text->source.threads && line[strspn(line, "- \t")])
        tr_input_complain(text->source.in,
                          "'%.40s' is no line of drmemtrace's; keep what the program prints apart",
                          line);
}

static bool open_drmemtrace(struct tr_source *source)
{
    ((struct tr_text *)source)->line = take;
    snprintf(source->made, sizeof source->made, "DynamoRIO's drmemtrace");
    return true;
}

const struct tr_reader tr_drmemtrace_reader = {.size = sizeof(struct tr_text),
                                               .is = is,
                                               .open = open_drmemtrace,
                                               .next = tr_text_next,
                                               .close = tr_text_close};
