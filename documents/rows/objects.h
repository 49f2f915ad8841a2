/*
 * What lay where in a run: blocks of the heap, stacks and thread-local variables; as a file and in
 * memory.
 *
 * objects.json in a run's directory has addresses and numbers only. A block comes from a site: the
 * place that called malloc or its like, with the calls that led there. Names come from the program
 * when somebody looks (object_at.h).
 */
#ifndef DOC_DOCUMENTS_OBJECTS_H
#define DOC_DOCUMENTS_OBJECTS_H

#include "base/time.h"
#include "documents/document.h"

#define DOC_OBJECTS "objects.json"

/** What it consists of: objects.def. */
extern const struct doc_document doc_objects_document;

/** Where blocks come from. */
struct doc_site {
    uint32_t path;      /**< of the caller: an index into the profile's paths */
    uint64_t call;      /**< virtual address of the call; all ones: a jump */
    uint32_t kind;      /**< index into `kind` of struct doc_objects */
    uint64_t blocks;    /**< ever */
    uint64_t bytes;     /**< [bytes] in all of them */
    uint64_t most;      /**< [bytes] of them at one time */
    uint64_t forgotten; /**< of the blocks: no longer told apart, see docs/profile.md */
};

/** A block, or several of one site that had the same bytes one after the other. */
struct doc_block {
    uint64_t from, to; /**< virtual, `to` is the first byte behind */
    sim_tick born;     /**< [ticks] the first one's call began */
    sim_tick died;     /**< [ticks] the last one was given back; SIM_NEVER: it never was */
    sim_tick lived;    /**< [ticks] all of them together, of those given back */
    uint32_t thread;   /**< that got the first one */
    uint32_t site;     /**< index into `site` */
    uint64_t serial;   /**< of the first one among its site's blocks, from 0 */
    uint64_t times;    /**< how many */
};

/** A part of a block or of a stack that the program has a name for. */
struct doc_part {
    uint64_t from, to; /**< virtual */
    uint64_t each;     /**< [bytes] of an element of the array that it is; 0: it is one thing */
    uint32_t site;     /**< of its block: an index into `site`; of a stack: how many those are */
    uint32_t path;     /**< index into `path`: the pointer that leads there, or the variable */
    uint32_t function; /**< index into `path`: whose variable that begins with; 0: no function's */
    uint32_t shape;    /**< index into `path`: "1:10,0:5" of an array of Fortran's; 0: it is none */
    uint32_t thread;   /**< that executed the function, or has the variable; 0: none has it */
    uint32_t type;     /**< for prog_names.member; 0: not known */
    sim_tick born, died; /**< [ticks] known from then on; died SIM_NEVER: to the end */
};

/** What a thread alone has. */
struct doc_thread {
    uint32_t number;
    uint64_t stack, stack_to; /**< from its first stack pointer down, as deep as it went; of the
                                   first thread with its arguments above. Equal: not known */
    uint64_t tls, tls_to;     /**< its thread-local variables; equal: none */
    sim_tick born, died;      /**< [ticks] died SIM_NEVER: it was there at the end */
};

/** All of it; its own, doc_objects_free gives it back. */
struct doc_objects {
    char **kind; /**< [kinds] names: "malloc" ... */
    size_t kinds;
    struct doc_site *site; /**< [sites] */
    size_t sites;
    struct doc_block *block; /**< [blocks] by `from`, then `to`, `born`, site */
    size_t blocks;
    char **path; /**< [paths] what pointers and functions are called; the first is "-" */
    size_t paths;
    struct doc_part *part; /**< [parts] by `from`, `to`, site and `born` */
    size_t parts;
    struct doc_thread *thread; /**< [threads] by number */
    size_t threads;
};

/** Where what the thread alone has begins, up to `tls_to`: in front of its variables, what the
 *  library of threads knows of it, if that lies between its stack and them. */
uint64_t doc_thread_local(const struct doc_thread *thread);

void doc_objects_free(struct doc_objects *objects);

/** Writes it as JSON. */
void doc_objects_write(const struct doc_objects *objects, FILE *out);

/** Reads what doc_objects_write wrote. Bad input of any kind is refused.
 *  @param paths  how many the run's profile has
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool doc_objects_read(const char *path, size_t paths, struct doc_objects *objects, char *why,
                      size_t size);

#endif
