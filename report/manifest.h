/* manifest.json: everything needed to know what a run was and to repeat it. */
#ifndef REP_MANIFEST_H
#define REP_MANIFEST_H

#include "report/run.h"

/** How far a run has come; the member "status". */
enum rep_status {
    REP_RUNNING,  /**< written before cycle 0 */
    REP_COMPLETE, /**< the program came to its own end, or to the limit asked for */
    REP_PARTIAL,  /**< interrupted: the results cover the time up to there */
    REP_FAILED,   /**< the simulation could not go on; see "end" */
};

/** One file the run depends on. */
struct rep_input {
    const char *path;
    uint64_t bytes, xxh64;
    bool readable;
};

struct rep_manifest {
    const struct rep_run *run;
    enum rep_status status;
    int exit_code; /**< of this program; meaningless while running */
    int argc;      /**< the whole command line */
    char *const *argv;
    struct rep_input *input; /**< [inputs] */
    size_t inputs;
};

/** Hashes the files: the experiment's, the program, its source and its standard input. Release with
 *  rep_manifest_free. */
void rep_manifest_init(struct rep_manifest *manifest, const struct rep_run *run, int argc,
                       char *const *argv);
void rep_manifest_free(struct rep_manifest *manifest);

/** A rep_write_fn; `ctx` is a struct rep_manifest. */
void rep_manifest_write(void *ctx, FILE *out);

/** How a run ended, as one word: "exited", "signaled", "limit", ... */
const char *rep_end_word(enum prog_end end);

#endif
