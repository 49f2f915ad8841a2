/*
 * What events of a processor's counters cost, as `numachine perfex -y` reckons with: a table that
 * is a file. A line is an event's name, its typical, least and greatest time, and clks or nsec;
 * behind them a word may say where they are from. A # begins a comment.
 */
#ifndef LOOK_COUNTERS_COSTS_H
#define LOOK_COUNTERS_COSTS_H

#include "input/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { LOOK_COST_TYPICAL, LOOK_COST_MINIMUM, LOOK_COST_MAXIMUM, LOOK_COSTS };

struct look_costs_row {
    char *event;
    double time[LOOK_COSTS]; /**< [clks], or [nsec] */
    bool nsec;
    char *source; /**< a word; NULL: none is said */
};

/** Zero is a good start; look_costs_free is due. */
struct look_costs {
    struct look_costs_row *row;
    size_t rows;
};

/** Reads a table; NULL: the shipped one. The name alone of another shipped table will do: irix.
 * Rows that are there already become those of the file.
 *  @return false after complaints; the table then holds what was good */
bool look_costs_load(struct look_costs *costs, const char *path, struct in_diag *diag);
void look_costs_free(struct look_costs *costs);

/** Writes it as look_costs_load reads it. */
void look_costs_write(const struct look_costs *costs, FILE *out);

/** [s] what one such event costs. @param clock  [Hz]; 0 if the table does not have it */
double look_event_cost(const struct look_costs *costs, const char *event, unsigned which,
                       double clock);

/** Whether the table has the event. */
bool look_has_cost(const struct look_costs *costs, const char *event);

/** Where its times are from; "": that is not said. */
const char *look_cost_source(const struct look_costs *costs, const char *event);

#endif
