/*
 * Dinero's text: a label and an address in hexadecimal digits, and behind them perhaps a size, and
 * whatever is no size: a comment. The labels are 0 or r (load), 1 or w (store), 2 or i
 * (instruction), of both cases; 3, 4, m, v and c are no references of a program. Without a size an
 * instruction has four bytes, and a reference as many as its address is aligned to, of four.
 *
 * Dinero III has no sizes, and passes over all behind the address; Dinero IV has one behind its
 * letters, always. So behind a digit only what begins with a digit is a size.
 */
#include "programs/traces/text.h"
#include "programs/traces/writers.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

static const char labels[] = "012rwi34mvcRWIMVC";

struct record {
    char label;
    uint64_t address, size;
    bool sized; /**< the size is said */
    bool plain; /**< it is three decimal numbers */
};

/* A size, if one is there. Behind it, and instead of it, is what Dinero passes over.
   @return false: the line is not Dinero's */
static bool read_size(const char *line, struct record *out)
{
    const bool letter = !strchr("01234", out->label);
    const char *end = line;
    if (!(*line >= '0' && *line <= '9') && !letter)
        return true;
    out->sized = tr_text_hex(&end, &out->size) && (!*end || *end == ' ' || *end == '\t');
    out->plain = !*end && !letter && strspn(line, "0123456789") == strlen(line);
    return out->sized || !letter || !*line;
}

static bool dinero_read_record(const char *line, struct record *out)
{
    tr_text_blanks(&line);
    out->label = *line;
    out->size = 0;
    out->sized = out->plain = false;
    if (!*line || !strchr(labels, *line) || (line[1] != ' ' && line[1] != '\t'))
        return false;
    line++;
    tr_text_blanks(&line);
    const char *address = line;
    if (!tr_text_hex(&line, &out->address))
        return false;
    const size_t blanks = strspn(line, " \t");
    const bool decimal = line - address == (ptrdiff_t)strspn(address, "0123456789");
    if (*line && !blanks)
        return false;
    if (!read_size(line + blanks, out))
        return false;
    out->plain &= decimal;
    return true;
}

static int dinero_says(const char *line)
{
    struct record record;
    return !line[strspn(line, " \t")] ? 0 : dinero_read_record(line, &record) ? 1 : -1;
}

static bool dinero_is(const char *bytes, size_t size)
{
    return tr_text_lines(bytes, size, dinero_says);
}

static uint64_t natural(uint64_t address)
{
    return address & 1 ? 1 : address & 2 ? 2 : 4;
}

/* Lines that say nothing of which of two programs' they are. */
static void note_plain(struct tr_text *text, bool plain)
{
    text->plain &= plain;
    snprintf(text->source.note, sizeof text->source.note, "%s",
             text->plain
                 ? "all lines are three decimal numbers, which may be Ramulator's (how many "
                   "instructions, a load, a write-back), too; they are read as Dinero's: "
                   "label, address and size, hexadecimal"
                 : "");
}

static void dinero_take(struct tr_text *text, const char *line)
{
    struct record r;
    if (!line[strspn(line, " \t")])
        return;
    if (!dinero_read_record(line, &r)) {
        tr_input_complain(text->source.in,
                          "'%.40s' is no line of Dinero's; it is a label (%s), an address and "
                          "perhaps a size, in hexadecimal digits, and a comment",
                          line, labels);
        return;
    }
    note_plain(text, r.plain);
    tr_text_on(text, 0);
    const uint64_t size = r.sized ? r.size : natural(r.address);
    r.label = (char)tolower(r.label);
    if (r.label == '2' || r.label == 'i')
        tr_text_instruction(text, r.address, r.sized ? r.size : 4);
    else if (r.label == '0' || r.label == 'r')
        tr_text_refer(text, TR_OP_LOAD, r.address, size);
    else if (r.label == '1' || r.label == 'w')
        tr_text_refer(text, TR_OP_STORE, r.address, size);
}

static bool open_dinero(struct tr_source *source)
{
    ((struct tr_text *)source)->line = dinero_take;
    ((struct tr_text *)source)->plain = true;
    snprintf(source->made, sizeof source->made, "din");
    return true;
}

const struct tr_reader tr_din_reader = {.size = sizeof(struct tr_text),
                                        .is = dinero_is,
                                        .open = open_dinero,
                                        .next = tr_text_next,
                                        .close = tr_text_close};

/* ---- writing --------------------------------------------------------------------------------- */

static void dinero_put(struct tr_sink *sink, uint32_t thread, const struct tr_op *op, size_t count)
{
    static const char label[TR_OP__COUNT] = {
        [TR_OP_LOAD] = '0', [TR_OP_STORE] = '1',   [TR_OP_FETCH] = '2',  [TR_OP_LL] = '0',
        [TR_OP_SC] = '1',   [TR_OP_ACQUIRE] = '0', [TR_OP_RELEASE] = '1'};
    (void)thread;
    for (; count--; op++)
        if (label[op->kind])
            fprintf(tr_text_out(sink), "%c %" PRIx64 "\n", label[op->kind], op->address);
}

const struct tr_writer tr_din_writer = {
    .open = tr_text_begin, .put = dinero_put, .close = tr_text_end};
