/*
 * Radix sort of 32-bit keys, one digit after the other from the lowest. Each thread counts the
 * digits of its part; where its keys with a digit go is the number of all keys with lower digits,
 * and of those with this digit in earlier parts. Then it moves them: writes of all threads to all
 * parts, which is what the kernel is for.
 */
#include "share.h"

enum { KEY_BITS = 32 };

struct radix {
    uint32_t count, bits, seed;
    uint32_t digits; /* 1 << bits */
    kn_barrier *barrier;
    uint32_t *key[2];
    uint32_t *rank;  /* [thread][digit] how many, then where the next one goes */
    uint32_t *total; /* [digit] */
};

static void *setup(kn_program *p)
{
    struct radix *r = kn_alloc(p, sizeof *r);
    r->count = (uint32_t)kn_number(p, "n", 131072, 1, 1 << 26);
    r->bits = (uint32_t)kn_number(p, "bits", 8, 6, 12);
    r->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    r->digits = UINT32_C(1) << r->bits;
    r->barrier = kn_alloc(p, sizeof *r->barrier);
    r->key[0] = kn_alloc(p, r->count * sizeof *r->key[0]);
    r->key[1] = kn_alloc(p, r->count * sizeof *r->key[1]);
    r->rank = kn_alloc(p, sizeof *r->rank * r->digits * kn_threads(p));
    r->total = kn_alloc(p, sizeof *r->total * r->digits);
    return r;
}

static struct part keys_of(const kn_thread *t, const struct radix *r)
{
    return part_of(t, r->count, KN_APART / sizeof *r->key[0]);
}

static void fill(kn_thread *t, const struct radix *r)
{
    const struct part part = keys_of(t, r);
    for (uint32_t i = part.from; i < part.to; i++) {
        KN_STORE(t, r->key[0][i], number_of(r->seed, i));
        KN_STORE(t, r->key[1][i], 0);
    }
}

static void count(kn_thread *t, const struct radix *r, uint32_t *key, unsigned shift)
{
    const struct part part = keys_of(t, r);
    uint32_t *mine = r->rank + (size_t)kn_self(t) * r->digits;
    for (uint32_t d = 0; d < r->digits; d++)
        KN_STORE(t, mine[d], 0);
    for (uint32_t i = part.from; i < part.to; i++) {
        const uint32_t d = KN_LOAD(t, key[i]) >> shift & (r->digits - 1);
        KN_STORE(t, mine[d], KN_LOAD(t, mine[d]) + 1);
        KN_COMPUTE(t, 14); /* digit, its address, addition, loads waited for, count, branch */
    }
}

/** The thread's share of digits: their counts become places among equal digits. */
static void rank(kn_thread *t, const struct radix *r)
{
    const struct part part = part_of(t, r->digits, 64 / sizeof *r->rank);
    const unsigned threads = kn_threads(kn_program_of(t));
    for (uint32_t d = part.from; d < part.to; d++) {
        uint32_t sum = 0;
        for (unsigned i = 0; i < threads; i++) {
            uint32_t *at = r->rank + (size_t)i * r->digits + d;
            const uint32_t n = KN_LOAD(t, *at);
            KN_STORE(t, *at, sum);
            sum += n;
            KN_COMPUTE(t, 4); /* addition, address, count, branch */
        }
        KN_STORE(t, r->total[d], sum);
    }
}

/** Keys with lower digits come before: their number is added to the thread's places. */
static void add_lower(kn_thread *t, const struct radix *r, uint32_t *mine)
{
    uint32_t lower = 0;
    for (uint32_t d = 0; d < r->digits; d++) {
        KN_STORE(t, mine[d], KN_LOAD(t, mine[d]) + lower);
        lower += KN_LOAD(t, r->total[d]);
        KN_COMPUTE(t, 6); /* 2 additions, loads waited for, addresses, branch */
    }
}

static void move(kn_thread *t, const struct radix *r, uint32_t *to, uint32_t *from, unsigned shift)
{
    const struct part part = keys_of(t, r);
    uint32_t *mine = r->rank + (size_t)kn_self(t) * r->digits;
    add_lower(t, r, mine);
    for (uint32_t i = part.from; i < part.to; i++) {
        const uint32_t key = KN_LOAD(t, from[i]), d = key >> shift & (r->digits - 1);
        const uint32_t place = KN_LOAD(t, mine[d]);
        KN_STORE(t, mine[d], place + 1);
        KN_STORE(t, to[place], key);
        KN_COMPUTE(t, 22); /* digit, 2 addresses, addition, loads waited for, count, branch */
    }
}

static void work(kn_thread *t, void *data)
{
    const struct radix *r = data;
    unsigned from = 0;
    fill(t, r);
    begin_together(t, r->barrier, "radix");
    for (unsigned shift = 0; shift < KEY_BITS; shift += r->bits, from ^= 1) {
        kn_phase(t, 1);
        count(t, r, r->key[from], shift);
        kn_meet(t, r->barrier);
        kn_phase(t, 2);
        rank(t, r);
        kn_meet(t, r->barrier);
        kn_phase(t, 3);
        move(t, r, r->key[from ^ 1], r->key[from], shift);
        kn_meet(t, r->barrier);
    }
    kn_phase(t, 0);
    end_together(t, r->barrier, "radix");
}

/** The keys are in order, and they are the ones that were made. */
static int check(kn_program *p, void *data)
{
    const struct radix *r = data;
    const uint32_t *key = r->key[(KEY_BITS + r->bits - 1) / r->bits & 1];
    uint32_t sum = 0, squares = 0, wrong = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        const uint32_t made = number_of(r->seed, i);
        sum += made - key[i];
        squares += made * made - key[i] * key[i];
        wrong += i && key[i - 1] > key[i];
    }
    kn_print(p, "radix: %u keys, %u out of order, middle 0x%08x\n", r->count, wrong,
             key[r->count / 2]);
    return wrong || sum || squares;
}

KN_KERNEL(setup, work, check)
