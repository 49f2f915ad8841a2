/*
 * traffic.csv: what each station has sent to each other one over the rings, region by region.
 */
#ifndef RES_TRAFFIC_H
#define RES_TRAFFIC_H

#include "machine/traffic.h"
#include "results/run.h"

/** What it is called in the run directory. */
#define RES_TRAFFIC "traffic.csv"

/** Room for a region's, zeroed: [stations * stations], a row for each sender. NULL: the machine has
 *  no rings, or the regions before have taken all the room there is; "whole" always has some. */
struct nm_traffic *res_traffic_new(const struct res_run *run);

/** sum += sign * now, of all stations. @param now  [stations] as nm_machine_traffic */
void res_traffic_add(const struct res_run *run, struct nm_traffic *sum,
                     const struct nm_traffic *const *now, int sign);

/** Whether a run has it: a timed one on a machine with rings. */
bool res_traffic_is(const struct res_run *run);

/** Writes the cells that are not 0, of every region that has room. */
void res_write_traffic(const struct res_run *run, FILE *out);

/**
 * Reads a region's traffic back from a run's directory.
 * @param stations  of the machine
 * @param[out] traffic  [stations * stations], a row for each sender
 * @return false with one line in `why`: the file, and what is wrong with it
 */
bool res_traffic_read(const char *directory, const char *region, unsigned stations,
                      struct nm_traffic *traffic, char *why, size_t size);

#endif
