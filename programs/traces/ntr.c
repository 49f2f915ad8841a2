/*
 * Reading our own files. The tail says where the index is, and the index where the blocks are; a
 * file without a tail was not written to its end.
 */
#include "programs/traces/ntr.h"
#include "base/alloc.h"
#include "programs/traces/source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define DAMAGED "; the file is damaged: take it from where it came from, or make it again"

struct ntr {
    struct tr_source source;
    struct tr_coder *coder;
    FILE *file;
    uint64_t size; /* [bytes] of the file */
    struct tr_block *block;
    size_t blocks, next;
    struct tr_op *op; /* [TR_BLOCK_RECORDS] of the last batch */
    uint8_t *bytes;   /* of its block; [room] */
    size_t room;
};

static bool ntr_is(const char *bytes, size_t size)
{
    return size >= TR_NTR_MAGIC_SIZE && !memcmp(bytes, TR_NTR_MAGIC, TR_NTR_MAGIC_SIZE);
}

static bool ntr_fail(struct ntr *n, uint64_t offset, const char *what)
{
    tr_source_complain(&n->source, offset, "%s", what);
    return false;
}

static bool read_at(struct ntr *n, uint64_t offset, void *to, size_t size)
{
    if (fseeko(n->file, (off_t)offset, SEEK_SET) == 0 && fread(to, 1, size, n->file) == size)
        return true;
    return ntr_fail(n, offset, ferror(n->file) ? strerror(errno) : "the file ends here" DAMAGED);
}

/* ---- head, index and tail -------------------------------------------------------------------- */

static bool read_head(struct ntr *n)
{
    uint8_t head[TR_NTR_HEAD + TR_NAME_MAX + 8];
    if (n->size < TR_NTR_HEAD)
        return ntr_fail(n, n->size, "the file is truncated within its head; make it again");
    if (!read_at(n, 0, head, TR_NTR_HEAD))
        return false;
    const uint32_t version = tr_get32(head + 8), length = tr_get32(head + 20);
    if (version < TR_NTR_OLDEST || version > TR_NTR_VERSION) {
        tr_source_complain(&n->source, 8,
                           "version %u of the format; this program reads versions %d to %d",
                           version, TR_NTR_OLDEST, TR_NTR_VERSION);
        return false;
    }
    if (length > TR_NAME_MAX)
        return ntr_fail(n, 20, "a head of no such length" DAMAGED);
    if (!read_at(n, TR_NTR_HEAD, head + TR_NTR_HEAD, length + 8))
        return false;
    if (XXH64(head, TR_NTR_HEAD + length, 0) != tr_get64(head + TR_NTR_HEAD + length))
        return ntr_fail(n, 0, "the head is not the one that was written (checksum)" DAMAGED);
    const uint32_t flags = tr_get32(head + 12), page = tr_get32(head + 16);
    if (flags & ~(uint32_t)TR_NTR_FLAGS)
        return ntr_fail(n, 12, "flags that this program does not know" DAMAGED);
    if (page && (page < TR_NTR_PAGE_MIN || page > TR_NTR_PAGE_MAX || page & (page - 1)))
        return ntr_fail(n, 16, "pages of no size that there is" DAMAGED);
    memcpy(n->source.made, head + TR_NTR_HEAD, length);
    n->source.about.timed = flags & 1;
    n->source.about.part = flags >> 1 & 1;
    n->source.about.came = flags >> 2 & 1;
    n->source.about.page = page;
    n->source.about.where = tr_get64(head + 24);
    return true;
}

/* What is left of the index while it is read. */
struct rest {
    const uint8_t *first, *at;
    size_t left;
    const uint8_t *last; /* what was taken last */
    const char *wrong;   /* what is wrong in it; NULL: it does not add up */
};

static const uint8_t *ntr_take(struct rest *rest, size_t size)
{
    const uint8_t *at = rest->left < size ? NULL : rest->at;
    rest->last = rest->at;
    if (at) {
        rest->at += size;
        rest->left -= size;
    }
    return at;
}

static bool read_threads(struct ntr *n, struct rest *rest)
{
    const uint8_t *count = ntr_take(rest, 8);
    bool good = count && tr_get64(count) <= TR_THREADS_MAX;
    const uint64_t threads = good ? tr_get64(count) : 0;
    n->source.card = sim_alloc(threads, sizeof *n->source.card);
    for (uint64_t i = 0; i < threads && good; i++) {
        const uint8_t *row = ntr_take(rest, TR_NTR_INDEX_THREAD);
        good = row && tr_source_thread(&n->source, tr_get64(row));
        n->source.card[i] = good ? tr_get32(row + 8) : 0;
        if (n->source.card[i] >= TR_NTR_CARDS) {
            rest->wrong = "a thread on a card of no such number";
            good = false;
        }
    }
    return good;
}

static bool read_regions(struct ntr *n, struct rest *rest)
{
    const uint8_t *count = ntr_take(rest, 8);
    if (!count || tr_get64(count) > TR_NAMES_MAX)
        return false;
    n->source.region = sim_alloc(tr_get64(count), sizeof *n->source.region);
    n->source.regions = (uint32_t)tr_get64(count);
    for (uint32_t i = 0; i < n->source.regions; i++) {
        const uint8_t *length = ntr_take(rest, 4);
        const uint8_t *text =
            length && tr_get32(length) <= TR_NAME_MAX ? ntr_take(rest, tr_get32(length)) : NULL;
        if (!text)
            return false;
        n->source.region[i] = sim_strndup((const char *)text, tr_get32(length));
    }
    return true;
}

static bool read_pages(struct ntr *n, struct rest *rest, uint64_t offset)
{
    const uint8_t *count = ntr_take(rest, 8), *row = rest->at;
    const uint64_t size = n->source.about.page;
    if (!count || tr_get32(count) > rest->left / TR_NTR_INDEX_PAGE)
        return false;
    n->source.pages = tr_get32(count);
    if (tr_get32(count + 4) > n->source.pages) {
        rest->wrong = "more early pages than pages";
        return false;
    }
    n->source.page = sim_alloc(n->source.pages, sizeof *n->source.page);
    n->source.pages_at = offset + (uint64_t)(row - rest->first);
    for (size_t i = 0; i < n->source.pages; i++) {
        row = ntr_take(rest, TR_NTR_INDEX_PAGE);
        n->source.page[i] =
            (struct tr_page){tr_get64(row), tr_get64(row + 8), i < tr_get32(count + 4)};
        if (!size || n->source.page[i].va % size || n->source.page[i].pa % size) {
            rest->wrong = "a page that does not begin where pages do";
            return false;
        }
    }
    return true;
}

static bool read_came(struct ntr *n, struct rest *rest)
{
    const uint8_t *row = n->source.about.came ? ntr_take(rest, TR_NTR_CAME) : NULL;
    if (row)
        n->source.came = (struct tr_came){tr_get64(row), tr_get64(row + 8), tr_get64(row + 16),
                                          tr_get64(row + 24)};
    return row || !n->source.about.came;
}

/* What is wrong with a block's row. @param last  the thread's block before it; NULL: none
 *  @param from  [bytes] in the file from which on it may lie, before `to` */
static const char *check_block(const struct tr_block *b, const struct tr_block *last, uint64_t from,
                               uint64_t to)
{
    const uint64_t references = last ? last->references : 0,
                   most = last ? references + last->records : 0,
                   instructions = last ? last->instructions : 0;
    if (b->offset < from || to - from < TR_BLOCK_HEAD || b->offset > to - TR_BLOCK_HEAD)
        return "a block where none can be";
    if (!b->records || b->records > TR_BLOCK_RECORDS)
        return "a block of no such number of records";
    if (b->references < references || b->references > most || b->instructions < instructions ||
        (!last && b->instructions))
        return "a block does not follow the one before it of its thread";
    return NULL;
}

/* @param end  [bytes] in the file where the index begins */
static bool read_blocks(struct ntr *n, struct rest *rest, uint64_t end)
{
    const uint8_t *count = ntr_take(rest, 8);
    if (!count || tr_get64(count) != rest->left / TR_NTR_INDEX_ROW || rest->left % TR_NTR_INDEX_ROW)
        return false;
    n->blocks = tr_get64(count);
    n->block = sim_alloc(n->blocks, sizeof *n->block);
    const struct tr_block **last = sim_alloc(n->source.threads, sizeof *last);
    uint64_t from = TR_NTR_HEAD;
    for (size_t i = 0; i < n->blocks && !rest->wrong; i++) {
        const uint8_t *row = ntr_take(rest, TR_NTR_INDEX_ROW);
        struct tr_block *b = &n->block[i];
        *b = (struct tr_block){.offset = tr_get64(row),
                               .references = tr_get64(row + 8),
                               .instructions = tr_get64(row + 16),
                               .thread = tr_get32(row + 24),
                               .records = tr_get32(row + 28)};
        if (b->thread >= n->source.threads) {
            rest->wrong = "a block of a thread that there is not";
            break;
        }
        rest->wrong = check_block(b, last[b->thread], from, end);
        from = b->offset + TR_BLOCK_HEAD;
        last[b->thread] = b;
    }
    free(last);
    return !rest->wrong;
}

/* Where each block's thread is behind it: where its next block begins. */
static void find_ends(struct ntr *n)
{
    const struct tr_block **next = sim_alloc(n->source.threads, sizeof *next);
    for (size_t i = n->blocks; i--;) {
        struct tr_block *b = &n->block[i];
        const struct tr_block *behind = next[b->thread];
        b->references_end = behind ? behind->references : UINT64_MAX;
        b->instructions_end = behind ? behind->instructions : UINT64_MAX;
        next[b->thread] = b;
    }
    free(next);
}

static bool ntr_read_index(struct ntr *n)
{
    uint8_t tail[TR_NTR_TAIL_SIZE];
    const uint64_t at = n->size - TR_NTR_TAIL_SIZE;
    if (n->size < TR_NTR_HEAD + TR_NTR_TAIL_SIZE || !read_at(n, at, tail, sizeof tail) ||
        memcmp(tail, TR_NTR_TAIL, 8) != 0)
        return ntr_fail(
            n, n->size,
            "the file is truncated: its end is missing; make it again, or copy it whole");
    const uint64_t offset = tr_get64(tail + 8), size = tr_get64(tail + 16);
    if (offset > at || size != at - offset)
        return ntr_fail(n, at, "an index of no such size" DAMAGED);
    uint8_t *index = sim_alloc(size, 1);
    struct rest rest = {.first = index, .at = index, .left = size, .last = index};
    bool good = read_at(n, offset, index, size) && XXH64(index, size, 0) == tr_get64(tail + 24);
    if (good && read_threads(n, &rest) && read_regions(n, &rest) && read_pages(n, &rest, offset) &&
        read_came(n, &rest) && read_blocks(n, &rest, offset)) {
        find_ends(n);
    } else {
        tr_source_complain(&n->source, offset + (uint64_t)(rest.last - index), "%s" DAMAGED,
                           rest.wrong ? rest.wrong : "the index is not the one that was written");
        good = false;
    }
    free(index);
    return good;
}

static bool open_ntr(struct tr_source *source)
{
    struct ntr *n = (struct ntr *)source;
    struct stat st;
    n->file = tr_input_file(source->in);
    if (!n->file)
        return ntr_fail(n, 0, "a trace of this kind is packed already; unpack the file first");
    if (fstat(fileno(n->file), &st) != 0 || !S_ISREG(st.st_mode))
        return ntr_fail(n, 0, "a trace of this kind is read from a file, not from a pipe");
    n->size = (uint64_t)st.st_size;
    n->coder = tr_coder_new();
    return read_head(n) && ntr_read_index(n);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

size_t tr_blocks(const struct tr_source *source, const struct tr_block **blocks)
{
    if (source->reader != &tr_ntr_reader)
        return 0;
    *blocks = ((const struct ntr *)source)->block;
    return ((const struct ntr *)source)->blocks;
}

/* Whether a block's records lead to where the index has its thread's next block begin. */
static bool leads_on(const struct tr_block *b, uint64_t references, uint64_t instructions)
{
    return b->references_end == UINT64_MAX ||
           (b->references + references == b->references_end &&
            b->instructions + instructions == b->instructions_end);
}

static bool ops_lead_on(const struct tr_block *b, const struct tr_op *op)
{
    uint64_t references = 0, instructions = 0;
    for (uint32_t i = 0; i < b->records; i++) {
        references += tr_op_is_reference(&op[i]);
        instructions += tr_op_instructions(&op[i]);
    }
    return leads_on(b, references, instructions);
}

/* A block as it lies in the file: its head, and n->bytes. @param[out] wrong  what is, but for that
 * the file cannot be read; NULL: nothing */
static bool read_packed(struct ntr *n, struct tr_block *b, uint8_t bytes[TR_BLOCK_HEAD],
                        uint32_t *packed, const char **wrong)
{
    struct tr_block head = {.offset = 0};
    if (!read_at(n, b->offset, bytes, TR_BLOCK_HEAD))
        return false;
    *wrong = tr_block_head(bytes, &head, packed);
    if (!*wrong && (head.thread != b->thread || head.records != b->records ||
                    head.references != b->references || head.instructions != b->instructions))
        *wrong = "a block is not what the index says";
    b->card = head.card;
    if (*wrong)
        return true;
    if (*packed > n->room) {
        n->room = *packed;
        n->bytes = sim_grow(n->bytes, n->room, 1);
    }
    return read_at(n, b->offset + TR_BLOCK_HEAD, n->bytes, *packed);
}

/* Into one of the two, the other is NULL. */
static bool block_read(struct tr_source *source, size_t block, struct tr_op *op,
                       struct tr_flat *flat)
{
    struct ntr *n = (struct ntr *)source;
    struct tr_block *b = &n->block[block];
    uint8_t head[TR_BLOCK_HEAD];
    uint32_t packed;
    const char *wrong;
    if (!read_packed(n, b, head, &packed, &wrong))
        return false;
    if (!wrong)
        wrong = op ? tr_block_decode(n->coder, head, b, n->bytes, packed, op)
                   : tr_block_flatten(n->coder, head, b, n->bytes, packed, flat);
    if (!wrong && !(op ? ops_lead_on(b, op) : leads_on(b, flat->references, flat->instructions)))
        wrong = "the next block of its thread does not follow a block";
    if (wrong)
        tr_source_complain(&n->source, b->offset, "%s" DAMAGED, wrong);
    return !wrong;
}

bool tr_block_read(struct tr_source *source, size_t block, struct tr_op *op)
{
    return block_read(source, block, op, NULL);
}

bool tr_block_read_flat(struct tr_source *source, size_t block, struct tr_flat *flat)
{
    return block_read(source, block, NULL, flat);
}

static bool is_wanted(const struct ntr *n, const struct tr_block *b)
{
    const struct tr_stretch stretch = {
        b->thread, {b->references, b->references_end}, {b->instructions, b->instructions_end}};
    return !n->source.want || n->source.want(n->source.want_ctx, &stretch);
}

static enum tr_more ntr_next(struct tr_source *source, struct tr_batch *out)
{
    struct ntr *n = (struct ntr *)source;
    while (n->next < n->blocks && !is_wanted(n, &n->block[n->next]))
        n->next++;
    if (n->next == n->blocks)
        return TR_END;
    if (!n->op)
        n->op = sim_alloc(TR_BLOCK_RECORDS, sizeof *n->op);
    if (!tr_block_read(source, n->next, n->op))
        return TR_BAD;
    struct tr_block *b = &n->block[n->next++];
    if (b->card == UINT32_MAX)
        b->card = tr_thread_card(source, b->thread);
    *out = (struct tr_batch){.op = n->op,
                             .count = b->records,
                             .references = b->references,
                             .instructions = b->instructions,
                             .thread = b->thread,
                             .card = b->card};
    return TR_MORE;
}

static void ntr_end(struct tr_source *source)
{
    struct ntr *n = (struct ntr *)source;
    tr_coder_free(n->coder);
    free(n->block);
    free(n->op);
    free(n->bytes);
}

const struct tr_reader tr_ntr_reader = {
    .size = sizeof(struct ntr), .is = ntr_is, .open = open_ntr, .next = ntr_next, .close = ntr_end};
