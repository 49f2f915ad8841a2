/*
 * What a reader of a format must be, and what all of them share. Private to the room.
 */
#ifndef TR_SOURCE_H
#define TR_SOURCE_H

#include "programs/traces/input.h"
#include "programs/traces/trace.h"

/** A kind of reader. */
struct tr_reader {
    size_t size; /**< [bytes] of its struct, which begins with a struct tr_source */

    /** Whether a file that begins so is of this format. @param bytes  not terminated */
    bool (*is)(const char *bytes, size_t size);

    /** Looks at the file before the first batch. NULL: there is nothing to look at.
     *  @return false: source->why, or the input's, says why */
    bool (*open)(struct tr_source *source);
    enum tr_more (*next)(struct tr_source *source, struct tr_batch *out);
    void (*close)(struct tr_source *source); /**< NULL: it has nothing */
};

/** What readers have in common. */
struct tr_source {
    const struct tr_reader *reader;
    struct tr_input *in;
    struct tr_about about;
    uint64_t *thread; /**< [threads] their names, */
    uint32_t *card;   /**< [threads] and where they began; NULL: not known */
    uint32_t threads;
    char **region; /**< [regions]; NULL: of a number that has no name */
    uint32_t regions;
    struct tr_page *page;
    size_t pages;
    struct tr_came came;
    uint64_t pages_at; /**< [bytes] in the file: the first; they lie one behind the other */
    tr_want_fn *want;  /**< NULL: all is wanted */
    void *want_ctx;
    char made[TR_NAME_MAX + 1]; /**< about.made */
    char why[1024];             /**< "": see the input */
    char note[256];             /**< "": there is none */
};

/** What is wrong in the file at `offset`: "path: offset N: ...". The first complaint stands.
 *  @return TR_BAD */
enum tr_more tr_source_complain(struct tr_source *source, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Adds a thread. @return false: there are too many */
bool tr_source_thread(struct tr_source *source, uint64_t name);

#define FORMAT(name, sentence, reader, writer) extern const struct tr_reader reader;
#include "programs/traces/formats.def"
#undef FORMAT

#endif
