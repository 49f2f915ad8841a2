/*
 * A promise the protocol rests on (docs/coherence.md, rule 3): when a station sends U1 to C and
 * then U2 to B, and B answers U2 with U3 to C, then C has U1 before U3 - however long U1 and
 * however busy C.
 */
#include "ring_world.h"

#include <criterion/criterion.h>
#include <string.h>

enum { STATIONS_MAX = 16, BACKGROUND = 6 };

enum name { U1, U2, U3, NOISE };

struct play {
    struct ring_net *net;
    const struct ring_shape *shape;
    unsigned b, c;
    sim_tick answer_at;             /* when B sends U3; SIM_NEVER: not yet, or done */
    sim_tick take_at[STATIONS_MAX]; /* when a station takes what it was given */
    unsigned given[STATIONS_MAX];
    sim_tick got[NOISE];
};

static void send(struct play *p, unsigned from, unsigned to, enum name name, unsigned data,
                 sim_tick at)
{
    struct ring_packet packet = {.mask = ring_mask_station(p->shape, to),
                                 .source = (uint16_t)from,
                                 .class = RING_SINKABLE,
                                 .data_slots = (uint8_t)data,
                                 .payload = {(unsigned char)name}};
    ring_send(p->net, from, at, &packet);
}

static void deliver(void *ctx, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    struct play *p = ctx;
    enum name name = packet->payload[0];
    p->take_at[station] = at;
    p->given[station]++;
    if (name == NOISE)
        return;
    p->got[name] = at;
    if (name == U2)
        p->answer_at = at;
}

/* Everybody else sends lines to C, as fast as there is room. */
static void noise(struct play *p, unsigned a, unsigned stations, unsigned *left, sim_tick at)
{
    for (unsigned s = 0; s < stations; s++)
        if (s != a && s != p->b && s != p->c && left[s] &&
            ring_room(p->net, s, RING_SINKABLE, at)) {
            send(p, s, p->c, NOISE, 8, at);
            left[s]--;
        }
}

static void perform(const struct ring_shape *shape, const struct ring_timing *timing, unsigned a,
                    unsigned b, unsigned c)
{
    const unsigned stations = ring_shape_stations(shape);
    struct play p = {.shape = shape, .b = b, .c = c, .answer_at = SIM_NEVER};
    unsigned left[STATIONS_MAX], sent = 0;
    for (unsigned s = 0; s < STATIONS_MAX; s++)
        left[s] = BACKGROUND;
    p.net = ring_net_new(shape, timing, deliver, &p);
    for (sim_tick t = 0; !p.got[U3]; t += timing->cycle) {
        cr_assert_lt(t, 100000u, "%u, %u, %u: no end", a, b, c);
        for (unsigned s = 0; s < stations; s++)
            for (; p.given[s] && p.take_at[s] <= t; p.given[s]--)
                ring_take(p.net, s, t, RING_SINKABLE);
        noise(&p, a, stations, left, t);
        if (t >= 30 && sent < 2 && ring_room(p.net, a, RING_SINKABLE, t)) {
            send(&p, a, sent ? b : c, sent ? U2 : U1, sent ? 0 : 8, t);
            sent++;
        }
        if (p.answer_at <= t && ring_room(p.net, b, RING_SINKABLE, t)) {
            p.answer_at = SIM_NEVER;
            send(&p, b, c, U3, 0, t);
        }
        ring_run(p.net, t + timing->cycle);
    }
    cr_assert(p.got[U1] && p.got[U1] < p.got[U3], "%u, %u, %u: U1 at %lu, U3 at %lu", a, b, c,
              (unsigned long)p.got[U1], (unsigned long)p.got[U3]);
    ring_net_free(p.net);
}

Test(ring_order, consequences_come_later)
{
    static const struct ring_shape shapes[] = {{.levels = 1, .fan = {4}},
                                               {.levels = 2, .fan = {2, 3}},
                                               {.levels = 2, .fan = {4, 4}},
                                               {.levels = 3, .fan = {2, 2, 2}}};
    static const struct ring_timing timings[] = {TIMING_USUAL, TIMING_TINY};
    for (unsigned s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (unsigned t = 0; t < 2; t++)
            for (unsigned a = 0; a < ring_shape_stations(&shapes[s]); a++)
                for (unsigned b = 0; b < ring_shape_stations(&shapes[s]); b++)
                    for (unsigned c = 0; c < ring_shape_stations(&shapes[s]); c++)
                        if (a != b && b != c && a != c)
                            perform(&shapes[s], &timings[t], a, b, c);
}
