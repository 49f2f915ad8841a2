/*
 * What came of a sweep: the results of its points as one table, and as one database.
 *
 * Both are made of the points' own files, in the order of the points, so they are the same bytes
 * however the sweep was run: at once, in shards, after kills. (A database also has each run's time
 * and memory, which are never the same.) Sizes in them are bytes, clocks Hz, times of the machine
 * cycles: numbers have the unit their key is stored in.
 */
#ifndef SWP_RESULT_H
#define SWP_RESULT_H

#include "input/experiment.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* In the directory of a sweep. */
#define SWP_INDEX    "sweep.json" /**< which points there are, and how far they are */
#define SWP_CSV      "sweep.csv"
#define SWP_DATABASE "sweep.sqlite"
#define SWP_PLOT     "sweep.gp"
/** The points as sweep.json has them, where that is not: in a directory that they were collected
 *  in. */
#define SWP_COLLECTED "collected.json"

/** One point. */
struct swp_row {
    char *id;
    char *digest;    /**< of its inputs */
    char **text;     /**< [keys] as --set takes it */
    char **number;   /**< [keys] the same as a number; NULL: it is none */
    char *directory; /**< its run; NULL: it is not there */
    bool failed;     /**< some directory's run of it did */
    int exit_code;   /**< of the run that is there, or failed */
};

/** Zero, then swp_result_open; swp_result_free is due in any case. */
struct swp_result {
    char *name;
    char **key; /**< [keys] */
    size_t keys;
    struct swp_row *row; /**< [rows] in the order of the sweep */
    size_t rows;
    size_t there; /**< rows whose run is there */
};

/**
 * Reads which points some directories have, such as those of shards.
 * @param directories  NULL-terminated, of sweeps that are the same
 * @return false: see `why`
 */
bool swp_result_open(struct swp_result *result, char *const *directories, char *why, size_t size);
void swp_result_free(struct swp_result *result);

/** Writes the files into a directory, each whole or not at all. @return false: see `why` */
bool swp_result_write(const struct swp_result *result, const char *directory, char *why,
                      size_t size);

/** A script for gnuplot that draws `elapsed` over the first parameter with several numbers; nothing
 *  if there is none. @return false: see `why` */
bool swp_plot_write(const struct swp_result *result, const char *directory, char *why, size_t size);

/** Writes a table for people: of each point the parameters, and the results that the experiment
 *  shows, or expects something of; else time, instructions per PCycle and read latency. */
void swp_shown_put(const struct swp_result *result, const struct in_experiment *x, FILE *out);

/** The region that a program is about: the first that it marks; the whole run, if it marks none.
 *  Allocated. */
char *swp_result_region(const struct swp_result *result);

/** The database alone. @param path  a file that is not there yet @return false: see `why` */
bool swp_database_write(const struct swp_result *result, const char *path, char *why, size_t size);

#endif
