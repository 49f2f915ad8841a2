/*
 * Text as records: instructions are counted until something else happens.
 */
#include "programs/traces/text.h"
#include "base/alloc.h"

#include <ctype.h>
#include <string.h>

/* ---- records --------------------------------------------------------------------------------- */

static void text_push(struct tr_text *text, uint32_t thread, struct tr_op op)
{
    text->op[text->ops] = op;
    text->of[text->ops++] = thread;
}

/* Takes a thread's instructions for the gap of its next record. */
static uint32_t take_gap(struct tr_text *text, uint32_t thread)
{
    uint64_t *n = &text->at[thread].instructions;
    if (*n > UINT32_MAX) {
        text_push(text, thread, (struct tr_op){.kind = TR_OP_COMPUTE, .value = *n});
        *n = 0;
    }
    const uint32_t gap = (uint32_t)*n;
    *n = 0;
    return gap;
}

void tr_text_on(struct tr_text *text, uint64_t name)
{
    struct tr_source *s = &text->source;
    if (s->threads && s->thread[text->thread] == name)
        return;
    for (text->thread = 0; text->thread < s->threads; text->thread++)
        if (s->thread[text->thread] == name)
            return;
    if (!tr_source_thread(s, name)) {
        text->thread = 0;
        tr_input_complain(s->in, "more than %d threads; take some of them out", TR_THREADS_MAX);
        return;
    }
    text->at = sim_grow(text->at, s->threads, sizeof *text->at);
    text->at[text->thread] = (struct tr_text_thread){.line = ~UINT64_C(0)};
}

void tr_text_of_process(struct tr_text *text, uint64_t process, const char *mend)
{
    if (text->process && text->process != process + 1)
        tr_input_complain(text->source.in,
                          "text of several processes, %llu and %llu, whose addresses are not the "
                          "same memory; %s",
                          (unsigned long long)text->process - 1, (unsigned long long)process, mend);
    text->process = process + 1;
}

/* Whether the record is one that can be. */
static bool has_size(struct tr_text *text, uint64_t address, uint64_t size)
{
    const bool small = size >= 1 && size <= TR_TEXT_SIZE_MAX;
    if (!small)
        tr_input_complain(text->source.in, "a reference to %llu bytes; there are 1 to %d",
                          (unsigned long long)size, TR_TEXT_SIZE_MAX);
    else if (address + (size - 1) < address)
        tr_input_complain(text->source.in,
                          "a reference to %llu bytes; the last one must lie below 2^64",
                          (unsigned long long)size);
    return small && address + (size - 1) >= address;
}

void tr_text_instruction(struct tr_text *text, uint64_t address, uint64_t size)
{
    const uint64_t mask = ~(uint64_t)(TR_FETCH_LINE - 1);
    if (!has_size(text, address, size))
        return;
    struct tr_text_thread *t = &text->at[text->thread];
    for (uint64_t line = address & mask;; line += TR_FETCH_LINE) {
        if (line != t->line)
            text_push(text, text->thread,
                      (struct tr_op){.kind = TR_OP_FETCH,
                                     .address = line,
                                     .gap = take_gap(text, text->thread)});
        t->line = line;
        if (line == ((address + size - 1) & mask))
            break;
    }
    t->instructions++;
}

void tr_text_refer(struct tr_text *text, enum tr_kind kind, uint64_t address, uint64_t size)
{
    if (!has_size(text, address, size))
        return;
    struct tr_text_thread *t = &text->at[text->thread];
    t->instructions -= t->instructions > 0;
    for (uint64_t done = 0; done < size; done += TR_SIZE_MAX) {
        const uint64_t left = size - done;
        text_push(text, text->thread,
                  (struct tr_op){.kind = (uint8_t)kind,
                                 .address = address + done,
                                 .size = (uint8_t)(left < TR_SIZE_MAX ? left : TR_SIZE_MAX),
                                 .gap = take_gap(text, text->thread)});
    }
}

/* ---- batches --------------------------------------------------------------------------------- */

/* The file is over: what threads have computed last. */
static void text_finish(struct tr_text *text)
{
    for (; text->closed < text->source.threads && text->ops < TR_TEXT_BATCH; text->closed++)
        if (text->at[text->closed].instructions) {
            const uint64_t n = text->at[text->closed].instructions;
            text_push(text, text->closed, (struct tr_op){.kind = TR_OP_COMPUTE, .value = n});
        }
}

/* Whether the line that was taken last is none because the file ends within it. */
static bool is_cut(struct tr_text *text)
{
    uint64_t line;
    if (!tr_input_cut(text->source.in, &line))
        return false;
    snprintf(text->source.note, sizeof text->source.note,
             "the file ends within line %llu: it is read up to there", (unsigned long long)line);
    return true;
}

static void text_fill(struct tr_text *text)
{
    const char *line;
    text->ops = text->given = 0;
    while (text->ops < TR_TEXT_BATCH && !text->over && tr_input_line(text->source.in, &line)) {
        text->line(text, line);
        text->over |= is_cut(text);
    }
    if (text->ops < TR_TEXT_BATCH && !tr_input_why(text->source.in))
        text_finish(text);
}

enum tr_more tr_text_next(struct tr_source *source, struct tr_batch *out)
{
    struct tr_text *text = (struct tr_text *)source;
    if (text->given == text->ops)
        text_fill(text);
    if (tr_input_why(source->in))
        return TR_BAD;
    if (!text->ops)
        return TR_END;
    const size_t from = text->given;
    size_t to = from;
    while (to < text->ops && text->of[to] == text->of[from])
        to++;
    text->given = to;
    struct tr_text_thread *t = &text->at[text->of[from]];
    *out = (struct tr_batch){.op = &text->op[from],
                             .count = to - from,
                             .references = t->seen,
                             .instructions = t->counted,
                             .thread = text->of[from]};
    for (size_t i = from; i < to; i++) {
        t->seen += tr_op_is_reference(&text->op[i]);
        t->counted += tr_op_instructions(&text->op[i]);
    }
    return TR_MORE;
}

void tr_text_close(struct tr_source *source)
{
    free(((struct tr_text *)source)->at);
}

/* ---- pieces of a line ------------------------------------------------------------------------ */

void tr_text_blanks(const char **text)
{
    *text += strspn(*text, " \t");
}

bool tr_text_hex(const char **text, uint64_t *out)
{
    const char *p = *text;
    unsigned digits = 0;
    uint64_t v = 0;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && isxdigit((unsigned char)p[2]))
        p += 2;
    while (*p == '0') /* as many as one likes */
        p++, digits = 1;
    unsigned significant = 0;
    for (; isxdigit((unsigned char)*p) && significant < 17; p++, significant++)
        v = v << 4 | (unsigned)(*p <= '9' ? *p - '0' : (*p | 32) - 'a' + 10);
    if (!(digits | significant) || significant > 16)
        return false;
    *text = p;
    *out = v;
    return true;
}

bool tr_text_decimal(const char **text, uint64_t *out)
{
    const char *p = *text;
    uint64_t v = 0;
    if (!isdigit((unsigned char)*p))
        return false;
    for (; isdigit((unsigned char)*p); p++)
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p - '0', &v))
            return false;
    *text = p;
    *out = v;
    return true;
}

bool tr_text_word(const char **text, const char *word)
{
    const size_t n = strlen(word);
    const bool there = !strncmp(*text, word, n);
    *text += there ? n : 0;
    return there;
}

bool tr_text_lines(const char *bytes, size_t size, int (*is)(const char *line))
{
    char line[TR_INPUT_LINE + 1];
    int says = 0;
    for (size_t at = 0; at < size && !says;) {
        const char *end = memchr(bytes + at, '\n', size - at);
        const size_t n = end ? (size_t)(end - bytes) - at : size - at;
        if (n > TR_INPUT_LINE)
            return false;
        memcpy(line, bytes + at, n);
        line[n && line[n - 1] == '\r' ? n - 1 : n] = '\0';
        says = is(line);
        at += n + 1;
    }
    return says > 0;
}

/* ---- writing --------------------------------------------------------------------------------- */

struct tr_sink {
    FILE *out;
};

struct tr_sink *tr_text_begin(FILE *out, const struct tr_about *about)
{
    (void)about;
    struct tr_sink *sink = sim_alloc(1, sizeof *sink);
    sink->out = out;
    return sink;
}

FILE *tr_text_out(const struct tr_sink *sink)
{
    return sink->out;
}

void tr_text_end(struct tr_sink *sink)
{
    free(sink);
}
