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
    FOLLOWS = 64,                  /* records behind a fetch that it helps to guess */
    HISTORY = 5,                   /* records of which the history knows */
    BEYOND = TR_BLOCK_RECORDS + 8, /* [bytes] read behind the columns of a damaged block, at most */
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
    uint8_t raw[TR_BLOCK_RAW_MAX + BEYOND];
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

#define MIX UINT64_C(0x9e3779b97f4a7c15)

static uint64_t block_mix(uint64_t x)
{
    x *= MIX;
    return x ^ x >> 29;
}

static inline struct guess *block_guess(struct tr_coder *c, uint64_t key, unsigned kind)
{
    return &c->guess[(block_mix(key) + kind) * MIX >> 52];
}
_Static_assert(GUESSES == 1 << (64 - 52), "a guess for each");

/* The guess for what comes next. */
static struct guess *block_place(struct tr_coder *c, unsigned kind)
{
    return block_guess(c, c->since < FOLLOWS ? c->fetch * FOLLOWS + c->since : c->history, kind);
}

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
    const uint8_t *unlearned; /* kinds from here on are not in the history yet: plain records */
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
    from->unlearned = from->at[KINDS];
    return at == size;
}

static bool block_left(const struct reading *from, enum column column, unsigned n)
{
    return from->end[column] - from->at[column] >= (ptrdiff_t)n;
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

/* Unpacks a block. @return NULL, or what is wrong */
static const char *block_open(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                              const uint8_t *bytes, uint32_t packed, struct reading *from)
{
    if (block_checksum(head, bytes, packed) != tr_get64(head + 40))
        return "a block's bytes are not those that were written (checksum)";
    const size_t raw =
        ZSTD_decompressDCtx(coder->unpack, coder->raw, TR_BLOCK_RAW_MAX, bytes, packed);
    if (ZSTD_isError(raw) || raw != tr_get32(head + 12) || !block_part(from, coder->raw, raw))
        return "a block cannot be unpacked";
    memset(coder->raw + raw, 0, BEYOND);
    block_begin(coder);
    return NULL;
}

static const char *block_close(const struct reading *from)
{
    for (unsigned i = 0; i < TR_BLOCK_COLUMNS; i++)
        if (from->at[i] != from->end[i])
            return "a block has more than its records";
    return NULL;
}

const char *tr_block_decode(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                            const struct tr_block *block, const uint8_t *bytes, uint32_t packed,
                            struct tr_op *op)
{
    struct reading from;
    const char *wrong = block_open(coder, head, bytes, packed, &from);
    if (wrong)
        return wrong;
    for (uint32_t i = 0; i < block->records; i++)
        if (!decode_record(coder, &from, &op[i]))
            return "a block has no such records";
    return block_close(&from);
}

/* ---- decoding for a driver core -------------------------------------------------------------- */

enum { GAP_MAX = 1 << 15 }; /* [PCycles] of a plain record's; longer ones are special */

/* The first word of a packed reference (pc_pack) but for its address, by the first byte of a plain
 * record; 0: such a record is not plain. */
#define WHAT(reference, shift) \
    ((uint64_t)(reference) << (PC_PACKED_BITS + 8) | (uint64_t)(shift) << PC_PACKED_BITS)
#define WORD(name, shift) \
    [TR_OP_##name << 3 | ((1 << (shift)) - 1)] = WHAT(PC_REFERENCE_##name, shift)
static const uint64_t plain_what[256] = {
    WORD(LOAD, 0),  WORD(LOAD, 1),  WORD(LOAD, 2),
    WORD(LOAD, 3),  WORD(STORE, 0), WORD(STORE, 1),
    WORD(STORE, 2), WORD(STORE, 3), [TR_OP_FETCH << 3] = WHAT(PC_REFERENCE_LINE, 2),
};
#undef WORD
#undef WHAT

/* Whether a plain record cannot have the address: then it is special. */
static inline bool is_wrong(unsigned byte, uint64_t address)
{
    return address >> PC_PACKED_BITS | (address & byte & 7);
}

static bool is_plain(const struct tr_op *op, unsigned byte)
{
    return plain_what[byte] && !is_wrong(byte, op->address) && op->gap < GAP_MAX;
}

/* Puts what flatten_plain has passed over into the history. */
static void learn_passed(struct tr_coder *c, struct reading *from)
{
    const uint8_t *const kinds = from->at[KINDS], *const gaps = from->at[GAPS];
    ptrdiff_t n = kinds - from->unlearned;
    for (n = n < HISTORY ? n : HISTORY; n > 0; n--)
        learn_record(c, kinds[-n], gaps[-n]);
}

/* How an address is said: bytes of the difference, their bits, and what it is added to. */
struct how_row {
    uint64_t mask;
    uint8_t bytes;
    bool thread;
};
#define ROW(how, n, of_thread) \
    [(how) + (n)] = {(n) ? ~UINT64_C(0) >> (64 - 8 * ((n) ? (n) : 1)) : 0, n, of_thread}
#define ROWS(how, thread)                                                                   \
    ROW(how, 0, thread), ROW(how, 1, thread), ROW(how, 2, thread), ROW(how, 3, thread),     \
        ROW(how, 4, thread), ROW(how, 5, thread), ROW(how, 6, thread), ROW(how, 7, thread), \
        ROW(how, 8, thread)
static const struct how_row how_rows[HOW__COUNT] = {ROWS(HOW_LAST, false), ROWS(HOW_THREAD, true)};
#undef ROWS
#undef ROW

/* References and instructions of plain records. */
static void count_plain(struct tr_flat *to, const uint8_t *kinds, const uint8_t *gaps,
                        uint32_t count)
{
    uint32_t fetches = 0, passed = 0;
    for (uint32_t i = 0; i < count; i++)
        fetches += kinds[i] == TR_OP_FETCH << 3;
    for (uint32_t i = 0; i < count; i++)
        passed += gaps[i];
    to->references += count;
    to->instructions += passed + count - fetches;
}

/* Plain records behind a plain one, of short gaps and behind a fetch, `left` at most: it stops at
 * what is not that, or is wrong, which decode_record does again. Most records of a trace come this
 * way, so it does as little as can be. @return how many */
static uint32_t flatten_plain(struct tr_coder *c, struct reading *from, uint32_t left,
                              struct tr_flat *to)
{
    const uint8_t *kinds = from->at[KINDS], *gaps = from->at[GAPS], *hows = from->at[HOWS],
                  *deltas = from->at[DELTAS];
    const uint8_t *const end = kinds + left;
    struct pc_packed *out = to->packed + to->count;
    uint64_t key = c->fetch * FOLLOWS + c->since;
    while (kinds < end) {
        const unsigned byte = *kinds, gap = *gaps, how = *hows;
        const uint64_t what = plain_what[byte];
        if (!what || gap == GAP_LONG)
            break;
        const bool fetch = byte == TR_OP_FETCH << 3;
        struct guess *const g = block_guess(c, key, byte >> 3);
        uint64_t address = g->last + g->stride;
        if (how != HOW_GUESSED) {
            if (how >= HOW__COUNT)
                break;
            const struct how_row *const row = &how_rows[how];
            uint64_t difference;
            memcpy(&difference, deltas, sizeof difference);
            address = block_unzigzag(le64toh(difference) & row->mask) +
                      (row->thread ? c->last[fetch] : g->last);
            if (from->end[DELTAS] - deltas < row->bytes || is_wrong(byte, address))
                break;
            g->stride = address - g->last;
            deltas += row->bytes;
        } else if (is_wrong(byte, address)) {
            break;
        }
        kinds++;
        gaps++;
        hows++;
        g->last = address;
        c->last[fetch] = address;
        out[-1].ticks += gap;
        if (fetch) {
            key = address / TR_FETCH_LINE * FOLLOWS;
            out->what = what | (address & ~UINT64_C(3));
            out->value = out->ticks = 0;
            out++;
            continue;
        }
        out->what = what | address;
        out->ticks = 1;
        out++->value = 0;
        if (++key % FOLLOWS == 0)
            break;
    }
    const uint32_t count = (uint32_t)(kinds - from->at[KINDS]);
    const bool over = key % FOLLOWS == 0 && count && kinds[-1] != TR_OP_FETCH << 3;
    c->fetch = (key - over) / FOLLOWS;
    c->since = over ? FOLLOWS : key % FOLLOWS;
    count_plain(to, from->at[KINDS], from->at[GAPS], count);
    to->count += count;
    from->at[KINDS] = kinds;
    from->at[GAPS] = gaps;
    from->at[HOWS] = hows;
    from->at[DELTAS] = deltas;
    return count;
}

static void flat_put(struct tr_flat *to, uint64_t what, uint32_t ticks, uint32_t value)
{
    to->packed[to->count++] = (struct pc_packed){what, ticks, value};
}

static bool flat_ends_plain(const struct tr_flat *to)
{
    return to->count && pc_packed_kind(&to->packed[to->count - 1]) != PC_REFERENCE_END;
}

static void put_special(struct tr_flat *to, const struct tr_op *op, bool told)
{
    if (to->specials == to->special_room) {
        to->special_room = 2 * to->special_room + 16;
        to->special = sim_grow(to->special, to->special_room, sizeof *to->special);
    }
    to->special[to->specials++] = (struct tr_special){to->count, told, *op};
}

/* PCycles before a record that is packed. */
static void put_gap(struct tr_flat *to, uint32_t gap)
{
    if (gap && flat_ends_plain(to))
        to->packed[to->count - 1].ticks += gap;
    else if (gap)
        flat_put(to, pc_pack(PC_REFERENCE_COMPUTE, 0, 0), gap, 0);
}

/* The kind of plain record that the core has instead of one. */
static unsigned plain_kind(const struct tr_op *op)
{
    return op->kind == TR_OP_ACQUIRE   ? TR_OP_LOAD
           : op->kind == TR_OP_RELEASE ? TR_OP_STORE
                                       : op->kind;
}

static void flatten_record(struct tr_flat *to, const struct tr_op *op)
{
    const unsigned kind = plain_kind(op), byte = kind << 3 | (op->size ? op->size - 1 : 0);
    const bool told = kind != op->kind, fetch = kind == TR_OP_FETCH;
    to->references += tr_op_is_reference(op);
    to->instructions += tr_op_instructions(op);
    if (!is_plain(op, byte)) {
        put_special(to, op, false);
        flat_put(to, pc_pack(PC_REFERENCE_END, 0, 0), 0, 0);
        return;
    }
    put_gap(to, op->gap);
    if (told)
        put_special(to, op, true);
    flat_put(to,
             plain_what[byte] | (told ? PC_TOLD : 0) | (op->address & ~(fetch ? UINT64_C(3) : 0)),
             !fetch, told ? to->specials - 1 : 0);
}

/* Room for so many records, each of which may be behind a special one, with a gap. */
static void flat_begin(struct tr_flat *to, uint32_t records)
{
    const uint32_t room = records + records / 2 + 2;
    if (room > to->room) {
        free(to->packed);
        to->packed = sim_grow(NULL, room, sizeof *to->packed);
        to->room = room;
    }
    to->count = to->specials = 0;
    to->references = to->instructions = 0;
}

void tr_flat_free(struct tr_flat *flat)
{
    free(flat->packed);
    free(flat->special);
}

const char *tr_block_flatten(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                             const struct tr_block *block, const uint8_t *bytes, uint32_t packed,
                             struct tr_flat *flat)
{
    struct reading from;
    const char *wrong = block_open(coder, head, bytes, packed, &from);
    if (wrong)
        return wrong;
    flat_begin(flat, block->records);
    if (!block_left(&from, KINDS, block->records))
        return "a block has no such records";
    for (uint32_t left = block->records; left;) {
        struct tr_op op;
        if (coder->since < FOLLOWS && flat_ends_plain(flat))
            left -= flatten_plain(coder, &from, left, flat);
        if (!left)
            break;
        learn_passed(coder, &from);
        if (!decode_record(coder, &from, &op))
            return "a block has no such records";
        from.unlearned = from.at[KINDS];
        flatten_record(flat, &op);
        left--;
    }
    flat->packed[flat->count] = (struct pc_packed){.what = pc_pack(PC_REFERENCE_END, 0, 0)};
    return block_close(&from);
}
