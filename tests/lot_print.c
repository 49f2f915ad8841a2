/* Prints machines drawn by lot, one a line, as what `--set` wants: lot_print FROM COUNT CARDS
 * MEMORY. Values that are the default are left out. */
#include "lot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_value(const struct nm_param_row *r, uint64_t v)
{
    char words[200], *rest = words;
    switch (r->type) {
    case NM_PARAM_BOOL:
        printf(" %s=%s", r->key, v ? "true" : "false");
        return;
    case NM_PARAM_ENUM:
        snprintf(words, sizeof words, "%s", r->unit);
        while (v--)
            strsep(&rest, " ");
        printf(" %s=%s", r->key, strsep(&rest, " "));
        return;
    default:
        printf(" %s=%" PRIu64 "%s", r->key, v,
               r->type == NM_PARAM_CYCLES  ? "cy"
               : r->type == NM_PARAM_BYTES ? "B"
               : r->type == NM_PARAM_FREQ  ? "Hz"
                                           : "");
    }
}

int main(int argc, char **argv)
{
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    struct nm_params usual;
    nm_params_default(&usual);
    if (argc != 5)
        return 2;
    const uint64_t from = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = from; seed < from + count; seed++) {
        struct nm_params p;
        lot_draw(seed, strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10), &p);
        printf("%" PRIu64, seed);
        for (size_t i = 0; i < rows; i++)
            if (nm_param_get(&p, &row[i]) != nm_param_get(&usual, &row[i]))
                print_value(&row[i], nm_param_get(&p, &row[i]));
        printf("\n");
    }
    return 0;
}
