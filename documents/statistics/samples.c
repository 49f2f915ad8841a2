/* samples.csv: what was counted in each interval, made of totals at its ends. */
#include "documents/statistics/samples.h"

/* Name of who sees an event's count at card `c`, or NULL if an earlier card has said it. */
static const char *component_of(const struct doc_run *run, enum mon_scope scope, unsigned c,
                                char buf[64])
{
    const unsigned station = c / run->per_station, ring = c / doc_per_ring(run);
    const unsigned heads[] = {[MON_SCOPE_CARD] = 1,
                              [MON_SCOPE_STATION] = run->per_station,
                              [MON_SCOPE_RING] = doc_per_ring(run),
                              [MON_SCOPE_MACHINE] = run->cards};
    if (c % heads[scope])
        return NULL;
    if (scope == MON_SCOPE_CARD)
        snprintf(buf, 64, "machine.station[%u].card[%u]", station, c % run->per_station);
    else if (scope == MON_SCOPE_STATION)
        snprintf(buf, 64, "machine.station[%u]", station);
    else if (scope == MON_SCOPE_RING)
        snprintf(buf, 64, "machine.ring[0][%u]", ring);
    else
        snprintf(buf, 64, "machine");
    return buf;
}

static void write_sample(const struct doc_samples *s, const struct doc_run *run, size_t i,
                         FILE *out)
{
    const uint64_t *now = &s->total[i * s->words];
    const uint64_t *before = i ? now - s->words : s->first;
    const unsigned long long begin = i ? s->at[i - 1] : 0, end = s->at[i];
    char component[64];
    for (size_t w = 0; w < s->words; w++) {
        const struct mon_event *e = mon_unit_event(run->unit, run->choice.event[w / run->cards]);
        const uint64_t count = now[w] - before[w];
        if (count && component_of(run, e->scope, (unsigned)(w % run->cards), component))
            fprintf(out, "%llu,%llu,%s,monitor.%s,%llu,%s\r\n", begin, end, component, e->name,
                    (unsigned long long)count, e->unit);
    }
}

void doc_write_samples(const struct doc_samples *samples, const struct doc_run *run, FILE *out)
{
    fputs("begin_tick,end_tick,component,stat,value,unit\r\n", out);
    for (size_t i = 0; i < samples->count; i++)
        write_sample(samples, run, i, out);
}
