/*
 * What readers and writers of text have in common. Private to the room.
 *
 * A text says which instructions are executed, one by one, and what they refer to. Here they become
 * records: a fetch where another line of instructions begins, references, and as their gaps the
 * instructions between them. A reference is its instruction's PCycle; the further references of an
 * instruction have no gap.
 */
#ifndef TR_TEXT_H
#define TR_TEXT_H

#include "programs/traces/source.h"

enum {
    TR_TEXT_SIZE_MAX = 4096, /**< [bytes] of a reference in a text */
    TR_TEXT_BATCH = 4096,
    TR_TEXT_ROOM = TR_TEXT_BATCH + TR_TEXT_SIZE_MAX /**< a line's records have room behind it */
};

/** A thread while it is read. */
struct tr_text_thread {
    uint64_t instructions;  /**< since its last record */
    uint64_t seen, counted; /**< references and instructions of batches that were handed out */
    uint64_t line;          /**< of instructions, the last one; ~0: none */
};

/** A reader of text. */
struct tr_text {
    struct tr_source source;
    /** Takes a line. What is wrong with it has been said (tr_input_complain). */
    void (*line)(struct tr_text *text, const char *line);
    struct tr_text_thread *at; /**< [source.threads] */
    uint32_t thread;           /**< of the next record */
    bool over;                 /**< the rest of the file is no trace */
    uint64_t process; /**< that the text is of, as the format numbers them, + 1; 0: none yet */
    bool plain;       /**< din: no line was another than three decimal numbers */
    uint32_t closed;  /**< threads whose last instructions have been put into records */
    struct tr_op op[TR_TEXT_ROOM];
    uint32_t of[TR_TEXT_ROOM]; /**< their threads */
    size_t ops, given;
};

enum tr_more tr_text_next(struct tr_source *source, struct tr_batch *out);
void tr_text_close(struct tr_source *source);

/** What comes next is of this process. Text of several is complained of.
 *  @param mend  what to do about that */
void tr_text_of_process(struct tr_text *text, uint64_t process, const char *mend);

/** What comes next is of the thread of this name. */
void tr_text_on(struct tr_text *text, uint64_t name);

/** An instruction of `size` bytes. */
void tr_text_instruction(struct tr_text *text, uint64_t address, uint64_t size);

/** A reference of 1 to TR_TEXT_SIZE_MAX bytes; others are complained of. */
void tr_text_refer(struct tr_text *text, enum tr_kind kind, uint64_t address, uint64_t size);

/* Each takes what is at *text, and goes behind it. @return false: there is none such */
bool tr_text_hex(const char **text, uint64_t *out); /**< with or without 0x */
bool tr_text_decimal(const char **text, uint64_t *out);
bool tr_text_word(const char **text, const char *word);
void tr_text_blanks(const char **text);

/* What writers of lines have in common: a sink that is a file. */
struct tr_sink *tr_text_begin(FILE *out, const struct tr_about *about);
FILE *tr_text_out(const struct tr_sink *sink);
void tr_text_end(struct tr_sink *sink);

/** Calls `is` with the lines of a file's beginning, until it says 1 or -1. @return whether 1 */
bool tr_text_lines(const char *bytes, size_t size, int (*is)(const char *line));

#endif
