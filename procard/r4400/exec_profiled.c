/* The interpreter once more, keeping a cursor (procard/cursor.h): what is not asked for costs
 * nothing. */
#define R4400_PROFILED
#include "procard/r4400/exec.c"
