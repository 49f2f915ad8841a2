/*
 * The machine as SimGrid reads it: for a run, which needs hosts only, and for people, with its
 * buses and rings. Text only; nothing here starts SimGrid.
 */
#ifndef PROG_PLATFORM_H
#define PROG_PLATFORM_H

#include "machine/params.h"

#include <stdbool.h>
#include <stdio.h>

/** What a run's threads stand on: hosts "hardware" and "card-0", ..., and no network. Malloc'd. */
char *prog_platform_hosts(const struct nm_params *p);

/**
 * Writes the whole machine, in seconds and bytes per second.
 *
 * Hosts are "card-C", "memory-S" and "network-S" (the network card), with a flop for each PCycle of
 * a card and for each bus cycle of a bank. Links are "bus-S", the segments "ring-L-R-N" from node N
 * of ring R of level L to the next, the ends "generator-S" and "handler-S" of a station, and
 * "up-L-R" and "down-L-R" of a ring's interface to the one above. Zones are stations and rings, so
 * that a ring has routes between its own nodes only.
 * @param name   of the machine, harmless in a comment
 * @param tasks  for parallel tasks, whose model has a network of its own and bears no choice of
 * another
 */
void prog_platform_write(const struct nm_params *p, const char *name, bool tasks, FILE *out);

/** Payload bytes in a second of a bus or a ring of this width and clock, when every message is a
 *  line behind its header: what the links of prog_platform_write have. */
double prog_platform_bandwidth(const struct nm_params *p, uint64_t width, uint64_t clock);

#endif
