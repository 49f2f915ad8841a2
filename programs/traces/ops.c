/*
 * The records of traces as a table.
 */
#include "programs/traces/trace.h"

#define REFERENCE TR_REFERENCE
#define PLACE     TR_PLACE
#define NOTE      TR_NOTE
const struct tr_op_row tr_op_rows[TR_OP__COUNT] = {
#define OP(name, word, kind, value, sentence) {word, kind, value, sentence},
#include "programs/traces/ops.def"
#undef OP
};

_Static_assert(TR_OP__COUNT <= 32, "a record's kind has five bits in a file");
