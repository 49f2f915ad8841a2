/*
 * A block of a trace file: records of one thread as bytes, each block by itself. Private to the
 * room; docs/traces.md has the format.
 *
 * The hard idea is to say where a record refers to in no bytes at all. The same place in a program
 * mostly refers to what it referred to the last time, or as far behind that as then. What is the
 * same place is guessed from the last fetch and the number of records since, or without fetches
 * from the last records. Reader and writer guess alike, and the file says how they were wrong.
 */
#ifndef TR_BLOCK_H
#define TR_BLOCK_H

#include "procard/driver/driver.h"
#include "programs/traces/trace.h"

enum {
    TR_BLOCK_HEAD = 48,                             /**< [bytes] in front of a block's own */
    TR_BLOCK_RECORD_MAX = 14 + 1 + 10 + 1 + 8 + 10, /**< [bytes] of one before it is packed */
    TR_BLOCK_COLUMNS = 7,
    TR_BLOCK_RAW_MAX = 4 * TR_BLOCK_COLUMNS + TR_BLOCK_RECORDS * TR_BLOCK_RECORD_MAX,
};

/** What is said of a block in front of it. */
struct tr_block {
    uint64_t offset;                           /**< [bytes] in the file */
    uint64_t references;                       /**< of its thread before the block, */
    uint64_t instructions;                     /**< and instructions */
    uint64_t references_end, instructions_end; /**< of the thread behind it; UINT64_MAX: this is its
                                                    last block */
    uint32_t thread;
    uint32_t records; /**< 1 to TR_BLOCK_RECORDS */
    uint32_t card;    /**< on which the thread is before the block; UINT32_MAX: it is not said */
};

/** What codes and decodes: guesses, and buffers. */
struct tr_coder;

/** @return the caller's */
struct tr_coder *tr_coder_new(void);
void tr_coder_free(struct tr_coder *coder);

/** Codes a block with its head. @return its bytes, the coder's until the next call; *size is how
 *  many. @pre 1 <= block->records <= TR_BLOCK_RECORDS */
const uint8_t *tr_block_code(struct tr_coder *coder, const struct tr_block *block,
                             const struct tr_op *op, size_t *size);

/** Reads a block's head. @param[out] packed  [bytes] that follow it
 *  @return NULL, or what is wrong */
const char *tr_block_head(const uint8_t head[TR_BLOCK_HEAD], struct tr_block *block,
                          uint32_t *packed);

/** Decodes a block whose head is sound. @param[out] op  block->records of them
 *  @return NULL, or what is wrong; then `op` is not to be used */
const char *tr_block_decode(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                            const struct tr_block *block, const uint8_t *bytes, uint32_t packed,
                            struct tr_op *op);

/** A block as a driver core takes it. Plain records, which are loads and stores of a whole, aligned
 *  word and look-ups of instructions, are packed, and their gaps are work behind what comes before
 *  them. So are those of words that threads synchronise with, whose records are special. Of all
 *  others, which are special, too, there is a PC_REFERENCE_END in their places. Behind all, too. */
struct tr_flat {
    struct pc_packed *packed;   /**< [count + 1] */
    struct tr_special *special; /**< [specials] in their order */
    uint32_t count, specials;
    uint32_t room, special_room;
    uint64_t references, instructions; /**< of its records */
};

struct tr_special {
    uint32_t at; /**< its place among the packed ones */
    bool told;   /**< there it is packed, with PC_TOLD and its number as value */
    struct tr_op op;
};

void tr_flat_free(struct tr_flat *flat);

/** As tr_block_decode. @param flat  zeroed before the first time; what it had is lost */
const char *tr_block_flatten(struct tr_coder *coder, const uint8_t head[TR_BLOCK_HEAD],
                             const struct tr_block *block, const uint8_t *bytes, uint32_t packed,
                             struct tr_flat *flat);

/** Little-endian numbers in files. */
void tr_put32(uint8_t *to, uint32_t value);
void tr_put64(uint8_t *to, uint64_t value);
uint32_t tr_get32(const uint8_t *from);
uint64_t tr_get64(const uint8_t *from);

#endif
