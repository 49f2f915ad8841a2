/*
 * Blocks: columns of bytes, packed by zstd. Of each record the kind and size, the gap, how the
 * guess of its address was wrong, by how much, and its value.
 *
 * The hard idea is the way: references behind each other, with their gaps, as a program makes them
 * again and again between two look-ups of instructions. Each is said once in a block, and so are
 * two that often come behind each other (pairs.h); where it comes there is its number, and of its
 * records only what is not known of addresses and values.
 */
#include "programs/traces/block.h"
#include "base/alloc.h"
#include "programs/traces/pairs.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

/* STEPS: where a way comes, its number, 0 for a record that is none. A block without ways has no
 * columns behind VALUES, as all blocks before version 6. */
enum column { KINDS, GAPS, HOWS, DELTAS, VALUES, STEPS, WAYS };
_Static_assert(WAYS + 1 == TR_BLOCK_COLUMNS, "all columns");
enum { COLUMNS_BEFORE = VALUES + 1 };

enum {
    GUESSES = 1 << 12,
    FOLLOWS = 64,                      /* records behind a fetch that it helps to guess */
    HISTORY = 5,                       /* records of which the history knows */
    BEYOND = 8 * TR_BLOCK_RECORDS + 8, /* [bytes] read behind the columns of a damaged block */
    GAP_LONG = 255,
    LEVEL = 7,               /* of zstd, */
    REPEATS = 7,             /* [bytes] of what it finds again, or more: unpacking counts those */
    MAGIC = 0x6b6c6254,      /* "Tblk" */
    MAGIC_WAYS = 0x776c6254, /* "Tblw" */
    WAYS_MAX = 1 << 14,      /* in a block */
    WAY_HEAD = 10,           /* [bytes] its records, those since the last fetch, where that was */
    WAY_SIZE_MAX = WAY_HEAD + 2 * (FOLLOWS + 1),
    WAY_PAIR = 5 /* [bytes] of one that is a pair: 0, the numbers of two */
};

/* How an address is said: as guessed; or as so many bytes of difference to the guess's last
 * address, or to the thread's. */
enum how { HOW_GUESSED, HOW_LAST, HOW_THREAD = HOW_LAST + 9, HOW__COUNT = HOW_THREAD + 9 };

struct guess {
    uint64_t last, stride;
    uint64_t block; /* of this one; of others nothing is known in this */
};

/* A record of a way. */
struct step {
    struct pc_packed packed; /* but an address of data; its ticks with the next one's gap */
    struct guess *guess;     /* NULL: it is a fetch, at ... */
    uint64_t at;             /* ... or bits that its address does not have */
    uint8_t byte, gap;
};

/* Records that come behind each other again and again. */
struct way {
    struct step *step, *end;
    uint64_t address; /* of its last fetch, or of the last one before it, ... */
    uint32_t after;   /* ... behind which so many records are at its end */
    uint32_t instructions;
    uint32_t count;
    uint8_t gap; /* of its first step */
    bool told;   /* it has records that are special */
};

struct tr_coder {
    struct guess guess[GUESSES];
    uint64_t block;                /* from 1 on */
    uint64_t fetch, history;       /* the last line of instructions; the last records */
    uint64_t last[2];              /* the last addresses: of data, of fetches */
    unsigned since;                /* records since the last fetch */
    unsigned ways;                 /* of the block */
    uint16_t way_at[2 * WAYS_MAX]; /* coding: numbers of ways, hashed; 0: none */
    const uint8_t *way_bytes[WAYS_MAX];
    uint16_t number[TR_BLOCK_RECORDS]; /* coding: of the ways that come; 0: a record alone, */
    uint32_t numbers;                  /* so many, */
    struct tr_pairs pairs;             /* and pairs of them */
    uint32_t length[WAYS_MAX + 1];
    struct tr_pair pair[WAYS_MAX];
    struct way way[WAYS_MAX + 1]; /* decoding: by number */
    struct step step[TR_BLOCK_RECORDS];
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
    uint8_t raw[TR_BLOCK_RAW_MAX + BEYOND];
    uint8_t column[TR_BLOCK_COLUMNS][TR_BLOCK_RECORDS * 10];
    uint8_t out[TR_BLOCK_HEAD + ZSTD_COMPRESSBOUND(TR_BLOCK_RAW_MAX)];
};

struct tr_coder *tr_coder_new(void)
{
    struct tr_coder *coder = sim_grow(NULL, 1, sizeof *coder); /* zeroing it would take its time */
    memset(coder->guess, 0, sizeof coder->guess);
    coder->block = 0;
    coder->pack = ZSTD_createCCtx();
    coder->unpack = ZSTD_createDCtx();
    coder->pairs = (struct tr_pairs){
        .length = coder->length, .most = WAYS_MAX, .room = TR_BLOCK_RECORDS, .pair = coder->pair};
    if (!coder->pack || !coder->unpack)
        sim_no_memory();
    ZSTD_CCtx_setParameter(coder->pack, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(coder->pack, ZSTD_c_minMatch, REPEATS);
    return coder;
}

void tr_coder_free(struct tr_coder *coder)
{
    if (!coder)
        return;
    ZSTD_freeCCtx(coder->pack);
    ZSTD_freeDCtx(coder->unpack);
    tr_pairs_free(&coder->pairs);
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
    c->block++;
    c->fetch = c->history = c->last[0] = c->last[1] = 0;
    c->since = FOLLOWS;
    c->ways = 0;
}

#define MIX UINT64_C(0x9e3779b97f4a7c15)

static uint64_t block_mix(uint64_t x)
{
    x *= MIX;
    return x ^ x >> 29;
}

static inline struct guess *block_guess(struct tr_coder *c, uint64_t key, unsigned kind)
{
    struct guess *const g = &c->guess[(block_mix(key) + kind) * MIX >> 52];
    if (g->block != c->block)
        *g = (struct guess){.block = c->block};
    return g;
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

/* A fetch that a way begins with: it is known where it is. */
static void learn_fetch(struct tr_coder *c, uint64_t address)
{
    c->last[1] = address;
    c->fetch = address / TR_FETCH_LINE;
    c->since = 0;
}

/* ---- plain records --------------------------------------------------------------------------- */

enum { GAP_MAX = 1 << 15 }; /* [PCycles] of a plain record's; longer ones are special */

/* The first word of a packed reference (pc_pack) but for its address, by the first byte of a
 * record; 0: it cannot be packed. */
#define WHAT(reference, shift)                                                      \
    ((uint64_t)PC_REFERENCE_##reference << (PC_PACKED_BITS + 8) | (uint64_t)(shift) \
                                                                      << PC_PACKED_BITS)
#define WORDS(name, reference, more)                                            \
    [TR_OP_##name << 3 | 0] = WHAT(reference, 0) | (more),                      \
                         [TR_OP_##name << 3 | 1] = WHAT(reference, 1) | (more), \
                         [TR_OP_##name << 3 | 3] = WHAT(reference, 2) | (more), \
                         [TR_OP_##name << 3 | 7] = WHAT(reference, 3) | (more)
static const uint64_t plain_what[256] = {
    WORDS(LOAD, LOAD, 0),
    WORDS(STORE, STORE, 0),
    WORDS(ACQUIRE, LOAD, PC_TOLD),
    WORDS(RELEASE, STORE, PC_TOLD),
    [TR_OP_FETCH << 3] = WHAT(LINE, 2),
};
#undef WORDS
#undef WHAT

static unsigned block_byte(const struct tr_op *op)
{
    return op->kind << 3 | (op->size ? op->size - 1 : 0);
}

/* Bits that the address of a plain record does not have. */
static uint64_t plain_wrong(unsigned byte)
{
    return ~UINT64_C(0) << PC_PACKED_BITS | (byte & 7);
}

/* Whether a record can be packed. */
static bool is_plain(const struct tr_op *op, unsigned byte)
{
    return plain_what[byte] && !(op->address & plain_wrong(byte)) && op->gap < GAP_MAX;
}

/* The first word of a packed reference there. */
static uint64_t plain_at(unsigned byte, uint64_t address)
{
    return plain_what[byte] | (address & ~(uint64_t)(byte >> 3 == TR_OP_FETCH ? 3 : 0));
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
    const uint8_t byte = (uint8_t)block_byte(op);
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

static uint8_t *put_step(uint8_t *to, unsigned number)
{
    *to++ = (uint8_t)number;
    *to++ = (uint8_t)(number >> 8);
    return to;
}

static bool is_on_way(const struct tr_op *op)
{
    return op->gap < GAP_LONG && is_plain(op, block_byte(op));
}

/* How many records, from one on, may be a way. */
static uint32_t way_length(const struct tr_coder *c, const struct tr_op *op, uint32_t left)
{
    const bool fetches = op->kind == TR_OP_FETCH;
    const uint32_t room = fetches                        ? FOLLOWS + 1
                          : c->last[1] >> PC_PACKED_BITS ? 0
                                                         : FOLLOWS - c->since;
    uint32_t n = 0;
    while (n < left && n < room && is_on_way(&op[n]) && (!n || op[n].kind != TR_OP_FETCH))
        n++;
    return n;
}

/* What is said of a way. @return [bytes] */
static size_t way_say(const struct tr_coder *c, const struct tr_op *op, uint32_t count,
                      uint8_t bytes[WAY_SIZE_MAX])
{
    const bool fetches = op->kind == TR_OP_FETCH;
    bytes[0] = (uint8_t)count;
    bytes[1] = fetches ? 0 : (uint8_t)c->since;
    tr_put64(bytes + 2, fetches ? op->address : c->last[1]);
    for (uint32_t i = 0; i < count; i++) {
        bytes[WAY_HEAD + 2 * (size_t)i] = (uint8_t)block_byte(&op[i]);
        bytes[WAY_HEAD + 2 * (size_t)i + 1] = (uint8_t)op[i].gap;
    }
    return WAY_HEAD + 2 * (size_t)count;
}

/* The number of a way, a new one perhaps. @return 0: there are too many */
static unsigned way_number(struct tr_coder *c, struct columns *to, const struct tr_op *op,
                           uint32_t count)
{
    uint8_t bytes[WAY_SIZE_MAX];
    const size_t size = way_say(c, op, count, bytes);
    uint64_t at = XXH64(bytes, size, 0);
    for (;; at++) {
        uint16_t *const number = &c->way_at[at % (2 * WAYS_MAX)];
        if (*number && memcmp(c->way_bytes[*number - 1], bytes, size) != 0)
            continue;
        if (*number || c->ways == WAYS_MAX)
            return *number;
        c->way_bytes[c->ways] = to->at[WAYS];
        *number = (uint16_t)++c->ways;
        c->length[*number] = count;
        c->pairs.steps += count;
        memcpy(to->at[WAYS], bytes, size);
        to->at[WAYS] += size;
        return *number;
    }
}

/* What a way does not say of its records. */
static void code_way(struct tr_coder *c, struct columns *to, const struct tr_op *op, uint32_t count)
{
    if (op->kind == TR_OP_FETCH)
        learn_fetch(c, op->address);
    for (uint32_t i = op->kind == TR_OP_FETCH; i < count; i++) {
        code_address(c, to, &op[i]);
        if (tr_op_rows[op[i].kind].value)
            to->at[VALUES] = put_varying(to->at[VALUES], op[i].value);
    }
}

static void code_records(struct tr_coder *c, struct columns *to, const struct tr_op *op,
                         uint32_t records)
{
    for (uint32_t i = 0, n; i < records; i += n ? n : 1) {
        n = way_length(c, &op[i], records - i);
        const unsigned number = n ? way_number(c, to, &op[i], n) : 0;
        n = number ? n : 0;
        c->number[c->numbers++] = (uint16_t)number;
        if (n)
            code_way(c, to, &op[i], n);
        else
            code_record(c, to, &op[i]);
    }
}

/* Which ways come, and which of those are pairs. */
static void code_numbers(struct tr_coder *c, struct columns *to)
{
    struct tr_pairs *const pairs = &c->pairs;
    pairs->ways = c->ways;
    c->numbers = (uint32_t)tr_pairs_join(pairs, c->number, c->numbers);
    for (uint32_t i = 0; i < c->numbers; i++)
        to->at[STEPS] = put_step(to->at[STEPS], c->number[i]);
    for (unsigned i = 0; i < pairs->pairs; i++) {
        *to->at[WAYS]++ = 0;
        to->at[WAYS] = put_step(to->at[WAYS], pairs->pair[i].first);
        to->at[WAYS] = put_step(to->at[WAYS], pairs->pair[i].second);
    }
}

/* Puts the columns behind each other. @return [bytes] */
static size_t block_join(struct tr_coder *c, const struct columns *to, unsigned columns)
{
    size_t at = 4 * (size_t)columns;
    for (unsigned i = 0; i < columns; i++) {
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
    memset(coder->way_at, 0, sizeof coder->way_at);
    coder->numbers = coder->pairs.steps = 0;
    code_records(coder, &to, op, block->records);
    code_numbers(coder, &to);
    const size_t raw = block_join(coder, &to, coder->ways ? TR_BLOCK_COLUMNS : COLUMNS_BEFORE),
                 packed = ZSTD_compress2(coder->pack, bytes, sizeof coder->out - TR_BLOCK_HEAD,
                                         coder->raw, raw);
    if (ZSTD_isError(packed))
        sim_no_memory(); /* it has room for anything */
    tr_put32(head, coder->ways ? MAGIC_WAYS : MAGIC);
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

#define NO_SUCH_RECORDS "a block has no such records"

const char *tr_block_head(const uint8_t head[TR_BLOCK_HEAD], struct tr_block *block,
                          uint32_t *packed)
{
    block->thread = tr_get32(head + 4);
    block->records = tr_get32(head + 8);
    block->card = tr_get32(head + 20) - 1;
    block->references = tr_get64(head + 24);
    block->instructions = tr_get64(head + 32);
    *packed = tr_get32(head + 16);
    const bool begins = tr_get32(head) == MAGIC || tr_get32(head) == MAGIC_WAYS;
    return !begins                                                  ? "no block begins here"
           : !block->records || block->records > TR_BLOCK_RECORDS   ? "a block of no such size"
           : tr_get32(head + 12) > TR_BLOCK_RAW_MAX                 ? "a block of no such size"
           : *packed > ZSTD_COMPRESSBOUND((size_t)TR_BLOCK_RAW_MAX) ? "a block of no such size"
           : block->thread >= TR_THREADS_MAX                        ? "a thread of no such number"
                                                                    : NULL;
}

struct reading {
    const uint8_t *at[TR_BLOCK_COLUMNS], *end[TR_BLOCK_COLUMNS];
};

static bool block_part(struct reading *from, const uint8_t *raw, size_t size, unsigned columns)
{
    size_t at = 4 * (size_t)columns;
    if (size < at)
        return false;
    for (unsigned i = 0; i < columns; i++) {
        const size_t n = tr_get32(raw + 4 * (size_t)i);
        if (n > size - at)
            return false;
        from->at[i] = raw + at;
        at += n;
        from->end[i] = raw + at;
    }
    for (unsigned i = columns; i < TR_BLOCK_COLUMNS; i++)
        from->at[i] = from->end[i] = raw + at;
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
    if (!block_left(from, DELTAS, n))
        return false;
    memcpy(&difference, from->at[DELTAS], n);
    from->at[DELTAS] += n;
    op->address =
        block_unzigzag(le64toh(difference)) + (thread ? c->last[op->kind == TR_OP_FETCH] : g->last);
    return true;
}

static inline bool decode_address(struct tr_coder *c, struct reading *from, struct guess *g,
                                  struct tr_op *op)
{
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
    if (row->sort != TR_NOTE && !decode_address(c, from, block_place(c, op->kind), op))
        return false;
    if (row->value &&
        !(from->at[VALUES] = get_varying(from->at[VALUES], from->end[VALUES], &op->value)))
        return false;
    learn_record(c, byte, op->gap);
    return true;
}

/* ---- decoding ways --------------------------------------------------------------------------- */

static inline uint16_t get_step(const uint8_t *from)
{
    uint16_t number;
    memcpy(&number, from, sizeof number);
    return le16toh(number);
}

/* A way's record. @param since  the way's last fetch so many records are before it
 * @return false: no way has such a one there */
static bool decode_step(struct tr_coder *c, struct way *w, struct step *s, uint32_t since,
                        const uint8_t bytes[2])
{
    const unsigned byte = bytes[0], kind = byte >> 3;
    const bool fetch = kind == TR_OP_FETCH;
    if (!plain_what[byte] || bytes[1] == GAP_LONG || (s > w->step && fetch))
        return false;
    const uint64_t key = w->address / TR_FETCH_LINE * FOLLOWS + since;
    *s = (struct step){.packed = {.what = plain_at(byte, fetch ? w->address : 0), .ticks = !fetch},
                       .guess = fetch ? NULL : block_guess(c, key, kind),
                       .at = fetch ? w->address : plain_wrong(byte),
                       .byte = (uint8_t)byte,
                       .gap = bytes[1]};
    w->instructions += s->gap + !fetch;
    w->told |= s->packed.what >> 63;
    if (s > w->step)
        s[-1].packed.ticks += s->gap;
    return true;
}

/* Two ways that have been said, behind each other. @param head  [WAY_PAIR] */
static bool decode_pair(struct tr_coder *c, const uint8_t *head, struct way *w, uint32_t room)
{
    const unsigned one = get_step(head + 1), other = get_step(head + 3);
    if (!one || !other || one >= c->ways || other >= c->ways)
        return false;
    const struct way *const a = &c->way[one], *const b = &c->way[other];
    if (a->count > room || b->count > room - a->count)
        return false;
    struct step *const step = w->step;
    memcpy(step, a->step, a->count * sizeof *step);
    memcpy(step + a->count, b->step, b->count * sizeof *step);
    step[a->count - 1].packed.ticks += b->gap;
    *w = (struct way){.step = step,
                      .address = b->address,
                      .after = b->after,
                      .instructions = a->instructions + b->instructions,
                      .count = a->count + b->count,
                      .told = a->told || b->told};
    return true;
}

/* @param head  [WAY_HEAD], with what follows */
static bool decode_single(struct tr_coder *c, const uint8_t *head, struct way *w, uint32_t room)
{
    const uint8_t *const bytes = head + WAY_HEAD;
    const bool fetches = bytes[0] >> 3 == TR_OP_FETCH;
    const uint32_t since = head[1];
    w->count = head[0];
    w->address = tr_get64(head + 2);
    w->after = since + w->count - fetches;
    if (w->address >> PC_PACKED_BITS || w->count > room || w->after > FOLLOWS || (fetches && since))
        return false;
    for (uint32_t i = 0; i < w->count; i++)
        if (!decode_step(c, w, &w->step[i], since + i - fetches, bytes + 2 * (size_t)i))
            return false;
    return true;
}

/* @param[in,out] steps  that are taken */
static bool decode_way(struct tr_coder *c, struct reading *from, uint32_t *steps)
{
    const uint8_t *const head = from->at[WAYS];
    const size_t size = *head ? WAY_HEAD + 2 * (size_t)*head : WAY_PAIR;
    const uint32_t room = TR_BLOCK_RECORDS - *steps;
    if (c->ways == WAYS_MAX || !block_left(from, WAYS, (unsigned)size))
        return false;
    struct way *const w = &c->way[++c->ways];
    *w = (struct way){.step = &c->step[*steps]};
    if (!(*head ? decode_single : decode_pair)(c, head, w, room))
        return false;
    w->end = w->step + w->count;
    w->gap = w->step->gap;
    *steps += w->count;
    from->at[WAYS] += size;
    return true;
}

static bool decode_ways(struct tr_coder *c, struct reading *from)
{
    uint32_t steps = 0;
    while (from->at[WAYS] < from->end[WAYS])
        if (!decode_way(c, from, &steps))
            return false;
    return true;
}

/* Whether there are all ways that come, and all addresses are said in a known manner: nobody who
 * decodes looks at that again. Behind the last way comes 0, also for one who reads on; the ways
 * themselves, which were said there, are decoded. */
static bool all_known(struct tr_coder *c, const struct reading *from)
{
    uint16_t number = 0;
    uint8_t how = 0;
    memset(c->raw + (from->end[STEPS] - c->raw), 0, 2 * sizeof number);
    for (const uint8_t *p = from->at[STEPS]; p < from->end[STEPS]; p += 2)
        number = get_step(p) > number ? get_step(p) : number;
    for (const uint8_t *p = from->at[HOWS]; p < from->end[HOWS]; p++)
        how = *p > how ? *p : how;
    return number <= c->ways && how < HOW__COUNT;
}

/* The way that comes next, of `left` records at most. @return NULL: a record alone
 *  @param[out] wrong  it is none that there is */
static const struct way *next_way(const struct tr_coder *c, struct reading *from, uint32_t left,
                                  bool *wrong)
{
    *wrong = c->ways && !block_left(from, STEPS, 2);
    const unsigned number = c->ways && !*wrong ? get_step(from->at[STEPS]) : 0;
    from->at[STEPS] += c->ways && !*wrong ? 2 : 0;
    *wrong |= number && c->way[number].count > left;
    return number && !*wrong ? &c->way[number] : NULL;
}

/* What is known behind a way. */
static void learn_way(struct tr_coder *c, const struct way *w)
{
    learn_fetch(c, w->address);
    c->since = w->after;
}

/* The i-th record of a way. @return false: there is none such */
static bool decode_on_way(struct tr_coder *c, struct reading *from, const struct way *w, uint32_t i,
                          struct tr_op *op)
{
    const struct step *s = &w->step[i];
    *op = (struct tr_op){.kind = s->byte >> 3, .gap = s->gap, .address = s->at};
    if (s->guess) {
        op->size = (s->byte & 7) + 1;
        if (!decode_address(c, from, s->guess, op) || op->address & s->at)
            return false;
    }
    if (s + 1 == w->end)
        learn_way(c, w);
    if (!tr_op_rows[op->kind].value)
        return true;
    from->at[VALUES] = get_varying(from->at[VALUES], from->end[VALUES], &op->value);
    return from->at[VALUES];
}

/* ---- decoding blocks ------------------------------------------------------------------------- */

/* Unpacks a block. @return NULL, or what is wrong */
static const char *block_open(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                              const uint8_t *bytes, uint32_t packed, struct reading *from)
{
    const unsigned columns = tr_get32(head) == MAGIC ? COLUMNS_BEFORE : TR_BLOCK_COLUMNS;
    if (block_checksum(head, bytes, packed) != tr_get64(head + 40))
        return "a block's bytes are not those that were written (checksum)";
    const size_t raw =
        ZSTD_decompressDCtx(coder->unpack, coder->raw, TR_BLOCK_RAW_MAX, bytes, packed);
    if (ZSTD_isError(raw) || raw != tr_get32(head + 12) ||
        !block_part(from, coder->raw, raw, columns))
        return "a block cannot be unpacked";
    block_begin(coder);
    coder->way[0].count = UINT32_MAX; /* 0 is no way */
    return !decode_ways(coder, from) ? "a block has no such ways"
           : !all_known(coder, from) ? NO_SUCH_RECORDS
                                     : NULL;
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
    bool bad;
    const char *wrong = block_open(coder, head, bytes, packed, &from);
    for (uint32_t i = 0; i < block->records && !wrong;) {
        const struct way *w = next_way(coder, &from, block->records - i, &bad);
        for (uint32_t j = 0; w && !bad && j < w->count; j++)
            bad = !decode_on_way(coder, &from, w, j, &op[i++]);
        if (!w && !bad)
            bad = !decode_record(coder, &from, &op[i++]);
        wrong = bad ? NO_SUCH_RECORDS : NULL;
    }
    return wrong ? wrong : block_close(&from);
}

/* ---- decoding for a driver core -------------------------------------------------------------- */

static void flat_put(struct tr_flat *to, uint64_t what, uint32_t ticks, uint32_t value)
{
    to->packed[to->count++] = (struct pc_packed){what, ticks, value};
}

static bool flat_ends_plain(const struct tr_flat *to)
{
    return to->count && pc_packed_kind(&to->packed[to->count - 1]) != PC_REFERENCE_END;
}

static void put_special(struct tr_flat *to, uint32_t at, const struct tr_op *op, bool told)
{
    if (to->specials == to->special_room) {
        to->special_room = 2 * to->special_room + 16;
        to->special = sim_grow(to->special, to->special_room, sizeof *to->special);
    }
    to->special[to->specials++] = (struct tr_special){at, told, *op};
}

/* PCycles before a record that is packed. */
static void put_gap(struct tr_flat *to, uint32_t gap)
{
    if (gap && flat_ends_plain(to))
        to->packed[to->count - 1].ticks += gap;
    else if (gap)
        flat_put(to, pc_pack(PC_REFERENCE_COMPUTE, 0, 0), gap, 0);
}

static void flatten_record(struct tr_flat *to, const struct tr_op *op)
{
    const unsigned byte = block_byte(op);
    const bool told = plain_what[byte] & PC_TOLD;
    to->references += tr_op_is_reference(op);
    to->instructions += tr_op_instructions(op);
    if (!is_plain(op, byte)) {
        put_special(to, to->count, op, false);
        flat_put(to, pc_pack(PC_REFERENCE_END, 0, 0), 0, 0);
        return;
    }
    put_gap(to, op->gap);
    if (told)
        put_special(to, to->count, op, true);
    flat_put(to, plain_at(byte, op->address), op->kind != TR_OP_FETCH, told ? to->specials - 1 : 0);
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
static const struct how_row how_rows[256] = {ROWS(HOW_LAST, false), ROWS(HOW_THREAD, true)};
#undef ROWS
#undef ROW

/* What is special of a way whose records have been put behind `out`. @return whether it is wrong */
static __attribute__((noinline)) bool flatten_told(struct reading *from, const struct way *w,
                                                   struct tr_flat *to, struct pc_packed *out)
{
    for (const struct step *s = w->step; s < w->step + w->count; s++, out++) {
        struct tr_op op = {.kind = s->byte >> 3,
                           .size = (uint8_t)((s->byte & 7) + 1),
                           .gap = s->gap,
                           .address = out->what & ~s->packed.what};
        if (!(s->packed.what & PC_TOLD))
            continue;
        const uint8_t *behind = get_varying(from->at[VALUES], from->end[VALUES], &op.value);
        if (!behind)
            return true;
        from->at[VALUES] = behind;
        put_special(to, (uint32_t)(out - to->packed), &op, true);
        out->value = to->specials - 1;
    }
    return false;
}

/* An address that was not guessed. */
static inline uint64_t told_address(const uint8_t *deltas, const struct how_row *row, uint64_t last,
                                    uint64_t data)
{
    uint64_t difference;
    memcpy(&difference, deltas, sizeof difference);
    return block_unzigzag(le64toh(difference) & row->mask) + (row->thread ? data : last);
}

/* Makes a place for the gap of the way that comes, if the record before it has none. */
static void put_place(const struct tr_coder *c, const struct reading *from, uint32_t left,
                      struct tr_flat *to)
{
    const struct way *const next = &c->way[get_step(from->at[STEPS])];
    if (next->count <= left && next->gap && !flat_ends_plain(to))
        flat_put(to, pc_pack(PC_REFERENCE_COMPUTE, 0, 0), 0, 0);
}

/* Ways behind another record: most of a trace. It does as little as can
 * be, and finds out at the end that something was wrong. @return how many records */
static __attribute__((noinline)) uint32_t flatten_ways(struct tr_coder *c, struct reading *from,
                                                       uint32_t records, struct tr_flat *to)
{
    put_place(c, from, records, to);
    const uint8_t *steps = from->at[STEPS], *hows = from->at[HOWS], *deltas = from->at[DELTAS];
    struct pc_packed *out = to->packed + to->count;
    const struct way *const way = c->way, *w = NULL;
    uint64_t data = c->last[0], wrong = 0;
    uint32_t left = records;
    for (; way[get_step(steps)].count <= left; steps += 2) {
        struct pc_packed *const first = out;
        w = &way[get_step(steps)];
        left -= w->count;
        to->instructions += w->instructions;
        out[-1].ticks += w->gap;
        for (const struct step *s = w->step, *const end = w->end; s < end; s++, out++) {
            struct guess *const g = s->guess;
            *out = s->packed;
            if (!g)
                continue;
            uint64_t address = g->last + g->stride;
            const uint8_t how = *hows++;
            if (how != HOW_GUESSED) {
                const struct how_row *const row = &how_rows[how];
                address = told_address(deltas, row, g->last, data);
                g->stride = address - g->last;
                deltas += row->bytes;
            }
            wrong |= address & s->at;
            g->last = data = address;
            out->what |= address;
        }
        if (__builtin_expect(w->told, 0))
            wrong |= flatten_told(from, w, to, first);
    }
    from->at[STEPS] = steps;
    from->at[HOWS] = hows;
    from->at[DELTAS] = wrong ? from->end[DELTAS] + 1 : deltas; /* where it must not be */
    to->count = (uint32_t)(out - to->packed);
    to->references += records - left;
    c->last[0] = data;
    if (w)
        learn_way(c, w);
    return records - left;
}

/* A way that flatten_ways does not make, or a record alone. @return how many records; 0: it is
 * wrong */
static uint32_t flatten_next(struct tr_coder *c, struct reading *from, uint32_t left,
                             struct tr_flat *to)
{
    bool bad;
    struct tr_op op;
    const struct way *w = next_way(c, from, left, &bad);
    if (bad)
        return 0;
    for (uint32_t i = 0; w && i < w->count; i++) {
        if (!decode_on_way(c, from, w, i, &op))
            return 0;
        flatten_record(to, &op);
    }
    if (w)
        return w->count;
    if (!decode_record(c, from, &op))
        return 0;
    flatten_record(to, &op);
    return 1;
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
    for (uint32_t left = block->records; left;) {
        if (coder->ways && flat->count)
            left -= flatten_ways(coder, &from, left, flat);
        const uint32_t next = left ? flatten_next(coder, &from, left, flat) : 0;
        if (left && !next)
            return NO_SUCH_RECORDS;
        left -= next;
    }
    flat->packed[flat->count] = (struct pc_packed){.what = pc_pack(PC_REFERENCE_END, 0, 0)};
    return block_close(&from);
}
