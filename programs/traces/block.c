/*
 * Blocks: five columns of bytes, packed by zstd. Of each record the kind and size, the gap, how the
 * guess of its address was wrong, by how much, and its value.
 */
#include "programs/traces/block.h"
#include "base/alloc.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

enum column { KINDS, GAPS, HOWS, DELTAS, VALUES };
_Static_assert(VALUES + 1 == TR_BLOCK_COLUMNS, "all columns");

enum {
    GUESSES = 1 << 12,
    FOLLOWS = 64, /* records behind a fetch that it helps to guess */
    GAP_LONG = 255,
    LEVEL = 3,         /* of zstd */
    MAGIC = 0x6b6c6254 /* "Tblk" */
};

/* How an address is said: as guessed; or as so many bytes of difference to the guess's last
 * address, or to the thread's. */
enum how { HOW_GUESSED, HOW_LAST, HOW_THREAD = HOW_LAST + 9, HOW__COUNT = HOW_THREAD + 9 };

struct guess {
    uint64_t last, stride;
};

struct tr_coder {
    struct guess guess[GUESSES];
    uint64_t fetch, history; /* the last line of instructions; the last records */
    uint64_t last[2];        /* the last addresses: of data, of fetches */
    unsigned since;          /* records since the last fetch */
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    uint8_t raw[TR_BLOCK_RAW_MAX];
    uint8_t column[TR_BLOCK_COLUMNS][TR_BLOCK_RECORDS * 10];
    uint8_t out[TR_BLOCK_HEAD + ZSTD_COMPRESSBOUND(TR_BLOCK_RAW_MAX)];
};

struct tr_coder *tr_coder_new(void)
{
    struct tr_coder *coder = sim_grow(NULL, 1, sizeof *coder); /* zeroing it would take its time */
    coder->pack = ZSTD_createCCtx();
    coder->unpack = ZSTD_createDCtx();
    if (!coder->pack || !coder->unpack)
        sim_no_memory();
    return coder;
}

void tr_coder_free(struct tr_coder *coder)
{
    if (!coder)
        return;
    ZSTD_freeCCtx(coder->pack);
    ZSTD_freeDCtx(coder->unpack);
    free(coder);
}

/* ---- numbers --------------------------------------------------------------------------------- */

void tr_put32(uint8_t *to, uint32_t value)
{
    value = htole32(value);
    memcpy(to, &value, sizeof value);
}

void tr_put64(uint8_t *to, uint64_t value)
{
    value = htole64(value);
    memcpy(to, &value, sizeof value);
}

uint32_t tr_get32(const uint8_t *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return le32toh(value);
}

uint64_t tr_get64(const uint8_t *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return le64toh(value);
}

static uint64_t block_zigzag(uint64_t difference)
{
    return difference << 1 ^ -(difference >> 63);
}

static uint64_t block_unzigzag(uint64_t value)
{
    return value >> 1 ^ -(value & 1);
}

static unsigned block_bytes_of(uint64_t value)
{
    return value ? (unsigned)(71 - __builtin_clzll(value)) / 8 : 0;
}

static uint8_t *put_varying(uint8_t *to, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        *to++ = (uint8_t)(value | 128);
    *to++ = (uint8_t)value;
    return to;
}

/* @return behind it; NULL: it goes beyond `end`, or is too long */
static const uint8_t *get_varying(const uint8_t *from, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; from < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(*from & 127) << shift;
        if (!(*from++ & 128))
            return from;
    }
    return NULL;
}

/* ---- guessing -------------------------------------------------------------------------------- */

static void block_begin(struct tr_coder *c)
{
    memset(c->guess, 0, sizeof c->guess);
    c->fetch = c->history = c->last[0] = c->last[1] = 0;
    c->since = FOLLOWS;
}

static uint64_t block_mix(uint64_t x)
{
    x *= UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* The guess for what comes next. */
static struct guess *block_place(struct tr_coder *c, unsigned kind)
{
    const uint64_t key = c->since < FOLLOWS ? c->fetch * FOLLOWS + c->since : c->history;
    return &c->guess[block_mix(block_mix(key) + kind) >> 52];
}
_Static_assert(GUESSES == 1 << (64 - 52), "a guess for each");

/* An address has been seen. */
static void block_learn(struct tr_coder *c, struct guess *g, unsigned kind, uint64_t address)
{
    const bool fetch = kind == TR_OP_FETCH;
    g->stride = address - g->last;
    g->last = address;
    c->last[fetch] = address;
    c->since += c->since < FOLLOWS;
    if (fetch) {
        c->fetch = address / TR_FETCH_LINE;
        c->since = 0;
    }
}

static void learn_record(struct tr_coder *c, unsigned byte, uint32_t gap)
{
    c->history = c->history << 13 ^ (block_mix(byte + gap * UINT64_C(256)) & 0x1fff);
}

/* ---- coding ---------------------------------------------------------------------------------- */

struct columns {
    uint8_t *at[TR_BLOCK_COLUMNS];
};

static void code_address(struct tr_coder *c, struct columns *to, const struct tr_op *op)
{
    const unsigned kind = op->kind;
    struct guess *g = block_place(c, kind);
    const uint64_t from_last = block_zigzag(op->address - g->last),
                   from_thread = block_zigzag(op->address - c->last[kind == TR_OP_FETCH]);
    if (op->address == g->last + g->stride)
        *to->at[HOWS]++ = HOW_GUESSED;
    else {
        const bool thread = block_bytes_of(from_thread) < block_bytes_of(from_last);
        const uint64_t difference = thread ? from_thread : from_last;
        const unsigned n = block_bytes_of(difference);
        *to->at[HOWS]++ = (uint8_t)((thread ? HOW_THREAD : HOW_LAST) + n);
        tr_put64(to->at[DELTAS], difference);
        to->at[DELTAS] += n;
    }
    block_learn(c, g, kind, op->address);
}

static void code_record(struct tr_coder *c, struct columns *to, const struct tr_op *op)
{
    const struct tr_op_row *row = &tr_op_rows[op->kind];
    const uint8_t byte = (uint8_t)(op->kind << 3 | (op->size ? op->size - 1 : 0));
    *to->at[KINDS]++ = byte;
    if (op->gap < GAP_LONG)
        *to->at[GAPS]++ = (uint8_t)op->gap;
    else {
        *to->at[GAPS]++ = GAP_LONG;
        to->at[GAPS] = put_varying(to->at[GAPS], op->gap);
    }
    if (row->sort != TR_NOTE)
        code_address(c, to, op);
    if (row->value)
        to->at[VALUES] = put_varying(to->at[VALUES], op->value);
    learn_record(c, byte, op->gap);
}

/* Puts the columns behind each other. @return [bytes] */
static size_t block_join(struct tr_coder *c, const struct columns *to)
{
    size_t at = 4 * TR_BLOCK_COLUMNS;
    for (unsigned i = 0; i < TR_BLOCK_COLUMNS; i++) {
        const size_t n = (size_t)(to->at[i] - c->column[i]);
        tr_put32(c->raw + 4 * (size_t)i, (uint32_t)n);
        memcpy(c->raw + at, c->column[i], n);
        at += n;
    }
    return at;
}

static uint64_t block_checksum(const uint8_t head[TR_BLOCK_HEAD], const uint8_t *bytes, size_t size)
{
    return XXH64(bytes, size, XXH64(head, TR_BLOCK_HEAD - 8, 0));
}

const uint8_t *tr_block_code(struct tr_coder *coder, const struct tr_block *block,
                             const struct tr_op *op, size_t *size)
{
    struct columns to;
    uint8_t *head = coder->out, *bytes = head + TR_BLOCK_HEAD;
    block_begin(coder);
    for (unsigned i = 0; i < TR_BLOCK_COLUMNS; i++)
        to.at[i] = coder->column[i];
    for (uint32_t i = 0; i < block->records; i++)
        code_record(coder, &to, &op[i]);
    const size_t raw = block_join(coder, &to),
                 packed = ZSTD_compressCCtx(coder->pack, bytes, sizeof coder->out - TR_BLOCK_HEAD,
                                            coder->raw, raw, LEVEL);
    if (ZSTD_isError(packed))
        sim_no_memory(); /* it has room for anything */
    tr_put32(head, MAGIC);
    tr_put32(head + 4, block->thread);
    tr_put32(head + 8, block->records);
    tr_put32(head + 12, (uint32_t)raw);
    tr_put32(head + 16, (uint32_t)packed);
    tr_put32(head + 20, block->card + 1);
    tr_put64(head + 24, block->references);
    tr_put64(head + 32, block->instructions);
    tr_put64(head + 40, block_checksum(head, bytes, packed));
    *size = TR_BLOCK_HEAD + packed;
    return head;
}

/* ---- decoding -------------------------------------------------------------------------------- */

const char *tr_block_head(const uint8_t head[TR_BLOCK_HEAD], struct tr_block *block,
                          uint32_t *packed)
{
    block->thread = tr_get32(head + 4);
    block->records = tr_get32(head + 8);
    block->card = tr_get32(head + 20) - 1;
    block->references = tr_get64(head + 24);
    block->instructions = tr_get64(head + 32);
    *packed = tr_get32(head + 16);
    return tr_get32(head) != MAGIC                                  ? "no block begins here"
           : !block->records || block->records > TR_BLOCK_RECORDS   ? "a block of no such size"
           : tr_get32(head + 12) > TR_BLOCK_RAW_MAX                 ? "a block of no such size"
           : *packed > ZSTD_COMPRESSBOUND((size_t)TR_BLOCK_RAW_MAX) ? "a block of no such size"
           : block->thread >= TR_THREADS_MAX                        ? "a thread of no such number"
                                                                    : NULL;
}

struct reading {
    const uint8_t *at[TR_BLOCK_COLUMNS], *end[TR_BLOCK_COLUMNS];
};

static bool block_part(struct reading *from, const uint8_t *raw, size_t size)
{
    size_t at = 4 * TR_BLOCK_COLUMNS;
    if (size < at)
        return false;
    for (unsigned i = 0; i < TR_BLOCK_COLUMNS; i++) {
        const size_t n = tr_get32(raw + 4 * (size_t)i);
        if (n > size - at)
            return false;
        from->at[i] = raw + at;
        at += n;
        from->end[i] = raw + at;
    }
    return at == size;
}

static bool block_left(const struct reading *from, enum column column, size_t n)
{
    return (size_t)(from->end[column] - from->at[column]) >= n;
}

static bool decode_difference(struct tr_coder *c, struct reading *from, const struct guess *g,
                              unsigned how, struct tr_op *op)
{
    const bool thread = how >= HOW_THREAD;
    const unsigned n = how - (thread ? HOW_THREAD : HOW_LAST);
    uint64_t difference = 0;
    if (how >= HOW__COUNT || !block_left(from, DELTAS, n))
        return false;
    memcpy(&difference, from->at[DELTAS], n);
    from->at[DELTAS] += n;
    op->address =
        block_unzigzag(le64toh(difference)) + (thread ? c->last[op->kind == TR_OP_FETCH] : g->last);
    return true;
}

static inline bool decode_address(struct tr_coder *c, struct reading *from, struct tr_op *op)
{
    struct guess *g = block_place(c, op->kind);
    if (!block_left(from, HOWS, 1))
        return false;
    const unsigned how = *from->at[HOWS]++;
    if (how == HOW_GUESSED)
        op->address = g->last + g->stride;
    else if (!decode_difference(c, from, g, how, op))
        return false;
    block_learn(c, g, op->kind, op->address);
    return true;
}

static bool decode_long_gap(struct reading *from, struct tr_op *op)
{
    uint64_t gap;
    from->at[GAPS] = get_varying(from->at[GAPS], from->end[GAPS], &gap);
    op->gap = (uint32_t)gap;
    return from->at[GAPS] && gap <= UINT32_MAX;
}

static bool decode_record(struct tr_coder *c, struct reading *from, struct tr_op *op)
{
    if (!block_left(from, KINDS, 1) || !block_left(from, GAPS, 1))
        return false;
    const unsigned byte = *from->at[KINDS]++;
    *op = (struct tr_op){.kind = byte >> 3, .gap = *from->at[GAPS]++};
    if (op->kind >= TR_OP__COUNT || (op->gap == GAP_LONG && !decode_long_gap(from, op)))
        return false;
    const struct tr_op_row *row = &tr_op_rows[op->kind];
    if (row->sort == TR_REFERENCE && op->kind != TR_OP_FETCH)
        op->size = (byte & 7) + 1;
    if (row->sort != TR_NOTE && !decode_address(c, from, op))
        return false;
    if (row->value &&
        !(from->at[VALUES] = get_varying(from->at[VALUES], from->end[VALUES], &op->value)))
        return false;
    learn_record(c, byte, op->gap);
    return true;
}

const char *tr_block_decode(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                            const struct tr_block *block, const uint8_t *bytes, uint32_t packed,
                            struct tr_op *op)
{
    struct reading from;
    if (block_checksum(head, bytes, packed) != tr_get64(head + 40))
        return "a block's bytes are not those that were written (checksum)";
    const size_t raw =
        ZSTD_decompressDCtx(coder->unpack, coder->raw, sizeof coder->raw, bytes, packed);
    if (ZSTD_isError(raw) || raw != tr_get32(head + 12) || !block_part(&from, coder->raw, raw))
        return "a block cannot be unpacked";
    block_begin(coder);
    for (uint32_t i = 0; i < block->records; i++)
        if (!decode_record(coder, &from, &op[i]))
            return "a block has no such records";
    for (unsigned i = 0; i < TR_BLOCK_COLUMNS; i++)
        if (from.at[i] != from.end[i])
            return "a block has more than its records";
    return NULL;
}
