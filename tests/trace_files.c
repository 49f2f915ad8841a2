/*
 * Trace files: what was written is read, every thread's records in their order; a file that is cut
 * off anywhere, or that has one bit turned anywhere, is refused.
 */
#include "base/alloc.h"
#include "programs/traces/ntr.h"
#include "programs/traces/writers.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

enum { THREADS = 3, RECORDS = 150000 };

static uint64_t roll(uint64_t *dice)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return *dice >> 20;
}

/* The i-th record of a thread: some loops, some that nobody could guess. */
static struct tr_op record(uint32_t thread, uint32_t i)
{
    uint64_t dice = ((uint64_t)thread << 32 | i) * 77;
    struct tr_op op = {.kind = (uint8_t)(i % 7 ? i % 3 : roll(&dice) % TR_OP__COUNT)};
    const struct tr_op_row *row = &tr_op_rows[op.kind];
    roll(&dice);
    op.gap = i % 50 ? i % 5 : (uint32_t)roll(&dice);
    if (row->sort != TR_NOTE)
        op.address = i % 11 ? 0x400000 * (thread + 1) + 8 * (uint64_t)i
                            : roll(&dice) << (20 * (i % 3)) | roll(&dice) % 64;
    if (row->sort == TR_REFERENCE && op.kind != TR_OP_FETCH)
        op.size = (uint8_t)(1 + i % 8);
    if (row->value) /* instructions add up to less than 2^64 */
        op.value = i % 2 || op.kind == TR_OP_COMPUTE ? roll(&dice) : ~UINT64_C(0) - i;
    return op;
}

/* What is mostly plain, as a program's: loops, long ways without a fetch, and here and there what
 * is none, is not aligned, or has a gap that is long. */
static struct tr_op plain_record(uint32_t thread, uint32_t i)
{
    uint64_t dice = ((uint64_t)thread << 32 | i) * 77;
    const bool odd = roll(&dice) % 23 == 0;
    struct tr_op op = {.kind = i % 2000 > 400 && i % (3 + thread) == 0 ? TR_OP_FETCH : i % 2,
                       .size = (uint8_t)(1 << i / 7 % 4),
                       .gap = i % 3 ? i % 5 : 0};
    op.address = op.kind == TR_OP_FETCH ? 0x400000 + i / 9 % 4 * 4096 + i % 9 * 32
                                        : 0x7000000 + roll(&dice) % (1 + i % 4) * 4096 + i / 64 * 8;
    if (odd && roll(&dice) % 2)
        return record(thread, i);
    if (odd)
        op.gap = (uint32_t)(roll(&dice) % 70000);
    op.address += odd && i % 5 == 0 ? 3 : 0;
    if (op.kind == TR_OP_FETCH)
        op.size = 0;
    return op;
}

/* The same without instructions. */
static struct tr_op data_record(uint32_t thread, uint32_t i)
{
    struct tr_op op = plain_record(thread, i);
    if (op.kind == TR_OP_FETCH) {
        op.kind = TR_OP_SC_FAILED;
        op.size = 4;
    }
    return op;
}

/* A loop of two ways, of which one has a look at a word that threads synchronise with; now and then
 * it goes elsewhere. */
static struct tr_op loop_record(uint32_t thread, uint32_t i)
{
    enum { ROUND = 8 };
    const uint32_t at = i % ROUND, round = i / ROUND, detour = round % 37 == 36 ? 4096 : 0;
    struct tr_op op = {.kind = at % 4 ? TR_OP_STORE : TR_OP_FETCH,
                       .size = at % 4 ? 4 : 0,
                       .gap = at % 3,
                       .address = at % 4 ? 0x7000000 + thread * 4096 + at * 65536 + round * 8
                                         : 0x400000 + detour + at * 32};
    if (at == 5) {
        op.kind = TR_OP_ACQUIRE;
        op.value = round / 3;
    }
    return op;
}

typedef struct tr_op record_of_fn(uint32_t thread, uint32_t i);

/* Writes `records` of each thread in pieces of any length. The caller's name. */
static char *write_these(uint32_t records, record_of_fn *record_of)
{
    char *path = scratch_pattern();
    const int fd = mkstemp(path);
    FILE *out = fdopen(fd, "wb");
    const struct tr_about about = {.made = "a test", .timed = true, .came = true, .page = 16384};
    struct tr_sink *sink = tr_ntr_writer.open(out, &about);
    struct tr_op *op = sim_alloc(records, sizeof *op);
    for (uint32_t t = 0; t < THREADS; t++) {
        tr_ntr_writer.thread(sink, t, 1000 + t, 7 * t);
        for (uint32_t i = 0; i < records; i++)
            op[i] = record_of(t, i);
        for (uint32_t at = 0, n = 1; at < records; at += n, n = 3 * n + 1) {
            n = n < records - at ? n : records - at;
            tr_ntr_writer.put(sink, t, op + at, n);
        }
    }
    tr_ntr_writer.region(sink, 0, "inner");
    tr_ntr_writer.came(sink, &(struct tr_came){UINT64_MAX, 2, 3, 4});
    tr_ntr_writer.page(sink, &(struct tr_page){0x400000, 0x10000, true});
    tr_ntr_writer.close(sink);
    fclose(out);
    free(op);
    return path;
}

static char *write_some(uint32_t records)
{
    return write_these(records, record);
}

static void check_same(const struct tr_op *a, const struct tr_op *b, uint32_t i)
{
    cr_assert(a->kind == b->kind && a->gap == b->gap && a->size == b->size, "record %u", i);
    cr_assert(a->address == b->address && a->value == b->value, "record %u of kind %u", i, a->kind);
}

Test(trace_files, what_was_written_is_read)
{
    char *path = write_some(RECORDS), why[1024];
    struct tr_source *s = tr_open(path, why, sizeof why);
    uint32_t at[THREADS] = {0};
    uint64_t references[THREADS] = {0}, instructions[THREADS] = {0};
    struct tr_batch batch;
    enum tr_more more;
    cr_assert(s, "%s", why);
    cr_assert_str_eq(tr_about(s)->made, "a test");
    cr_assert(tr_about(s)->timed && tr_about(s)->page == 16384);
    const struct tr_came came = tr_came(s);
    cr_assert(came.machine == UINT64_MAX && came.ticks == 2 && came.misses == 3 && came.nacks == 4);
    cr_assert_eq(tr_threads(s), THREADS);
    cr_assert_eq(tr_thread_name(s, 2), 1002);
    cr_assert_eq(tr_thread_card(s, 2), 14);
    cr_assert_str_eq(tr_region(s, 0), "inner");
    const struct tr_page *page;
    cr_assert(tr_pages(s, &page) == 1 && page->va == 0x400000 && page->pa == 0x10000 &&
              page->early);
    while ((more = tr_next(s, &batch)) == TR_MORE) {
        const uint32_t t = batch.thread;
        cr_assert_eq(batch.references, references[t]);
        cr_assert_eq(batch.instructions, instructions[t]);
        for (size_t i = 0; i < batch.count; i++) {
            const struct tr_op want = record(t, at[t]);
            check_same(&batch.op[i], &want, at[t]++);
            references[t] += tr_op_is_reference(&want);
            instructions[t] += tr_op_instructions(&want);
        }
    }
    cr_assert_eq(more, TR_END, "%s", tr_why(s));
    for (uint32_t t = 0; t < THREADS; t++)
        cr_assert_eq(at[t], RECORDS);
    tr_close(s);
    unlink(path);
    free(path);
}

/* @return false: it is refused, with a line that names the file */
/* What a block is for a core, of its records one by one. */
struct way {
    const struct tr_flat *flat;
    uint32_t at, special, plain;
};

/* @param told  its value is the number of the special record before */
static void check_packed(struct way *w, enum pc_reference_kind kind, uint64_t address, bool told)
{
    const struct pc_packed *p = &w->flat->packed[w->at++];
    cr_assert_lt(w->at, w->flat->count + 1);
    cr_assert(pc_packed_kind(p) == kind && !(p->what & PC_TOLD) == !told, "%u: %d", w->at,
              pc_packed_kind(p));
    cr_assert_eq(p->value, told ? w->special - 1 : 0);
    cr_assert_eq(p->what << 16 >> 16, address);
}

static void check_special(struct way *w, const struct tr_op *op, bool told)
{
    const struct tr_special *special = &w->flat->special[w->special++];
    cr_assert(special->at == w->at && special->told == told);
    check_same(&special->op, op, w->at);
}

/* @param[in,out] ticks  [PCycles] that the packed ones before it are to take in all */
static void check_way(struct way *w, const struct tr_op *op, uint64_t *ticks)
{
    static const enum pc_reference_kind kinds[TR_OP__COUNT] = {[TR_OP_LOAD] = PC_REFERENCE_LOAD,
                                                               [TR_OP_STORE] = PC_REFERENCE_STORE,
                                                               [TR_OP_ACQUIRE] = PC_REFERENCE_LOAD,
                                                               [TR_OP_RELEASE] = PC_REFERENCE_STORE,
                                                               [TR_OP_FETCH] = PC_REFERENCE_LINE};
    const bool fetch = op->kind == TR_OP_FETCH, word = !(op->size & (op->size - 1)),
               told = op->kind == TR_OP_ACQUIRE || op->kind == TR_OP_RELEASE;
    if (!kinds[op->kind] || op->gap >= 1 << 15 || op->address >> PC_PACKED_BITS ||
        (!fetch && (!word || op->address % op->size))) {
        check_special(w, op, false);
        check_packed(w, PC_REFERENCE_END, 0, false);
        w->plain = 0;
        return;
    }
    if (op->gap && !w->plain)
        check_packed(w, PC_REFERENCE_COMPUTE, 0, false);
    if (told)
        check_special(w, op, true);
    check_packed(w, kinds[op->kind], op->address & ~(uint64_t)(fetch ? 3 : 0), told);
    *ticks += op->gap + !fetch;
    w->plain++;
}

/* @param[in,out] at  the thread's first record of the block; behind it */
static void check_flat(struct tr_source *s, size_t number, const struct tr_block *block,
                       record_of_fn *record_of, uint32_t *at)
{
    static struct tr_op op[TR_BLOCK_RECORDS];
    struct tr_flat flat = {.count = 0};
    struct way way = {.flat = &flat};
    uint64_t ticks = 0, want = 0;
    cr_assert(tr_block_read(s, number, op) && tr_block_read_flat(s, number, &flat), "%s",
              tr_why(s));
    for (uint32_t i = 0; i < block->records; i++) {
        const struct tr_op written = record_of(block->thread, (*at)++);
        check_same(&op[i], &written, i);
        check_way(&way, &op[i], &want);
    }
    cr_assert(way.at == flat.count && way.special == flat.specials);
    cr_assert_eq(pc_packed_kind(&flat.packed[flat.count]), PC_REFERENCE_END);
    for (uint32_t i = 0; i < flat.count; i++)
        ticks += flat.packed[i].ticks;
    cr_assert_eq(ticks, want);
    tr_flat_free(&flat);
}

/* Both readers of blocks, of records of this kind. */
static void check_flats(record_of_fn *record_of)
{
    char *path = write_these(RECORDS / 2, record_of), why[1024];
    uint32_t at[THREADS] = {0};
    struct tr_source *s = tr_open(path, why, sizeof why);
    const struct tr_block *block;
    cr_assert(s, "%s", why);
    const size_t blocks = tr_blocks(s, &block);
    cr_assert_gt(blocks, THREADS);
    for (size_t i = 0; i < blocks; i++)
        check_flat(s, i, &block[i], record_of, &at[block[i].thread]);
    tr_close(s);
    unlink(path);
    free(path);
}

Test(trace_files, a_driver_core_gets_the_same_records)
{
    check_flats(plain_record);
    check_flats(record);
    check_flats(loop_record);
    check_flats(data_record); /* without fetches there are no ways, as before version 6 */
}

/* Packs a block's bytes again, with what its head must say of them. @return [bytes] */
static uint32_t pack_again(uint8_t head[TR_BLOCK_HEAD], uint8_t *packed, size_t room,
                           const uint8_t *raw, size_t size)
{
    const size_t n = ZSTD_compress(packed, room, raw, size, 1);
    tr_put32(head + 12, (uint32_t)size);
    tr_put32(head + 16, (uint32_t)n);
    tr_put64(head + 40, XXH64(packed, n, XXH64(head, TR_BLOCK_HEAD - 8, 0)));
    return (uint32_t)n;
}

/* What a block is before it is packed, with its head. @return [bytes] */
static size_t raw_block(struct tr_coder *coder, const struct tr_block *block,
                        const struct tr_op *op, uint8_t head[TR_BLOCK_HEAD], uint8_t *raw,
                        size_t room)
{
    size_t size;
    const uint8_t *bytes = tr_block_code(coder, block, op, &size);
    memcpy(head, bytes, TR_BLOCK_HEAD);
    const size_t n = ZSTD_decompress(raw, room, bytes + TR_BLOCK_HEAD, size - TR_BLOCK_HEAD);
    cr_assert(!ZSTD_isError(n));
    return n;
}

enum { SOME = 600, RAW_MAX = SOME * 64 };

Test(trace_files, ways_that_come_behind_each_other_are_one)
{
    enum { LENGTH_OF_STEPS = 20 };
    static struct tr_op op[SOME];
    static uint8_t raw[RAW_MAX];
    uint8_t head[TR_BLOCK_HEAD];
    struct tr_coder *coder = tr_coder_new();
    for (uint32_t i = 0; i < SOME; i++)
        op[i] = loop_record(0, i);
    raw_block(coder, &(struct tr_block){.records = SOME}, op, head, raw, sizeof raw);
    cr_expect_lt(tr_get32(raw + LENGTH_OF_STEPS), SOME / 4, "there are %d ways, of 2 bytes",
                 SOME / 4);
    tr_coder_free(coder);
}

/* Takes the last bytes of a column away, or all. @return [bytes] of the block */
static size_t shorten_column(uint8_t *raw, size_t size, uint64_t *dice)
{
    const unsigned which = (unsigned)(roll(dice) % TR_BLOCK_COLUMNS);
    size_t end = 4 * TR_BLOCK_COLUMNS;
    for (unsigned i = 0; i <= which; i++)
        end += tr_get32(raw + 4 * i);
    const uint32_t length = tr_get32(raw + 4 * which),
                   less = roll(dice) % 2 ? length : (uint32_t)(roll(dice) % (length + 1));
    if (end > size)
        return size;
    memmove(raw + end - less, raw + end, size - end);
    tr_put32(raw + 4 * which, length - less);
    return size - less;
}

/* Bytes that nobody wrote, under a checksum that is right: both readers end, and say the same. */
static void check_lies(record_of_fn *record_of)
{
    enum { LIES = 1500 };
    static struct tr_op op[SOME];
    static uint8_t raw[RAW_MAX], lie[RAW_MAX], packed[2 * RAW_MAX];
    struct tr_flat flat = {.count = 0};
    struct tr_coder *coder = tr_coder_new();
    struct tr_block block = {.records = SOME};
    uint8_t head[TR_BLOCK_HEAD];
    unsigned bad = 0;
    for (uint32_t i = 0; i < SOME; i++)
        op[i] = record_of(0, 100 + i);
    const size_t n = raw_block(coder, &block, op, head, raw, sizeof raw);
    uint64_t dice = 1;
    for (unsigned i = 0; i < LIES; i++) {
        memcpy(lie, raw, n);
        for (unsigned turns = i % 3; turns; turns--)
            lie[roll(&dice) % n] = (uint8_t)roll(&dice);
        if (i % 4)
            lie[roll(&dice) % (i % 2 ? n : 28)] ^= (uint8_t)(1 << roll(&dice) % 8);
        const size_t size = i % 4 ? n : shorten_column(lie, n, &dice);
        const uint32_t count = pack_again(head, packed, sizeof packed, lie, size);
        const char *first = tr_block_decode(coder, head, &block, packed, count, op),
                   *second = tr_block_flatten(coder, head, &block, packed, count, &flat);
        cr_assert_eq(!first, !second, "lie %u: '%s', '%s'", i, first, second);
        bad += first != NULL;
    }
    cr_assert(bad > LIES / 4 && bad < LIES, "%u", bad);
    tr_flat_free(&flat);
    tr_coder_free(coder);
}

Test(trace_files, a_block_that_lies_is_found_by_both_readers)
{
    check_lies(plain_record);
    check_lies(loop_record);
}

static bool reads(const char *path)
{
    char why[1024] = "";
    struct tr_batch batch;
    struct tr_source *s = tr_open(path, why, sizeof why);
    enum tr_more more = TR_MORE;
    while (s && (more = tr_next(s, &batch)) == TR_MORE)
        ;
    if (s && more == TR_BAD)
        snprintf(why, sizeof why, "%s", tr_why(s));
    if (s)
        tr_close(s);
    cr_assert((s && more == TR_END) || (!strncmp(why, path, strlen(path)) && !strchr(why, '\n')),
              "%s", why);
    return s && more == TR_END;
}

static void overwrite(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    fwrite(bytes, 1, size, out);
    fclose(out);
}

Test(trace_files, damage_is_found)
{
    static uint8_t bytes[1 << 16];
    char *path = write_some(300);
    FILE *in = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    cr_assert(size < sizeof bytes && reads(path));
    for (size_t i = 0; i < size; i++) {
        overwrite(path, bytes, i);
        cr_assert_not(reads(path), "cut off at %zu of %zu", i, size);
        bytes[i] ^= 1 << i % 8;
        overwrite(path, bytes, size);
        cr_assert_not(reads(path), "byte %zu of %zu", i, size);
        bytes[i] ^= 1 << i % 8;
    }
    overwrite(path, bytes, size);
    cr_assert(reads(path));
    unlink(path);
    free(path);
}

/* A number of `bytes` bytes in the head or the index of a file, whose checksums are made good. */
static const struct lie {
    enum { IN_HEAD, IN_THREADS, IN_REGIONS, IN_PAGES, IN_BLOCKS } where;
    unsigned at, bytes; /* from the place's beginning */
    uint64_t value;
    const char *said;
} lies[] = {
    {IN_HEAD, 8, 4, TR_NTR_OLDEST - 1, "version 0 of the format; this program reads versions"},
    {IN_HEAD, 8, 4, TR_NTR_VERSION + 1, "this program reads versions"},
    {IN_HEAD, 12, 4, 9, "flags"},
    {IN_HEAD, 12, 4, 1, "the index is not the one that was written"},
    {IN_HEAD, 16, 4, 12288, "pages of no size"},
    {IN_HEAD, 16, 4, 2048, "pages of no size"},
    {IN_HEAD, 16, 4, 1 << 21, "pages of no size"},
    {IN_HEAD, 16, 4, 0, "a page that does not begin where pages do"},
    {IN_THREADS, 8 + 8, 4, UINT32_MAX, "a card of no such number"},
    {IN_THREADS, 0, 8, TR_THREADS_MAX + 1, "the index"},
    {IN_REGIONS, 0, 8, TR_NAMES_MAX + 1, "the index"},
    {IN_REGIONS, 0, 8, 2, "the file is damaged"},
    {IN_REGIONS, 8, 4, TR_NAME_MAX + 1, "the index"},
    {IN_REGIONS, 8, 4, UINT32_MAX, "the index"},
    {IN_PAGES, 0, 4, UINT32_MAX, "the index"},
    {IN_PAGES, 4, 4, 2, "more early pages than pages"},
    {IN_PAGES, 8, 8, 0x400004, "a page that does not begin"},
    {IN_PAGES, 16, 8, 0x10004, "a page that does not begin"},
    {IN_BLOCKS, 8 + 24, 4, 9, "a thread that there is not"},
    {IN_BLOCKS, 8 + 24, 4, UINT32_C(1) << 31, "a thread that there is not"},
    {IN_BLOCKS, 8 + 32 + 24, 4, UINT32_C(1) << 31, "a thread that there is not"},
    {IN_BLOCKS, 8, 8, UINT64_MAX - 20, "a block where none can be"},
    {IN_BLOCKS, 8 + 32, 8, 40, "a block where none can be"},
    {IN_BLOCKS, 8 + 8, 8, 1, "does not follow"},
    {IN_BLOCKS, 8 + 16, 8, UINT64_C(1) << 63, "does not follow"},
    {IN_BLOCKS, 8 + 28, 4, 0, "no such number of records"},
    {IN_BLOCKS, 8 + 28, 4, TR_BLOCK_RECORDS + 1, "no such number of records"},
};

static void tell_lie(uint8_t *bytes, size_t size, const struct lie *lie)
{
    uint8_t *tail = bytes + size - TR_NTR_TAIL_SIZE, *index = bytes + tr_get64(tail + 8);
    const size_t text = TR_NTR_HEAD + tr_get32(bytes + 20);
    uint8_t *const place[] = {[IN_HEAD] = bytes,
                              [IN_THREADS] = index,
                              [IN_REGIONS] = index + 8 + THREADS * TR_NTR_INDEX_THREAD,
                              [IN_PAGES] = index + 8 + THREADS * TR_NTR_INDEX_THREAD + 8 + 4 +
                                           strlen("inner"),
                              [IN_BLOCKS] = tail - 8 - THREADS * TR_NTR_INDEX_ROW};
    uint8_t value[8];
    tr_put64(value, lie->value);
    memcpy(place[lie->where] + lie->at, value, lie->bytes);
    tr_put64(bytes + text, XXH64(bytes, text, 0));
    tr_put64(tail + 24, XXH64(index, (size_t)(tail - index), 0));
}

/* Older versions say less, in the same places. */
Test(trace_files, older_versions_are_read)
{
    static uint8_t bytes[1 << 16];
    char *path = write_some(300), why[1024];
    FILE *in = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    struct tr_batch batch;
    fclose(in);
    for (uint32_t version = TR_NTR_OLDEST; version <= TR_NTR_VERSION; version++) {
        tell_lie(bytes, size, &(struct lie){IN_HEAD, 8, 4, version, ""});
        overwrite(path, bytes, size);
        struct tr_source *s = tr_open(path, why, sizeof why);
        cr_assert(s, "version %u: %s", version, why);
        while (tr_next(s, &batch) == TR_MORE)
            cr_assert(batch.card == 7 * batch.thread, "thread %u: %u", batch.thread, batch.card);
        cr_assert(!tr_why(s));
        tr_close(s);
    }
    unlink(path);
    free(path);
}

Test(trace_files, an_index_that_lies_is_found)
{
    static uint8_t bytes[1 << 16], changed[sizeof bytes];
    char *path = write_some(300), why[1024];
    FILE *in = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        memcpy(changed, bytes, size);
        tell_lie(changed, size, &lies[i]);
        overwrite(path, changed, size);
        struct tr_source *s = tr_open(path, why, sizeof why);
        cr_assert(!s, "row %zu is read", i);
        cr_assert(strstr(why, ": offset ") && strstr(why, lies[i].said), "row %zu: %s", i, why);
    }
    unlink(path);
    free(path);
}
