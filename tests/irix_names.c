/*
 * libperfex's names of events are those of the counters.
 *
 *   irix_names        prints the header
 *   irix_names FILE   compares: exit status 1 when the file is another
 */
#include "monitor/r10000/counters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "/*\n"
                           " * Names of the events of the R10000 and R12000, by processor as "
                           "/proc/cpuinfo has it and by\n"
                           " * IRIX's number. Made from the tables:\n"
                           " *\n"
                           " *     build/tests/irix_names > "
                           "experiments/include/irix/perfex_names.h\n"
                           " */\n"
                           "static const struct {\n"
                           "    const char *model, *event[32];\n"
                           "} perfex_names[] = {\n";

static void print(FILE *out)
{
    fputs(head, out);
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++) {
        fprintf(out, "    {\"%s\",\n     {", r10k_chip_name((enum r10k_chip)chip));
        for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++)
            fprintf(out, "%s\"%s\"", e ? ",\n      " : "",
                    r10k_irix_event((enum r10k_chip)chip, e)->title);
        fputs("}},\n", out);
    }
    fputs("};\n", out);
}

int main(int argc, char **argv)
{
    char *wanted = NULL, *got;
    size_t size;
    FILE *out = argc > 1 ? open_memstream(&wanted, &size) : stdout, *in;

    print(out);
    if (argc == 1)
        return 0;
    fclose(out);
    got = calloc(1, size + 2);
    in = fopen(argv[1], "re");
    const bool same = in && fread(got, 1, size + 1, in) == size && strcmp(got, wanted) == 0;
    if (!same)
        fprintf(stderr, "%s is not what irix_names prints\n", argv[1]);
    if (in)
        fclose(in);
    free(got);
    free(wanted);
    return !same;
}
