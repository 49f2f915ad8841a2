/* The table of kinds, and what a kind asks of the machine. */
#include "base/plural.h"
#include "programs/patterns/patterns.h"

#include <inttypes.h>
#include <stdio.h>

enum { LINES_MAX = 1 << 23 /**< what patterns_zipf_make takes */ };

#define K(key) 1u << PATTERNS_##key
static const struct patterns_row rows[] = {
#define KIND(id, word, shape, footprint, keys, sentence) \
    {word, footprint, sentence, K(references) | K(barrier) | (keys)},
#include "programs/patterns/kinds.def"
#undef KIND
};
#undef K

_Static_assert(PATTERNS_KEYS <= 32, "a bit for each key");

const struct patterns_row *patterns_row(enum patterns_kind kind)
{
    return &rows[kind];
}

bool patterns_takes(enum patterns_kind kind, enum patterns_key key)
{
    return rows[kind].keys >> key & 1;
}

/** What a kind asks of the machine. @return NULL: it is met */
static const char *machine_wanted(const struct patterns_phase *phase, const struct nm_params *p)
{
    const enum patterns_kind kind = phase->kind;
    const uint64_t stations = nm_params_stations(p);

    if ((kind == PATTERNS_KIND_all_to_all || kind == PATTERNS_KIND_neighbour) && stations < 2)
        return "needs two stations or more";
    if (kind == PATTERNS_KIND_bit_reverse && (stations & (stations - 1)))
        return "needs a power of two of stations";
    if (kind == PATTERNS_KIND_transpose &&
        nm_value_ring_locals(p) * nm_value_ring_groups(p) != nm_value_ring_stations(p))
        return "needs as many rings as there are stations on each";
    if (kind == PATTERNS_KIND_zipf &&
        phase->value[PATTERNS_footprint] / nm_value_l2_line(p) >= LINES_MAX)
        return "has a footprint of fewer than 8388608 lines";
    return NULL;
}

/** What the values of a phase may not be, whatever the machine is. @return NULL: they may */
static const char *values_wrong(const struct patterns_phase *phase)
{
    const uint64_t *v = phase->value;

    if (v[PATTERNS_size] & (v[PATTERNS_size] - 1))
        return "'size' is 1, 2, 4 or 8";
    if (v[PATTERNS_stride] && v[PATTERNS_stride] % v[PATTERNS_size])
        return "'stride' is a multiple of 'size'";
    if (v[PATTERNS_rate] != PATTERNS_ABSENT &&
        (v[PATTERNS_think] || v[PATTERNS_burst] || v[PATTERNS_pause]))
        return "'rate' is an open loop, and 'think', 'burst' and 'pause' are of closed ones";
    if (!v[PATTERNS_pause] != !v[PATTERNS_burst])
        return "'burst' and 'pause' go together";
    if ((v[PATTERNS_placement] == PATTERNS_STATION) != (v[PATTERNS_station] != PATTERNS_ABSENT))
        return "'placement: station' and 'station' go together";
    return NULL;
}

bool patterns_fits(const struct patterns_phase *phase, const struct nm_params *p, unsigned threads,
                   char *why, size_t size)
{
    const uint64_t *v = phase->value, stations = nm_params_stations(p);
    const char *wrong = values_wrong(phase);

    if (!wrong)
        wrong = machine_wanted(phase, p);
    if (wrong)
        snprintf(why, size, "%s", wrong);
    else if (v[PATTERNS_station] != PATTERNS_ABSENT && v[PATTERNS_station] >= stations)
        snprintf(why, size, "there is no station %" PRIu64 "; the machine has %" PRIu64,
                 v[PATTERNS_station], stations);
    else if (patterns_takes(phase->kind, PATTERNS_distance) && v[PATTERNS_distance] >= threads)
        snprintf(why, size, "'distance' is %" PRIu64 ", but there %s %u thread%s",
                 v[PATTERNS_distance], threads == 1 ? "is" : "are", threads, sim_plural(threads));
    else
        return true;
    return false;
}
