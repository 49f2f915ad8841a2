/*
 * Files that may be compressed. The idea: two buffers, of packed and of plain bytes, and a function
 * that fills the second from the first; whatever the file says, nothing grows.
 */
#include "programs/traces/input.h"
#include "base/alloc.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <zlib.h>
#include <zstd.h>

enum {
    PACKED = 1 << 16,
    PLAIN = 1 << 17,
    WINDOW_LOG = 27 /**< [log2 bytes] that zstd may want to look back, as its own command */
};
_Static_assert(PLAIN >= TR_INPUT_PEEK + TR_INPUT_LINE, "the peek fits");

struct tr_input {
    FILE *file;
    char *path;
    /* Fills `plain` behind `end`. @return how many bytes, 0: the end, or `why` is set */
    size_t (*more)(struct tr_input *in);
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool within; /**< of a compressed stream that has not ended */
    uint8_t packed[PACKED];
    size_t packed_at, packed_end;
    char plain[PLAIN + 1];
    size_t at, end;  /**< in `plain`: what has not been read */
    uint64_t offset; /**< [bytes] of the last line in the unpacked file, and */
    uint64_t next;   /**< ... of plain[at] */
    uint64_t line;   /**< from 1 on */
    bool open_end;   /**< the last line has no end */
    char why[1024];
};

void tr_input_complain(struct tr_input *in, const char *format, ...)
{
    char text[512];
    if (*in->why)
        return;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    snprintf(in->why, sizeof in->why, "%.400s: offset %" PRIu64 " (line %" PRIu64 "): %s", in->path,
             in->offset, in->line ? in->line : 1, text);
}

/* What is wrong with the packed bytes has no line. */
static void complain_packed(struct tr_input *in, const char *what)
{
    if (!*in->why)
        snprintf(in->why, sizeof in->why,
                 "%.400s: offset %ld: %s; unpack it by hand to see how far it is good", in->path,
                 ftell(in->file) - (long)(in->packed_end - in->packed_at), what);
}

/* The host did not give the bytes. */
static void complain_file(struct tr_input *in)
{
    const char *what = strerror(errno);
    if (!*in->why)
        snprintf(in->why, sizeof in->why, "%.400s: cannot be read: %s", in->path, what);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static bool input_refill(struct tr_input *in)
{
    if (in->packed_at < in->packed_end)
        return true;
    in->packed_at = 0;
    in->packed_end = fread(in->packed, 1, sizeof in->packed, in->file);
    if (ferror(in->file))
        complain_file(in);
    return in->packed_end > 0;
}

static size_t more_plain(struct tr_input *in)
{
    const size_t n = fread(in->plain + in->end, 1, PLAIN - in->end, in->file);
    if (ferror(in->file))
        complain_file(in);
    return n;
}

/* At the end of the packed bytes. */
static size_t input_ended(struct tr_input *in)
{
    if (in->within)
        complain_packed(in, "the compressed file is truncated");
    return 0;
}

static size_t more_gzip(struct tr_input *in)
{
    const size_t room = PLAIN - in->end;
    in->gzip.next_out = (Bytef *)in->plain + in->end;
    in->gzip.avail_out = (uInt)room;
    while (in->gzip.avail_out == room) {
        if (!input_refill(in))
            return input_ended(in);
        in->gzip.next_in = in->packed + in->packed_at;
        in->gzip.avail_in = (uInt)(in->packed_end - in->packed_at);
        in->within = true;
        const int done = inflate(&in->gzip, Z_NO_FLUSH);
        in->packed_at = in->packed_end - in->gzip.avail_in;
        if (done == Z_STREAM_END) {
            in->within = false;
            inflateReset(&in->gzip);
        } else if (done != Z_OK) {
            complain_packed(in, "the file is no sound gzip");
            return 0;
        }
    }
    return room - in->gzip.avail_out;
}

static size_t more_zstd(struct tr_input *in)
{
    ZSTD_outBuffer out = {in->plain + in->end, PLAIN - in->end, 0};
    while (!out.pos) {
        if (!input_refill(in))
            return input_ended(in);
        ZSTD_inBuffer bytes = {in->packed, in->packed_end, in->packed_at};
        const size_t left = ZSTD_decompressStream(in->zstd, &out, &bytes);
        in->packed_at = bytes.pos;
        in->within = left;
        if (ZSTD_isError(left)) {
            complain_packed(in, ZSTD_getErrorName(left));
            return 0;
        }
    }
    return out.pos;
}

/* Moves what has not been read to the front, and reads on. @return false: there is no more */
static bool input_fill(struct tr_input *in)
{
    memmove(in->plain, in->plain + in->at, in->end - in->at);
    in->end -= in->at;
    in->at = 0;
    const size_t n = *in->why || in->end == PLAIN ? 0 : in->more(in);
    in->end += n;
    return n;
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool begin_gzip(struct tr_input *in)
{
    in->more = more_gzip;
    return inflateInit2(&in->gzip, MAX_WBITS + 16) == Z_OK;
}

static bool begin_zstd(struct tr_input *in)
{
    in->more = more_zstd;
    in->zstd = ZSTD_createDStream();
    return in->zstd && !ZSTD_isError(ZSTD_initDStream(in->zstd)) &&
           !ZSTD_isError(ZSTD_DCtx_setParameter(in->zstd, ZSTD_d_windowLogMax, WINDOW_LOG));
}

/* Which way the bytes come. */
static void input_choose(struct tr_input *in)
{
    static const uint8_t gzip[] = {0x1f, 0x8b}, zstd[] = {0x28, 0xb5, 0x2f, 0xfd};
    bool good = true;
    input_refill(in);
    if (in->packed_end >= sizeof gzip && !memcmp(in->packed, gzip, sizeof gzip))
        good = begin_gzip(in);
    else if (in->packed_end >= sizeof zstd && !memcmp(in->packed, zstd, sizeof zstd))
        good = begin_zstd(in);
    else {
        in->more = more_plain;
        in->end = in->packed_end;
        memcpy(in->plain, in->packed, in->packed_end);
        in->packed_at = in->packed_end = 0;
    }
    if (!good)
        sim_no_memory();
}

/* Editors of some systems put it in front of a text. */
static void pass_byte_order_mark(struct tr_input *in)
{
    static const char mark[] = {'\xef', '\xbb', '\xbf'};
    const char *bytes;
    if (tr_input_peek(in, &bytes) < sizeof mark || memcmp(bytes, mark, sizeof mark) != 0)
        return;
    in->at += sizeof mark;
    in->next += sizeof mark;
}

struct tr_input *tr_input_open(const char *path, char *why, size_t size)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        snprintf(why, size, "%.400s: %s", path, strerror(errno));
    return file ? tr_input_of(file, path, why, size) : NULL;
}

struct tr_input *tr_input_of(FILE *file, const char *path, char *why, size_t size)
{
    struct tr_input *in = sim_alloc(1, sizeof *in);
    in->file = file;
    in->path = sim_strdup(path);
    input_choose(in);
    if (*in->why) {
        snprintf(why, size, "%s", in->why);
        tr_input_close(in);
        return NULL;
    }
    pass_byte_order_mark(in);
    return in;
}

void tr_input_close(struct tr_input *in)
{
    if (in->more == more_gzip)
        inflateEnd(&in->gzip);
    ZSTD_freeDStream(in->zstd);
    fclose(in->file);
    free(in->path);
    free(in);
}

/* ---- reading --------------------------------------------------------------------------------- */

size_t tr_input_peek(struct tr_input *in, const char **bytes)
{
    while (in->end - in->at < TR_INPUT_PEEK && input_fill(in))
        ;
    *bytes = in->plain + in->at;
    return in->end - in->at < TR_INPUT_PEEK ? in->end - in->at : TR_INPUT_PEEK;
}

static void input_take(struct tr_input *in, size_t length)
{
    in->offset = in->next;
    in->next += length;
    in->at += length;
    in->line++;
}

bool tr_input_line(struct tr_input *in, const char **line)
{
    char *from = in->plain + in->at, *to = memchr(from, '\n', in->end - in->at);
    while (!to && in->end - in->at <= TR_INPUT_LINE && input_fill(in)) {
        from = in->plain;
        to = memchr(from, '\n', in->end);
    }
    from = in->plain + in->at;
    const size_t length = to ? (size_t)(to - from) : in->end - in->at;
    if (*in->why || (!to && !length))
        return false;
    input_take(in, length + !!to);
    in->open_end = !to;
    if (length > TR_INPUT_LINE || memchr(from, '\0', length)) {
        tr_input_complain(in,
                          length > TR_INPUT_LINE
                              ? "a line of more than %d bytes; this is no trace's text"
                              : "a zero byte within the first %d bytes of a line; this is no text",
                          TR_INPUT_LINE);
        return false;
    }
    from[length] = '\0';
    if (length && from[length - 1] == '\r')
        from[length - 1] = '\0';
    *line = from;
    return true;
}

FILE *tr_input_file(struct tr_input *in)
{
    return in->more == more_plain ? in->file : NULL;
}

const char *tr_input_path(const struct tr_input *in)
{
    return in->path;
}

bool tr_input_cut(struct tr_input *in, uint64_t *line)
{
    if (!*in->why || !in->open_end)
        return false;
    *in->why = '\0';
    *line = in->line;
    return true;
}

const char *tr_input_why(const struct tr_input *in)
{
    return *in->why ? in->why : NULL;
}
