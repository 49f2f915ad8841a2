/*
 * What an experiment's file asks of the board, as register writes.
 */
#include "monitor/board/board.h"

#include <string.h>

/* What SRAM_CONTROL is written with for each row of histograms; 0: nothing is. */
static const uint32_t controls[] = {
#define HISTOGRAM(word, control, sentence) (control),
#include "monitor/board/histograms.def"
#undef HISTOGRAM
};

const struct mon_row mon_board_histograms[] = {
#define HISTOGRAM(word, control, sentence) {word, "", sentence, 0},
#include "monitor/board/histograms.def"
#undef HISTOGRAM
    {0}};

/* Their numbers are their bits in CONTROLk. */
const struct mon_row mon_board_flag_rows[] = {
    {"masked", "", "whether the mask decides what it counts", MON_LOW_CONTROL0_MASK},
    {"interrupt", "",
     "whether its overflow interrupts the processor; the program takes it with "
     "/dev/numachine/card",
     MON_LOW_CONTROL0_INTERRUPT},
    {"read_clears", "", "whether reading it clears it", MON_LOW_CONTROL0_READ_CLEARS},
    {0}};

const char mon_histogram_words[] =
#define HISTOGRAM(word, control, sentence) word " "
#include "monitor/board/histograms.def"
#undef HISTOGRAM
    ;

const char *mon_histogram_sentence(uint32_t control)
{
    const uint32_t counts = control & ~MON_PUT(1, SRAM_CONTROL_INTERRUPT);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (controls[i] && controls[i] == counts)
            return mon_board_histograms[i].sentence;
    return mon_board_sources[MON_GET(control, SRAM_CONTROL_SOURCE)].sentence;
}

struct writes {
    struct mon_write *out;
    int count;
};

static void program_add(struct writes *w, enum mon_key key, uint32_t offset, uint64_t value)
{
    w->out[w->count++] = (struct mon_write){offset, (uint32_t)value, key, 0};
}

static void add_scale(struct writes *w, const struct mon_wish *wish)
{
    const uint32_t reset = mon_unit_register(&mon_numachine, MON_REG_OPTIONS)->reset;
    if (wish->doubled)
        program_add(w, MON_KEY_SCALE, MON_REG_OPTIONS, reset | MON_PUT(1, OPTIONS_DOUBLE_TIME));
}

static void add_mask(struct writes *w, const struct mon_wish *wish)
{
    uint32_t mask = MON_PUT(wish->direction, MASK_DIRECTION);
    if (wish->by_address) {
        program_add(w, MON_KEY_ADDRESS, MON_REG_CARE_LOW, wish->address.care);
        program_add(w, MON_KEY_ADDRESS, MON_REG_CARE_HIGH, wish->address.care >> 32);
        program_add(w, MON_KEY_ADDRESS, MON_REG_VALUE_LOW, wish->address.value);
        program_add(w, MON_KEY_ADDRESS, MON_REG_VALUE_HIGH, wish->address.value >> 32);
        mask |= MON_PUT(1, MASK_ADDRESS);
    }
    if (wish->command >= 0) {
        program_add(w, MON_KEY_COMMAND, MON_REG_COMMAND, (uint64_t)wish->command);
        mask |= MON_PUT(1, MASK_COMMAND);
    }
    if (wish->phase >= 0) {
        program_add(w, MON_KEY_PHASE, MON_REG_PHASE_MATCH, (uint64_t)wish->phase);
        mask |= MON_PUT(1, MASK_PHASE);
    }
    if (wish->fifo >= 0) {
        program_add(w, MON_KEY_FIFO, MON_REG_FIFO_DEPTH, (uint64_t)wish->fifo);
        mask |= MON_PUT(1, MASK_FIFO);
    }
    if (mask)
        program_add(w, MON_KEY_MASK, MON_REG_MASK, mask);
}

static void add_counters(struct writes *w, const struct mon_wish *wish)
{
    for (unsigned k = 0; k < wish->counters; k++) {
        const struct mon_wish_counter *c = &wish->counter[k];
        program_add(w, MON_KEY_COUNTER,
                    MON_REG_CONTROL0 + (MON_REG_CONTROL1 - MON_REG_CONTROL0) * k,
                    MON_PUT(c->event, CONTROL0_EVENT) | c->flags);
        program_add(w, MON_KEY_COUNTER,
                    MON_REG_COUNTER0 + (MON_REG_COUNTER1 - MON_REG_COUNTER0) * k, c->start);
        w->out[w->count - 2].counter = w->out[w->count - 1].counter = k;
    }
}

static void add_histogram(struct writes *w, const struct mon_wish *wish)
{
    const uint32_t interrupt = MON_PUT(wish->histogram_interrupt, SRAM_CONTROL_INTERRUPT);
    for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
        if (controls[i] && !strcmp(mon_board_histograms[i].name, wish->histogram))
            program_add(w, MON_KEY_HISTOGRAM, MON_REG_SRAM_CONTROL, controls[i] | interrupt);
}

int mon_board_program(const struct mon_wish *wish, enum mon_part part, struct mon_write *out)
{
    static void (*const adds[])(struct writes *, const struct mon_wish *) = {
        [MON_PART_SCALE] = add_scale,
        [MON_PART_MASK] = add_mask,
        [MON_PART_COUNTERS] = add_counters,
        [MON_PART_HISTOGRAM] = add_histogram,
    };
    struct writes w = {.out = out};
    adds[part](&w, wish);
    return w.count;
}
