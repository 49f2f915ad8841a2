/* The versions of the layouts of results (schemas.def), for who writes one and for who reads it. */
#ifndef DOC_SCHEMAS_H
#define DOC_SCHEMAS_H

enum doc_schema {
#define SCHEMA(name, number, file) DOC_SCHEMA_##name = (number),
#include "documents/schemas.def"
};

#endif
