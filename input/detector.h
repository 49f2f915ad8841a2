/*
 * Detectors: files that say how the monitoring cards look for lines that are shared falsely, and by
 * which rule a line becomes a suspect. experiments/false-sharing-lab/detectors/ holds the shipped
 * ones; anyone may write more (`numachine detect`).
 */
#ifndef IN_DETECTOR_H
#define IN_DETECTOR_H

#include "input/diag.h"
#include "monitor/formula.h"

#include <stdint.h>

enum in_measure {
#define MEASURE(name, suffix, unit, sentence) IN_MEASURE_##name,
#include "input/measures.def"
#undef MEASURE
    IN_MEASURE__COUNT
};

/** The rows of measures.def. Strings are static. */
struct in_measure_row {
    const char *suffix, *unit, *sentence;
};
extern const struct in_measure_row in_measure_rows[IN_MEASURE__COUNT];

enum {
    IN_PASSES_MAX = 8,
    IN_REQUIRE_MAX = 16,                                    /**< formulas */
    IN_DETECTOR_PCYCLES = IN_PASSES_MAX * IN_MEASURE__COUNT /**< operand: PCycles of the run */
};

/** Operand of a formula: a measure of a pass. */
static inline unsigned in_measure_of(unsigned pass, enum in_measure measure)
{
    return pass * IN_MEASURE__COUNT + measure;
}

/** What the handler of interrupts notes. */
enum in_sample { IN_SAMPLE_NONE, IN_SAMPLE_LINE, IN_SAMPLE_ACCESS };

struct in_pass {
    char *name;
    char **sets; /**< NULL-terminated assignments: "monitor.histogram.source=invalidates" */
    enum in_sample sample;
    unsigned slices; /**< 1: the run is not cut */
    unsigned sweep;  /**< [percent] 0: the mask's address stays as it is */
};

struct in_detector {
    char *name; /**< the file's, without directory and suffix */
    char *path; /**< file it was read from */
    char *about, *text;
    struct in_pass pass[IN_PASSES_MAX];
    unsigned passes;
    struct mon_formula require[IN_REQUIRE_MAX];
    unsigned requires;
    struct mon_formula score;
};

/** Where the shipped ones are. */
#define IN_DETECTORS "experiments/false-sharing-lab/detectors"

/** Reads a detector: a shipped one's name or a file. Owned by the caller (in_detector_free).
 *  @return false after complaints; *detector then holds nothing */
bool in_detector_load(struct in_detector *detector, const char *name, struct in_diag *diag);
void in_detector_free(struct in_detector *detector);

/** Whether it looks at the bytes that are used: only then it can tell lines of which processors
 * share words from those of which they share none. */
bool in_detector_sees_words(const struct in_detector *detector);

#endif
