/*
 * Pairs of ways. The hard idea is to go over the numbers a few times: each time those that come
 * often behind each other become one, so that the next time finds pairs of pairs. Where two pairs
 * would share a way, the one that comes more often gets it.
 */
#include "programs/traces/pairs.h"

#include "base/alloc.h"
#include "programs/traces/trace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    OFTEN = 32, /* times that a pair must come in a block to be worth its bytes */
    ROUNDS = 8
};

struct tr_pairs_seen {
    struct tr_pair pair;
    uint16_t number; /* of the way that it has become; 0: none yet */
    uint16_t count;  /* 0: there is no pair here */
};
_Static_assert(TR_BLOCK_RECORDS - 1 <= UINT16_MAX, "pairs of one kind in a block");

/* A pair's place, which may be empty. */
static struct tr_pairs_seen *seen_at(const struct tr_pairs *p, struct tr_pair pair)
{
    uint64_t at = (pair.first * UINT64_C(65536) + pair.second) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    for (;; at++) {
        struct tr_pairs_seen *seen = &p->seen[at & p->seen_mask];
        if (!seen->count || (seen->pair.first == pair.first && seen->pair.second == pair.second))
            return seen;
    }
}

/* What there is of the pair that begins at a number. @return NULL: there is none */
static struct tr_pairs_seen *pair_of(const struct tr_pairs *p, const uint16_t *number, size_t left)
{
    return left > 1 && number[0] && number[1] ? seen_at(p, (struct tr_pair){number[0], number[1]})
                                              : NULL;
}

/* Nothing has been seen. @param count  of numbers */
static void clear_seen(struct tr_pairs *p, size_t count)
{
    size_t room = 16;
    while (room < 2 * count)
        room *= 2;
    if (room > p->seen_room) {
        free(p->seen);
        p->seen = sim_grow(NULL, room, sizeof *p->seen);
        p->seen_room = room;
    }
    p->seen_mask = room - 1;
    memset(p->seen, 0, room * sizeof *p->seen);
}

static void count_pairs(struct tr_pairs *p, const uint16_t *number, size_t count)
{
    clear_seen(p, count);
    for (size_t i = 0; i < count; i++) {
        struct tr_pairs_seen *seen = pair_of(p, number + i, count - i);
        if (!seen)
            continue;
        seen->pair = (struct tr_pair){number[i], number[i + 1]};
        seen->count++;
    }
}

/* The number of the way that a pair is. @return 0: there is no room for it */
static uint16_t pair_number(struct tr_pairs *p, struct tr_pairs_seen *seen)
{
    const uint32_t length = p->length[seen->pair.first] + p->length[seen->pair.second];
    if (seen->number || p->ways == p->most || length > p->room - p->steps)
        return seen->number;
    p->pair[p->pairs++] = seen->pair;
    p->steps += length;
    p->length[++p->ways] = length;
    return seen->number = (uint16_t)p->ways;
}

/* Whether the pair at a number is one, and the next number does not better with the one behind. */
static bool is_pair(const struct tr_pairs *p, const struct tr_pairs_seen *seen,
                    const uint16_t *number, size_t left)
{
    const struct tr_pairs_seen *next = pair_of(p, number + 1, left - 1);
    return seen->count >= OFTEN && (!next || next->count <= seen->count);
}

/* One time over all numbers. @return how many are left */
static size_t join_once(struct tr_pairs *p, uint16_t *number, size_t count)
{
    size_t out = 0;
    for (size_t i = 0; i < count; i++) {
        struct tr_pairs_seen *seen = pair_of(p, number + i, count - i);
        const uint16_t pair =
            seen && is_pair(p, seen, number + i, count - i) ? pair_number(p, seen) : 0;
        number[out++] = pair ? pair : number[i];
        i += pair != 0;
    }
    return out;
}

size_t tr_pairs_join(struct tr_pairs *pairs, uint16_t *number, size_t count)
{
    pairs->pairs = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t before = count;
        count_pairs(pairs, number, count);
        count = join_once(pairs, number, count);
        if (count == before)
            break;
    }
    return count;
}

void tr_pairs_free(struct tr_pairs *pairs)
{
    free(pairs->seen);
}
