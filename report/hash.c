/*
 * The result hash: equal if and only if the simulated results are.
 *
 * Everything simulated goes in (how it ended, when, what the guest wrote, every total of every card
 * and of the machine around them, in every region), as little-endian 64-bit words; nothing of the
 * host does, nor what the monitoring cards were told to do, nor any path.
 */
#include "report/run.h"

#include "machine/alloc.h"

#include <endian.h>
#include <string.h>
#include <xxhash.h>

static void put(XXH64_state_t *state, uint64_t word)
{
    word = htole64(word);
    XXH64_update(state, &word, sizeof word);
}

static void put_text(XXH64_state_t *state, const char *text)
{
    put(state, strlen(text));
    XXH64_update(state, text, strlen(text));
}

static void put_totals(XXH64_state_t *state, const struct rep_totals *totals)
{
    for (int t = 0; t < MON_TAP__COUNT; t++)
        if (!(MON_BOARD_TAPS >> t & 1))
            put(state, totals->taps.v[t]);
#define TRUTH(field, unit, sentence) put(state, totals->truth.field);
#include "report/truth.def"
#undef TRUTH
}

/* Structs of 64-bit words only. */
static void put_words(XXH64_state_t *state, const void *words, size_t size)
{
    const uint64_t *w = words;
    for (size_t i = 0; i < size / sizeof *w; i++)
        put(state, w[i]);
}

static void put_region(XXH64_state_t *state, const struct rep_region *region,
                       const struct rep_run *run)
{
    put_text(state, region->name);
    put(state, region->visits);
    put(state, region->begin);
    put(state, region->end);
    put(state, region->elapsed);
    for (unsigned c = 0; c < run->cards; c++)
        put_totals(state, &region->card[c].sum);
    put_words(state, region->around.station, run->stations * sizeof *region->around.station);
    put_words(state, region->around.ring, run->rings * sizeof *region->around.ring);
}

uint64_t rep_hash(const struct rep_run *run)
{
    XXH64_state_t *state = XXH64_createState();
    if (!state)
        nm_no_memory();
    XXH64_reset(state, 0);
    put(state, run->outcome.end);
    put(state, (uint64_t)(int64_t)run->outcome.status);
    put(state, run->outcome.ticks);
    put(state, run->outcome.instructions);
    put(state, run->outcome.threads);
    put(state, run->outcome.stdout_hash);
    put(state, run->cards);
    put(state, run->regions);
    for (size_t i = 0; i < run->regions; i++)
        put_region(state, &run->region[i], run);
    uint64_t hash = XXH64_digest(state);
    XXH64_freeState(state);
    return hash;
}
