/*
 * valgrind --tool=lackey --trace-mem=yes: "I  addr,size" for an instruction, " L addr,size",
 * " S addr,size" and " M addr,size" (loads, stores, both) for what it refers to, and between them
 * what valgrind itself has to say: behind "==PID==", "--PID--", "--PID:LEVEL:..." or "**PID**",
 * with the time in front of the number if --time-stamp=yes. There are no threads in it.
 */
#include "programs/traces/text.h"
#include "programs/traces/writers.h"

#include <inttypes.h>
#include <string.h>

/* "00:00:00:06.259 ": days, hours, minutes and seconds of valgrind's. */
static void pass_time(const char **text)
{
    const size_t n = strspn(*text, "0123456789:.");
    if (memchr(*text, '.', n) && (*text)[n] == ' ')
        *text += n + 1;
}

/* What valgrind says itself. @param[out] pid  of the process of which */
static bool is_remark(const char *line, uint64_t *pid)
{
    const char *p = line, mark = *p;
    if (!(tr_text_word(&p, "==") || tr_text_word(&p, "--") || tr_text_word(&p, "**")))
        return false;
    pass_time(&p);
    return tr_text_decimal(&p, pid) && ((p[0] == mark && p[1] == mark) || p[0] == ':');
}

/* @return the record's letter, 0: it is none */
static char lackey_read_record(const char *line, uint64_t *address, uint64_t *size)
{
    const char letter = line[0] == 'I' && line[1] == ' '              ? 'I'
                        : line[0] == ' ' && line[1] && line[2] == ' ' ? line[1]
                                                                      : '\0';
    if (!letter || !strchr("ILSM", letter))
        return '\0';
    line += 2;
    tr_text_blanks(&line);
    const bool good = tr_text_hex(&line, address) && *line++ == ',' && tr_text_decimal(&line, size);
    tr_text_blanks(&line);
    return good && !*line ? letter : '\0';
}

static int lackey_says(const char *line)
{
    uint64_t address, size, pid;
    return !*line                  ? 0
           : is_remark(line, &pid) ? strstr(line, "Lackey") || strstr(line, "lackey") ? 1 : 0
           : lackey_read_record(line, &address, &size) ? 1
                                                       : -1;
}

static bool lackey_is(const char *bytes, size_t size)
{
    return tr_text_lines(bytes, size, lackey_says);
}

static void lackey_take(struct tr_text *text, const char *line)
{
    uint64_t address = 0, size = 0, pid;
    if (!*line)
        return;
    if (is_remark(line, &pid)) {
        tr_text_of_process(text, pid, "give each its own with valgrind's --log-file=FILE.%p");
        return;
    }
    const char letter = lackey_read_record(line, &address, &size);
    if (!letter) {
        tr_input_complain(text->source.in,
                          "'%.40s' is no line of lackey's; keep what the program prints apart, "
                          "with valgrind's --log-file=FILE",
                          line);
        return;
    }
    tr_text_on(text, 0);
    if (letter == 'I')
        tr_text_instruction(text, address, size);
    if (letter == 'L' || letter == 'M')
        tr_text_refer(text, TR_OP_LOAD, address, size);
    if (letter == 'S' || letter == 'M')
        tr_text_refer(text, TR_OP_STORE, address, size);
}

static bool open_lackey(struct tr_source *source)
{
    ((struct tr_text *)source)->line = lackey_take;
    source->about.page = 4096;
    snprintf(source->made, sizeof source->made, "valgrind --tool=lackey");
    return true;
}

const struct tr_reader tr_lackey_reader = {.size = sizeof(struct tr_text),
                                           .is = lackey_is,
                                           .open = open_lackey,
                                           .next = tr_text_next,
                                           .close = tr_text_close};

/* ---- writing --------------------------------------------------------------------------------- */

static void lackey_put(struct tr_sink *sink, uint32_t thread, const struct tr_op *op, size_t count)
{
    (void)thread;
    for (; count--; op++)
        switch (op->kind) {
        case TR_OP_FETCH:
            fprintf(tr_text_out(sink), "I  %08" PRIx64 ",4\n", op->address);
            break;
        case TR_OP_LOAD:
        case TR_OP_LL:
        case TR_OP_ACQUIRE:
            fprintf(tr_text_out(sink), " L %08" PRIx64 ",%u\n", op->address, op->size);
            break;
        case TR_OP_STORE:
        case TR_OP_SC:
        case TR_OP_RELEASE:
            fprintf(tr_text_out(sink), " S %08" PRIx64 ",%u\n", op->address, op->size);
            break;
        default:
            break;
        }
}

const struct tr_writer tr_lackey_writer = {
    .open = tr_text_begin, .put = lackey_put, .close = tr_text_end};
