/*
 * The monitor: section: what the cards are programmed with before the first cycle.
 *
 * The one hard idea: the file is held to what the card can do, not to what would be convenient. An
 * event has its own counters, the mask sees packets only, one comparator serves two purposes; what
 * hardware would refuse is refused here, at the line that asks for it.
 */
#include "input/tables.h"
#include "machine/packet.h"
#include "monitor/board.h"
#include "monitor/pattern.h"
#include "programs/program.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    PHASES = 16,                    /**< PhaseIDs that packets carry */
    REGISTERS_MAX = 64,             /**< given by their names */
    WRITES_MAX = 32 + REGISTERS_MAX /**< this section comes to at most */
};
enum {
    COUNTER_EVENT,
    COUNTER_MASKED,
    COUNTER_INTERRUPT,
    COUNTER_READ_CLEARS,
    COUNTER_START,
    COUNTER_ROWS
};

static const struct in_key counter_keys[] = {
    {"event",
     {IN_TEXT, "an event (numachine list events)", 0, 0},
     NULL,
     "what the counter counts; nothing leaves it out"},
    {"masked", {IN_BOOL, "", 0, 1}, "false", "whether the mask decides what it counts"},
    {"interrupt",
     {IN_BOOL, "", 0, 1},
     "false",
     "whether its overflow interrupts the processor; the program takes it with "
     "/dev/numachine/card"},
    {"read_clears", {IN_BOOL, "", 0, 1}, "false", "whether reading it clears it"},
    {"start",
     {IN_TEXT, "a number from -4294967295 to 4294967295, 0x for hexadecimal", 0, 0},
     "0",
     "its first value; -n overflows after n counts"},
};

const struct in_table in_counter_table = {counter_keys, COUNTER_ROWS, NULL, NULL};

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
    for (unsigned k = 0; k < MON_COUNTERS; k++)
        if (event->counters >> k & 1) {
            n += (size_t)snprintf(buf + n, 40 - n, "%s%u", separator, k);
            separator = " or ";
        }
    return buf;
}

static const char *next_event(void *ctx, size_t i)
{
    (void)ctx;
    return i < MON_EV__COUNT ? mon_events()[i].name : NULL;
}

static void complain_event(struct in_reading *r, const struct in_value *v, unsigned k, int event)
{
    char where[40];
    const char *near = nm_nearest(v->text, next_event, NULL);
    if (event >= 0)
        in_complain(r, &v->at, "counter %u cannot count '%s': it fits only %s", k,
                    mon_events()[event].name, counters_of(&mon_events()[event], where));
    else if (near)
        in_complain(r, &v->at, "unknown event '%.60s'; did you mean '%s'?", v->text, near);
    else
        in_complain(r, &v->at, "unknown event '%.60s'; see 'numachine list events'", v->text);
}

static void read_counter(struct in_reading *r, struct in_doc *doc, yaml_node_t *node, unsigned k,
                         struct in_counter *counter)
{
    struct in_value v[COUNTER_ROWS] = {0};
    const struct in_place at = in_at(doc, node);
    const unsigned before = r->diag->errors;
    in_read_mapping(r, doc, node, &in_counter_table, v);
    if (r->diag->errors == before && !v[COUNTER_EVENT].text)
        in_complain(r, &at, "counter %u has no event; nothing leaves it out", k);
    if (r->diag->errors == before) {
        const int event = mon_event_find(v[COUNTER_EVENT].text);
        if (event < 0 || !(mon_events()[event].counters >> k & 1))
            complain_event(r, &v[COUNTER_EVENT], k, event);
        counter->event = event < 0 ? MON_EV_nothing : (unsigned)event;
        counter->masked = v[COUNTER_MASKED].number;
        counter->interrupt = v[COUNTER_INTERRUPT].number;
        counter->read_clears = v[COUNTER_READ_CLEARS].number;
        if (v[COUNTER_START].text && !read_start(v[COUNTER_START].text, &counter->start))
            in_complain(r, &v[COUNTER_START].at, "'start': '%.60s' is not %s",
                        v[COUNTER_START].text, counter_keys[COUNTER_START].form.unit);
    }
    in_values_free(v, COUNTER_ROWS);
}

static void read_counters(struct in_reading *r, struct in_experiment *x, const struct in_value *v)
{
    if (!v->node)
        return;
    const yaml_node_item_t *item = v->node->data.sequence.items.start;
    const size_t count = (size_t)(v->node->data.sequence.items.top - item);
    if (count > MON_COUNTERS) {
        in_complain(r, &v->at, "'monitor.counters' has %zu entries; a card has %d counters", count,
                    MON_COUNTERS);
        return;
    }
    for (x->counter_count = 0; x->counter_count < count; x->counter_count++)
        read_counter(r, v->at.doc, in_node(v->at.doc, item[x->counter_count]), x->counter_count,
                     &x->counter[x->counter_count]);
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** A whole number in decimal, at most `max`. */
static bool read_number(const char *text, uint64_t max, uint64_t *value)
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
    if (!is_digit(name[sign]))
        return true;
    if (sign || is_digit(*number))
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
        if (!read_number(number, PHASES - 1, &phase))
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
    if (read_number(text, PHASES - 1, &phase))
        return phase;
    for (; phases && *phases; phases++)
        if (!strncmp(*phases, text, n) && (*phases)[n] == '=' &&
            read_number(*phases + n + 1, PHASES - 1, &phase))
            return phase;
    return IN_ABSENT;
}

/* ---- the mask -------------------------------------------------------------------------------- */

/** Where the symbol lies, if the program is there already; one that must be built first is looked
 *  into when it has been (cli/mask.h). */
static void find_symbol(struct in_reading *r, const struct in_experiment *x,
                        const struct in_place *at)
{
    uint64_t from = 0, to = 0;
    char why[256];
    if (x->program && !prog_symbol(x->program, x->mask_symbol, &from, &to, why, sizeof why))
        in_complain(r, at, "'monitor.mask.address': %s", why);
}

/** "{symbol: table}" or "{from: 0x410000, to: 0x412000}", as in_read_value leaves them. */
static bool read_range(struct in_experiment *x, const char *text)
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

/** The writes as they come together, each with the place and the key that asked for it. */
struct program {
    struct in_reading *r;
    struct in_experiment *x;
    const struct in_value *values;
    const char *key; /**< whose writes are being added */
    struct in_place places[WRITES_MAX];
    const char *keys[WRITES_MAX];
};

static void add(struct program *p, const struct in_place *at, uint32_t offset, uint32_t value)
{
    struct in_experiment *x = p->x;
    if (x->write_count == WRITES_MAX)
        abort();
    p->places[x->write_count] = *at;
    p->keys[x->write_count] = p->key;
    x->write[x->write_count++] = (struct in_write){offset, value};
}

static const struct in_place *place_of(const struct program *p, enum in_experiment_key key)
{
    return &p->values[key].at;
}

static void add_scale(struct program *p)
{
    if (strcmp(p->x->scale, "doubled"))
        return;
    const uint32_t reset = mon_register_at(MON_REG_OPTIONS)->reset;
    add(p, place_of(p, IN_KEY_scale), MON_REG_OPTIONS, reset | MON_PUT(1, OPTIONS_DOUBLE_TIME));
}

static uint32_t add_address(struct program *p)
{
    const struct in_place *at = place_of(p, IN_KEY_mask_address);
    const char *text = p->x->mask_address;
    struct mon_pattern pattern = mon_pattern_none();
    if (!text)
        return 0;
    if (*text == '{' && !read_range(p->x, text)) {
        in_complain(p->r, at,
                    "'monitor.mask.address': '%.80s' is no range; expected a symbol's name, or two "
                    "addresses, the greater one as the end",
                    text);
        return 0;
    }
    if (*text != '{' && !mon_pattern_read(text, &pattern)) {
        in_complain(p->r, at,
                    "'monitor.mask.address': '%.60s' is no pattern; expected 0x and hexadecimal "
                    "digits or x, or 0b and 0, 1 or x, for at most %d bits",
                    text, MON_ADDRESS_BITS);
        return 0;
    }
    if (p->x->mask_symbol)
        find_symbol(p->r, p->x, at);
    add(p, at, MON_REG_CARE_LOW, (uint32_t)pattern.care);
    add(p, at, MON_REG_CARE_HIGH, (uint32_t)(pattern.care >> 32));
    add(p, at, MON_REG_VALUE_LOW, (uint32_t)pattern.value);
    add(p, at, MON_REG_VALUE_HIGH, (uint32_t)(pattern.value >> 32));
    return MON_PUT(1, MASK_ADDRESS);
}

static uint32_t add_command(struct program *p)
{
    for (uint32_t i = 0; i < NM_MSG__COUNT; i++)
        if (!strcmp(nm_message_row((enum nm_message)i)->name, p->x->mask_command)) {
            add(p, place_of(p, IN_KEY_mask_command), MON_REG_COMMAND, i);
            return MON_PUT(1, MASK_COMMAND);
        }
    return 0;
}

static uint32_t add_phase(struct program *p)
{
    const struct in_place *at = place_of(p, IN_KEY_mask_phase);
    if (!p->x->mask_phase)
        return 0;
    const uint64_t phase = find_phase(p->x->phases, p->x->mask_phase);
    if (phase == IN_ABSENT)
        in_complain(p->r, at,
                    "'monitor.mask.phase': '%.60s' is no PhaseID from 0 to %d, and monitor.phases "
                    "does not name it",
                    p->x->mask_phase, PHASES - 1);
    add(p, at, MON_REG_PHASE_MATCH, (uint32_t)phase & (PHASES - 1));
    return MON_PUT(1, MASK_PHASE);
}

static uint32_t add_fifo(struct program *p)
{
    if (p->x->mask_fifo == IN_ABSENT)
        return 0;
    add(p, place_of(p, IN_KEY_mask_fifo), MON_REG_FIFO_DEPTH, (uint32_t)p->x->mask_fifo);
    return MON_PUT(1, MASK_FIFO);
}

static uint32_t direction(const struct in_experiment *x)
{
    static const char *const words[] = {"any", "out", "in"};
    uint32_t i = 0;
    while (strcmp(words[i], x->mask_direction))
        i++;
    return MON_PUT(i, MASK_DIRECTION);
}

static void add_mask(struct program *p)
{
    const uint32_t mask =
        add_address(p) | add_command(p) | add_phase(p) | add_fifo(p) | direction(p->x);
    static const enum in_experiment_key keys[] = {IN_KEY_mask_address, IN_KEY_mask_command,
                                                  IN_KEY_mask_phase, IN_KEY_mask_fifo};
    const struct in_place *at = place_of(p, IN_KEY_mask_direction);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (p->values[keys[i]].at.doc && !p->values[keys[i]].at.doc->inline_text)
            at = place_of(p, keys[i]);
    if (mask)
        add(p, at, MON_REG_MASK, mask);
}

static const char *next_register(void *ctx, size_t i)
{
    size_t count;
    const struct mon_register_row *rows = mon_registers(&count);
    (void)ctx;
    return i < count ? rows[i].name : NULL;
}

static const struct mon_register_row *find_register(const char *name)
{
    size_t count;
    const struct mon_register_row *rows = mon_registers(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

static void add_register(struct program *p, const struct in_place *at, const char *name,
                         const char *text)
{
    const struct mon_register_row *row = find_register(name);
    const char *near = row ? NULL : nm_nearest(name, next_register, NULL);
    uint32_t value = 0;
    if (near)
        in_complain(p->r, at, "unknown register '%.60s'; did you mean '%s'?", name, near);
    else if (!row)
        in_complain(p->r, at, "unknown register '%.60s'; see 'numachine list registers'", name);
    else if (!read_start(text, &value))
        in_complain(p->r, at, "'%s': '%.60s' is not %s", name, text,
                    counter_keys[COUNTER_START].form.unit);
    else if (row->bits < 32 && value >> row->bits) /* which a card would ignore */
        in_complain(p->r, at, "'%s': '%.60s' does not fit; the register has %u bits, 0 to %u", name,
                    text, row->bits, (1u << row->bits) - 1);
    else
        add(p, at, row->offset, value);
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

static void add_counters(struct program *p)
{
    static const uint32_t control[] = {MON_REG_CONTROL0, MON_REG_CONTROL1, MON_REG_CONTROL2,
                                       MON_REG_CONTROL3};
    static const uint32_t value[] = {MON_REG_COUNTER0, MON_REG_COUNTER1, MON_REG_COUNTER2,
                                     MON_REG_COUNTER3};
    const struct in_value *v = &p->values[IN_KEY_counter];
    for (unsigned k = 0; k < p->x->counter_count; k++) {
        const struct in_counter *c = &p->x->counter[k];
        const struct in_place at =
            in_at(v->at.doc, in_node(v->at.doc, v->node->data.sequence.items.start[k]));
        add(p, &at, control[k],
            MON_PUT(c->event, CONTROL0_EVENT) | MON_PUT(c->masked, CONTROL0_MASK) |
                MON_PUT(c->interrupt, CONTROL0_INTERRUPT) |
                MON_PUT(c->read_clears, CONTROL0_READ_CLEARS));
        add(p, &at, value[k], c->start);
    }
}

static void add_histogram(struct program *p)
{
    const uint32_t interrupt = MON_PUT(p->x->histogram_interrupt, SRAM_CONTROL_INTERRUPT);
    static const struct {
        const char *word;
        uint32_t control;
    } rows[] = {
#define HISTOGRAM(word, control, sentence) {word, control},
#include "monitor/histograms.def"
#undef HISTOGRAM
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].word, p->x->histogram))
            continue;
        else if (rows[i].control)
            add(p, place_of(p, IN_KEY_histogram), MON_REG_SRAM_CONTROL,
                rows[i].control | interrupt);
        else if (interrupt)
            in_complain(p->r, place_of(p, IN_KEY_histogram_interrupt),
                        "'monitor.histogram.interrupt' changes nothing: monitor.histogram.source "
                        "has the memory count nothing");
}

/** A register given by its name that another key writes as well: one would undo the other. */
static void check_twice(const struct program *p)
{
    static const char registers[] = "monitor.registers";
    const struct in_write *w = p->x->write;
    for (unsigned i = 0; i < p->x->write_count; i++)
        for (unsigned k = 0; k < p->x->write_count; k++)
            if (w[i].offset == w[k].offset && !strcmp(p->keys[i], registers) &&
                strcmp(p->keys[k], registers))
                in_complain(p->r, &p->places[i],
                            "'%s' is written by '%s', too; say it in one of the two places only",
                            mon_register_at(w[i].offset)->name, p->keys[k]);
}

/** A mask that no counter obeys. */
static void check_masked(const struct program *p)
{
    const struct in_write *w = p->x->write;
    unsigned mask = p->x->write_count;
    for (unsigned i = 0; i < p->x->write_count; i++) {
        if (w[i].offset == MON_REG_MASK && !strcmp(p->keys[i], "monitor.mask"))
            mask = i;
        if (w[i].offset >= MON_REG_CONTROL0 && w[i].offset <= MON_REG_CONTROL3 &&
            MON_GET(w[i].value, CONTROL0_MASK))
            return;
    }
    if (mask < p->x->write_count)
        in_complain(p->r, &p->places[mask],
                    "'monitor.mask' changes nothing: no entry of 'monitor.counters' has masked: "
                    "true (a program that programs the counters itself writes MASK itself, or has "
                    "it in 'monitor.registers')");
}

/** What a card refuses, it refuses here: the same writes, on a card of nobody's. */
static void try_out(struct program *p)
{
    const struct mon_taps quiet = {0};
    struct mon_board board;
    mon_board_init(&board, 0);
    for (unsigned i = 0; i < p->x->write_count; i++) {
        const struct in_write *w = &p->x->write[i];
        mon_board_write(&board, w->offset, w->value, &quiet);
        const uint32_t error = mon_board_read(&board, MON_REG_ERROR, &quiet);
        if (!MON_GET(error, ERROR_REASON))
            continue;
        in_complain(p->r, &p->places[i], "the monitoring card refuses this: %s",
                    mon_reason_sentence(MON_GET(error, ERROR_REASON)));
        mon_board_write(&board, MON_REG_ERROR, UINT32_MAX, &quiet);
    }
    mon_board_free(&board);
}

void in_monitor_read(struct in_reading *r, struct in_experiment *x, const struct in_value *values)
{
    static const struct {
        const char *key;
        void (*add)(struct program *p);
    } parts[] = {
        {"monitor.histogram.scale", add_scale},      {"monitor.mask", add_mask},
        {"monitor.registers", add_registers},        {"monitor.counters", add_counters},
        {"monitor.histogram.source", add_histogram},
    };
    struct program p = {.r = r, .x = x, .values = values};
    const unsigned before = r->diag->errors;
    read_counters(r, x, &values[IN_KEY_counter]);
    check_phases(r, x->phases, &values[IN_KEY_phases]);
    x->write = nm_alloc(WRITES_MAX, sizeof *x->write);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        p.key = parts[i].key;
        parts[i].add(&p);
    }
    check_twice(&p);
    if (r->diag->errors == before)
        check_masked(&p);
    if (r->diag->errors == before)
        try_out(&p);
}
