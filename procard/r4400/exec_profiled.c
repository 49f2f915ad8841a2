/* The interpreter once more, as r4400_run_profiled, keeping a cursor (procard/cursor.h): what is
 * not asked for costs nothing. */
#define R4400_PROFILED
#define r4400_run r4400_run_profiled
#include "procard/r4400/exec.c" // NOLINT(bugprone-suspicious-include): the same source twice
