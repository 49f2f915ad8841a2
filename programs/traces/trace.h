/*
 * Traces of references: what each thread of a program referred to, one record after the other.
 *
 * A record says how many PCycles of instructions without references came before it (its gap), what
 * it is (ops.def), and where. Every reference but a fetch is an instruction of one PCycle. What it
 * waited for is not in a trace: that is the machine's.
 *
 * Reading any file takes bounded memory and ends; a mistake in it comes back as one line that names
 * file, place and mend.
 */
#ifndef TR_TRACE_H
#define TR_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What a record is. */
enum tr_kind {
#define OP(name, word, kind, value, sentence) TR_OP_##name,
#include "programs/traces/ops.def"
#undef OP
    TR_OP__COUNT
};

/** What a record is as a whole. */
enum tr_sort { TR_REFERENCE, TR_PLACE, TR_NOTE };

/** A row of ops.def. */
struct tr_op_row {
    const char *word;
    enum tr_sort sort; /**< NOTE: it has no address */
    bool value;        /**< it has one */
    const char *sentence;
};
extern const struct tr_op_row tr_op_rows[TR_OP__COUNT];

/** A record. */
struct tr_op {
    uint64_t address; /**< virtual; 0 where there is none */
    uint64_t value;   /**< 0 where there is none */
    uint32_t gap; /**< [PCycles] of instructions without references before it; of what the system
                       does, those that the trap kills */
    uint8_t kind; /**< enum tr_kind */
    uint8_t size; /**< [bytes] of a reference, 1 to 8; of a fetch, and of what is none, 0 */
};

enum {
    TR_FETCH_LINE = 32,        /**< [bytes] of a fetch: the R4400's line of instructions */
    TR_SIZE_MAX = 8,           /**< [bytes] of a reference; longer ones of a file are taken apart */
    TR_THREADS_MAX = 1 << 14,  /**< in a trace */
    TR_NAMES_MAX = 1 << 12,    /**< of regions in a trace, */
    TR_NAME_MAX = 256,         /**< [bytes] of one, and of what a trace was made from */
    TR_BLOCK_RECORDS = 1 << 16 /**< in a batch, at most */
};

/** Whether a record is a reference: what is counted as one. */
static inline bool tr_op_is_reference(const struct tr_op *op)
{
    return tr_op_rows[op->kind].sort == TR_REFERENCE;
}

/** Instructions of a record: PCycles without stalls, and without the system's. */
static inline uint64_t tr_op_instructions(const struct tr_op *op)
{
    const bool none = op->kind == TR_OP_FETCH || op->kind == TR_OP_BEGUN;
    return op->gap + (op->kind == TR_OP_COMPUTE ? op->value : !none && tr_op_is_reference(op));
}

/** What the run came to that a trace was recorded of. */
struct tr_came {
    uint64_t
        machine;    /**< it ran on this one, as a number (tr_machine); 0: not known, nor the rest */
    uint64_t ticks; /**< [ticks] it took, */
    uint64_t misses; /**< secondary misses of all cards, */
    uint64_t nacks;  /**< and NACKs */
};

/** What is known of a trace as a whole. Strings are the source's. */
struct tr_about {
    const char *format; /**< a row of formats.def */
    const char *made;   /**< one line: what it was made from; "": not known */
    bool timed;         /**< gaps are PCycles of a run that was recorded, and so are dates; else
                             instructions */
    bool came;          /**< a recording, which tells at its end what the run came to */
    bool part;     /**< it was cut out of another: threads may wait for others that are not in it */
    uint32_t page; /**< [bytes] of a page of its addresses; 0: not known */
    uint64_t where; /**< what the places of its pages depend on, as a number; 0: not known */
};

/** Records of one thread, in their order. */
struct tr_batch {
    const struct tr_op *op; /**< the source's, until the next call */
    size_t count;
    uint64_t references;   /**< of the thread before these, */
    uint64_t instructions; /**< and instructions */
    uint32_t thread;       /**< numbered from 0 on, in the order in which they come */
    uint32_t card;         /**< on which it is before these; 0, where that is not known */
};

/** A stretch of a thread, by numbers: from the first of each pair on, before the second. */
struct tr_stretch {
    uint32_t thread;
    uint64_t references[2], instructions[2]; /**< UINT64_MAX: to the thread's end, not known */
};

/** Whether a stretch is wanted: it is not read otherwise, if the format allows. */
typedef bool tr_want_fn(void *ctx, const struct tr_stretch *stretch);

enum tr_more {
    TR_MORE, /**< there is a batch, of one record at least */
    TR_END,  /**< the trace is over */
    TR_BAD,  /**< the file is wrong; tr_why says why */
};

struct tr_source;

/** Opens a trace in any format, which its content tells; text may be compressed by gzip or zstd.
 *  @param[out] why  on failure one line
 *  @return the caller's, for tr_close; NULL: no trace, or it cannot be read */
struct tr_source *tr_open(const char *path, char *why, size_t size);

/** The same of a file that is open, and lies where its bytes are to be read from.
 *  @param file  the source's from now on @param path  for messages */
struct tr_source *tr_open_file(FILE *file, const char *path, char *why, size_t size);
void tr_close(struct tr_source *source);

/** The next records: of each thread in their order; those of different threads lie as the file has
 *  them. */
enum tr_more tr_next(struct tr_source *source, struct tr_batch *out);

/** From now on batches are left out that `want` does not want; of formats that have to be read from
 *  front to back they come all the same. */
void tr_want(struct tr_source *source, tr_want_fn *want, void *ctx);

/** One line, after TR_BAD. */
const char *tr_why(const struct tr_source *source);

/** What a person should know of a trace that has been read: a clause. NULL: nothing. */
const char *tr_note(const struct tr_source *source);

/** Whole at once for our own format; others tell of threads and names only what has been read. */
const struct tr_about *tr_about(const struct tr_source *source);
uint32_t tr_threads(const struct tr_source *source);

/** What a file calls a thread: an operating system's number. @pre thread < tr_threads */
uint64_t tr_thread_name(const struct tr_source *source, uint32_t thread);

/** Where a page of the addresses had its memory when the trace was recorded. */
struct tr_page {
    uint64_t va, pa; /**< virtual and physical address of its first byte */
    bool early;      /**< it had its memory before the first thread began; of others a record says
                          when, but in files of older versions */
};

/** All pages of a recorded trace, in the order in which they got their memory: early ones are
 *  the first. @return how many;
 *  0: none are known */
size_t tr_pages(const struct tr_source *source, const struct tr_page **pages);

/** The card on which a thread began; 0, where that is not known. @pre thread < tr_threads */
uint32_t tr_thread_card(const struct tr_source *source, uint32_t thread);

/** What the recorded run came to. */
struct tr_came tr_came(const struct tr_source *source);

/** The name of a region. @return NULL: the trace has none of that number */
const char *tr_region(const struct tr_source *source, uint64_t number);

/* ---- writing --------------------------------------------------------------------------------- */

/** How a trace is written. Errors of the stream show there (ferror). What a format cannot say is
 *  NULL: names of threads, of regions, pages. */
struct tr_sink;
struct tr_writer {
    bool threads; /**< the format tells threads apart */
    struct tr_sink *(*open)(FILE *out, const struct tr_about *about);
    void (*thread)(struct tr_sink *sink, uint32_t thread, uint64_t name, uint32_t card);
    void (*region)(struct tr_sink *sink, uint64_t number, const char *name);
    void (*page)(struct tr_sink *sink, const struct tr_page *page);
    void (*came)(struct tr_sink *sink, const struct tr_came *came); /**< of about.came */
    void (*put)(struct tr_sink *sink, uint32_t thread, const struct tr_op *op, size_t count);
    void (*close)(struct tr_sink *sink); /**< writes what is left, and releases it */
};

/** A row of formats.def. */
struct tr_format {
    const char *name, *sentence;
    const struct tr_reader *reader;
    const struct tr_writer *writer; /**< NULL: it is only read */
};
enum tr_formats {
#define FORMAT(name, sentence, reader, writer) TR_FORMAT_##name,
#include "programs/traces/formats.def"
#undef FORMAT
    TR_FORMATS
};
extern const struct tr_format tr_formats[TR_FORMATS];

#endif
