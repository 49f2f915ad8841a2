/*
 * Traces of any format: what opens them is what their content shows.
 */
#include "programs/traces/source.h"
#include "base/alloc.h"
#include "programs/traces/writers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

const struct tr_format tr_formats[TR_FORMATS] = {
#define FORMAT(name, sentence, reader, writer) {#name, sentence, &(reader), writer},
#include "programs/traces/formats.def"
#undef FORMAT
};

enum tr_more tr_source_complain(struct tr_source *source, uint64_t offset, const char *format, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (!*source->why)
        snprintf(source->why, sizeof source->why, "%.400s: offset %" PRIu64 ": %s",
                 tr_input_path(source->in), offset, text);
    return TR_BAD;
}

bool tr_source_thread(struct tr_source *source, uint64_t name)
{
    const uint32_t n = source->threads;
    if (n == TR_THREADS_MAX)
        return false;
    if (!(n & (n - 1)))
        source->thread = sim_grow(source->thread, n ? 2 * (size_t)n : 1, sizeof *source->thread);
    source->thread[source->threads++] = name;
    return true;
}

/* ---- opening --------------------------------------------------------------------------------- */

/* A source without a file yet. @return NULL: the bytes are of no format */
static struct tr_source *source_recognize(struct tr_input *in)
{
    const char *bytes;
    const size_t size = tr_input_peek(in, &bytes);
    for (unsigned i = 0; i < TR_FORMATS; i++)
        if (tr_formats[i].reader->is(bytes, size)) {
            struct tr_source *source = sim_alloc(1, tr_formats[i].reader->size);
            source->reader = tr_formats[i].reader;
            source->about = (struct tr_about){.format = tr_formats[i].name, .made = source->made};
            return source;
        }
    return NULL;
}

static struct tr_source *open_input(struct tr_input *in, const char *path, char *why, size_t size)
{
    if (!in)
        return NULL;
    struct tr_source *source = source_recognize(in);
    if (!source) {
        const char *wrong = tr_input_why(in);
        if (wrong)
            snprintf(why, size, "%s", wrong);
        else
            snprintf(why, size,
                     "%.400s: offset 0 (line 1): this is no trace; one is of the formats that "
                     "'numachine trace --help' names",
                     path);
        tr_input_close(in);
        return NULL;
    }
    source->in = in;
    if (source->reader->open && !source->reader->open(source)) {
        snprintf(why, size, "%s", tr_why(source));
        tr_close(source);
        return NULL;
    }
    return source;
}

struct tr_source *tr_open(const char *path, char *why, size_t size)
{
    return open_input(tr_input_open(path, why, size), path, why, size);
}

struct tr_source *tr_open_file(FILE *file, const char *path, char *why, size_t size)
{
    return open_input(tr_input_of(file, path, why, size), path, why, size);
}

void tr_close(struct tr_source *source)
{
    if (source->reader->close)
        source->reader->close(source);
    for (uint32_t i = 0; i < source->regions; i++)
        free(source->region[i]);
    free(source->region);
    free(source->page);
    free(source->thread);
    free(source->card);
    tr_input_close(source->in);
    free(source);
}

/* ---- reading --------------------------------------------------------------------------------- */

enum tr_more tr_next(struct tr_source *source, struct tr_batch *out)
{
    return tr_why(source) ? TR_BAD : source->reader->next(source, out);
}

void tr_want(struct tr_source *source, tr_want_fn *want, void *ctx)
{
    source->want = want;
    source->want_ctx = ctx;
}

const char *tr_why(const struct tr_source *source)
{
    return *source->why ? source->why : tr_input_why(source->in);
}

const char *tr_note(const struct tr_source *source)
{
    return *source->note ? source->note : NULL;
}

const struct tr_about *tr_about(const struct tr_source *source)
{
    return &source->about;
}

uint32_t tr_threads(const struct tr_source *source)
{
    return source->threads;
}

uint64_t tr_thread_name(const struct tr_source *source, uint32_t thread)
{
    return source->thread[thread];
}

uint32_t tr_thread_card(const struct tr_source *source, uint32_t thread)
{
    return source->card ? source->card[thread] : 0;
}

size_t tr_pages(const struct tr_source *source, const struct tr_page **pages)
{
    *pages = source->page;
    return source->pages;
}

struct tr_came tr_came(const struct tr_source *source)
{
    return source->came;
}

const char *tr_region(const struct tr_source *source, uint64_t number)
{
    return number < source->regions ? source->region[number] : NULL;
}
