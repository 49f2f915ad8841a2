#include "documents/rows/documents.h"

#include "documents/rows/locks.h"
#include "documents/rows/objects.h"
#include "documents/rows/profile.h"
#include "documents/rows/truth.h"

const struct doc_document *const doc_documents[] = {&doc_profile_document, &doc_objects_document,
                                                    &doc_truth_document, &doc_locks_document, NULL};
