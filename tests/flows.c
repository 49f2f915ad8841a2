/*
 * Tasks that share a machine: how long each takes, by hand.
 */
#include "programs/flows.h"

#include "look/flow/flow.h"
#include "machine/values.h"

#include <criterion/criterion.h>

enum { TASKS = 8 };

/* Latencies of a microsecond pass before a flow begins. */
#define expect_took(what, seconds) cr_expect_float_eq(what, seconds, 1e-5, "%.9f s", what)

static void run(const struct prog_task *task, unsigned tasks, double took[TASKS])
{
    struct nm_params p;
    nm_params_default(&p);
    cr_assert_eq(prog_flows_run(&p, task, tasks, took), 0);
}

/* Stations 0 and 1 both send past node 2 of their ring; 2 to 1 goes the other part of it. */
Test(flows, share_segments_of_a_ring)
{
    struct prog_flow a = {PROG_FLOW_RINGS, 0, 3, 0.75}, b = {PROG_FLOW_RINGS, 1, 3, 0.75},
                     c = {PROG_FLOW_RINGS, 3, 0, 0.75};
    const struct prog_task task[] = {{0, &a, 1}, {4, &b, 1}, {8, &c, 1}};
    double took[TASKS];
    run(task, 3, took);
    expect_took(took[0], 1.5);
    expect_took(took[1], 1.5);
    expect_took(took[2], 1);
}

/* Of a full bus each gets half: who needs less than that is not in the other's way. */
Test(flows, share_a_bus_and_a_memory)
{
    struct prog_flow bus[] = {{PROG_FLOW_BUS, 5, 0, 0.5}, {PROG_FLOW_BUS, 5, 0, 0.75}},
                     memory[] = {{PROG_FLOW_MEMORY, 3, 0, 0.9}, {PROG_FLOW_MEMORY, 3, 0, 0.9}};
    const struct prog_task task[] = {
        {0, &bus[0], 1}, {4, &bus[1], 1}, {8, &memory[0], 1}, {12, &memory[1], 1}};
    double took[TASKS];
    run(task, 4, took);
    expect_took(took[0], 1);
    expect_took(took[1], 4. / 3);
    expect_took(took[2], 1.8);
    expect_took(took[3], 1.8);
}

/* A task is as slow as the slowest of what it uses, and leaves the rest of the others to them. */
Test(flows, are_of_one_task)
{
    struct prog_flow slow[] = {{PROG_FLOW_BUS, 0, 0, 2}, {PROG_FLOW_RINGS, 0, 1, 1}},
                     other = {PROG_FLOW_RINGS, 0, 1, 0.5};
    const struct prog_task task[] = {{0, slow, 2}, {4, &other, 1}, {8, NULL, 0}};
    double took[TASKS];
    run(task, 3, took);
    expect_took(took[0], 2);
    expect_took(took[1], 1);
    expect_took(took[2], 1);
}

/* On whichever side of a message its home is, it takes its part of a link. From 0 to 1, from 2 to 3
 * and from 4 to 5 only messages of one side pass, which want 3, 4 and 5 times what a link moves. */
Test(flows, of_each_side_fill_a_link)
{
    enum { STATIONS = 16, LINES = 256, ALL = 3 + 4 + 5 };
    static const struct {
        enum nm_side side;
        unsigned from, times;
    } rows[] = {{NM_TO_HOME, 0, 3}, {NM_FROM_HOME, 2, 4}, {NM_BETWEEN, 4, 5}};
    struct nm_params p;
    nm_params_default(&p);
    struct look_flow_station station[STATIONS] = {{.work = 1, .cards = 1}};
    struct nm_traffic traffic[STATIONS * STATIONS] = {0};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nm_traffic *t = &traffic[rows[i].from * STATIONS + rows[i].from + 1];
        t->packets[rows[i].side] = rows[i].times * LINES;
        t->bytes[rows[i].side] = rows[i].times * LINES * p.l2_line;
    }
    const struct look_flow_run run = {.p = p,
                                      .stations = STATIONS,
                                      .elapsed = 1e-3,
                                      .station = station,
                                      .traffic = traffic,
                                      .links = {ALL * 1e-3 * (double)p.ring_clock},
                                      .latency = {100, 100, {200, 300}}};
    struct look_flow flow;
    cr_assert_eq(nm_params_stations(&p), STATIONS);
    cr_assert_eq(look_flow_predict(&run, &p, &run.latency, &flow), 0);
    cr_expect_float_eq(flow.saturated, ALL / 3. / 0.95, 1e-4, "%.6f", flow.saturated);
}
