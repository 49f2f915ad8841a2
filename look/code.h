/*
 * The program of a run, as its directory holds it: what ran, the names of its addresses, and its
 * instructions.
 */
#ifndef LOOK_CODE_H
#define LOOK_CODE_H

#include "look/insns.h"
#include "programs/workload.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/** What the file holds of the address space. */
struct look_code_piece {
    uint64_t va, size; /**< [bytes] */
    const uint8_t *bytes;
};

/** Zero is a program of which nothing is known; look_code_close releases it. */
struct look_code {
    char *program, *command;  /**< as the manifest has them: its file, and it with its arguments */
    uint64_t ticks;           /**< [ticks] that the run took */
    struct timespec ran;      /**< when the run's directory got its program */
    bool ended;               /**< the program came to its own end: */
    bool signaled;            /**< by a signal, with this number, */
    int status;               /**< or else with this status */
    struct prog_names *names; /**< NULL: there are none */
    const char *lacks;        /**< one sentence: what of the names is not there; NULL: nothing.
                                   Static */

    /* its own */
    struct look_code_place *places; /**< what has been looked up */
    uint8_t *bytes;                 /**< [size] of the file */
    size_t size;
    struct look_code_piece *piece; /**< [pieces] */
    size_t pieces;
    struct look_insns insns;
};

/** Reads guest.elf and manifest.json of a run's directory. A program without names is none that is
 *  refused. @return false with one line in `why`: one of them cannot be read, or it is not the
 *  program that ran; look_code_close is due in any case */
bool look_code_open(struct look_code *code, const char *directory, char *why, size_t size);
void look_code_close(struct look_code *code);

/** What lies at an address: zeroed if nothing is known of it. Valid until look_code_close. */
const struct prog_place *look_code_at(struct look_code *code, uint64_t va);

/** `count` bytes of the program at an address, in the file's order. @return NULL: it has none
 * there; valid until look_code_close */
const uint8_t *look_code_bytes(const struct look_code *code, uint64_t va, size_t count);

#endif
