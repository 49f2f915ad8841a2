/* manifest.json: everything needed to know what a run was and to repeat it. */
#ifndef REP_MANIFEST_H
#define REP_MANIFEST_H

#include "report/digest.h"
#include "report/expect.h"
#include "report/run.h"
#include "report/rundir.h"

/** How far a run has come; the member "status". */
enum rep_status {
    REP_RUNNING,    /**< written before anything else; of a directory that nobody holds locked: the
                         run was killed */
    REP_COMPLETE,   /**< the program came to its own end, or to the limit asked for */
    REP_PARTIAL,    /**< interrupted: the results cover the time up to there */
    REP_FAILED,     /**< the simulation could not go on; see "end" */
    REP_INCOMPLETE, /**< files could not be written; see "missing" */
};

/** One file the run depends on. */
struct rep_input {
    const char *path;
    struct rep_content content;
    bool readable;
};

/** Zero but for run, dir, argc and argv is a good start. */
struct rep_manifest {
    const struct rep_run *run;
    const struct rep_rundir *dir; /**< what is in it is listed; NULL: there is none */
    enum rep_status status;
    int exit_code;          /**< of this program; meaningless while running */
    bool unstarted;         /**< REP_FAILED: the program did not even begin */
    char error[1024];       /**< the first thing the host refused; "": nothing */
    const char *stopped_by; /**< who interrupted the run, as "SIGTERM"; NULL: nobody. Static */
    int argc;               /**< the whole command line */
    char *const *argv;
    const char *git; /**< the source that the program was built from, as git describes it */
    struct rep_digest digest; /**< of the inputs; once `hashed` */
    bool hashed;
    struct rep_input *input; /**< [inputs] */
    size_t inputs;
};

/** Hashes the run's inputs: the experiment's files, the program, its source and its standard input;
 *  before, the manifest lists none. Release with rep_manifest_free. */
void rep_manifest_hash(struct rep_manifest *manifest);
void rep_manifest_free(struct rep_manifest *manifest);

/** A rep_write_fn; `ctx` is a struct rep_manifest. */
void rep_manifest_write(void *ctx, FILE *out);

/** An expectation with what became of it. @param judged  NULL: nobody has judged it */
json_t *rep_manifest_expectation(const struct in_expect *e, const struct rep_judged *judged);

/** How a run ended, as one word: "exited", "signaled", "limit", ... */
const char *rep_end_word(enum prog_end end);

#endif
