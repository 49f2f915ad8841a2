/* The interpreter once more, without time, which tells of each instruction. */
#define ARM11_UNTIMED
#define ARM11_OBSERVED
#include "procard/arm11/exec/run.c" // NOLINT(bugprone-suspicious-include): the same source again
