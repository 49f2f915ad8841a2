/*
 * What gdb wants to know of the program and of this side, and the executable that it reads.
 */
#include "base/alloc.h"
#include "base/utf8.h"
#include "debug/past.h"
#include "debug/rsp.h"
#include "debug/target.h"
#include "debug/verbs.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- this side ------------------------------------------------------------------------------- */

void dbg_q_supported(struct dbg_packet *p)
{
    dbg_answer(p,
               "PacketSize=%x;qXfer:features:read+;qXfer:threads:read+;qXfer:auxv:read+;"
               "qXfer:exec-file:read+;vContSupported+;swbreak+;hwbreak+;QStartNoAckMode+;"
               "QPassSignals+;QProgramSignals+;QCatchSyscalls+;ConditionalBreakpoints+",
               DBG_PACKET / 2);
    if (p->d->past)
        dbg_answer(p, ";ReverseStep+;ReverseContinue+");
}

void dbg_q_no_ack(struct dbg_packet *p)
{
    dbg_answer_done(p, true);
    p->d->session->no_ack = true;
}

void dbg_p_extended(struct dbg_packet *p)
{
    (void)p; /* refused: a run is debugged once */
}

void dbg_q_attached(struct dbg_packet *p)
{
    dbg_answer(p, "0");
}

void dbg_q_symbol(struct dbg_packet *p)
{
    dbg_answer_done(p, true);
}

void dbg_q_offsets(struct dbg_packet *p)
{
    dbg_answer(p, "Text=0;Data=0;Bss=0");
}

/* ---- threads --------------------------------------------------------------------------------- */

void dbg_q_current(struct dbg_packet *p)
{
    dbg_answer(p, "QC%x", dbg_thread(p->d));
}

void dbg_q_threads(struct dbg_packet *p)
{
    struct prog_inspected t = {0};
    const char *between = "m";
    while (p->d->inspect->next(p->d->run->self, t.number, &t)) {
        dbg_answer(p, "%s%x", between, t.number);
        between = ",";
    }
    if (!p->answered)
        dbg_answer(p, "l");
}

void dbg_q_threads_more(struct dbg_packet *p)
{
    dbg_answer(p, "l");
}

void dbg_q_thread(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t number;
    struct prog_inspected t;
    char doing[PROG_DOING + 32];
    if (!dbg_hex(&text, &number) || !p->d->inspect->thread(p->d->run->self, (uint32_t)number, &t)) {
        dbg_answer(p, "E01");
        return;
    }
    snprintf(doing, sizeof doing, "card %u: %s", t.card, t.doing);
    dbg_answer_hex(p, doing, strlen(doing));
}

/* What XML cannot have, as the half of a character at which a thread's name was cut, is '?'. */
static void xml_text(FILE *out, const char *text)
{
    uint32_t code;
    for (size_t length; *text; text += length ? length : 1) {
        length = sim_utf8(text, strlen(text), &code);
        if (!length || code < ' ' || code == 0xfffe || code == 0xffff)
            fputc('?', out);
        else if (strchr("<>&\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            fwrite(text, 1, length, out);
    }
}

void dbg_x_threads(struct dbg_packet *p)
{
    struct prog_inspected t = {0};
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    fputs("<?xml version=\"1.0\"?><threads>", out);
    while (p->d->inspect->next(p->d->run->self, t.number, &t)) {
        fprintf(out, "<thread id=\"%x\" core=\"%u\" name=\"", t.number, t.card);
        xml_text(out, t.name);
        fprintf(out, "\">card %u: ", t.card);
        xml_text(out, t.doing);
        fputs("</thread>", out);
    }
    fputs("</threads>", out);
    sim_text_close(out, &text);
    dbg_answer_piece(p, p->text, text, strlen(text));
    free(text);
}

/* ---- the program ----------------------------------------------------------------------------- */

void dbg_x_features(struct dbg_packet *p)
{
    char *xml = dbg_target_xml(&p->d->binary);
    dbg_answer_piece(p, p->text, xml, strlen(xml));
    free(xml);
}

void dbg_x_auxv(struct dbg_packet *p)
{
    const struct prog_binary *b = &p->d->binary;
    const size_t size = (size_t)b->auxv_count * b->word;
    uint8_t *bytes = sim_alloc(size, 1);
    for (unsigned i = 0; i < b->auxv_count; i++)
        dbg_bytes_of(b, b->auxv[i], b->word, bytes + (size_t)i * b->word);
    dbg_answer_piece(p, p->text, bytes, size);
    free(bytes);
}

/* The name as gdb's own files have it. The caller's. */
static char *exec_path(const struct dbg_packet *p)
{
    char *path = realpath(p->d->binary.path, NULL);
    return path ? path : sim_strdup(p->d->binary.path);
}

void dbg_x_exec_file(struct dbg_packet *p)
{
    const char *range = strchr(p->text, ':');
    char *path = exec_path(p);
    dbg_answer_piece(p, range ? range + 1 : p->text, path, strlen(path));
    free(path);
}

/* ---- monitor commands ------------------------------------------------------------------------ */

void dbg_q_command(struct dbg_packet *p)
{
    char *line = sim_alloc(p->count / 2 + 1, 1), *text = NULL;
    size_t size;
    const size_t count = dbg_hex_bytes(p->text, (uint8_t *)line, p->count / 2);
    FILE *out = sim_text_open(&text, &size);
    dbg_verb(p->d, line, count, DBG_VERB_MONITOR, out);
    sim_text_close(out, &text);
    free(line);
    if (*text)
        dbg_answer_hex(p, text, strlen(text));
    else
        dbg_answer_done(p, true);
    free(text);
}

/* ---- the executable, for who has none -------------------------------------------------------- */

enum { EXECUTABLE = 3, NO_FILE = 2, BAD_FILE = 9 };

void dbg_v_setfs(struct dbg_packet *p)
{
    dbg_answer(p, "F0");
}

/* Of all files, only this one. */
void dbg_v_open(struct dbg_packet *p)
{
    char name[4096];
    name[dbg_hex_bytes(p->text, (uint8_t *)name, sizeof name - 1)] = '\0';
    char *path = exec_path(p);
    if (!strcmp(name, path))
        dbg_answer(p, "F%x", EXECUTABLE);
    else
        dbg_answer(p, "F-1,%x", NO_FILE);
    free(path);
}

void dbg_v_close(struct dbg_packet *p)
{
    dbg_answer(p, "F0");
}

void dbg_v_pread(struct dbg_packet *p)
{
    enum { MOST = DBG_PACKET / 4 };
    const char *text = p->text;
    uint64_t file, count, at;
    if (!dbg_hex(&text, &file) || !dbg_next(&text, ',') || !dbg_hex(&text, &count) ||
        !dbg_next(&text, ',') || !dbg_hex(&text, &at) || file != EXECUTABLE) {
        dbg_answer(p, "F-1,%x", BAD_FILE);
        return;
    }
    char *bytes = sim_alloc(MOST, 1);
    const int fd = open(p->d->binary.path, O_RDONLY | O_CLOEXEC);
    const ssize_t n =
        fd < 0 ? -1 : pread(fd, bytes, count < MOST ? (size_t)count : MOST, (off_t)at);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        dbg_answer(p, "F-1,%x", BAD_FILE);
    else {
        dbg_answer(p, "F%zx;", (size_t)n);
        dbg_answer_raw(p, bytes, (size_t)n);
    }
    free(bytes);
}

/* As the protocol's struct stat: big-endian, whoever talks. */
void dbg_v_fstat(struct dbg_packet *p)
{
    enum { BYTES = 64, MODE_AT = 8, SIZE_AT = 28, REGULAR = 0100755 };
    const struct prog_binary big = {.little = false};
    uint8_t bytes[BYTES] = {0};
    struct stat st;
    if (stat(p->d->binary.path, &st) != 0) {
        dbg_answer(p, "F-1,%x", BAD_FILE);
        return;
    }
    dbg_bytes_of(&big, REGULAR, 4, bytes + MODE_AT);
    dbg_bytes_of(&big, (uint64_t)st.st_size, 8, bytes + SIZE_AT);
    dbg_answer(p, "F%x;", BYTES);
    dbg_answer_raw(p, bytes, BYTES);
}
