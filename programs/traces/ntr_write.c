/*
 * Writing our own files, from front to back: into a pipe, too.
 */
#include "base/alloc.h"
#include "programs/traces/ntr.h"
#include "programs/traces/writers.h"

#include <string.h>
#include <xxhash.h>

enum {
    KEPT = 1 << 22,     /* records of all threads together that are not in the file yet, about */
    BLOCK_MIN = 1 << 11 /* records that are worth a block, even if the threads are many */
};

/* A thread while its next block comes together. */
struct thread {
    struct tr_op *op; /* [room] */
    uint32_t records, room;
    uint64_t references, instructions; /* before that block */
    uint64_t name;
    uint32_t card; /* on which it began, */
    uint32_t at;   /* and is before that block */
};

struct tr_sink {
    FILE *out;
    struct tr_coder *coder;
    struct thread *thread;
    uint32_t threads;
    char **region;
    uint32_t regions;
    struct tr_page *page;
    size_t pages, early;
    bool has_come; /* the head has said so, */
    struct tr_came come;
    struct tr_block *block;
    size_t blocks;
    uint64_t at; /* [bytes] in the file */
};

static void put_bytes(struct tr_sink *sink, const void *bytes, size_t size)
{
    fwrite(bytes, 1, size, sink->out);
    sink->at += size;
}

static void put_number(struct tr_sink *sink, uint64_t value)
{
    uint8_t bytes[8];
    tr_put64(bytes, value);
    put_bytes(sink, bytes, sizeof bytes);
}

static struct tr_sink *ntr_write_begin(FILE *out, const struct tr_about *about)
{
    struct tr_sink *sink = sim_alloc(1, sizeof *sink);
    uint8_t head[TR_NTR_HEAD + TR_NAME_MAX];
    const size_t length = strnlen(about->made, TR_NAME_MAX);
    sink->out = out;
    sink->coder = tr_coder_new();
    memcpy(head, TR_NTR_MAGIC, TR_NTR_MAGIC_SIZE);
    tr_put32(head + 8, TR_NTR_VERSION);
    sink->has_come = about->came && !about->part;
    tr_put32(head + 12, about->timed | (uint32_t)about->part << 1 | (uint32_t)sink->has_come << 2);
    tr_put32(head + 16, about->page);
    tr_put32(head + 20, (uint32_t)length);
    tr_put64(head + 24, about->where);
    memcpy(head + TR_NTR_HEAD, about->made, length);
    put_bytes(sink, head, TR_NTR_HEAD + length);
    put_number(sink, XXH64(head, TR_NTR_HEAD + length, 0));
    return sink;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void note_block(struct tr_sink *sink, const struct tr_block *block)
{
    if (!(sink->blocks & (sink->blocks - 1)))
        sink->block = sim_grow(sink->block, sink->blocks ? 2 * sink->blocks : 1, sizeof *block);
    sink->block[sink->blocks++] = *block;
}

static void write_block(struct tr_sink *sink, uint32_t thread)
{
    struct thread *t = &sink->thread[thread];
    const struct tr_block block = {.offset = sink->at,
                                   .references = t->references,
                                   .instructions = t->instructions,
                                   .thread = thread,
                                   .records = t->records,
                                   .card = t->at};
    size_t size;
    if (!t->records)
        return;
    const uint8_t *bytes = tr_block_code(sink->coder, &block, t->op, &size);
    note_block(sink, &block);
    put_bytes(sink, bytes, size);
    for (uint32_t i = 0; i < t->records; i++) {
        t->references += tr_op_is_reference(&t->op[i]);
        t->instructions += tr_op_instructions(&t->op[i]);
        if (t->op[i].kind == TR_OP_MOVE)
            t->at = (uint32_t)(t->op[i].value % TR_NTR_CARDS);
    }
    t->records = 0;
}

static void ntr_write_thread(struct tr_sink *sink, uint32_t number, uint64_t name, uint32_t card)
{
    if (number >= sink->threads) {
        sink->thread = sim_grow(sink->thread, number + (size_t)1, sizeof *sink->thread);
        for (uint32_t i = sink->threads; i <= number; i++)
            sink->thread[i] = (struct thread){.name = i};
        sink->threads = number + 1;
    }
    sink->thread[number].name = name;
    sink->thread[number].card = sink->thread[number].at = card % TR_NTR_CARDS;
}

static uint32_t block_records(const struct tr_sink *sink)
{
    const uint32_t share = KEPT / sink->threads;
    return share > TR_BLOCK_RECORDS ? TR_BLOCK_RECORDS : share < BLOCK_MIN ? BLOCK_MIN : share;
}

static void ntr_write_put(struct tr_sink *sink, uint32_t number, const struct tr_op *op,
                          size_t count)
{
    if (number >= sink->threads)
        ntr_write_thread(sink, number, number, 0);
    struct thread *t = &sink->thread[number];
    const uint32_t full = block_records(sink);
    while (count) {
        const size_t room = t->records < full ? full - t->records : 0,
                     n = count < room ? count : room;
        if (t->records + n > t->room) {
            const size_t doubled = 2 * (t->records + n);
            t->room = (uint32_t)(doubled < full ? doubled : full);
            t->op = sim_grow(t->op, t->room, sizeof *t->op);
        }
        memcpy(t->op + t->records, op, n * sizeof *op);
        t->records += (uint32_t)n;
        op += n;
        count -= n;
        if (t->records >= full)
            write_block(sink, number);
    }
}

static void ntr_write_region(struct tr_sink *sink, uint64_t number, const char *name)
{
    if (number >= TR_NAMES_MAX)
        return;
    if (number >= sink->regions) {
        sink->region = sim_grow(sink->region, number + 1, sizeof *sink->region);
        for (uint32_t i = sink->regions; i <= number; i++)
            sink->region[i] = NULL;
        sink->regions = (uint32_t)number + 1;
    }
    free(sink->region[number]);
    sink->region[number] = sim_strndup(name, TR_NAME_MAX);
}

static void ntr_write_page(struct tr_sink *sink, const struct tr_page *one)
{
    if (!(sink->pages & (sink->pages - 1)))
        sink->page = sim_grow(sink->page, sink->pages ? 2 * sink->pages : 1, sizeof *sink->page);
    sink->page[sink->pages++] = *one;
    if (one->early)
        sink->early = sink->pages;
}

static void ntr_write_came(struct tr_sink *sink, const struct tr_came *come)
{
    sink->come = *come;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void ntr_write_append(uint8_t **bytes, size_t *size, const void *more, size_t n)
{
    *bytes = sim_grow(*bytes, *size + n, 1);
    memcpy(*bytes + *size, more, n);
    *size += n;
}

static void ntr_write_append64(uint8_t **bytes, size_t *size, uint64_t value)
{
    uint8_t number[8];
    tr_put64(number, value);
    ntr_write_append(bytes, size, number, sizeof number);
}

static void append_thread(uint8_t **bytes, size_t *size, const struct thread *thread)
{
    uint8_t row[TR_NTR_INDEX_THREAD];
    tr_put64(row, thread->name);
    tr_put32(row + 8, thread->card);
    ntr_write_append(bytes, size, row, sizeof row);
}

static void append_region(uint8_t **bytes, size_t *size, const char *name)
{
    uint8_t length[4];
    const size_t n = name ? strlen(name) : 0;
    tr_put32(length, (uint32_t)n);
    ntr_write_append(bytes, size, length, sizeof length);
    ntr_write_append(bytes, size, name, n);
}

static uint8_t *make_index(const struct tr_sink *sink, size_t *size)
{
    uint8_t *index = NULL;
    *size = 0;
    ntr_write_append64(&index, size, sink->threads);
    for (uint32_t i = 0; i < sink->threads; i++)
        append_thread(&index, size, &sink->thread[i]);
    ntr_write_append64(&index, size, sink->regions);
    for (uint32_t i = 0; i < sink->regions; i++)
        append_region(&index, size, sink->region[i]);
    ntr_write_append64(&index, size, (uint64_t)sink->early << 32 | sink->pages);
    for (size_t i = 0; i < sink->pages; i++) {
        ntr_write_append64(&index, size, sink->page[i].va);
        ntr_write_append64(&index, size, sink->page[i].pa);
    }
    const uint64_t come[] = {sink->come.machine, sink->come.ticks, sink->come.misses,
                             sink->come.nacks};
    for (size_t i = 0; sink->has_come && i < sizeof come / sizeof *come; i++)
        ntr_write_append64(&index, size, come[i]);
    ntr_write_append64(&index, size, sink->blocks);
    const size_t at = *size;
    *size += sink->blocks * TR_NTR_INDEX_ROW;
    index = sim_grow(index, *size, 1);
    for (size_t i = 0; i < sink->blocks; i++) {
        const struct tr_block *b = &sink->block[i];
        uint8_t *row = index + at + i * TR_NTR_INDEX_ROW;
        tr_put64(row, b->offset);
        tr_put64(row + 8, b->references);
        tr_put64(row + 16, b->instructions);
        tr_put32(row + 24, b->thread);
        tr_put32(row + 28, b->records);
    }
    return index;
}

static void ntr_write_end(struct tr_sink *sink)
{
    size_t size;
    for (uint32_t i = 0; i < sink->threads; i++)
        write_block(sink, i);
    uint8_t *index = make_index(sink, &size);
    const uint64_t at = sink->at;
    put_bytes(sink, index, size);
    put_bytes(sink, TR_NTR_TAIL, 8);
    put_number(sink, at);
    put_number(sink, size);
    put_number(sink, XXH64(index, size, 0));
    free(index);
    for (uint32_t i = 0; i < sink->threads; i++)
        free(sink->thread[i].op);
    for (uint32_t i = 0; i < sink->regions; i++)
        free(sink->region[i]);
    free(sink->thread);
    free(sink->region);
    free(sink->page);
    free(sink->block);
    tr_coder_free(sink->coder);
    free(sink);
}

const struct tr_writer tr_ntr_writer = {.threads = true,
                                        .open = ntr_write_begin,
                                        .thread = ntr_write_thread,
                                        .region = ntr_write_region,
                                        .page = ntr_write_page,
                                        .came = ntr_write_came,
                                        .put = ntr_write_put,
                                        .close = ntr_write_end};
