/* The interpreter once more, as r4400_run_recording, telling of its references (procard/record.h).
 */
#define R4400_RECORDING
#define r4400_run r4400_run_recording
#include "procard/r4400/exec.c" // NOLINT(bugprone-suspicious-include): the same source again
