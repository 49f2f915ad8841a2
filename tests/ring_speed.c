/*
 * How fast the rings run on this host: random unicasts and multicasts as fast as the rings take
 * them, on one ring, on the default hierarchy and on that of 1,024 processors. Not a test of
 * anything; prints link hops and handled slots per second. Usage: ring_speed [ring cycles [shape
 * load]], shape 0 to 2, load 5 or 100.
 *
 * The hard idea is not to measure the clock: a window of the rings takes about as long as reading
 * it, so what it takes to read it between two windows is measured too, and taken off.
 */
#include "ring_world.h"

#include <stdlib.h>
#include <time.h>

struct source {
    uint64_t dice;
    unsigned waiting[RING_CLASSES];
};

struct bench {
    struct ring_net *net;
    unsigned stations;
    struct source source[RING_STATIONS_MAX];
};

static void count(void *ctx, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    struct bench *b = ctx;
    (void)at;
    b->source[station].waiting[packet->class]++;
}

static uint32_t roll(uint64_t *dice)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(*dice >> 33);
}

static void station_window(struct bench *b, const struct ring_shape *shape, unsigned s,
                           sim_tick now, unsigned load)
{
    struct source *me = &b->source[s];
    for (unsigned class = 0; class < RING_CLASSES; class ++)
        for (; me->waiting[class]; me->waiting[class]--)
            ring_take(b->net, s, now, class);
    if (roll(&me->dice) % 100 >= load)
        return;
    unsigned class = roll(&me->dice) & 1, to = roll(&me->dice) % b->stations;
    if (!ring_room(b->net, s, class, now))
        return;
    struct ring_packet packet = {.mask = ring_mask_station(shape, to),
                                 .source = (uint16_t)s,
                                 .class = (uint8_t) class,
                                 .data_slots = class ? 0 : 8};
    ring_send(b->net, s, now, &packet);
}

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What a stretch of no work between two readings seems to take. */
static double clock_cost(void)
{
    enum { TIMES = 20000 };
    double seconds = 0;
    for (unsigned i = 0; i < TIMES; i++) {
        seconds -= clock_seconds();
        seconds += clock_seconds();
    }
    return seconds / TIMES;
}

/* Processor seconds spent in ring_run. */
static double run(const struct ring_shape *shape, uint64_t cycles, unsigned load,
                  struct ring_total *total)
{
    const struct ring_timing timing = TIMING_USUAL;
    struct bench *b = calloc(1, sizeof *b);
    const double reading = clock_cost();
    double seconds = 0;
    b->net = ring_net_new(shape, &timing, count, b);
    b->stations = ring_shape_stations(shape);
    for (unsigned s = 0; s < b->stations; s++)
        b->source[s].dice = s + 1;
    for (sim_tick now = 0; now < 3 * cycles; now += ring_window(b->net)) {
        for (unsigned s = 0; s < b->stations; s++)
            station_window(b, shape, s, now, load);
        seconds -= clock_seconds();
        ring_run(b->net, now + ring_window(b->net));
        seconds += clock_seconds() - reading;
    }
    *total = ring_net_total(b->net);
    ring_net_free(b->net);
    free(b);
    return seconds;
}

static void measure(const struct ring_shape *shape, uint64_t cycles, unsigned load)
{
    struct ring_total t;
    const double s = run(shape, cycles, load, &t);
    printf("%u stations, load %3u: %.1f Mhops/s, %.1f Mslots/s, %.0f ns/cycle, %.1f hops/cycle\n",
           ring_shape_stations(shape), load, (double)t.hops / s * 1e-6,
           (double)t.received / s * 1e-6, s * 1e9 / (double)cycles,
           (double)t.hops / (double)cycles);
}

int main(int argc, char **argv)
{
    static const struct ring_shape shapes[] = {
        {.levels = 1, .fan = {16}}, {.levels = 2, .fan = {4, 4}}, {.levels = 3, .fan = {4, 8, 8}}};
    const uint64_t cycles = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000;
    for (unsigned i = 0; i < 3; i++)
        for (unsigned load = 5; load <= 100; load += 95)
            if (argc < 4 || (i == strtoul(argv[2], NULL, 10) && load == strtoul(argv[3], NULL, 10)))
                measure(&shapes[i], cycles, load);
    return 0;
}
