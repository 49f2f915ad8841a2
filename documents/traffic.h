/*
 * traffic.csv: what each station has sent to each other one over the rings, region by region.
 */
#ifndef DOC_TRAFFIC_H
#define DOC_TRAFFIC_H

#include "documents/run.h"
#include "machine/traffic.h"

/** What it is called in the run directory. */
#define DOC_TRAFFIC "traffic.csv"

/** Room for a region's, zeroed: [stations * stations], a row for each sender. NULL: the machine has
 *  no rings, or the regions before have taken all the room there is; "whole" always has some. */
struct nm_traffic *doc_traffic_new(const struct doc_run *run);

/** sum += sign * now, of all stations. @param now  [stations] as nm_machine_traffic */
void doc_traffic_add(const struct doc_run *run, struct nm_traffic *sum,
                     const struct nm_traffic *const *now, int sign);

/** Whether a run has it: a timed one on a machine with rings. */
bool doc_traffic_is(const struct doc_run *run);

/** Writes the cells that are not 0, of every region that has room. */
void doc_write_traffic(const struct doc_run *run, FILE *out);

/**
 * Reads a region's traffic back from a run's directory.
 * @param stations  of the machine
 * @param[out] traffic  [stations * stations], a row for each sender
 * @return false with one line in `why`: the file, and what is wrong with it
 */
bool doc_traffic_read(const char *directory, const char *region, unsigned stations,
                      struct nm_traffic *traffic, char *why, size_t size);

#endif
