/* The writers of the formats. Private to the room. */
#ifndef TR_WRITERS_H
#define TR_WRITERS_H

#include "programs/traces/trace.h"

extern const struct tr_writer tr_ntr_writer, tr_lackey_writer, tr_din_writer;

#endif
