/*
 * What the C library's memory costs when many want some at once.
 *
 *     malloc THREADS TIMES SIZE
 *
 *   own      each thread frees what it has taken itself
 *   foreign  each thread frees what its neighbour has taken
 *   mixed    sizes from 16 bytes to SIZE, eight blocks at a time, freed in another order
 *
 * Each is a region. A thread fills its blocks with its number, and who frees one looks whether it
 * is still full of it: two who were given the same memory find that out.
 */
#define _GNU_SOURCE 1 /* processor affinity */

#include "team.h"

enum { BLOCKS = 8, LEAST = 16 };

static unsigned times, size, broken, missing;

/* The way to the neighbour: one block at a time, with a line for itself. */
static struct parcel {
    unsigned char *block;
} __attribute__((aligned(TEAM_LINE))) parcel[TEAM_MOST];

static unsigned char *take(unsigned me, unsigned bytes)
{
    unsigned char *block = malloc(bytes);
    if (block)
        memset(block, (int)me + 1, bytes);
    else
        __atomic_fetch_add(&missing, 1, __ATOMIC_RELAXED);
    return block;
}

static void give_back(unsigned owner, unsigned char *block, unsigned bytes)
{
    unsigned wrong = 0;
    for (unsigned i = 0; block && i < bytes; i++)
        wrong += block[i] != owner + 1;
    if (wrong)
        __atomic_fetch_add(&broken, 1, __ATOMIC_RELAXED);
    free(block);
}

static void own(struct team_self *self)
{
    for (unsigned i = 0; i < times; i++)
        give_back(self->me, take(self->me, size), size);
}

static void foreign(struct team_self *self)
{
    const unsigned next = (self->me + 1) % self->threads;
    for (unsigned i = 0; i < times; i++) {
        unsigned char *block = take(self->me, size), *got;
        /* The place is empty again when the neighbour has taken what was there. */
        while (__atomic_load_n(&parcel[self->me].block, __ATOMIC_ACQUIRE))
            ;
        __atomic_store_n(&parcel[self->me].block, block, __ATOMIC_RELEASE);
        while (!(got = __atomic_load_n(&parcel[next].block, __ATOMIC_ACQUIRE)))
            ;
        __atomic_store_n(&parcel[next].block, NULL, __ATOMIC_RELEASE);
        give_back(next, got, size);
    }
}

static void mixed(struct team_self *self)
{
    unsigned char *block[BLOCKS];
    unsigned bytes[BLOCKS], random = self->me;
    for (unsigned i = 0; i < times; i += BLOCKS) {
        for (unsigned k = 0; k < BLOCKS; k++) {
            random = random * 1664525 + 1013904223;
            bytes[k] = LEAST + (random >> 8) % (size - LEAST + 1);
            block[k] = take(self->me, bytes[k]);
        }
        for (unsigned k = 0; k < BLOCKS; k++)
            give_back(self->me, block[k * 5 % BLOCKS], bytes[k * 5 % BLOCKS]);
    }
}

static const struct kind {
    const char *name;
    void (*run)(struct team_self *);
} kinds[] = {{"own", own}, {"foreign", foreign}, {"mixed", mixed}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static void work(struct team_self *self)
{
    for (unsigned k = 0; k < KINDS; k++) {
        team_begin(self, kinds[k].name);
        kinds[k].run(self);
        team_end(self, kinds[k].name);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = team_number(argc, argv, 1, team_processors());
    times = team_number(argc, argv, 2, 64);
    size = team_number(argc, argv, 3, 200);
    if (threads > TEAM_MOST || size < LEAST) {
        fprintf(stderr, "malloc THREADS TIMES SIZE; at most %u threads, at least %u bytes\n",
                TEAM_MOST, LEAST);
        return 2;
    }
    team_run(threads, work, NULL);
    printf("%u threads, %u blocks each, of %u bytes: %s\n", threads, times, size,
           broken + missing ? "WRONG" : "right");
    if (broken + missing)
        printf("%u blocks were written by others, %u were not to be had\n", broken, missing);
    return broken + missing != 0;
}
