/* Which point of a sweep runs next: predictions, the longest first, and the host's memory. */
#include "sweep/plan.h"

#include <criterion/criterion.h>
#include <math.h>

enum { POINTS = 5, GIGA = 1 << 30 };

/* One key whose values are 1, 2, 4, 8, 16. */
struct rig {
    struct in_key key;
    struct swp_value value[POINTS];
    struct swp_key keys;
    size_t number[POINTS];
    struct swp_point point[POINTS];
    struct swp_sweep sweep;
    struct swp_plan plan;
};

static void set_up(struct rig *r)
{
    *r = (struct rig){.key = {.path = "bus.fifo", .form = {.type = IN_INT}}};
    r->keys = (struct swp_key){.key = &r->key, .value = r->value, .values = POINTS};
    for (size_t i = 0; i < POINTS; i++) {
        r->value[i] = (struct swp_value){.is_number = true, .number = UINT64_C(1) << i};
        r->number[i] = i;
        r->point[i].value = &r->number[i];
    }
    r->sweep = (struct swp_sweep){&r->keys, 1, 1, r->point, POINTS};
    r->plan = (struct swp_plan){.sweep = &r->sweep, .processes = 2, .memory = 4ull * GIGA};
    swp_plan_init(&r->plan);
    for (size_t i = 0; i < POINTS; i++)
        r->plan.job[i].bound = 3ull * GIGA;
}

static void end(struct rig *r, size_t i, double seconds, uint64_t peak)
{
    r->plan.job[i].seconds = seconds;
    r->plan.job[i].peak = peak;
    swp_plan_done(&r->plan, i);
}

Test(sweep_plan, memory_admits_one_that_may_need_most_of_it)
{
    struct rig r;
    set_up(&r);
    cr_assert_eq(swp_plan_next(&r.plan), 0);
    r.plan.job[0].state = SWP_RUNNING;
    cr_expect_eq(swp_plan_next(&r.plan), SIZE_MAX, "two of 3 GB do not fit into 4");
    cr_expect_lt(swp_plan_left(&r.plan, 0), 0, "nothing is known yet");
    end(&r, 0, 1, GIGA / 2);
    cr_assert_eq(swp_plan_next(&r.plan), 1);
    r.plan.job[1].state = SWP_RUNNING;
    cr_expect_eq(swp_plan_next(&r.plan), 2, "now they are known to be small");
    r.plan.job[2].state = SWP_RUNNING;
    cr_expect_eq(swp_plan_next(&r.plan), SIZE_MAX, "two processes");
    swp_plan_free(&r.plan);
}

Test(sweep_plan, one_always_runs)
{
    struct rig r;
    set_up(&r);
    r.plan.memory = 0;
    cr_expect_eq(swp_plan_next(&r.plan), 0);
    swp_plan_free(&r.plan);
}

Test(sweep_plan, the_nearest_tells_and_the_longest_is_first)
{
    struct rig r;
    set_up(&r);
    end(&r, 0, 1, 1);
    cr_expect_eq(swp_plan_next(&r.plan), 1, "all are thought to be equal");
    end(&r, 4, 9, 1);
    cr_expect_eq(swp_plan_next(&r.plan), 3, "8 is nearer to 16 than to 1");
    cr_expect_float_eq(r.plan.job[3].cost, 9, 1e-9);
    cr_expect_float_eq(r.plan.job[1].cost, 1, 1e-9);
    cr_expect_float_eq(swp_plan_left(&r.plan, 0), fmax((1 + r.plan.job[2].cost + 9) / 2, 9), 1e-9);
    r.plan.job[3].state = SWP_RUNNING;
    r.plan.job[3].began = 100;
    cr_expect_float_eq(swp_plan_left(&r.plan, 108), (1 + r.plan.job[2].cost + 1) / 2, 1e-9);
    swp_plan_free(&r.plan);
}

Test(sweep_plan, another_shards_points_are_not_ours)
{
    struct rig r;
    set_up(&r);
    for (size_t i = 0; i < POINTS; i++)
        r.plan.job[i].ours = i == 2;
    cr_expect_eq(swp_plan_next(&r.plan), 2);
    r.plan.job[2].state = SWP_FAILED;
    cr_expect_eq(swp_plan_next(&r.plan), SIZE_MAX);
    cr_expect_eq(swp_plan_count(&r.plan, SWP_FAILED), 1);
    cr_expect_lt(swp_shard("an-id", 7), 7);
    cr_expect_eq(swp_shard("an-id", 1), 0);
    swp_plan_free(&r.plan);
}
