/*
 * Counts the different values of a series with OpenMP: a hash set with open addressing, guarded by
 * one lock of OpenMP's.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH 6000
#define SLOTS  2048 /* a power of two */

struct set {
    omp_lock_t lock;
    unsigned used;
    unsigned *slots; /* 0: free */
};

static void set_init(struct set *set)
{
    omp_init_lock(&set->lock);
    set->used = 0;
    set->slots = calloc(SLOTS, sizeof *set->slots);
    if (!set->slots) {
        perror("set");
        exit(1);
    }
}

static void set_free(struct set *set)
{
    omp_destroy_lock(&set->lock);
    free(set->slots);
}

/* value is not 0; returns 1 if it is new */
static int set_add(struct set *set, unsigned value)
{
    unsigned at = value * 2654435761u % SLOTS;
    int new;

    omp_set_lock(&set->lock);
    while (set->slots[at] != 0 && set->slots[at] != value)
        at = (at + 1) % SLOTS;
    new = set->slots[at] == 0;
    if (new) {
        set->slots[at] = value;
        set->used++;
    }
    omp_unset_lock(&set->lock);
    return new;
}

static unsigned value_of(int i)
{
    unsigned x = (unsigned)i;

    x = (x ^ x >> 7) * 73856093u;
    return 1 + (x >> 8) % 1024;
}

int main(void)
{
    struct set seen;
    int fresh = 0;

    set_init(&seen);
#pragma omp parallel for schedule(static) reduction(+ : fresh)
    for (int i = 0; i < LENGTH; i++)
        fresh += set_add(&seen, value_of(i));
    printf("%d different values, %u in the set\n", fresh, seen.used);
    set_free(&seen);
    return fresh != (int)seen.used;
}
