/*
 * Where something is declared, which its name does not tell.
 *
 * The hard idea is whose name it is: a parameter, a member of a struct and a variable of another
 * function may be called alike. So the source is gone through from its beginning, with the braces
 * that are open: each belongs to a type, a function, or neither. Of several declarations the one
 * counts that fits best.
 */
#include "base/alloc.h"
#include "look/mend/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BRACES = 64, NAME = 128 };

enum scope {
    SCOPE_FILE, /* or a namespace */
    SCOPE_TYPE,
    SCOPE_FUNCTION, /* or an initialiser: nothing is declared there */
};

struct declared_scan {
    const char *name, *owner; /* owner: the function or scope around it; "": none */
    bool local, type;         /* a function's own; a struct, no variable */

    enum scope scope[BRACES]; /* [braces] */
    unsigned braces, parens;
    char function[NAME]; /* whose parameters or body these are */
    char word[NAME];     /* the last one */
    bool comment, define;
    /* since the last statement or block has ended: */
    bool of_type, of_file, colon; /* "struct", "extern" or "namespace", ":" */
    struct look_declared head;    /* of a type of that name; file NULL: none */
    char last;                    /* but blanks */

    unsigned best; /* 0: none */
    struct look_declared *out;
};

static bool is_of_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- whether a line declares a name ---------------------------------------------------------- */

static bool is_among(const char *word, size_t length, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == length && !strncmp(word, *words, length))
            return true;
    return false;
}

static const char *const type_words[] = {"struct", "union", "class", "enum", NULL};

/* Words that a name may follow, and that are no types of variables. */
static bool is_word(const char *text, const char *end)
{
    static const char *const words[] = {"return", "else",  "case", "goto",      "sizeof",
                                        "delete", "throw", "new",  "namespace", NULL};
    const char *begin = end;
    while (begin > text && is_of_name(begin[-1]))
        begin--;
    const size_t length = (size_t)(end - begin);
    return is_among(begin, length, words) || is_among(begin, length, type_words);
}

/* Whether a type stands in front of a row of * and & that ends at `end`, and no operand: "Pool *p",
 * "Pool& p", but not "[&p", "n & p". @param product  it may be one: "n * p" */
static bool is_pointed(const char *text, const char *end, bool product)
{
    const char *type = end;
    while (type > text && strchr("*&", type[-1]))
        type--;
    const bool apart = type > text && isspace((unsigned char)type[-1]);
    while (type > text && isspace((unsigned char)type[-1]))
        type--;
    return type > text && (is_of_name(type[-1]) || type[-1] == '>') && !(product && apart) &&
           !is_word(text, type);
}

/* Whether the name that begins at `at`, of `length` bytes, is declared there; "Pool p(8)" is.
 * @param file  outside of all functions, where nothing is calculated */
static bool is_declared_at(const char *text, const char *at, size_t length, bool file)
{
    const char *before = at, *behind = at + length;
    while (before > text && isspace((unsigned char)before[-1]))
        before--;
    behind += strspn(behind, " \t");
    if (before == text || !*behind || !strchr("[;={,()", *behind) ||
        (*behind == '=' && behind[1] == '='))
        return false;
    const char last = before[-1];
    if (last == '*' || last == '&')
        return *behind != '(' && is_pointed(text, before, !file && before != at);
    if (*behind != '(' && (last == '}' || (last == '>' && before[-2] != '-')))
        return true;
    return is_of_name(last) && before != at && !is_word(text, before);
}

/* ---- how well it fits ------------------------------------------------------------------------ */

static enum scope scope_of(const struct declared_scan *d)
{
    return d->braces ? d->scope[(d->braces < BRACES ? d->braces : BRACES) - 1] : SCOPE_FILE;
}

/* @return 0: it is another one */
static unsigned fit_of(const struct declared_scan *d)
{
    const bool own = !strcmp(d->function, d->owner);
    if (d->parens)
        return !d->local ? 0 : own ? 4 : 1;
    if (scope_of(d) == SCOPE_FILE)
        return d->local ? 1 : d->of_file ? 3 : 4;
    if (!*d->owner || (d->local && scope_of(d) == SCOPE_TYPE))
        return 0;
    return scope_of(d) == SCOPE_FUNCTION && own ? 5 : 2;
}

/* ---- through the source ---------------------------------------------------------------------- */

static void scan_word(struct declared_scan *d, const struct look_declared *at, const char *word,
                      size_t length)
{
    static const char *const file_words[] = {"extern", "namespace", NULL};
    const bool named = strlen(d->name) == length && !strncmp(word, d->name, length);
    snprintf(d->word, sizeof d->word, "%.*s", (int)(length < NAME ? length : NAME - 1), word);
    d->of_type |= !d->parens && is_among(word, length, type_words);
    d->of_file |= is_among(word, length, file_words);
    if (named && d->type && d->of_type && !d->parens && !d->colon)
        d->head = *at;
    if (!named || d->type ||
        !is_declared_at(at->text, word, length, scope_of(d) == SCOPE_FILE && !d->parens))
        return;
    const unsigned fit = fit_of(d);
    if (fit > d->best) {
        d->best = fit;
        *d->out = *at;
    }
}

static void scan_end(struct declared_scan *d)
{
    d->of_type = d->of_file = d->colon = false;
    d->head.file = NULL;
}

static enum scope scan_opened(const struct declared_scan *d)
{
    if (scope_of(d) == SCOPE_FUNCTION || d->last == ')' || d->last == '=')
        return SCOPE_FUNCTION;
    return d->of_type ? SCOPE_TYPE : d->of_file ? SCOPE_FILE : SCOPE_FUNCTION;
}

static void scan_open(struct declared_scan *d)
{
    const enum scope scope = scan_opened(d);
    if (scope == SCOPE_TYPE && d->head.file && !d->best) {
        d->best = 1;
        *d->out = d->head;
    }
    if (d->braces < BRACES)
        d->scope[d->braces] = scope;
    d->braces++;
    scan_end(d);
}

static void scan_sign(struct declared_scan *d, char c, bool doubled)
{
    if (c == '(' && !d->parens++ && scope_of(d) != SCOPE_FUNCTION)
        memcpy(d->function, d->word, sizeof d->function);
    if (c == ')' && d->parens)
        d->parens--;
    d->colon |= c == ':' && !doubled;
    if (c == '{' && !d->parens)
        scan_open(d);
    if (c == '}' && !d->parens && d->braces)
        d->braces--;
    if ((c == ';' && !d->parens) || c == '}')
        scan_end(d);
    if (!isspace((unsigned char)c))
        d->last = c;
}

/* Behind a text or a letter in quotes, which is `quote`. */
static const char *behind_quote(const char *c, char quote)
{
    for (c++; *c && *c != quote; c++)
        c += *c == '\\' && c[1];
    return *c ? c + 1 : c;
}

/* What is not code: comments and texts. @return behind it; `c`: there is none */
static const char *scan_behind(struct declared_scan *d, const char *c)
{
    if (d->comment) {
        const char *end = strstr(c, "*/");
        d->comment = !end;
        return end ? end + 2 : c + strlen(c);
    }
    if (*c == '/' && c[1] == '/')
        return c + strlen(c);
    if (*c == '/' && c[1] == '*') {
        d->comment = true;
        return c + 2;
    }
    return *c == '"' || *c == '\'' ? behind_quote(c, *c) : c;
}

static void scan_line(struct declared_scan *d, const struct look_declared *at)
{
    const bool define = d->define || (!d->comment && at->text[strspn(at->text, " \t")] == '#');
    const size_t length = strlen(at->text);
    d->define = define && length && at->text[length - 1] == '\\';
    for (const char *c = at->text; *c && !define;) {
        const char *behind = scan_behind(d, c);
        size_t name = 0;
        while (is_of_name(c[name]))
            name++;
        if (behind == c && name) {
            scan_word(d, at, c, name);
            d->last = c[name - 1];
        } else if (behind == c) {
            scan_sign(d, *c, *c == ':' && (c[1] == ':' || d->last == ':'));
        }
        c = behind != c ? behind : name ? c + name : c + 1;
    }
}

static unsigned scan_file(struct declared_scan *d, struct look_sources *sources, const char *file)
{
    const struct look_source *source = look_source_get(sources, file);
    struct look_declared at = {.file = file};
    for (at.line = 1; (at.text = look_source_line(source, at.line)); at.line++)
        scan_line(d, &at);
    if (d->best)
        d->out->text += strspn(d->out->text, " \t");
    return d->best;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The last of a name's scopes ends there: "count" of "worker::count". */
static char *behind_scopes(char *name)
{
    char *last = strrchr(name, ':');
    return last ? last + 1 : name;
}

/* @return the caller's: "worker" of "worker::count" and of "count (local of worker)"; "": none */
static char *owner_of(const char *path, bool local)
{
    char *name = sim_strdup(local ? strstr(path, " (local of ") + strlen(" (local of ") : path);
    name[strcspn(name, local ? "),(<" : ".-[( %")] = '\0';
    char *end = local ? NULL : strrchr(name, ':');
    if (end && end > name)
        end[-1] = '\0';
    char *owner = sim_strdup(local || end ? behind_scopes(name) : "");
    free(name);
    return owner;
}

unsigned look_declared_variable(struct look_sources *sources, const char *file, const char *path,
                                struct look_declared *out)
{
    const char *begin = path + strspn(path, "*(");
    char *whole = sim_strndup(begin, strcspn(begin, ".-[( %"));
    const bool local = strstr(path, " (local of ");
    char *owner = owner_of(begin, local);
    struct declared_scan d = {
        .name = behind_scopes(whole), .owner = owner, .local = local, .out = out};
    const unsigned fit = scan_file(&d, sources, file);
    free(owner);
    free(whole);
    return fit;
}

unsigned look_declared_type(struct look_sources *sources, const char *file, const char *type,
                            struct look_declared *out)
{
    char *whole = sim_strndup(type, strcspn(type, "<"));
    struct declared_scan d = {.name = behind_scopes(whole), .owner = "", .type = true, .out = out};
    const unsigned fit = *d.name ? scan_file(&d, sources, file) : 0;
    free(whole);
    return fit;
}
