/*
 * The program of a run, as its directory holds it: what ran, the names of its addresses, and its
 * instructions.
 */
#ifndef LOOK_CODE_H
#define LOOK_CODE_H

#include "look/files.h"
#include "look/insns.h"
#include "programs/workload.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

/** What the file holds of the address space. */
struct look_code_piece {
    uint64_t va, size; /**< [bytes] */
    const uint8_t *bytes;
};

/** The functions that an instruction is of: those that were inlined there, the innermost first, and
 *  the one that has the code. */
struct look_chain {
    const struct prog_frame *frame; /**< [frames] */
    unsigned frames;                /**< 0: nothing is known of the address */
    unsigned shown; /**< the innermost one that is the program's own; else the last */
};

/** Zero is a program of which nothing is known; look_code_close releases it. */
struct look_code {
    char *directory;          /**< of the run; NULL: none has kept it */
    char *program, *command;  /**< as the manifest has them: its file, and it with its arguments */
    char *unfinished;         /**< why the run is not complete, in a sentence; NULL: it is */
    char *called;             /**< the program's own name; NULL: not known */
    uint64_t ticks;           /**< [ticks] that the run took */
    struct timespec ran;      /**< when the run's directory got its program */
    bool ended;               /**< the program came to its own end: */
    bool signaled;            /**< by a signal, with this number, */
    int status;               /**< or else with this status */
    struct prog_names *names; /**< NULL: there are none */
    const char *lacks;        /**< one sentence: what of the names is not there; NULL: nothing.
                                   Valid until look_code_close */
    const struct look_files *files; /**< what the user says of source files; NULL: nothing */

    /* its own */
    struct look_code_place *places; /**< what has been looked up */
    struct look_moved *moved;       /**< files that are elsewhere today */
    uint8_t *bytes;                 /**< [size] of the file */
    size_t size;
    struct look_code_piece *piece; /**< [pieces] */
    size_t pieces;
    struct look_insns insns;
};

/** Reads guest.elf and manifest.json of a run's directory. A program without names is none that is
 *  refused. @param files  NULL: nothing is said @return false with one line in `why`: one of them
 * cannot be read, or it is not the program that ran; look_code_close is due in any case */
bool look_code_open(struct look_code *code, const char *directory, const struct look_files *files,
                    char *why, size_t size);
void look_code_close(struct look_code *code);

/** Reads the instructions of an executable alone: of a run that no directory keeps. @return false
 *  with one line in `why` */
bool look_code_read(struct look_code *code, const char *path, char *why, size_t size);

/** The head of what is shown of a run: its program, and that it was not complete, if so. Nothing of
 * a program that no directory keeps. */
void look_code_put(const struct look_code *code, FILE *out);

/** The run's directory as a shell reads it, for commands that are advised; RUN_DIR if none is
 * known. The caller's. */
char *look_code_directory(const struct look_code *code);

/** What lies at an address: zeroed if nothing is known of it. `function` has the code; file and
 * line are those of the chain that are shown. Valid until look_code_close. */
const struct prog_place *look_code_at(struct look_code *code, uint64_t va);
const struct look_chain *look_code_chain(struct look_code *code, uint64_t va);

/** The same, if the line that is shown is the program's own; else NULL. */
const struct prog_place *look_code_own(struct look_code *code, uint64_t va);

/** Where a source file is today. @param name  the names' @return valid until look_code_close */
const char *look_code_moved(struct look_code *code, const char *name);

/** Whether a frame is not the program's own: of a file of the system's, or a function that the
 *  compiler made, of which nobody has written a line. */
bool look_code_others(const struct look_code *code, const struct prog_frame *frame);

/** The function whose line is shown; NULL: not known. */
const char *look_chain_function(const struct look_chain *chain);

/** A function's name as people say it: without arguments, also of templates. */
void look_chain_name(const char *function, FILE *out);

/** "atomic_base.h:618 < Histogram::add hist.cc:14 < worker hist.cc:36": a chain for people, from a
 *  frame on, and not the last few. Functions of the system have no name there. */
void look_chain_put(const struct look_code *code, const struct look_chain *chain, unsigned from,
                    unsigned to, FILE *out);

/** A place for people, said once: "str_get x.c:29 < session_run x.c:60", without the functions of
 * the system that called the program's; "_int_free+0x28" or an address where no line is known. */
void look_place_put(struct look_code *code, uint64_t pc, FILE *out);

/** All of it in brackets, behind what is shown; nothing if nothing was inlined there. */
void look_chain_behind(const struct look_code *code, const struct look_chain *chain, FILE *out);

/** The same without brackets; the caller's, NULL: nothing was inlined there. */
char *look_chain_text(const struct look_code *code, const struct look_chain *chain);

/** A list of the frames, {function, file, line}; null: nothing was inlined there. */
json_t *look_chain_json(const struct look_chain *chain);

/** `count` bytes of the program at an address, in the file's order. @return NULL: it has none
 * there; valid until look_code_close */
const uint8_t *look_code_bytes(const struct look_code *code, uint64_t va, size_t count);

#endif
