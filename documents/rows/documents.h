/* All documents of a run whose tables this room has. */
#ifndef DOC_DOCUMENTS_DOCUMENTS_H
#define DOC_DOCUMENTS_DOCUMENTS_H

#include "documents/document.h"

/** In the order in which one speaks of the other; NULL-terminated. */
extern const struct doc_document *const doc_documents[];

#endif
