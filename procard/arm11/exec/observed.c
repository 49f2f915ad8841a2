/* The interpreter once more, which tells a profile and a recording of each instruction. */
#define ARM11_OBSERVED
#include "procard/arm11/exec/run.c" // NOLINT(bugprone-suspicious-include): the same source again
