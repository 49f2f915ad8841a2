/* The interpreter once more, without time: an instruction takes one PCycle. */
#define ARM11_UNTIMED
#include "procard/arm11/exec/run.c" // NOLINT(bugprone-suspicious-include): the same source again
