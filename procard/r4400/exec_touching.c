/* And as r4400_run_touching, which notes the bytes it touches, too (cpu->touches). */
#define R4400_PROFILED
#define R4400_TOUCHING
#define r4400_run r4400_run_touching
#include "procard/r4400/exec.c" // NOLINT(bugprone-suspicious-include): the same source again
