/*
 * A run in a program of one's own (embed/embed.h): a pattern of references, which stands where
 * enough misses have happened, and then runs to its end.
 */
#include "embed/embed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH = 20 };

static unsigned misses;

/* The misses of all cards. */
static bool enough(void *ctx, struct emb_run *run)
{
    const unsigned columns = emb_columns(run);
    uint64_t *value = calloc((size_t)emb_cards(run) * columns, sizeof *value), sum = 0;
    (void)ctx;
    emb_read(run, value);
    for (unsigned c = 0; c < emb_cards(run); c++)
        sum += value[c * columns + misses];
    free(value);
    return sum >= ENOUGH;
}

int main(void)
{
    char why[1024];
    char *const sets[] = {"program.pattern=[{kind: uniform, references: 2000}]", NULL};
    const struct emb_ask ask = {.machine = "station-4", .sets = sets};
    struct emb_end end;
    struct emb_run *run = emb_open(&ask, why, sizeof why);
    if (!run) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    while (strcmp(emb_column(run, misses).name, "truth.l2_misses"))
        misses++;
    const bool stands = emb_run_until(run, 100, enough, NULL);
    const uint64_t at = emb_now(run);
    emb_run_to(run, UINT64_MAX);
    const bool good = emb_ended(run, &end) && stands && at && at < end.ticks && !end.status;
    printf("%s %llu\n", end.word, (unsigned long long)end.ticks);
    emb_close(run);
    return !good;
}
