/*
 * What addresses of an executable are called, for names.py: addresses in hexadecimal on standard
 * input, a line for each on standard output.
 *
 *     names FILE [TIMES]      TIMES: looks everything up so often, and tells how long it took
 *     names FILE --missing    and then what debugging information is missing, or nothing
 *
 * First "symbols" and "lines", as 0 or 1; then "FUNCTION FROM TO FILE:LINE" with "-" for what is
 * not known, and behind a tab each function that was inlined there and the one that has the code,
 * "FUNCTION FILE:LINE", also behind tabs. Exit status 1, with the reason on standard output: the
 * file is refused.
 */
#include "programs/linux/names/names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void print(struct prog_names *names, uint64_t va)
{
    struct prog_frame frame[PROG_FRAMES_MAX];
    struct prog_place place;

    memset(&place, 0xff, sizeof place);
    const bool known = names->at(names, va, &place);
    if (known != (place.function || place.file))
        abort();
    printf("%s %" PRIx64 " %" PRIx64 " %s:%u", place.function ? place.function : "-", place.from,
           place.to, place.file ? place.file : "-", place.line);
    const unsigned count = names->chain(names, va, frame, PROG_FRAMES_MAX);
    if ((count > 0) != known)
        abort();
    for (unsigned i = 0; i < count; i++)
        printf("\t%s %s:%u", frame[i].function ? frame[i].function : "-",
               frame[i].file ? frame[i].file : "-", frame[i].line);
    putchar('\n');
}

static void measure(struct prog_names *names, const uint64_t *va, size_t count, unsigned times)
{
    struct prog_place place;
    size_t known = 0;
    const double begin = now_ms();

    for (unsigned n = 0; n < times; n++)
        for (size_t i = 0; i < count; i++)
            known += names->at(names, va[i], &place);
    printf("%zu of %zu known, %.2f ms\n", known, count * times, now_ms() - begin);
}

int main(int argc, char **argv)
{
    char why[600] = "", line[64];
    uint64_t *va = NULL;
    size_t count = 0;
    const double begin = now_ms();
    struct prog_names *names = argc > 1 ? lx_names(argv[1], NULL, why, sizeof why) : NULL;

    if (!names) {
        puts(why);
        return 1;
    }
    const bool missing = argc > 2 && !strcmp(argv[2], "--missing");
    if (argc > 2 && !missing)
        printf("opened in %.2f ms\n", now_ms() - begin);
    printf("%d %d\n", names->symbols, names->lines);
    if (missing && names->missing)
        puts(names->missing);
    while (fgets(line, sizeof line, stdin)) {
        va = realloc(va, (count + 1) * sizeof *va);
        if (!va)
            abort();
        va[count++] = strtoull(line, NULL, 16);
    }
    if (argc > 2 && !missing)
        measure(names, va, count, (unsigned)strtoul(argv[2], NULL, 10));
    for (size_t i = 0; argc <= 2 && i < count; i++)
        print(names, va[i]);
    names->free(names);
    free(va);
    return 0;
}
