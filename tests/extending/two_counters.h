/* The unit of two_counters.c. */
#ifndef TWO_COUNTERS_H
#define TWO_COUNTERS_H

#include "monitor/unit.h"

extern const struct mon_unit_ops two_counters;

#endif
