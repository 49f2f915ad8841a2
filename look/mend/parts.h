/* The search for mends, taken apart; private to look/mend/. */
#ifndef LOOK_MEND_PARTS_H
#define LOOK_MEND_PARTS_H

#include "look/mend/mend.h"

/** Fills in the objects and the candidates. */
void look_mend_find(struct look_mend *mend, const struct doc_objects *objects);
/** Releases them. */
void look_mend_lose(struct look_mend *mend);

#endif
