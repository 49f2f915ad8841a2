/*
 * What events of a processor's counters cost, as `numachine perfex -y` reckons with: a table that
 * is a file. A line is an event's name, its typical, least and greatest time, and clks or nsec; a #
 * begins a comment.
 */
#ifndef REP_COSTS_H
#define REP_COSTS_H

#include "input/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { REP_COST_TYPICAL, REP_COST_MINIMUM, REP_COST_MAXIMUM, REP_COSTS };

struct rep_costs_row {
    char *event;
    double time[REP_COSTS]; /**< [clks], or [nsec] */
    bool nsec;
};

/** Zero is a good start; rep_costs_free is due. */
struct rep_costs {
    struct rep_costs_row *row;
    size_t rows;
};

/** Reads a table; NULL: the shipped one. Rows that are there already become those of the file.
 *  @return false after complaints; the table then holds what was good */
bool rep_costs_load(struct rep_costs *costs, const char *path, struct in_diag *diag);
void rep_costs_free(struct rep_costs *costs);

/** Writes it as rep_costs_load reads it. */
void rep_costs_write(const struct rep_costs *costs, FILE *out);

/** [s] what one such event costs. @param clock  [Hz]; 0 if the table does not have it */
double rep_event_cost(const struct rep_costs *costs, const char *event, unsigned which,
                      double clock);

/** Whether the table has the event. */
bool rep_has_cost(const struct rep_costs *costs, const char *event);

#endif
