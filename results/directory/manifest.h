/* manifest.json: everything needed to know what a run was and to repeat it. */
#ifndef RES_DIRECTORY_MANIFEST_H
#define RES_DIRECTORY_MANIFEST_H

#include "results/directory/digest.h"
#include "results/directory/rundir.h"
#include "results/run.h"

/** How far a run has come; the member "status". */
enum res_status {
    RES_RUNNING,    /**< written before anything else; of a directory that nobody holds locked: the
                         run was killed */
    RES_COMPLETE,   /**< the program came to its own end, or to the limit asked for */
    RES_PARTIAL,    /**< interrupted: the results cover the time up to there */
    RES_FAILED,     /**< the simulation could not go on; see "end" */
    RES_INCOMPLETE, /**< files could not be written; see "missing" */
};

/** One file the run depends on. */
struct res_input {
    const char *path;
    struct res_content content;
    bool readable;
};

/** Zero but for run, dir, argc and argv is a good start. */
struct res_manifest {
    const struct res_run *run;
    const struct res_rundir *dir; /**< what is in it is listed; NULL: there is none */
    enum res_status status;
    int exit_code;          /**< of this program; meaningless while running */
    bool unstarted;         /**< RES_FAILED: the program did not even begin */
    char error[1024];       /**< the first thing the host refused; "": nothing */
    const char *stopped_by; /**< who interrupted the run, as "SIGTERM"; NULL: nobody. Static */
    int argc;               /**< the whole command line */
    char *const *argv;
    const char *git; /**< the source that the program was built from, as git describes it */
    struct res_digest digest; /**< of the inputs; once `hashed` */
    bool hashed;
    struct res_input *input; /**< [inputs] */
    size_t inputs;
};

/** Hashes the run's inputs: the experiment's files, the program, its source and its standard input;
 *  before, the manifest lists none. Release with res_manifest_free. */
void res_manifest_hash(struct res_manifest *manifest);
void res_manifest_free(struct res_manifest *manifest);

/** A res_write_fn; `ctx` is a struct res_manifest. */
void res_manifest_write(void *ctx, FILE *out);

/** An expectation with what became of it. @param judged  NULL: nobody has judged it */
json_t *res_manifest_expectation(const struct in_expect *e, const struct res_judged *judged);

#endif
