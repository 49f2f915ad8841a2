/* What can be refused before anything is simulated. */
#include "run/possible.h"

#include "base/alloc.h"
#include "documents/totals.h"
#include "run/expect.h"
#include "run/regions.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool run_choose_events(const struct in_experiment *x, struct mon_choice *choice)
{
    char why[256];
    for (char *const *event = x->events; *event; event++)
        if (!mon_choice_add(in_unit(x), choice, *event, why, sizeof why)) {
            fprintf(stderr, "numachine: error: %s\n", why);
            return false;
        }
    for (unsigned i = 0; i < x->group_count; i++)
        mon_choice_merge(choice, &x->group[i].choice);
    return true;
}

/* Names of statistics depend on machine, events and groups, not on what the machine does: totals of
 * 0 show them. */
bool run_possible(const struct in_experiment *x, const struct mon_choice *choice)
{
    const struct nm_params *p = x->machine.params;
    const size_t cards = nm_params_cards(p);

    if (!x->expects && !x->shown_count)
        return true;
    struct doc_sample nothing = {
        .card = sim_alloc(cards, sizeof *nothing.card),
        .station = sim_alloc(nm_params_stations(p), sizeof *nothing.station),
        .ring = sim_alloc(nm_ring_count(p) + 1, sizeof *nothing.ring),
    };
    struct doc_run run = {0};
    run_regions_init(&run, x, "", (unsigned)cards, (unsigned)nm_value_processors(p), choice,
                     &nothing);
    const bool possible = run_expect_possible(&run, &nothing, stderr);
    run_regions_free(&run);
    free(nothing.card);
    free(nothing.station);
    free(nothing.ring);
    return possible;
}

/* Of what names of statistics depend on. Bytes that mean nothing may differ: then it is looked at
 * twice. */
static uint64_t seen_hash(const struct in_experiment *x, const struct mon_choice *choice)
{
    uint64_t hash = XXH64(x->machine.params, nm_params_size(), 0);
    hash = XXH64(&x->machine.card, sizeof x->machine.card, hash);
    for (unsigned c = 0; x->machine.mix.fittings && c < nm_params_cards(x->machine.params); c++)
        hash = XXH64(in_card_params(&x->machine, c), nm_params_size(), hash);
    hash = XXH64(&x->approach, sizeof x->approach, hash);
    hash = XXH64(choice, sizeof *choice, hash);
    hash = XXH64(&x->pattern_count, sizeof x->pattern_count, hash);
    for (unsigned i = 0; i < x->group_count; i++)
        hash = XXH64(x->group[i].path, strlen(x->group[i].path), hash);
    return hash;
}

/* Notes it. @return whether it is there already */
static bool is_seen(struct run_seen *seen, uint64_t hash)
{
    for (size_t i = 0; i < seen->count; i++)
        if (seen->hash[i] == hash)
            return true;
    seen->hash = sim_grow(seen->hash, seen->count + 1, sizeof *seen->hash);
    seen->hash[seen->count++] = hash;
    return false;
}

bool run_possible_once(void *seen, const struct in_experiment *x)
{
    struct mon_choice choice = {0};
    return (!x->expects && !x->shown_count) ||
           (run_choose_events(x, &choice) &&
            (is_seen(seen, seen_hash(x, &choice)) || run_possible(x, &choice)));
}

void run_seen_free(struct run_seen *seen)
{
    free(seen->hash);
    *seen = (struct run_seen){0};
}
