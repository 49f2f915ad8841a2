/*
 * Our own files (.ntr): a head, blocks (block.h), an index, and a tail that shows that the file is
 * whole. Private to the room, but for replay, which reads each thread's blocks by themselves.
 */
#ifndef TR_NTR_H
#define TR_NTR_H

#include "programs/traces/block.h"

/* docs/traces.md has the format of these. */
#define TR_NTR_MAGIC "\x89NTR\r\n\x1a\n"
#define TR_NTR_TAIL  "NTR end\n"
enum {
    TR_NTR_MAGIC_SIZE = 8,
    TR_NTR_OLDEST = 1,  /**< version that can be read: threads that move stay where they began, and
                             a region is only its own thread's; */
    TR_NTR_VERSION = 7, /**< and the one that is written; before it ways are no pairs, before 6
                             blocks have no ways, before 5 interrupts are missing, before 4 accesses
                             that they came before, and before 3 no page is said to be early */
    TR_NTR_HEAD = 32,   /**< [bytes] before the line of text and its checksum */
    TR_NTR_INDEX_THREAD = 12, /**< [bytes] of a thread in the index, */
    TR_NTR_INDEX_ROW = 32,    /**< [bytes] of a block in the index */
    TR_NTR_INDEX_PAGE = 16,   /**< the same of a page */
    TR_NTR_TAIL_SIZE = 32,
    TR_NTR_CAME = 32,          /**< [bytes] of what the run came to */
    TR_NTR_FLAGS = 7,          /**< that there are */
    TR_NTR_PAGE_MIN = 1 << 12, /**< [bytes] of the smallest pages that there may be, */
    TR_NTR_PAGE_MAX = 1 << 20, /**< and of the largest */
    TR_NTR_CARDS = 1 << 16     /**< no machine has as many */
};

/** The blocks of a trace in our format, in the file's order. @return how many; 0: it is in another
 *  format, or has none */
size_t tr_blocks(const struct tr_source *source, const struct tr_block **blocks);

/** Reads one of them. @param[out] op  [records] of it
 *  @return false: tr_why says why */
bool tr_block_read(struct tr_source *source, size_t block, struct tr_op *op);

/** The same, for a driver core. */
bool tr_block_read_flat(struct tr_source *source, size_t block, struct tr_flat *flat);

#endif
