/*
 * What a fuzzing target is: one function that takes any bytes and must survive them, seeds from
 * which other inputs are made, and words that are worth trying.
 *
 * A target is linked with libFuzzer (clang, `campaign.py`), which learns from coverage, or with
 * driver.c, which needs nothing and always does the same. A target that finds something wrong
 * calls abort(), most easily by FUZZ_CHECK.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FUZZ_INPUT_MAX = 8192 /**< [bytes] of an input that a target must be able to take */ };

/* ---- what a target defines ------------------------------------------------------------------- */

/** Tries one input. The name is libFuzzer's. @return 0 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Writes seed `number` (0, 1, ...). @return its size, 0: there is none of that number */
size_t fuzz_seed(unsigned number, uint8_t *out, size_t room);

/** Texts to insert, NULL-terminated. */
extern const char *const fuzz_words[];

/* ---- what it may use ------------------------------------------------------------------------- */

#define FUZZ_CHECK(good, ...)                                          \
    do {                                                               \
        if (!(good)) {                                                 \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #good); \
            fprintf(stderr, __VA_ARGS__);                              \
            fputc('\n', stderr);                                       \
            abort();                                                   \
        }                                                              \
    } while (0)

/** An input while it is taken apart. What lies behind its end reads as zero. */
struct fuzz_in {
    const uint8_t *at;
    size_t left;
};

/** The next `bytes` (0 .. 8) as a number. */
static inline uint64_t fuzz_take(struct fuzz_in *in, unsigned bytes)
{
    uint64_t v = 0;
    for (; bytes > 0; bytes--) {
        v = v << 8 | (in->left ? *in->at : 0);
        in->at += in->left > 0;
        in->left -= in->left > 0;
    }
    return v;
}

/** A seed from a text. */
static inline size_t fuzz_text_seed(const char *text, uint8_t *out, size_t room)
{
    const size_t n = strlen(text) < room ? strlen(text) : room;
    memcpy(out, text, n);
    return n;
}

/** Input bytes as a text: a copy with a NUL behind it. The caller's. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/** Goes, at the first call, into a new empty directory, which is removed at the end. */
void fuzz_scratch(void);

/** The same for inputs that do things to files: a process of root first becomes nobody, and files
 *  stay small. */
void fuzz_confine(void);

/** Empties that directory. */
void fuzz_sweep(void);

/** Writes a file there. */
void fuzz_write(const char *name, const void *bytes, size_t size);

#endif
