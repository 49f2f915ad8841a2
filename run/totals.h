/* The totals of a machine under way, as books read them (run_totals). */
#ifndef RUN_TOTALS_H
#define RUN_TOTALS_H

#include "run/observer.h"

/** Makes room for them; there is a machine. */
void run_totals_new(struct run_live *live);
void run_totals_free(struct run_live *live);

#endif
