/* manifest.json: everything needed to know what a run was and to repeat it. */
#ifndef DOC_DIRECTORY_MANIFEST_H
#define DOC_DIRECTORY_MANIFEST_H

#include "documents/directory/digest.h"
#include "documents/directory/rundir.h"
#include "documents/run.h"

/** How far a run has come; the member "status". */
enum doc_status {
    DOC_RUNNING,    /**< written before anything else; of a directory that nobody holds locked: the
                         run was killed */
    DOC_COMPLETE,   /**< the program came to its own end, or to the limit asked for */
    DOC_PARTIAL,    /**< interrupted: the results cover the time up to there */
    DOC_FAILED,     /**< the simulation could not go on; see "end" */
    DOC_INCOMPLETE, /**< files could not be written; see "missing" */
};

/** One file the run depends on. */
struct doc_input {
    const char *path;
    struct doc_content content;
    bool readable;
};

/** Zero but for run, dir, argc and argv is a good start. */
struct doc_manifest {
    const struct doc_run *run;
    const struct doc_rundir *dir; /**< what is in it is listed; NULL: there is none */
    enum doc_status status;
    int exit_code;          /**< of this program; meaningless while running */
    bool unstarted;         /**< DOC_FAILED: the program did not even begin */
    char error[1024];       /**< the first thing the host refused; "": nothing */
    const char *stopped_by; /**< who interrupted the run, as "SIGTERM"; NULL: nobody. Static */
    int argc;               /**< the whole command line */
    char *const *argv;
    const char *git; /**< the source that the program was built from, as git describes it */
    struct doc_digest digest; /**< of the inputs; once `hashed` */
    bool hashed;
    struct doc_input *input; /**< [inputs] */
    size_t inputs;
};

/** Hashes the run's inputs: the experiment's files, the program, its source and its standard input;
 *  before, the manifest lists none. Release with doc_manifest_free. */
void doc_manifest_hash(struct doc_manifest *manifest);
void doc_manifest_free(struct doc_manifest *manifest);

/** A doc_write_fn; `ctx` is a struct doc_manifest. */
void doc_manifest_write(void *ctx, FILE *out);

/** An expectation with what became of it. @param judged  NULL: nobody has judged it */
json_t *doc_manifest_expectation(const struct in_expect *e, const struct doc_judged *judged);

#endif
