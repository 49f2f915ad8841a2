/* Prints machines drawn by lot, one a line, as what `--set` wants: lot_print FROM COUNT CARDS
 * MEMORY. Values that are the default are left out. Cards of another kind are the value of `cards`,
 * in the manner of JSON: without a space. */
#include "lot.h"

#include "base/alloc.h"
#include "machine/values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_value(const struct nm_param_row *r, uint64_t v)
{
    char words[200], *rest = words;
    switch (r->type) {
    case NM_PARAM_BOOL:
        printf("%s", v ? "true" : "false");
        return;
    case NM_PARAM_ENUM:
        snprintf(words, sizeof words, "%s", r->unit);
        while (v--)
            strsep(&rest, " ");
        printf("%s", strsep(&rest, " "));
        return;
    default:
        printf("%" PRIu64 "%s", v,
               r->type == NM_PARAM_CYCLES  ? "cy"
               : r->type == NM_PARAM_BYTES ? "B"
               : r->type == NM_PARAM_FREQ  ? "Hz"
                                           : "");
    }
}

/* Two sets of parameters in which cards differ. */
struct cards {
    const struct nm_params *machine, *other;
    const struct nm_param_row *row;
    size_t rows;
};

static bool differs(const struct cards *c, size_t i)
{
    return nm_param_is_cards(&c->row[i]) &&
           nm_param_get(c->other, &c->row[i]) != nm_param_get(c->machine, &c->row[i]);
}

/* [characters] "l1d." of "l1d.size" */
static size_t group(const struct cards *c, size_t i)
{
    return strcspn(c->row[i].key, ".") + 1;
}

/* Whether j is a row of i's group that differs. */
static bool beside(const struct cards *c, size_t i, size_t j)
{
    return differs(c, j) && !strncmp(c->row[i].key, c->row[j].key, group(c, i));
}

static void print_group(const struct cards *c, size_t i)
{
    const char *before = "";
    printf(",\"%.*s\":{", (int)group(c, i) - 1, c->row[i].key);
    for (size_t j = i; j < c->rows; j++)
        if (beside(c, i, j)) {
            printf("%s\"%s\":", before, c->row[j].key + group(c, i));
            print_value(&c->row[j], nm_param_get(c->other, &c->row[j]));
            before = ",";
        }
    printf("}");
}

/* Which cards are others, and what they have otherwise than the machine. */
static void print_cards(const struct cards *c, const bool *of)
{
    const char *before = "";
    printf(" cards=[{\"at\":[");
    for (uint64_t card = 0; card < nm_params_cards(c->machine); card++)
        if (of[card]) {
            printf("%s%" PRIu64, before, card);
            before = ",";
        }
    printf("]");
    for (size_t i = 0; i < c->rows; i++) {
        bool first = differs(c, i);
        for (size_t j = 0; first && j < i; j++)
            first = !beside(c, i, j);
        if (first)
            print_group(c, i);
    }
    printf("}]");
}

int main(int argc, char **argv)
{
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    if (argc != 5)
        return 2;
    const uint64_t from = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10),
                   most = strtoull(argv[3], NULL, 10);
    for (uint64_t seed = from; seed < from + count; seed++) {
        struct nm_params p, other;
        bool *of = sim_alloc(most, sizeof *of);
        lot_draw(seed, most, strtoull(argv[4], NULL, 10), &p);
        const bool mixed = lot_mix(seed, &p, &other, of);
        printf("%" PRIu64, seed);
        for (size_t i = 0; i < rows; i++)
            if (nm_param_get(&p, &row[i]) != nm_param_default(&p, &row[i])) {
                printf(" %s=", row[i].key);
                print_value(&row[i], nm_param_get(&p, &row[i]));
            }
        if (mixed)
            print_cards(&(struct cards){&p, &other, row, rows}, of);
        printf("\n");
        free(of);
    }
    return 0;
}
