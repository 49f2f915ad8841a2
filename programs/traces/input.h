/*
 * The bytes of a file, compressed or not, and what is said of their place. Private to the room.
 */
#ifndef TR_INPUT_H
#define TR_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TR_INPUT_LINE = 4096,   /**< [bytes] longer lines are refused */
    TR_INPUT_PEEK = 1 << 16 /**< [bytes] of a file's beginning that tell its format */
};

/** A file that is read from its beginning to its end. */
struct tr_input;

/** @return the caller's; NULL, with one line in `why` */
struct tr_input *tr_input_open(const char *path, char *why, size_t size);

/** The same of a file that is open. @param file  from now on the input's */
struct tr_input *tr_input_of(FILE *file, const char *path, char *why, size_t size);
void tr_input_close(struct tr_input *in);

/** The file's first bytes, unpacked, without going on. @return how many */
size_t tr_input_peek(struct tr_input *in, const char **bytes);

/** The next line without its end. @return false: there is none, or the file cannot be read
 *  (tr_input_why) */
bool tr_input_line(struct tr_input *in, const char **line);

/** The file itself, if it was not compressed. */
FILE *tr_input_file(struct tr_input *in);

const char *tr_input_path(const struct tr_input *in);

/** Notes what is wrong with the line that was read last: "path: offset N (line L): ...". The
 *  first complaint stands. */
void tr_input_complain(struct tr_input *in, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** What is wrong with the last line, if nothing ends it: the file was cut off within it. Then
 *  nothing is wrong any more. @return false: a line's end is there, or nothing is wrong */
bool tr_input_cut(struct tr_input *in, uint64_t *line);

/** That line; NULL: nothing is wrong. */
const char *tr_input_why(const struct tr_input *in);

#endif
