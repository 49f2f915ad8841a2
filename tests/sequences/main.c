/*
 * Runs random instruction sequences and prints, for each, a hash of everything it left behind.
 *
 *     sequences SEED FIRST COUNT          a line per sequence: number and hash
 *     sequences SEED FIRST COUNT verbose  the code and all registers as well
 *
 * The program is its own generator, so a single file runs on any MIPS; what it prints must be the
 * same everywhere.
 */
#include "sequences.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/cachectl.h>
#include <sys/mman.h>

void dice_seed(struct dice *dice, uint32_t seed, uint32_t number)
{
    dice->a = seed * 0x9e3779b9 + 0x7f4a7c15;
    dice->b = number * 0x85ebca6b + 0xc2b2ae35;
    for (int i = 0; i < 8; i++)
        dice_word(dice);
}

/* xoroshiro64*: two words, shifts and rotations. */
uint32_t dice_word(struct dice *dice)
{
    uint32_t result = dice->a * 0x9e3779bb, b = dice->b ^ dice->a;

    dice->a = (dice->a << 26 | dice->a >> 6) ^ b ^ b << 9;
    dice->b = b << 13 | b >> 19;
    return result;
}

uint32_t dice_below(struct dice *dice, uint32_t n)
{
    return (uint32_t)((uint64_t)dice_word(dice) * n >> 32);
}

static uint64_t dice_wide(struct dice *dice)
{
    uint64_t high = dice_word(dice);
    return high << 32 | dice_word(dice);
}

/* ---- states before --------------------------------------------------------------------------- */

static int32_t any_integer(struct dice *dice)
{
    static const int32_t edges[] = {0,      1,      -1,      2,         INT32_MAX, INT32_MIN,
                                    0x7fff, -32768, 0x10000, 0x5555555, -256,      31};
    uint32_t word = dice_word(dice);
    return word & 1 ? (int32_t)dice_word(dice) : edges[dice_below(dice, 12)];
}

/* Of every kind: zeros, small integers, denormals, near the ends, infinities, both sorts of NaN. */
static uint64_t any_double(struct dice *dice)
{
    static const uint64_t edges[] = {
        0x0000000000000000, 0x3ff0000000000000, 0x4000000000000000, 0x3fe0000000000000,
        0x7ff0000000000000, 0x7ff7ffffffffffff, 0x7ff8000000000000, 0x7ff0000000000001,
        0x0000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
        0x41dfffffffc00000, 0x41e0000000000000, 0x43e0000000000000, 0x47efffffe0000000,
        0x36a0000000000000, 0x3810000000000000, 0x4330000000000001, 0x3ff0000000000001};
    uint64_t sign = (uint64_t)dice_below(dice, 2) << 63;

    switch (dice_below(dice, 4)) {
    case 0:
        return sign | edges[dice_below(dice, sizeof edges / sizeof edges[0])];
    case 1:
        return sign | (uint64_t)(1023 - 40 + dice_below(dice, 80)) << 52 | dice_wide(dice) >> 12;
    case 2:
        return sign | (uint64_t)(1023 + dice_below(dice, 66)) << 52 |
               (dice_wide(dice) & 0x000ffff000000000);
    default:
        return dice_wide(dice);
    }
}

static uint32_t any_single(struct dice *dice)
{
    static const uint32_t edges[] = {0x00000000, 0x3f800000, 0x40000000, 0x7f800000, 0x7fbfffff,
                                     0x7fc00000, 0x7f800001, 0x00000001, 0x007fffff, 0x00800000,
                                     0x7f7fffff, 0x4effffff, 0x4f000000, 0x5f000000, 0x3f800001};
    uint32_t sign = dice_below(dice, 2) << 31;

    switch (dice_below(dice, 3)) {
    case 0:
        return sign | edges[dice_below(dice, sizeof edges / sizeof edges[0])];
    case 1:
        return sign | (127 - 30 + dice_below(dice, 60)) << 23 | dice_word(dice) >> 9;
    default:
        return dice_word(dice);
    }
}

static void draw_state(struct dice *dice, struct state *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned i = 1; i < REG_COUNT + 1; i++)
        s->gpr[i] = any_integer(dice);
    s->hi = any_integer(dice);
    s->lo = any_integer(dice);
#ifdef __LP64__
    for (unsigned i = 16; i < 24; i++)
        if (dice_below(dice, 2))
            s->gpr[i] = (long)dice_wide(dice);
#endif
    for (unsigned i = 0; i < 32; i++)
        s->fpr[i] = holds_double(i) ? any_double(dice) : (uint64_t)any_single(dice) << 32;
    s->fcsr = (long)dice_below(dice, 4); /* rounding mode */
    for (unsigned i = 0; i < SCRATCH; i += 4) {
        uint32_t word = dice_word(dice);
        memcpy(s->scratch + i, &word, sizeof word);
    }
}

/* ---- states after ---------------------------------------------------------------------------- */

static uint64_t hash(uint64_t h, const void *data, size_t size)
{
    const uint32_t *word = data;
    for (; size >= sizeof *word; size -= sizeof *word)
        h = (h ^ *word++) * 1099511628211u;
    return h;
}

static uint64_t hash_state(const struct state *s)
{
    uint64_t h = 14695981039346656037u;

    h = hash(h, s->gpr, (REG_COUNT + 1) * sizeof s->gpr[0]);
    h = hash(h, &s->hi, sizeof s->hi);
    h = hash(h, &s->lo, sizeof s->lo);
    h = hash(h, s->fpr, sizeof s->fpr);
    h = hash(h, &s->fcsr, sizeof s->fcsr);
    return hash(h, s->scratch, SCRATCH);
}

static void print_state(const struct state *s)
{
    for (unsigned i = 1; i <= REG_COUNT; i++)
        printf("  $%-2u %016llx\n", i, (long long)s->gpr[i]);
    printf("  hi  %016llx\n  lo  %016llx\n", (long long)s->hi, (long long)s->lo);
    for (unsigned i = 0; i < 32; i++)
        if (s->fpr[i] != 0)
            printf("  $f%-2u %016llx\n", i, (unsigned long long)s->fpr[i]);
    printf("  fcsr %08lx\n", s->fcsr);
    for (unsigned i = 0; i < SCRATCH; i++)
        printf("%s%02x%s", i % 32 == 0 ? "  " : "", s->scratch[i], i % 32 == 31 ? "\n" : "");
}

static void print_code(const uint32_t *code, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        printf("  .word 0x%08x\n", code[i]);
}

static void run(uint32_t seed, uint32_t number, uint32_t *code, int verbose)
{
    struct state s;
    struct dice dice;
    unsigned size;

    dice_seed(&dice, seed, number);
    draw_state(&dice, &s);
    size = generate(&dice, code);
    cacheflush((char *)code, (int)(size * sizeof *code), BCACHE);
    s.code = (long)code;
    if (verbose) {
        printf("before\n");
        print_state(&s);
        print_code(code, size);
        fflush(stdout);
    }
    enter(&s);
    if (verbose)
        print_state(&s);
    printf("%u %016llx\n", number, (unsigned long long)hash_state(&s));
}

int main(int argc, char **argv)
{
    uint32_t seed, first, count, *code;

    if (argc < 4) {
        fprintf(stderr, "usage: sequences SEED FIRST COUNT [verbose]\n");
        return 2;
    }
    seed = (uint32_t)strtoul(argv[1], NULL, 0);
    first = (uint32_t)strtoul(argv[2], NULL, 0);
    count = (uint32_t)strtoul(argv[3], NULL, 0);
    code = mmap(NULL, MOST_CODE * sizeof *code, PROT_READ | PROT_WRITE | PROT_EXEC,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return 3;
    for (uint32_t i = 0; i < count; i++)
        run(seed, first + i, code, argc > 4);
    return 0;
}
