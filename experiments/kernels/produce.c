/*
 * A bounded buffer between producers and consumers: threads 0, 2, 4, ... put things in, the others
 * take them out. Both draw tickets; a ticket's slot has a turn, which says whether the slot is
 * empty or full and in which round of the buffer, so that everybody waits at a slot of its own. One
 * thread alone does both in turn.
 */
#include "share.h"

enum { WORDS = 14 /* of a thing: with its turn it takes a line of 64 bytes */ };

struct slot {
    kn_word turn; /* 2 * round: empty; 2 * round + 1: full */
    uint32_t number;
    uint32_t word[WORDS];
    char apart[KN_APART - 64];
};

/** What a consumer has seen: how many, and sums of their numbers and words. */
struct seen {
    uint32_t count, numbers, words;
    char apart[KN_APART - 12];
};

struct ticket {
    kn_word next;
    char apart[KN_APART - 4];
};

struct produce {
    uint32_t count, size, seed;
    kn_barrier *barrier;
    struct ticket *put, *taken;
    struct slot *slot;
    struct seen *seen; /* [thread] */
};

static void *setup(kn_program *p)
{
    struct produce *b = kn_alloc(p, sizeof *b);
    b->count = (uint32_t)kn_number(p, "n", 8192, 1, 1 << 26);
    b->size = (uint32_t)kn_number(p, "size", 64, 1, 1 << 16);
    b->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    b->barrier = kn_alloc(p, sizeof *b->barrier);
    b->put = kn_alloc(p, sizeof *b->put);
    b->taken = kn_alloc(p, sizeof *b->taken);
    b->slot = kn_alloc(p, sizeof *b->slot * b->size);
    b->seen = kn_alloc(p, sizeof *b->seen * kn_threads(p));
    return b;
}

/** Makes the next thing. @return 0: all have been made */
static int produce(kn_thread *t, const struct produce *b)
{
    const uint32_t number = kn_add(t, &b->put->next, 1);
    struct slot *slot = &b->slot[number % b->size];
    if (number >= b->count)
        return 0;
    KN_COMPUTE(t, 40); /* divu and its remainder, the slot's address */
    kn_wait(t, &slot->turn, KN_IS, number / b->size * 2);
    KN_STORE(t, slot->number, number);
    for (uint32_t i = 0; i < WORDS; i++) {
        KN_STORE(t, slot->word[i], number_of(b->seed, number * WORDS + i));
        KN_COMPUTE(t, 72); /* 4 mul, 8 shifts and additions, address, branch */
    }
    kn_set(t, &slot->turn, number / b->size * 2 + 1);
    return 1;
}

/** Takes the next thing. @return 0: all have been taken */
static int consume(kn_thread *t, const struct produce *b, struct seen *seen)
{
    const uint32_t number = kn_add(t, &b->taken->next, 1);
    struct slot *slot = &b->slot[number % b->size];
    if (number >= b->count)
        return 0;
    KN_COMPUTE(t, 40); /* divu and its remainder, the slot's address */
    kn_wait(t, &slot->turn, KN_IS, number / b->size * 2 + 1);
    seen->count++;
    seen->numbers += KN_LOAD(t, slot->number);
    for (uint32_t i = 0; i < WORDS; i++) {
        seen->words += KN_LOAD(t, slot->word[i]) * (i + 1);
        KN_COMPUTE(t, 20); /* mul and addition, load waited for, address, branch */
    }
    kn_set(t, &slot->turn, number / b->size * 2 + 2);
    return 1;
}

static void work(kn_thread *t, void *data)
{
    const struct produce *b = data;
    struct seen *mine = &b->seen[kn_self(t)], seen = {0};
    const int alone = kn_threads(kn_program_of(t)) == 1;
    begin_together(t, b->barrier, "produce");
    if (alone)
        while (produce(t, b) && consume(t, b, &seen))
            ;
    else if (kn_self(t) % 2 == 0)
        while (produce(t, b))
            ;
    else
        while (consume(t, b, &seen))
            ;
    KN_STORE(t, mine->count, seen.count);
    KN_STORE(t, mine->numbers, seen.numbers);
    KN_STORE(t, mine->words, seen.words);
    end_together(t, b->barrier, "produce");
}

/** Everything that was made was taken, once. */
static int check(kn_program *p, void *data)
{
    const struct produce *b = data;
    struct seen all = {0}, made = {.count = b->count};
    for (unsigned i = 0; i < kn_threads(p); i++) {
        all.count += b->seen[i].count;
        all.numbers += b->seen[i].numbers;
        all.words += b->seen[i].words;
    }
    for (uint32_t number = 0; number < b->count; number++) {
        made.numbers += number;
        for (uint32_t i = 0; i < WORDS; i++)
            made.words += number_of(b->seed, number * WORDS + i) * (i + 1);
    }
    kn_print(p, "produce: %u things, numbers 0x%08x, words 0x%08x\n", all.count, all.numbers,
             all.words);
    return all.count != made.count || all.numbers != made.numbers || all.words != made.words;
}

KN_KERNEL(setup, work, check)
