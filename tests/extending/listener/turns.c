/*
 * A listener of one's own: how often each thread was born, slept, was called, and so on, and how
 * many pages the program took (docs/extending.md). What it knows is in monitor/turns.csv.
 */
#include "run/observer.h"

enum { STEPS = PROG_EXITS + 1 };

/* All that it keeps; it begins zeroed. */
struct turns {
    uint64_t count[STEPS]; /* by enum prog_step */
    uint64_t pages;
};

/* Without a directory there is no place for a file, so it does not listen. */
static bool turns_wanted(const struct run_live *live)
{
    return live->kept;
}

static void turns_turn(void *self, const struct prog_turn *turn)
{
    ((struct turns *)self)->count[turn->step]++;
}

static void turns_paged(void *self, uint64_t va, uint64_t pa)
{
    (void)va, (void)pa;
    ((struct turns *)self)->pages++;
}

static void turns_write(void *self, FILE *out)
{
    static const char *const names[STEPS] = {"born",   "sleeps", "called", "goes on",
                                             "leaves", "ends",   "exits"};
    const struct turns *t = self;
    fputs("what,times\r\n", out);
    for (int step = 0; step < STEPS; step++)
        fprintf(out, "%s,%llu\r\n", names[step], (unsigned long long)t->count[step]);
    fprintf(out, "page,%llu\r\n", (unsigned long long)t->pages);
}

static const struct run_file turns_files[] = {{.name = "monitor/turns.csv", .write = turns_write},
                                              {0}};

const struct run_observer run_turns = {
    .size = sizeof(struct turns),
    .wants = turns_wanted,
    .paged = turns_paged,
    .turn = turns_turn,
    .file = turns_files,
};
