/*
 * Memory of the simulator's own. Without it there is nothing sensible left to do, so nobody has to
 * ask whether it came: these end the program with a message and a status of their own.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIM_EXIT_MEMORY = 2 /**< exit status: CLI_EXIT_USAGE, machine or program too large */ };

/** Ends the process at once, with SIM_EXIT_MEMORY, from any thread or actor: SimGrid's actors
 * cannot leave by exit(). */
_Noreturn void sim_no_memory(void);

/** For the tables of uthash, where it is included after this. */
#define uthash_fatal(message) sim_no_memory()

/** `count` zeroed objects of `size` bytes; never NULL. The caller's, to be given to free(). */
static inline void *sim_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        sim_no_memory();
    return p;
}

/** An array (or NULL) with room for `count` objects; new ones are not zeroed. As realloc(), but
 *  never NULL. */
static inline void *sim_grow(void *array, size_t count, size_t size)
{
    const size_t bytes = count && size ? count * size : 1;
    void *p = size && count > SIZE_MAX / size ? NULL : realloc(array, bytes);
    if (!p)
        sim_no_memory();
    return p;
}

/** Makes room for one more in an array with `count` objects that has room for `room` (lvalues): for
 *  twice as many, or for the first `least`. */
#define SIM_ROOM(array, count, room, least)                       \
    do {                                                          \
        if ((count) == (room)) {                                  \
            (room) = (room) ? 2 * (room) : (least);               \
            (array) = sim_grow((array), (room), sizeof *(array)); \
        }                                                         \
    } while (0)

/** strdup. */
static inline char *sim_strdup(const char *s)
{
    char *copy = strdup(s);
    if (!copy)
        sim_no_memory();
    return copy;
}

/** strndup. */
static inline char *sim_strndup(const char *s, size_t most)
{
    char *copy = strndup(s, most);
    if (!copy)
        sim_no_memory();
    return copy;
}

/** vasprintf. */
__attribute__((format(printf, 1, 0))) static inline char *sim_vformat(const char *format,
                                                                      va_list ap)
{
    char *text;
    if (vasprintf(&text, format, ap) < 0)
        sim_no_memory();
    return text;
}

/** asprintf. */
__attribute__((format(printf, 1, 2))) static inline char *sim_format(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = sim_vformat(format, ap);
    va_end(ap);
    return text;
}

/** A stream into memory, as open_memstream; to be ended by sim_text_close. */
static inline FILE *sim_text_open(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        sim_no_memory();
    return out;
}

/** After this *text is whole; the caller's, to be given to free(). The C library may say that all
 *  went well and leave no text. */
static inline void sim_text_close(FILE *out, char *const *text)
{
    const int bad = ferror(out);
    if (fclose(out) || bad || !*text)
        sim_no_memory();
}

/** `bytes` of address space that read as zero and take room only where they are written. The
 *  caller's, to be given to munmap(). */
static inline void *sim_reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        sim_no_memory();
    return p;
}

enum { SIM_LARGE_PAGE = 2 << 20 /**< [bytes] of most hosts that have large pages */ };

/** Most of what sim_reserve() gave will be written, and what is written already is spread over it:
 *  the host may use large pages, of which each takes as long to get as a few small ones. Changes
 *  no byte; does nothing where the host cannot. */
void sim_expect_full(void *reserved, size_t bytes);

/** From now on malloc() takes its memory from large pages, as long as it is not much: for a program
 *  that begins, and ends soon, most small pages are an exception of the host's each. Changes no
 *  byte. */
void sim_heap_large(void);

#endif
