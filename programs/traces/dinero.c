/*
 * Dinero's text: a label and an address in hexadecimal digits, and behind them perhaps a size. The
 * labels are 0 or r (load), 1 or w (store), 2 or i (instruction); 3, 4, m, v and c are no
 * references of a program. Without a size an instruction has four bytes, and a reference as many as
 * its address is aligned to, of four.
 */
#include "programs/traces/text.h"
#include "programs/traces/writers.h"

#include <inttypes.h>
#include <string.h>

static const char labels[] = "012rwi34mvc";

struct record {
    char label;
    uint64_t address, size;
    bool sized; /**< the size is said */
};

static bool read_record(const char *line, struct record *out)
{
    tr_text_blanks(&line);
    out->label = *line;
    out->size = 0;
    out->sized = false;
    if (!*line || !strchr(labels, *line) || (line[1] != ' ' && line[1] != '\t'))
        return false;
    line++;
    tr_text_blanks(&line);
    if (!tr_text_hex(&line, &out->address))
        return false;
    const bool parted = *line == ' ' || *line == '\t';
    tr_text_blanks(&line);
    out->sized = *line;
    return !*line ||
           (parted && tr_text_hex(&line, &out->size) && strspn(line, " \t") == strlen(line));
}

static int says(const char *line)
{
    struct record record;
    return !line[strspn(line, " \t")] ? 0 : read_record(line, &record) ? 1 : -1;
}

static bool is(const char *bytes, size_t size)
{
    return tr_text_lines(bytes, size, says);
}

static uint64_t natural(uint64_t address)
{
    return address & 1 ? 1 : address & 2 ? 2 : 4;
}

static void take(struct tr_text *text, const char *line)
{
    struct record r;
    if (!line[strspn(line, " \t")])
        return;
    if (!read_record(line, &r)) {
        tr_input_complain(text->source.in,
                          "'%.40s' is no line of Dinero's; it is a label (%s), an address and "
                          "perhaps a size, in hexadecimal digits",
                          line, labels);
        return;
    }
    tr_text_on(text, 0);
    const uint64_t size = r.sized ? r.size : natural(r.address);
    if (r.label == '2' || r.label == 'i')
        tr_text_instruction(text, r.address, r.sized ? r.size : 4);
    else if (r.label == '0' || r.label == 'r')
        tr_text_refer(text, TR_OP_LOAD, r.address, size);
    else if (r.label == '1' || r.label == 'w')
        tr_text_refer(text, TR_OP_STORE, r.address, size);
}

static bool open_dinero(struct tr_source *source)
{
    ((struct tr_text *)source)->line = take;
    snprintf(source->made, sizeof source->made, "din");
    return true;
}

const struct tr_reader tr_din_reader = {.size = sizeof(struct tr_text),
                                        .is = is,
                                        .open = open_dinero,
                                        .next = tr_text_next,
                                        .close = tr_text_close};

/* ---- writing --------------------------------------------------------------------------------- */

static void put(struct tr_sink *sink, uint32_t thread, const struct tr_op *op, size_t count)
{
    static const char label[TR_OP__COUNT] = {
        [TR_OP_LOAD] = '0', [TR_OP_STORE] = '1',   [TR_OP_FETCH] = '2',  [TR_OP_LL] = '0',
        [TR_OP_SC] = '1',   [TR_OP_ACQUIRE] = '0', [TR_OP_RELEASE] = '1'};
    (void)thread;
    for (; count--; op++)
        if (label[op->kind])
            fprintf(tr_text_out(sink), "%c %" PRIx64 "\n", label[op->kind], op->address);
}

const struct tr_writer tr_din_writer = {.open = tr_text_begin, .put = put, .close = tr_text_end};
