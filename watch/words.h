/* What a recording's rows are called, and say, for people. */
#ifndef WATCH_WORDS_H
#define WATCH_WORDS_H

#include "watch/record.h"

#include <stdio.h>

/** A message's name, "read request", and what it is for: one sentence. Static. */
const char *watch_plain(unsigned message);
const char *watch_purpose(unsigned message);

/** What an action word says, "reads the DRAM"; "": only a monitor's books know it. Static.
 *  @param bit  of the agent's actions */
const char *watch_deed(enum nm_agent agent, unsigned bit);

/** The place of a module, "card 0 of station 1", or short "1.c0". Releases nothing: `buf`. */
const char *watch_place(unsigned station, unsigned module, bool brief, char buf[40]);

/** The row of the table that fired: "N, RD -> W_RD: HOLD N_RD MISSED"; of a refusal why there is
 *  none. */
void watch_fired(const struct watch_record *record, const struct watch_row *row, FILE *out);

/** The same as a sentence: "A card here wants to read: it locks the line ...". */
void watch_sentence(const struct watch_record *record, const struct watch_row *row, FILE *out);

/** A transaction: "read of card 0 of station 1". */
void watch_errand(const struct watch_transaction *t, FILE *out);

#endif
