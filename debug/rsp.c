/*
 * The protocol's frame: $text#xx, escapes, acknowledgements, and the character that interrupts.
 *
 * The hard idea: whoever is on the other side may send anything. What is no packet is thrown away
 * up to the next one; what is longer than any packet ends the connection.
 */
#include "debug/rsp.h"

#include "base/alloc.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INTERRUPT = 3, ESCAPE = '}', ESCAPED = 0x20 };

static const struct {
    const char *name;
    dbg_packet_fn *answer;
} packet_rows[] = {
#define PACKET(name, handler, sentence) {name, handler},
#include "debug/packets.def"
};

/* ---- answers --------------------------------------------------------------------------------- */

void dbg_answer(struct dbg_packet *p, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const size_t left = DBG_PACKET - p->answered;
    const int n = vsnprintf(p->answer + p->answered, left, format, ap);
    va_end(ap);
    if (n > 0)
        p->answered += (size_t)n < left ? (size_t)n : left - 1;
}

void dbg_answer_done(struct dbg_packet *p, bool done)
{
    p->answered = 0;
    dbg_answer(p, done ? "OK" : "E01");
}

void dbg_answer_hex(struct dbg_packet *p, const void *bytes, size_t count)
{
    static const char digit[] = "0123456789abcdef";
    const uint8_t *b = bytes;
    for (size_t i = 0; i < count && p->answered + 3 < DBG_PACKET; i++) {
        p->answer[p->answered++] = digit[b[i] >> 4];
        p->answer[p->answered++] = digit[b[i] & 15];
    }
}

void dbg_answer_raw(struct dbg_packet *p, const void *raw, size_t count)
{
    const uint8_t *bytes = raw;
    for (size_t i = 0; i < count && p->answered + 3 < DBG_PACKET; i++) {
        const bool escapes = bytes[i] && strchr("#$}*", bytes[i]);
        if (escapes)
            p->answer[p->answered++] = ESCAPE;
        p->answer[p->answered++] = (char)(escapes ? bytes[i] ^ ESCAPED : bytes[i]);
    }
}

void dbg_answer_piece(struct dbg_packet *p, const char *range, const void *bytes, size_t count)
{
    uint64_t from, most;
    if (!dbg_hex(&range, &from) || !dbg_next(&range, ',') || !dbg_hex(&range, &most)) {
        dbg_answer(p, "E00");
        return;
    }
    from = from < count ? from : count;
    size_t n = count - from < most ? count - (size_t)from : (size_t)most;
    n = n < DBG_PACKET / 2 - 8 ? n : DBG_PACKET / 2 - 8;
    p->answer[p->answered++] = from + n < count ? 'm' : 'l';
    dbg_answer_raw(p, (const uint8_t *)bytes + from, n);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool dbg_hex(const char **text, uint64_t *value)
{
    const char *at = *text;
    bool fits = true;
    for (*value = 0; hex_digit(*at) >= 0; at++) {
        fits &= *value >> 60 == 0;
        *value = *value << 4 | (unsigned)hex_digit(*at);
    }
    const bool any = at != *text;
    *text = at;
    return any && fits;
}

size_t dbg_hex_bytes(const char *text, uint8_t *bytes, size_t most)
{
    size_t n = 0;
    for (; n < most && hex_digit(text[0]) >= 0 && hex_digit(text[1]) >= 0; n++, text += 2)
        bytes[n] = (uint8_t)(hex_digit(text[0]) << 4 | hex_digit(text[1]));
    return n;
}

bool dbg_next(const char **text, char c)
{
    const bool is = **text == c;
    *text += is;
    return is;
}

/* ---- one packet ------------------------------------------------------------------------------ */

void dbg_packet_answer(struct dbg_packet *p, const char *text, size_t count)
{
    p->answered = 0;
    p->none = false;
    for (size_t i = 0; i < sizeof packet_rows / sizeof *packet_rows; i++) {
        const size_t n = strlen(packet_rows[i].name);
        if (count >= n && !memcmp(text, packet_rows[i].name, n)) {
            p->text = text + n;
            p->count = count - n;
            packet_rows[i].answer(p);
            return;
        }
    }
}

/* ---- the connection -------------------------------------------------------------------------- */

static void rsp_log(const struct dbg_session *x, char who, const char *text, size_t count)
{
    if (x->log < 0)
        return;
    char *line = sim_alloc(count + 4, 1);
    line[0] = who;
    line[1] = ' ';
    for (size_t i = 0; i < count; i++)
        line[i + 2] = isprint((unsigned char)text[i]) ? text[i] : '.';
    line[count + 2] = '\n';
    if (write(x->log, line, count + 3) < 0)
        errno = 0;
    free(line);
}

/* The other side has gone: the run goes on by itself. */
static void rsp_lose(struct dbg_session *x)
{
    if (x->fd >= 0)
        close(x->fd);
    x->fd = -1;
    if (x->going != DBG_KILLED)
        x->going = DBG_DETACHED;
}

static void rsp_send(struct dbg_session *x, const char *bytes, size_t count)
{
    while (count && x->fd >= 0) {
        const ssize_t n = write(x->to, bytes, count); /* SIGPIPE is ignored while a program runs */
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            rsp_lose(x);
            return;
        }
        bytes += n;
        count -= (size_t)n;
    }
}

static void rsp_put(struct dbg_session *x, const char *text, size_t count)
{
    char *frame = sim_alloc(count + 5, 1);
    uint8_t sum = 0;
    frame[0] = '$';
    memcpy(frame + 1, text, count);
    for (size_t i = 0; i < count; i++)
        sum = (uint8_t)(sum + (uint8_t)text[i]);
    snprintf(frame + 1 + count, 4, "#%02x", sum);
    rsp_log(x, '<', text, count);
    rsp_send(x, frame, count + 4);
    free(frame);
}

void dbg_say(struct dbg *d, const char *text)
{
    struct dbg_packet p = {.d = d, .answer = sim_alloc(DBG_PACKET, 1)};
    dbg_answer(&p, "O");
    dbg_answer_hex(&p, text, strlen(text));
    if (d->session->fd >= 0)
        rsp_put(d->session, p.answer, p.answered);
    free(p.answer);
}

/* Takes what has come. @param ms  waits so long @return whether anything has */
static bool rsp_receive(struct dbg_session *x, int ms)
{
    struct pollfd in = {.fd = x->fd, .events = POLLIN};
    if (x->fd < 0)
        return false;
    const int ready = poll(&in, 1, ms);
    if (ready == 0 || (ready < 0 && errno == EINTR))
        return false;
    const ssize_t n =
        x->got < sizeof x->in ? read(x->fd, x->in + x->got, sizeof x->in - x->got) : 0;
    if (n > 0)
        x->got += (size_t)n;
    else if (n == 0 || errno != EINTR)
        rsp_lose(x);
    return n > 0;
}

static void rsp_drop(struct dbg_session *x, size_t n)
{
    x->got -= n;
    memmove(x->in, x->in + n, x->got);
}

/* Takes escapes out. @return [bytes] */
static size_t rsp_unescape(char *text, size_t count)
{
    size_t to = 0;
    for (size_t i = 0; i < count; i++) {
        const bool escaped = text[i] == ESCAPE && i + 1 < count;
        i += escaped;
        text[to++] = (char)(escaped ? text[i] ^ ESCAPED : text[i]);
    }
    text[to] = '\0';
    return to;
}

/* Takes a packet out of what has come. @param[out] text  [DBG_PACKET + 1] @return false: there is
 * no whole one; the front of what has come begins one then, or is empty; or who sent it has gone */
static bool rsp_take(struct dbg_session *x, char *text, size_t *count)
{
    const uint8_t *begin = memchr(x->in, '$', x->got);
    rsp_drop(x, begin ? (size_t)(begin - x->in) : x->got);
    const uint8_t *end = x->got ? memchr(x->in, '#', x->got) : NULL;
    if (!end || (size_t)(end - x->in) + 3 > x->got)
        return false;
    *count = (size_t)(end - x->in) - 1;
    memcpy(text, x->in + 1, *count);
    uint8_t sum = 0, said = 0;
    for (size_t i = 0; i < *count; i++)
        sum = (uint8_t)(sum + (uint8_t)text[i]);
    const bool good = dbg_hex_bytes((const char *)end + 1, &said, 1) && (x->no_ack || said == sum);
    rsp_drop(x, *count + 4);
    if (!x->no_ack)
        rsp_send(x, good ? "+" : "-", 1);
    rsp_log(x, '>', text, *count);
    *count = rsp_unescape(text, *count);
    return good && x->fd >= 0;
}

/* Answers the packets that have come, until one lets the run go on. */
static void rsp_answer_all(struct dbg *d, struct dbg_packet *p, char *text)
{
    struct dbg_session *x = d->session;
    size_t count;
    while (x->going == DBG_STANDS && memchr(x->in, '#', x->got)) {
        if (rsp_take(x, text, &count)) {
            dbg_packet_answer(p, text, count);
            if (!p->none)
                rsp_put(x, p->answer, p->answered);
        } else if (x->got && !memchr(x->in, '$', x->got))
            rsp_drop(x, x->got);
        else if (x->got)
            return;
    }
}

static void rsp_stopped(struct dbg *d, struct dbg_packet *p)
{
    char *why = NULL;
    size_t size;
    FILE *out = sim_text_open(&why, &size);
    dbg_say_why(d, out);
    fputc('\n', out);
    sim_text_close(out, &why);
    if (d->session->why == DBG_STOP_OVER || d->session->hit.what == DBG_AT_LINE)
        dbg_say(d, why);
    free(why);
    p->answered = 0;
    dbg_answer_stop(p);
    rsp_put(d->session, p->answer, p->answered);
}

static void rsp_serve(struct dbg *d)
{
    enum { EACH_MS = 200 };
    struct dbg_session *x = d->session;
    struct dbg_packet p = {.d = d, .answer = sim_alloc(DBG_PACKET, 1)};
    char *text = sim_alloc(DBG_PACKET + 1, 1);
    if (x->greeted)
        rsp_stopped(d, &p);
    x->greeted = true;
    if (x->fd < 0)
        rsp_lose(x);
    while (x->going == DBG_STANDS) {
        rsp_answer_all(d, &p, text);
        if (x->going == DBG_STANDS && !rsp_receive(x, EACH_MS) && run_stop_asked(d->live))
            x->going = DBG_KILLED;
    }
    if (x->why == DBG_STOP_OVER && x->going == DBG_GOES && x->until >= d->now) { /* it cannot */
        p.answered = 0;
        dbg_answer_end(&p);
        rsp_put(x, p.answer, p.answered);
    }
    free(text);
    free(p.answer);
}

static bool rsp_asks(struct dbg *d)
{
    struct dbg_session *x = d->session;
    while (x->fd >= 0 && rsp_receive(x, 0))
        ;
    const uint8_t *asked = memchr(x->in, INTERRUPT, x->got);
    if (asked)
        rsp_drop(x, (size_t)(asked - x->in) + 1);
    return asked;
}

const struct dbg_front dbg_gdb = {.serve = rsp_serve, .asks = rsp_asks};
