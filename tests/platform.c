/*
 * The platform file of a machine, as SimGrid itself reads it: hosts, links, how long a route is,
 * and how long a message takes on it. What a route must take is what the rings take (ring/ring.h).
 */
#include "programs/platform.h"
#include "machine/statistics.h"
#include "machine/values.h"
#include "ring/ring.h"

#include <criterion/criterion.h>
#include <math.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PAIRS = 400 /* of stations whose routes are looked at */ };

struct sent {
    const char *from, *to;
    double bytes, took;
};

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void load(const struct nm_params *p)
{
    char path[] = "/tmp/platform-XXXXXX", *args[] = {"platform", "--log=root.thres:critical", NULL};
    int n = 2, fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");
    double before;
    cr_assert(out != NULL);
    prog_platform_write(p, "a machine", false, out);
    cr_assert_eq(fclose(out), 0);
    simgrid_init(&n, args);
    before = cpu_seconds();
    simgrid_load_platform(path);
    cr_expect_lt(cpu_seconds() - before, 1.0, "%f s of CPU", cpu_seconds() - before);
    unlink(path);
}

static sg_host_t host(const char *what, unsigned number)
{
    char name[32];
    sg_host_t h;
    snprintf(name, sizeof name, "%s-%u", what, number);
    h = sg_host_by_name(name);
    cr_assert(h != NULL, "%s", name);
    return h;
}

/* ---- what a message takes on the rings ------------------------------------------------------- */

static void note(void *ctx, unsigned station, sim_tick at, const struct ring_packet *packet)
{
    (void)station, (void)packet;
    *(sim_tick *)ctx = at;
}

/** [ring cycles] of a header alone, as the rings of the simulator move it. */
static unsigned rings_take(const struct nm_params *p, unsigned from, unsigned to)
{
    const struct ring_shape shape = nm_ring_shape(p);
    const struct ring_timing timing = {.cycle = 1,
                                       .generator = (uint32_t)p->ring_generator,
                                       .handler = (uint32_t)p->ring_handler,
                                       .up = (uint32_t)p->ring_up,
                                       .down = (uint32_t)p->ring_down,
                                       .output = {8, 8},
                                       .queue = 8,
                                       .input = {64, 48, 32},
                                       .up_fifo = {64, 48, 32},
                                       .down_fifo = {64, 48, 32},
                                       .nonsinkable_limit = 16,
                                       .patience = 64};
    sim_tick arrived = 0;
    struct ring_net *net = ring_net_new(&shape, &timing, note, &arrived);
    const struct ring_packet packet = {.source = (uint16_t)from,
                                       .mask = ring_mask_station(&shape, to)};
    ring_send(net, from, 0, &packet);
    for (sim_tick t = 0; ring_next(net) != SIM_NEVER; t += ring_window(net))
        ring_run(net, t + ring_window(net));
    ring_net_free(net);
    return (unsigned)arrived;
}

static void look_at_routes(const struct nm_params *p)
{
    const unsigned stations = (unsigned)nm_params_stations(p);
    unsigned random = 1;
    for (unsigned i = 0; i < PAIRS; i++) {
        const unsigned a = (random = random * 1664525 + 1013904223) / 65536 % stations;
        const unsigned b = (random = random * 1664525 + 1013904223) / 65536 % stations;
        if (a == b)
            continue;
        const double on_rings = sg_host_get_route_latency(host("network", a), host("network", b));
        const double whole =
            sg_host_get_route_latency(host("card", a * (unsigned)p->processors), host("memory", b));
        const double bus = (double)(p->bus_arbitration + 1) / (double)p->bus_clock;
        cr_expect_float_eq(on_rings * (double)p->ring_clock, rings_take(p, a, b), 1e-6,
                           "station %u to %u", a, b);
        cr_expect_float_eq(whole, on_rings + 2 * bus, 1e-12, "station %u to %u", a, b);
    }
}

/* ---- what it takes in SimGrid ---------------------------------------------------------------- */

static void send(int argc, char **argv)
{
    struct sent *sent = sg_actor_self_get_data();
    const double before = simgrid_get_clock();
    (void)argc, (void)argv;
    sg_host_sendto(sg_host_by_name(sent->from), sg_host_by_name(sent->to), sent->bytes);
    sent->took = simgrid_get_clock() - before;
}

/** A cycle of 2 GHz is half of the precision that SimGrid has by itself. */
static void sleep_often(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (unsigned i = 0; i < 1000; i++)
        sg_actor_sleep_for(0.5e-9);
}

static double take(struct sent *sent)
{
    sg_actor_t actor = sg_actor_init("sender", sg_host_by_name(sent->from));
    sg_actor_set_data(actor, sent);
    sg_actor_start(actor, send, 0, NULL);
    simgrid_run();
    return sent->took;
}

static void expect_links(const struct nm_params *p)
{
    size_t links = nm_params_stations(p);
    for (unsigned r = 0; r < nm_ring_count(p); r++) {
        const struct nm_ring_place place = nm_ring_place(p, r);
        links += place.nodes + (place.top ? 0 : 2);
        links += place.level ? 0 : 2 * p->ring_stations;
    }
    /* SimGrid has a link of its own, from a host to itself */
    cr_expect_eq(sg_link_count() - 1, links, "%zu links for %zu", sg_link_count() - 1, links);
    cr_expect_eq(sg_host_count(), nm_params_cards(p) + 2 * nm_params_stations(p));
}

Test(platform, two_levels)
{
    struct nm_params p;
    struct sent line = {"card-0", "memory-5", 64, 0};
    nm_params_default(&p);
    load(&p);
    expect_links(&p);
    look_at_routes(&p);
    cr_expect_float_eq(sg_host_get_speed(host("card", 63)), (double)p.cpu_clock, 1);
    cr_expect_float_eq(sg_link_get_bandwidth(sg_link_by_name("bus-3")), 64 * 50e6 / 9, 1);
    /* 2 cycles on each bus, 15 on the rings, 9 for the line with its header; of 20 ns each */
    cr_expect_float_eq(take(&line), (2 + 2 + rings_take(&p, 0, 5) + 9) * 20e-9, 1e-13, "%.15g s",
                       line.took);
}

Test(platform, three_levels)
{
    struct nm_params p;
    nm_params_default(&p);
    p.ring_locals = p.ring_groups = 8;
    p.ring_clock = 75000000;
    p.ring_width = 16;
    load(&p);
    expect_links(&p);
    look_at_routes(&p);
    cr_expect_float_eq(sg_link_get_bandwidth(sg_link_by_name("ring-2-0-7")), 64 * 75e6 / 5, 1);
}

Test(platform, one_station)
{
    struct nm_params p;
    struct sent word = {"card-0", "card-3", 1, 0};
    nm_params_default(&p);
    p.ring_stations = p.ring_locals = p.ring_groups = 1;
    load(&p);
    expect_links(&p);
    cr_expect_float_eq(take(&word), 40e-9 + 9 / (64 * 50e6), 1e-15, "%.15g s", word.took);
    sg_actor_start(sg_actor_init("sleeper", host("card", 0)), sleep_often, 0, NULL);
    word.took = simgrid_get_clock();
    simgrid_run();
    cr_expect_float_eq(simgrid_get_clock() - word.took, 500e-9, 1e-12, "%.15g s",
                       simgrid_get_clock() - word.took);
}
