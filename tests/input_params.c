/* The tables check themselves: no row may ship that a reader could not understand. */
#include "input/home.h"
#include "input/tables.h"
#include "input/write.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

static void check_key(const char *key)
{
    for (const char *p = key; *p; p++)
        cr_expect(islower(*p) || isdigit(*p) || *p == '_' || *p == '.', "%s", key);
}

Test(input_params, rows)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct nm_param_row *r = &rows[i];
        check_key(r->key);
        cr_expect(r->min <= r->def && r->def <= r->max, "%s", r->key);
        cr_expect(*r->source && *r->sentence, "%s", r->key);
        cr_expect(*r->unit || r->type == NM_PARAM_BOOL, "%s", r->key);
        for (size_t k = 0; k < i; k++)
            cr_expect_str_neq(rows[k].key, r->key);
    }
}

/* A section's rows stand together: the writers open each section once. */
Test(input_params, sections)
{
    for (size_t i = 1; i < in_machine_table.count; i++) {
        const char *key = in_machine_table.keys[i].path;
        const size_t n = strcspn(key, ".") + 1;
        if (strncmp(in_machine_table.keys[i - 1].path, key, n) == 0)
            continue;
        for (size_t k = 0; k < i; k++)
            cr_expect(strncmp(in_machine_table.keys[k].path, key, n) != 0, "%s", key);
    }
}

Test(input_params, defaults)
{
    struct nm_params p;
    const char *key = "";
    char why[300] = "";
    nm_params_default(&p);
    cr_expect(nm_params_check(&p, &key, why, sizeof why), "%s: %s", key, why);
}

static const struct {
    int line;
    size_t offset;
    uint64_t value;
    const char *key;
} breaks[] = {
#define BREAK(field, value, key)                                \
    {                                                           \
        __LINE__, offsetof(struct nm_params, field), value, key \
    }
    BREAK(ring_stations, 0, "rings.stations"),
    BREAK(processors, 5, "station.processors"),
    BREAK(bus_clock, 40000000, "bus.clock"),
    BREAK(bus_clock, 1000000, "bus.clock"),
    BREAK(ring_clock, 1000000, "rings.clock"),
    BREAK(watchdog, 10000, "run.watchdog"),
    BREAK(bus_width, 12, "bus.width"),
    BREAK(bus_width, 128, "bus.width"),
    BREAK(memory_banks, 3, "memory.banks"),
    BREAK(page_size, 12288, "memory.page_size"),
    BREAK(l2_line, 48, "l2.line"),
    BREAK(l2_size, 1000000, "l2.size"),
    BREAK(memory_size, (1 << 20) + 2048, "memory.size"),
    BREAK(l1i_size, 12288, "l1i.size"),
    BREAK(l1d_size, 12288, "l1d.size"),
#undef BREAK
};

Test(input_params, check)
{
    for (size_t i = 0; i < sizeof breaks / sizeof breaks[0]; i++) {
        struct nm_params p;
        const char *key = "";
        char why[300] = "";
        nm_params_default(&p);
        memcpy((char *)&p + breaks[i].offset, &breaks[i].value, sizeof breaks[i].value);
        cr_expect_not(nm_params_check(&p, &key, why, sizeof why), "line %d", breaks[i].line);
        cr_expect_str_eq(key, breaks[i].key, "line %d: %s", breaks[i].line, why);
        cr_expect(*why, "line %d", breaks[i].line);
    }
}

/* Every rule names rows that exist. */
Test(input_params, rules)
{
    struct nm_params p;
    const struct nm_param_rule *broken[NM_PARAM_RULES_MAX];
    memset(&p, 0, sizeof p);
    nm_params_default(&p);
    p.bus_width = 3;
    p.memory_banks = 3;
    p.memory_size = 5;
    const size_t n = nm_param_rules_broken(&p, broken);
    cr_expect_geq(n, 3);
    for (size_t i = 0; i < n; i++) {
        cr_expect(in_find_key(&in_machine_table, broken[i]->key), "%s", broken[i]->key);
        cr_expect(!*broken[i]->with || in_find_key(&in_machine_table, broken[i]->with));
    }
}

/* The committed schema is what the tables say: numachine list schema > configs/schema.json. */
/* Delays of the station bus and the rings that may grow although nm_params_slowest does not, from
 * which the watchdog and the directories' turns know how long an access may take. */
static const struct {
    const char *key, *why;
} not_waited_for[] = {
    {"memory.refresh", "how often, not how long"},
    {"memory.refresh_time", "somebody else is in the way"},
    {"agent.create", "after a line was claimed, which is no access"},
    {"agent.register", "no line is asked for"},
    {"counters.interrupt", "an interrupt, for which no access waits"},
};

static bool is_waited_for(const char *key)
{
    for (size_t i = 0; i < sizeof not_waited_for / sizeof *not_waited_for; i++)
        if (strcmp(not_waited_for[i].key, key) == 0)
            return false;
    return true;
}

Test(input_params, slowest)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        if (rows[i].type != NM_PARAM_CYCLES || strcmp(rows[i].unit, "PCycles") == 0)
            continue;
        struct nm_params p, more;
        nm_params_default(&p);
        more = p;
        nm_param_set(&more, &rows[i], rows[i].def + 1);
        cr_expect_eq(nm_params_slowest(&more) > nm_params_slowest(&p), is_waited_for(rows[i].key),
                     "%s: a delay that an access may have to wait for is added in "
                     "nm_params_slowest (machine/params.c); one that none waits for is a row of "
                     "not_waited_for here, which says why",
                     rows[i].key);
    }
}

Test(input_params, schema)
{
    json_t *schema = in_schema();
    json_error_t error;
    char *path = in_home_path("configs/schema.json");
    json_t *shipped = json_load_file(path, 0, &error);
    cr_assert(schema);
    cr_assert(shipped, "%s", error.text);
    cr_expect(json_equal(schema, shipped), "run: numachine list schema > configs/schema.json");
    json_decref(schema);
    json_decref(shipped);
    free(path);
}

Test(input_params, listings)
{
    size_t count;
    nm_param_rows(&count);
    json_t *params = in_list_params(), *keys = in_list_keys();
    cr_expect_eq(json_array_size(params), count);
    cr_expect_eq(json_array_size(keys), (size_t)IN_KEY__COUNT);
    json_decref(params);
    json_decref(keys);
}
