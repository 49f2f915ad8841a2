/*
 * Chains of inlined calls for people. What is in brackets behind a line is the whole of how the
 * program came there by calls that the compiler has put into one function.
 */
#include "base/alloc.h"
#include "documents/cells.h"
#include "look/code.h"

#include <inttypes.h>
#include <string.h>

const char *look_chain_function(const struct look_chain *chain)
{
    return chain->frames ? chain->frame[chain->shown].function : NULL;
}

static const char ANONYMOUS[] = "(anonymous namespace)", NAMELESS[] = "(anonymous)"; /* a class */
enum { ANONYMOUS_LENGTH = sizeof ANONYMOUS - 1 };

/* How much of a C++ name to skip that is no bracket of arguments: of an operator, say. */
static size_t chain_skip(const char *c)
{
    static const char *const brackets[] = {"operator()", "operator< ", "operator<<", "operator<=>",
                                           "operator<",  "operator>>", "operator->", "operator>"};
    for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
        if (!strncmp(c, brackets[i], strlen(brackets[i])))
            return strlen(brackets[i]);
    if (!strncmp(c, NAMELESS, sizeof NAMELESS - 1))
        return sizeof NAMELESS - 1;
    return !strncmp(c, ANONYMOUS, ANONYMOUS_LENGTH) ? ANONYMOUS_LENGTH : 0;
}

/* The length of the arguments of a function that something is in ("f(int) const::"); 0: they end
 * the name. */
static size_t chain_arguments(const char *c)
{
    size_t at = 0, depth = 0;
    do {
        depth += c[at] == '(';
        depth -= c[at] == ')';
        at++;
    } while (depth && c[at]);
    at += !strncmp(c + at, " const", 6) ? 6 : 0;
    return c[at] == ':' ? at : 0;
}

/* Whether a bracket begins arguments of a template: those of a lambda's name begin its name. */
static bool chain_opens(const char *function, size_t at)
{
    return function[at] == '<' && at && function[at - 1] != ':';
}

/* Where the arguments of a C++ function begin, or its name's end; and where its name begins, behind
 * the type of what it returns. */
static size_t chain_name(const char *function, size_t *from)
{
    size_t at = 0, depth = 0;
    for (*from = 0; function[at]; at++) {
        const size_t skip = chain_skip(function + at);
        const char c = function[at];
        if (skip) {
            at += skip - 1;
            continue;
        }
        if (c == '(' && !depth) {
            const size_t arguments = chain_arguments(function + at);
            if (!arguments)
                break;
            at += arguments - 1;
            continue;
        }
        depth += c == '<' || c == '{';
        depth -= depth && (c == '>' || c == '}');
        if (c == ' ' && !depth && (at < 8 || strncmp(function + at - 8, "operator", 8) != 0))
            *from = at + 1;
    }
    if (!strncmp(function + *from, ANONYMOUS, ANONYMOUS_LENGTH))
        *from += ANONYMOUS_LENGTH + 2;
    return at;
}

void look_chain_name(const char *function, FILE *out)
{
    size_t from, depth = 0, braces = 0;
    const size_t to = chain_name(function, &from);
    for (size_t at = from; at < to; at++) {
        size_t skip = chain_skip(function + at);
        const char c = function[at];
        braces += c == '{' || (c == '<' && !depth && !chain_opens(function, at));
        braces -= braces && (c == '}' || (c == '>' && !depth));
        if (skip && !depth)
            fprintf(out, "%.*s", (int)(skip - (function[at + skip - 1] == ' ')), function + at);
        else if (c == '(' && !depth && !braces)
            skip = chain_arguments(function + at);
        else if (depth ? c == '<' : chain_opens(function, at))
            depth++;
        else if (!depth)
            putc(c, out);
        else
            depth -= c == '>';
        at += skip ? skip - 1 : 0;
    }
}

static const char *chain_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void chain_put_frame(const struct look_code *code, const struct prog_frame *frame, FILE *out)
{
    if (!look_files_system(code->files, frame->file)) {
        look_chain_name(frame->function ? frame->function : "?", out);
        fputs(frame->file ? " " : "", out);
    }
    if (frame->file)
        fprintf(out, "%s:%u", chain_base(frame->file), frame->line);
}

void look_chain_put(const struct look_code *code, const struct look_chain *chain, unsigned from,
                    unsigned to, FILE *out)
{
    for (unsigned i = from; i < to; i++) {
        if (i > from)
            fputs(" < ", out);
        chain_put_frame(code, &chain->frame[i], out);
    }
}

/* Without the functions of the system that called the program's outermost one: how a library starts
 * a thread, say. They are kept if the program has none. */
static unsigned chain_own(const struct look_code *code, const struct look_chain *chain)
{
    unsigned own = chain->frames;
    while (own && look_files_system(code->files, chain->frame[own - 1].file))
        own--;
    return own ? own : chain->frames;
}

void look_place_put(struct look_code *code, uint64_t pc, FILE *out)
{
    const struct prog_place *place = look_code_at(code, pc);
    const struct look_chain *chain = look_code_chain(code, pc);
    const char *function = look_chain_function(chain);
    if (function && place->file && chain->frames > 1)
        look_chain_put(code, chain, 0, chain_own(code, chain), out);
    else if (function && place->file) {
        look_chain_name(function, out);
        fprintf(out, " %s:%u", chain_base(place->file), place->line);
    } else if (place->function) {
        look_chain_name(place->function, out);
        fprintf(out, "+0x%" PRIx64, pc - place->from);
    } else {
        fprintf(out, "0x%" PRIx64, pc);
    }
}

void look_chain_behind(const struct look_code *code, const struct look_chain *chain, FILE *out)
{
    if (chain->frames < 2)
        return;
    fputs(" (", out);
    look_chain_put(code, chain, 0, chain->frames, out);
    putc(')', out);
}

char *look_chain_text(const struct look_code *code, const struct look_chain *chain)
{
    char *text;
    size_t size;
    if (chain->frames < 2)
        return NULL;
    FILE *out = sim_text_open(&text, &size);
    look_chain_put(code, chain, 0, chain->frames, out);
    sim_text_close(out, &text);
    return text;
}

json_t *look_chain_json(const struct look_chain *chain)
{
    json_t *list = chain->frames < 2 ? json_null() : json_array();
    for (unsigned i = 0; chain->frames > 1 && i < chain->frames; i++) {
        const struct prog_frame *frame = &chain->frame[i];
        json_array_append_new(
            list, json_pack("{s:o,s:o,s:I}", "function", doc_json_text(frame->function), "file",
                            doc_json_text(frame->file), "line", (json_int_t)frame->line));
    }
    return list;
}
