/*
 * The monitor: section: what the cards are programmed with before the first cycle.
 *
 * The one hard idea: the file is held to what the card can do, not to what would be convenient. An
 * event has its own counters, the mask sees packets only, one comparator serves two purposes; what
 * hardware would refuse is refused here, at the line that asks for it.
 */
#include "input/tables.h"
#include "input/workload.h"
#include "machine/packet.h"
#include "monitor/taps.h"

#include "base/nearest.h"

#include <stdlib.h>
#include <string.h>

enum {
    PHASES = 16,                                    /**< PhaseIDs that packets carry */
    REGISTERS_MAX = 64,                             /**< given by their names */
    WRITES_MAX = 4 * MON_WRITES_MAX + REGISTERS_MAX /**< this section comes to at most */
};
static const struct in_key event_key = {"event",
                                        {IN_TEXT, "an event (numachine list events)", 0, 0},
                                        NULL,
                                        "what the counter counts; nothing leaves it out"};
static const struct in_key start_key = {
    "start",
    {IN_TEXT, "a number from -4294967295 to 4294967295, 0x for hexadecimal", 0, 0},
    "0",
    "its first value; -n overflows after n counts"};

struct in_table in_counter_table(const struct mon_unit_ops *unit,
                                 struct in_key keys[IN_COUNTER_KEYS])
{
    size_t n = IN_COUNTER_FLAGS;
    keys[IN_COUNTER_EVENT] = event_key;
    for (const struct mon_row *f = unit->flags; f && f->name; f++)
        keys[n++] = (struct in_key){f->name, {IN_BOOL, "", 0, 1}, "false", f->sentence};
    keys[n++] = start_key;
    return (struct in_table){.keys = keys, .count = n};
}

/* ---- counters -------------------------------------------------------------------------------- */

/** A number as C writes it, with a sign; modulo 2^32. */
static bool read_start(const char *text, uint32_t *start)
{
    const bool negative = *text == '-';
    uint64_t value;
    const char *end = in_whole_parse(text + negative, &value);
    if (!end || *end || value > UINT32_MAX)
        return false;
    *start = negative ? -(uint32_t)value : (uint32_t)value;
    return true;
}

/** "counters 2 or 3": where an event fits. */
static const char *counters_of(const struct mon_event *event, char buf[40])
{
    size_t n = (size_t)snprintf(buf, 40, "counter");
    const char *separator = " ";
    for (unsigned k = 0; k < MON_COUNTERS_MAX; k++)
        if (event->counters >> k & 1) {
            n += (size_t)snprintf(buf + n, 40 - n, "%s%u", separator, k);
            separator = " or ";
        }
    return buf;
}

static void complain_event(struct in_reading *r, const struct mon_unit_ops *unit,
                           const struct in_value *v, unsigned k, int event)
{
    char text[400];
    if (event >= 0 && mon_is_own(unit, (unsigned)event))
        in_complain(
            r, &v->at,
            "counter %u cannot count '%s': the processor's own counters do (monitor.events)", k,
            mon_unit_event(unit, (unsigned)event)->name);
    else if (event >= 0)
        in_complain(r, &v->at, "counter %u cannot count '%s': it fits only %s", k,
                    unit->events[event].name, counters_of(&unit->events[event], text));
    else {
        mon_event_unknown(unit, v->text, text, sizeof text);
        in_complain(r, &v->at, "%s", text);
    }
}

static void read_counter(struct in_reading *r, const struct mon_unit_ops *unit, struct in_doc *doc,
                         yaml_node_t *node, unsigned k, struct mon_wish_counter *counter)
{
    struct in_key keys[IN_COUNTER_KEYS];
    struct in_value v[IN_COUNTER_KEYS] = {0};
    const struct in_table table = in_counter_table(unit, keys);
    const struct in_value *name = &v[IN_COUNTER_EVENT], *start = &v[table.count - 1];
    const struct in_place at = in_at(doc, node);
    const unsigned before = r->diag->errors;
    in_read_mapping(r, doc, node, &table, v);
    if (r->diag->errors == before && !name->text)
        in_complain(r, &at, "counter %u has no event; nothing leaves it out", k);
    if (r->diag->errors == before) {
        const int event = mon_event_find(unit, name->text);
        if (event < 0 || !(unit->events[event].counters >> k & 1))
            complain_event(r, unit, name, k, event);
        counter->event = event < 0 ? unit->nothing : (unsigned)event;
        counter->flags = 0;
        for (size_t i = 0; i + IN_COUNTER_FLAGS + 1 < table.count; i++)
            counter->flags |= (uint32_t)v[IN_COUNTER_FLAGS + i].number << unit->flags[i].number;
        if (start->text && !read_start(start->text, &counter->start))
            in_complain(r, &start->at, "'start': '%.60s' is not %s", start->text,
                        start_key.form.unit);
    }
    in_values_free(v, table.count);
}

static void read_counters(struct in_reading *r, struct in_experiment *x, const struct in_value *v)
{
    const struct mon_unit_ops *unit = in_unit(x);
    struct mon_wish *wish = &x->wish;
    if (!v->node)
        return;
    const yaml_node_item_t *item = v->node->data.sequence.items.start;
    const size_t count = (size_t)(v->node->data.sequence.items.top - item);
    if (count > unit->counters) {
        in_complain(r, &v->at, "'monitor.counters' has %zu entries; a card has %u counters", count,
                    unit->counters);
        return;
    }
    for (wish->counters = 0; wish->counters < count; wish->counters++)
        read_counter(r, unit, v->at.doc, in_node(v->at.doc, item[wish->counters]), wish->counters,
                     &wish->counter[wish->counters]);
}

/* ---- phases ---------------------------------------------------------------------------------- */

/** A whole number in decimal, at most `max`. */
static bool monitor_read_number(const char *text, uint64_t max, uint64_t *value)
{
    const char *end = in_whole_parse(text, value);
    return end && !*end && *value <= max && strncmp(text, "0x", 2);
}

/** A name is none if it looks like a number: monitor.mask.phase would take it for a PhaseID. */
static bool check_phase_name(struct in_reading *r, const struct in_place *at, const char *name,
                             const char *number)
{
    const int n = (int)strcspn(name, "=");
    const bool sign = strchr("+-.", *name);
    if (!in_is_digit(name[sign]))
        return true;
    if (sign || in_is_digit(*number))
        in_complain(r, at,
                    "'monitor.phases': '%.*s' is a number and no name; a name begins with a "
                    "letter, and its PhaseID stands behind it: {solve: %.60s}",
                    n, name, number);
    else
        in_complain(r, at,
                    "'monitor.phases': the name comes first; write {%.60s: %.*s}, not "
                    "{%.*s: %.60s}",
                    number, n, name, n, name, number);
    return false;
}

/** Each phase has a name and a number, and no two phases the same. */
static void check_phases(struct in_reading *r, char *const *phases, const struct in_value *v)
{
    bool taken[PHASES] = {false};
    for (size_t i = 0; phases[i]; i++) {
        const char *number = strrchr(phases[i], '=') + 1;
        const yaml_node_pair_t *pair = &v->node->data.mapping.pairs.start[i];
        const struct in_place name = in_at(v->at.doc, in_node(v->at.doc, pair->key));
        const struct in_place at = in_at(v->at.doc, in_node(v->at.doc, pair->value));
        uint64_t phase;
        if (!check_phase_name(r, &name, phases[i], number))
            continue;
        if (!monitor_read_number(number, PHASES - 1, &phase))
            in_complain(r, &at, "'monitor.phases': '%.60s' is no PhaseID; expected 0 to %d", number,
                        PHASES - 1);
        else if (taken[phase])
            in_complain(r, &at, "'monitor.phases': PhaseID %s has a name already", number);
        else
            taken[phase] = true;
    }
}

/** PhaseID of a name or number, or IN_ABSENT. */
static uint64_t find_phase(char *const *phases, const char *text)
{
    uint64_t phase;
    const size_t n = strlen(text);
    if (monitor_read_number(text, PHASES - 1, &phase))
        return phase;
    for (; phases && *phases; phases++)
        if (!strncmp(*phases, text, n) && (*phases)[n] == '=' &&
            monitor_read_number(*phases + n + 1, PHASES - 1, &phase))
            return phase;
    return IN_ABSENT;
}

/* ---- the mask -------------------------------------------------------------------------------- */

/** Where the symbol lies, if the program is there already; one that must be built first is looked
 *  into when it has been (run/mask.c). */
static void find_symbol(struct in_reading *r, const struct in_experiment *x,
                        const struct in_place *at)
{
    uint64_t from = 0, to = 0;
    char why[256];
    if (x->program && !in_symbol(x->program, x->mask_symbol, &from, &to, why, sizeof why))
        in_complain(r, at, "'monitor.mask.address': %s", why);
}

/** "{symbol: table}" or "{from: 0x410000, to: 0x412000}", as in_read_value leaves them. */
static bool monitor_read_range(struct in_experiment *x, const char *text)
{
    static const char symbol[] = "{symbol: ", from[] = "{from: ", to[] = ", to: ";
    const size_t n = strlen(text);
    if (!strncmp(text, symbol, sizeof symbol - 1)) {
        const char *name = text + sizeof symbol - 1;
        x->mask_symbol = in_strdup(name);
        x->mask_symbol[strlen(name) - 1] = '\0';
        return *x->mask_symbol;
    }
    if (n <= sizeof from || strncmp(text, from, sizeof from - 1))
        return false;
    const char *end = in_whole_parse(text + sizeof from - 1, &x->mask_from);
    if (!end || strncmp(end, to, sizeof to - 1))
        return false;
    end = in_whole_parse(end + sizeof to - 1, &x->mask_to);
    return end && !strcmp(end, "}") && x->mask_from < x->mask_to;
}

/* ---- registers ------------------------------------------------------------------------------- */

/** The writes as they come together, each with the place that asked for it. */
struct program {
    struct in_reading *r;
    struct in_experiment *x;
    const struct in_value *values;
    struct in_place places[WRITES_MAX];
};

static void monitor_add(struct program *p, const struct in_place *at, const struct mon_write *write)
{
    struct in_experiment *x = p->x;
    if (x->write_count == WRITES_MAX)
        abort();
    p->places[x->write_count] = *at;
    x->write[x->write_count++] = *write;
}

static const struct in_place *monitor_place_of(const struct program *p, enum in_experiment_key key)
{
    return &p->values[key].at;
}

static void monitor_read_address(struct program *p)
{
    const struct in_place *at = monitor_place_of(p, IN_KEY_mask_address);
    const char *text = p->x->mask_address;
    struct mon_wish *wish = &p->x->wish;
    wish->address = mon_pattern_none();
    if (!text)
        return;
    if (*text == '{' && !monitor_read_range(p->x, text)) {
        in_complain(p->r, at,
                    "'monitor.mask.address': '%.80s' is no range; expected a symbol's name, or two "
                    "addresses, the greater one as the end",
                    text);
        return;
    }
    if (*text != '{' && !mon_pattern_read(text, &wish->address)) {
        in_complain(p->r, at,
                    "'monitor.mask.address': '%.60s' is no pattern; expected 0x and hexadecimal "
                    "digits or x, or 0b and 0, 1 or x, for at most %d bits",
                    text, MON_ADDRESS_BITS);
        return;
    }
    if (p->x->mask_symbol)
        find_symbol(p->r, p->x, at);
    wish->by_address = true;
}

/** Number of the message with this name, or -1. */
static int find_command(const char *name)
{
    for (int i = 0; i < NM_MSG__COUNT; i++)
        if (!strcmp(nm_message_row((enum nm_message)i)->name, name))
            return i;
    return -1;
}

static int mask_read_phase(struct program *p)
{
    if (!p->x->mask_phase)
        return -1;
    const uint64_t phase = find_phase(p->x->phases, p->x->mask_phase);
    if (phase == IN_ABSENT)
        in_complain(p->r, monitor_place_of(p, IN_KEY_mask_phase),
                    "'monitor.mask.phase': '%.60s' is no PhaseID from 0 to %d, and monitor.phases "
                    "does not name it",
                    p->x->mask_phase, PHASES - 1);
    return (int)phase & (PHASES - 1);
}

static unsigned find_direction(const char *word)
{
    static const char *const words[] = {"any", "out", "in"};
    unsigned i = sizeof words / sizeof *words;
    while (--i && strcmp(words[i], word))
        ;
    return i;
}

/** What the keys say, as a unit is asked for it. */
static void read_wish(struct program *p)
{
    struct in_experiment *x = p->x;
    struct mon_wish *wish = &x->wish;
    monitor_read_address(p);
    wish->command = find_command(x->mask_command);
    wish->phase = mask_read_phase(p);
    wish->fifo = x->mask_fifo == IN_ABSENT ? -1 : (int)x->mask_fifo;
    wish->direction = find_direction(x->mask_direction);
    wish->histogram = x->histogram;
    wish->histogram_interrupt = x->histogram_interrupt;
    wish->doubled = !strcmp(x->scale, "doubled");
}

/* ---- what the unit makes of it --------------------------------------------------------------- */

/** Where the mask is given: the last of its keys that stands in a file. */
static const struct in_place *place_of_mask(const struct program *p)
{
    static const enum in_experiment_key keys[] = {IN_KEY_mask_address, IN_KEY_mask_command,
                                                  IN_KEY_mask_phase, IN_KEY_mask_fifo};
    const struct in_place *at = monitor_place_of(p, IN_KEY_mask_direction);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (p->values[keys[i]].at.doc && !p->values[keys[i]].at.doc->inline_text)
            at = monitor_place_of(p, keys[i]);
    return at;
}

static struct in_place place_of_counter(const struct program *p, unsigned k)
{
    const struct in_value *v = &p->values[IN_KEY_wish];
    return in_at(v->at.doc, in_node(v->at.doc, v->node->data.sequence.items.start[k]));
}

/** Where the key stands that asked for a write. */
static struct in_place place_of_write(const struct program *p, const struct mon_write *w)
{
    switch (w->key) {
    case MON_KEY_SCALE:
        return *monitor_place_of(p, IN_KEY_scale);
    case MON_KEY_ADDRESS:
        return *monitor_place_of(p, IN_KEY_mask_address);
    case MON_KEY_COMMAND:
        return *monitor_place_of(p, IN_KEY_mask_command);
    case MON_KEY_PHASE:
        return *monitor_place_of(p, IN_KEY_mask_phase);
    case MON_KEY_FIFO:
        return *monitor_place_of(p, IN_KEY_mask_fifo);
    case MON_KEY_MASK:
        return *place_of_mask(p);
    case MON_KEY_COUNTER:
        return place_of_counter(p, w->counter);
    default:
        return *monitor_place_of(p, IN_KEY_histogram);
    }
}

/** Whether a part of a wish asks for anything. */
static bool is_wished(const struct mon_wish *w, enum mon_part part)
{
    switch (part) {
    case MON_PART_SCALE:
        return w->doubled;
    case MON_PART_MASK:
        return w->by_address || w->direction || w->command >= 0 || w->phase >= 0 || w->fifo >= 0;
    case MON_PART_COUNTERS:
        return w->counters;
    default:
        return strcmp(w->histogram, "none");
    }
}

static void add_part(struct program *p, enum mon_part part)
{
    static const struct {
        const char *path;
        enum in_experiment_key key;
    } keys[] = {[MON_PART_SCALE] = {"monitor.histogram.scale", IN_KEY_scale},
                [MON_PART_MASK] = {"monitor.mask", IN_KEY_mask_direction},
                [MON_PART_COUNTERS] = {"monitor.counters", IN_KEY_wish},
                [MON_PART_HISTOGRAM] = {"monitor.histogram.source", IN_KEY_histogram}};
    const struct mon_unit_ops *unit = in_unit(p->x);
    const struct mon_wish *wish = &p->x->wish;
    struct mon_write writes[MON_WRITES_MAX];
    if (!is_wished(wish, part))
        return;
    const int n = unit->program ? unit->program(wish, part, writes) : -1;
    if (n < 0)
        in_complain(p->r,
                    part == MON_PART_MASK ? place_of_mask(p) : monitor_place_of(p, keys[part].key),
                    "'%s': the machine's counter unit, '%s', has none of this", keys[part].path,
                    unit->name);
    for (int i = 0; i < n; i++) {
        const struct in_place at = place_of_write(p, &writes[i]);
        monitor_add(p, &at, &writes[i]);
    }
}

static void check_histogram(const struct program *p)
{
    if (p->x->wish.histogram_interrupt && !is_wished(&p->x->wish, MON_PART_HISTOGRAM))
        in_complain(p->r, monitor_place_of(p, IN_KEY_histogram_interrupt),
                    "'monitor.histogram.interrupt' changes nothing: monitor.histogram.source "
                    "has the memory count nothing");
}

/* ---- registers by their names ---------------------------------------------------------------- */

static const char *next_register(void *ctx, size_t i)
{
    const struct mon_unit_ops *unit = ctx;
    for (const struct mon_register_row *r = unit->registers; r && r->name; r++)
        if (i-- == 0)
            return r->name;
    return NULL;
}

static void add_register(struct program *p, const struct in_place *at, const char *name,
                         const char *text)
{
    const struct mon_unit_ops *unit = in_unit(p->x);
    const struct mon_register_row *row = mon_unit_register_named(unit, name);
    const char *near = row ? NULL : sim_nearest(name, next_register, (void *)unit);
    uint32_t value = 0;
    if (near)
        in_complain(p->r, at, "unknown register '%.60s'; did you mean '%s'?", name, near);
    else if (!row)
        in_complain(p->r, at, "unknown register '%.60s'; see 'numachine list registers'", name);
    else if (!read_start(text, &value))
        in_complain(p->r, at, "'%s': '%.60s' is not %s", name, text, start_key.form.unit);
    else if (row->bits < 32 && value >> row->bits) /* which a card would ignore */
        in_complain(p->r, at, "'%s': '%.60s' does not fit; the register has %u bits, 0 to %u", name,
                    text, row->bits, (1u << row->bits) - 1);
    else
        monitor_add(
            p, at,
            &(struct mon_write){.offset = row->offset, .value = value, .key = MON_KEY_REGISTER});
}

/** Registers by their names, in the order given. */
static void add_registers(struct program *p)
{
    const struct in_value *v = &p->values[IN_KEY_registers];
    for (size_t i = 0; p->x->registers[i]; i++) {
        const yaml_node_pair_t *pair = &v->node->data.mapping.pairs.start[i];
        const struct in_place at = in_at(v->at.doc, in_node(v->at.doc, pair->key));
        char *name = in_strdup(p->x->registers[i]), *equals = strchr(name, '=');
        *equals = '\0';
        if (i == REGISTERS_MAX)
            in_complain(p->r, &at, "'monitor.registers' has more than %d entries", REGISTERS_MAX);
        if (i < REGISTERS_MAX)
            add_register(p, &at, name, equals + 1);
        free(name);
    }
}

/* ---- checks ---------------------------------------------------------------------------------- */

/** The key of a write, for people. */
static const char *monitor_path_of(const struct mon_write *w)
{
    switch (w->key) {
    case MON_KEY_SCALE:
        return "monitor.histogram.scale";
    case MON_KEY_COUNTER:
        return "monitor.counters";
    case MON_KEY_HISTOGRAM:
        return "monitor.histogram.source";
    default:
        return "monitor.mask";
    }
}

/** A register given by its name that another key writes as well: one would undo the other. */
static void check_twice(const struct program *p)
{
    const struct mon_write *w = p->x->write;
    for (unsigned i = 0; i < p->x->write_count; i++)
        for (unsigned k = 0; k < p->x->write_count; k++)
            if (w[i].offset == w[k].offset && w[i].key == MON_KEY_REGISTER &&
                w[k].key != MON_KEY_REGISTER)
                in_complain(p->r, &p->places[i],
                            "'%s' is written by '%s', too; say it in one of the two places only",
                            mon_unit_register(in_unit(p->x), w[i].offset)->name,
                            monitor_path_of(&w[k]));
}

/** A mask that no counter obeys. @param unit  with all that was written */
static void check_masked(const struct program *p, const struct mon_unit *unit,
                         const struct mon_taps *quiet)
{
    const struct mon_write *w = p->x->write;
    for (unsigned k = 0; k < unit->ops->counters; k++) {
        struct mon_reading reading;
        unit->ops->reading(unit, k, quiet, &reading);
        if (reading.masked)
            return;
    }
    for (unsigned i = 0; i < p->x->write_count; i++)
        if (w[i].key == MON_KEY_MASK)
            in_complain(p->r, &p->places[i],
                        "'monitor.mask' changes nothing: no entry of 'monitor.counters' has "
                        "masked: true (a program that programs the counters itself writes MASK "
                        "itself, or has it in 'monitor.registers')");
}

/** What a card refuses, it refuses here: the same writes, on a unit of nobody's. */
static void try_out(struct program *p)
{
    const struct mon_unit_ops *ops = in_unit(p->x);
    const struct mon_taps quiet = {0};
    const unsigned before = p->r->diag->errors;
    struct mon_comparator comparator;
    mon_comparator_init(&comparator);
    struct mon_unit *unit = ops->create(&(struct mon_site){.comparator = &comparator});
    for (unsigned i = 0; i < p->x->write_count; i++) {
        const struct mon_write *w = &p->x->write[i];
        const unsigned reason = ops->write(unit, 0, w->offset, w->value, &quiet);
        if (reason)
            in_complain(p->r, &p->places[i], "the monitoring card refuses this: %s",
                        mon_unit_reason(ops, reason));
    }
    if (p->r->diag->errors == before)
        check_masked(p, unit, &quiet);
    ops->free(unit);
}

void in_monitor_read(struct in_reading *r, struct in_experiment *x, const struct in_value *values)
{
    struct program p = {.r = r, .x = x, .values = values};
    const unsigned before = r->diag->errors;
    read_counters(r, x, &values[IN_KEY_wish]);
    check_phases(r, x->phases, &values[IN_KEY_phases]);
    x->write = sim_alloc(WRITES_MAX, sizeof *x->write);
    read_wish(&p);
    add_part(&p, MON_PART_SCALE);
    add_part(&p, MON_PART_MASK);
    add_registers(&p);
    add_part(&p, MON_PART_COUNTERS);
    add_part(&p, MON_PART_HISTOGRAM);
    check_histogram(&p);
    check_twice(&p);
    if (r->diag->errors == before)
        try_out(&p);
}
