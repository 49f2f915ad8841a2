/*
 * The hashes of a run, over little-endian 64-bit words. Nothing of the host goes in, nor what the
 * monitoring cards were told to do, nor any path.
 *
 * The result hash says that the simulated machine did the same things at the same times. It has a
 * list of its own, below: what each processor did in its PCycles, what its card sent and took, what
 * its caches missed, and when buses, memories, network caches and links were busy. A change of any
 * simulated cycle changes some of them. All other totals only say the same in other words, so
 * one of them may be added, taken away or defined better and no result hash moves. The totals hash
 * has them all: two runs of one version must agree in it too.
 */
#include "documents/run.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "documents/totals.h"
#include "monitor/taps.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>
#include <xxhash.h>

static void hash_put(XXH64_state_t *state, uint64_t word)
{
    word = htole64(word);
    XXH64_update(state, &word, sizeof word);
}

static void hash_put_text(XXH64_state_t *state, const char *text)
{
    hash_put(state, strlen(text));
    XXH64_update(state, text, strlen(text));
}

/* Structs of 64-bit words only. */
static void put_words(XXH64_state_t *state, const void *words, size_t size)
{
    const uint64_t *w = words;
    for (size_t i = 0; i < size / sizeof *w; i++)
        hash_put(state, w[i]);
}

/* ---- what the machine did -------------------------------------------------------------------- */

/* In this order; beside them the 15 states of the processor and the slots moved on every link. */
static const enum mon_tap hashed_taps[] = {
    MON_TAP_HEADERS_OUT, MON_TAP_HEADERS_IN, MON_TAP_DATA_OUT, MON_TAP_DATA_IN, MON_TAP_NACKS,
};
static const size_t hashed_truths[] = {
    offsetof(struct nm_truth, instructions), offsetof(struct nm_truth, loads),
    offsetof(struct nm_truth, stores),       offsetof(struct nm_truth, l1i_misses),
    offsetof(struct nm_truth, l1d_misses),   offsetof(struct nm_truth, l2_misses),
    offsetof(struct nm_truth, upgrades),     offsetof(struct nm_truth, writebacks),
};
static const size_t hashed_stations[] = {
    offsetof(struct nm_station_counts, bus_busy),
    offsetof(struct nm_station_counts, memory_busy),
    offsetof(struct nm_station_counts, memory_accesses),
    offsetof(struct nm_station_counts, netcache_busy),
    offsetof(struct nm_station_counts, netcache_accesses),
    offsetof(struct nm_station_counts, received_header),
    offsetof(struct nm_station_counts, received_data),
};

/* The words of a struct at `offset[count]`. */
static void put_at(XXH64_state_t *state, const void *words, const size_t *offset, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_words(state, (const char *)words + offset[i], sizeof(uint64_t));
}

static void hash_put_card(XXH64_state_t *state, const struct doc_totals *card)
{
#define STATE(name, code, group, sentence) hash_put(state, card->taps.v[MON_TAP_ST_##name]);
#include "monitor/status.def"
#undef STATE
    for (size_t i = 0; i < sizeof hashed_taps / sizeof *hashed_taps; i++)
        hash_put(state, card->taps.v[hashed_taps[i]]);
    put_at(state, &card->truth, hashed_truths, sizeof hashed_truths / sizeof *hashed_truths);
}

static void put_region(XXH64_state_t *state, const struct doc_region *region,
                       const struct doc_run *run)
{
    hash_put_text(state, region->name);
    hash_put(state, region->visits);
    hash_put(state, region->begin);
    hash_put(state, region->end);
    hash_put(state, region->elapsed);
    for (unsigned c = 0; c < run->cards; c++)
        hash_put_card(state, &region->card[c].sum);
    for (unsigned s = 0; s < run->stations; s++)
        put_at(state, &region->around.station[s].sum, hashed_stations,
               sizeof hashed_stations / sizeof *hashed_stations);
    for (unsigned r = 0; r < run->rings; r++)
        for (unsigned i = 0; i < nm_ring_place(run->experiment->machine.params, r).nodes; i++)
            hash_put(state, region->around.ring[r].sum.link[i]);
}

/* ---- every total ----------------------------------------------------------------------------- */

static void put_totals(XXH64_state_t *state, const struct doc_region *region,
                       const struct doc_run *run)
{
    for (unsigned c = 0; c < run->cards; c++) {
        for (int t = 0; t < MON_TAP__COUNT; t++)
            if (!(MON_UNIT_TAPS >> t & 1))
                hash_put(state, region->card[c].sum.taps.v[t]);
        put_words(state, &region->card[c].sum.truth, sizeof region->card[c].sum.truth);
        if (region->own)
            put_words(state, &region->own[c].sum, sizeof region->own[c].sum);
    }
    put_words(state, region->around.station, run->stations * sizeof *region->around.station);
    put_words(state, region->around.ring, run->rings * sizeof *region->around.ring);
}

struct doc_hashes doc_hash(const struct doc_run *run)
{
    struct doc_hashes hash;
    XXH64_state_t *state = sim_hash_new(0);
    hash_put(state, run->outcome.end);
    hash_put(state, (uint64_t)(int64_t)run->outcome.status);
    hash_put(state, run->outcome.ticks);
    hash_put(state, run->outcome.instructions);
    hash_put(state, run->outcome.threads);
    hash_put(state, run->outcome.stdout_hash);
    hash_put(state, run->cards);
    hash_put(state, run->regions);
    for (size_t i = 0; i < run->regions; i++)
        put_region(state, &run->region[i], run);
    hash.result = XXH64_digest(state);
    for (size_t i = 0; i < run->regions; i++)
        put_totals(state, &run->region[i], run);
    hash.totals = XXH64_digest(state);
    XXH64_freeState(state);
    return hash;
}
