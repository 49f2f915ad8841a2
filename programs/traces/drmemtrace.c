/*
 * What DynamoRIO prints of a drmemtrace trace (-simulator_type view): of each record its number,
 * the number of its instruction, its thread, and then "ifetch N byte(s) @ 0x...", "read N byte(s) @
 * 0x... by PC ...", "write ...", a hint of drmemtrace.def's, or "<marker: ...>". Threads are
 * "4711", "T4711" or "W0.T4711", whose W numbers the programs of a trace; older releases leave the
 * number of the instruction out. What stands before the heading is the program's own; the bytes of
 * a long instruction may take a line more, which repeats the numbers.
 */
#include "programs/traces/text.h"

#include <string.h>

/* [bits] of a thread's number; above them older releases have its program. */
enum { PROGRAM_SHIFT = 48 };

/* "W0.T4711", "T4711" or "4711" */
static bool read_thread(const char **line, uint64_t *program, uint64_t *thread)
{
    *program = 0;
    if (tr_text_word(line, "W") && !(tr_text_decimal(line, program) && tr_text_word(line, ".")))
        return false;
    tr_text_word(line, "T");
    if (!tr_text_decimal(line, thread))
        return false;
    *program += *thread >> PROGRAM_SHIFT;
    return true;
}

/* @return false: the line is not a record's; else *rest is behind the thread */
static bool read_front(const char *line, uint64_t *program, uint64_t *thread, const char **rest)
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
    if (!read_thread(&line, program, thread) || (*line != ' ' && *line != '\t'))
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
    return tr_text_hex(&p, address) && (!*p || *p == ' ' || *p == '\t');
}

static bool is_heading(const char *line)
{
    tr_text_blanks(&line);
    return !strncmp(line, "<--record#->", 12);
}

static int drmemtrace_says(const char *line)
{
    const char *rest;
    uint64_t program, thread, address, size;
    if (is_heading(line))
        return 1;
    if (!read_front(line, &program, &thread, &rest))
        return 0;
    return *rest == '<' || (tr_text_word(&rest, "ifetch") && read_place(rest, &address, &size));
}

static bool drmemtrace_is(const char *bytes, size_t size)
{
    return tr_text_lines(bytes, size, drmemtrace_says);
}

enum { HINT = TR_OP__COUNT };

static const struct word {
    const char *word;
    unsigned what; /* enum tr_kind, or HINT */
} words[] = {
#define WORD(word, what) {word, what},
#include "programs/traces/drmemtrace.def"
#undef WORD
};

/* What a record begins with. @return NULL: no word that the view prints; else *rest is behind it */
static const struct word *read_word(const char **rest)
{
    const size_t n = strcspn(*rest, " \t");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == n && !strncmp(*rest, words[i].word, n)) {
            *rest += n;
            return &words[i];
        }
    return NULL;
}

/* Markers, and bytes of a long instruction. */
static bool is_silent(const char *rest)
{
    return *rest == '<' || strspn(rest, "0123456789abcdefABCDEF \t") == strlen(rest);
}

static void take_record(struct tr_text *text, const char *line, uint64_t thread, const char *rest)
{
    uint64_t address, size;
    const char *place = rest;
    const struct word *word = read_word(&place);
    if (!word && is_silent(rest))
        return;
    if (!word || !read_place(place, &address, &size)) {
        tr_input_complain(text->source.in,
                          "'%.80s' is no record of drmemtrace's; only what -simulator_type view "
                          "prints is read",
                          line);
        return;
    }
    tr_text_on(text, thread);
    if (word->what == TR_OP_FETCH)
        tr_text_instruction(text, address, size);
    else if (word->what != HINT)
        tr_text_refer(text, (enum tr_kind)word->what, address, size);
}

static void drmemtrace_take(struct tr_text *text, const char *line)
{
    uint64_t program, thread;
    const char *rest;
    if (!strncmp(line, "View tool results", 17)) {
        text->over = true;
    } else if (read_front(line, &program, &thread, &rest)) {
        tr_text_of_process(text, program, "view the trace of each program by itself");
        take_record(text, line, thread, rest);
    } else if (text->source.threads && line[strspn(line, "- \t")]) {
        tr_input_complain(text->source.in,
                          "'%.40s' is no line of drmemtrace's; keep what the program prints apart",
                          line);
    }
}

static bool open_drmemtrace(struct tr_source *source)
{
    ((struct tr_text *)source)->line = drmemtrace_take;
    snprintf(source->made, sizeof source->made, "DynamoRIO's drmemtrace");
    return true;
}

const struct tr_reader tr_drmemtrace_reader = {.size = sizeof(struct tr_text),
                                               .is = drmemtrace_is,
                                               .open = open_drmemtrace,
                                               .next = tr_text_next,
                                               .close = tr_text_close};
