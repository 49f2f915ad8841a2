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
#include <unistd.h>

enum { NM_EXIT_MEMORY = 2 /**< exit status: CLI_EXIT_USAGE, machine or program too large */ };

/** Ends the program at once, whoever calls it: SimGrid's actors cannot leave by exit(). */
_Noreturn static inline void nm_no_memory(void)
{
    fputs("numachine: error: out of memory; the machine or the program is too large here\n",
          stderr);
    fflush(stderr);
    _exit(NM_EXIT_MEMORY);
}

/* For the tables of uthash, where it is included after this. */
#define uthash_fatal(message) nm_no_memory()

/** `count` zeroed objects of `size` bytes; never NULL. The caller's, to be given to free(). */
static inline void *nm_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        nm_no_memory();
    return p;
}

/** An array (or NULL) with room for `count` objects; what is new is not zeroed. As realloc(). */
static inline void *nm_grow(void *array, size_t count, size_t size)
{
    void *p = size && count > SIZE_MAX / size ? NULL : realloc(array, count * size);
    if (!p)
        nm_no_memory();
    return p;
}

/** strdup. */
static inline char *nm_strdup(const char *s)
{
    char *copy = strdup(s);
    if (!copy)
        nm_no_memory();
    return copy;
}

/** vasprintf. */
__attribute__((format(printf, 1, 0))) static inline char *nm_vformat(const char *format, va_list ap)
{
    char *text;
    if (vasprintf(&text, format, ap) < 0)
        nm_no_memory();
    return text;
}

/** asprintf. */
__attribute__((format(printf, 1, 2))) static inline char *nm_format(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = nm_vformat(format, ap);
    va_end(ap);
    return text;
}

/** A stream into memory, as open_memstream; to be ended by nm_text_close. */
static inline FILE *nm_text_open(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        nm_no_memory();
    return out;
}

/** After this *text is whole; the caller's, to be given to free(). The C library may say that all
 *  went well and leave no text. */
static inline void nm_text_close(FILE *out, char *const *text)
{
    const int bad = ferror(out);
    if (fclose(out) || bad || !*text)
        nm_no_memory();
}

/** `bytes` of address space that read as zero and take room only where they are written. The
 *  caller's, to be given to munmap(). */
static inline void *nm_reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        nm_no_memory();
    return p;
}

#endif
