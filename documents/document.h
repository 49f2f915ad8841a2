/*
 * A result document: a JSON object that a run leaves and others read. One table says what is in it;
 * from the table come its writer, its reader with all that can be checked of a number by itself,
 * and what is listed and documented (numachine list documents).
 *
 * A document in memory is a struct. The table says where in it each number and list is; a list is
 * two members: its rows and their count. The rules that a table cannot say are functions beside it.
 *
 * A new field is a row of the document's table (documents/rows/NAME.def) and the member that holds
 * it. Files hold addresses, numbers, and what can only be named while the program runs; nothing of
 * the host: equal runs give equal bytes.
 */
#ifndef DOC_DOCUMENT_H
#define DOC_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    DOC_COLUMNS_MOST = 64, /**< columns a document can have */
    DOC_COLUMN_NAME = 32,  /**< [bytes] room for a column's name */
};

/** What a document has values of, or a kind; strings are static. */
struct doc_column {
    const char *name; /**< in upper case, or as results have it */
    const char *unit, *sentence;
    bool most; /**< of several the greatest, not the sum */
};

struct doc_columns {
    const struct doc_column *row;
    unsigned count;
};

/** A column's name in lower case, as results have it. @return buf */
const char *doc_lower(const char *name, char buf[DOC_COLUMN_NAME]);

enum doc_type {
#define TYPE(name, sentence) DOC_TYPE_##name,
#include "documents/types.def"
#undef TYPE
    DOC_TYPES
};

enum doc_item_kind {
    DOC_ITEM_NUMBER,  /**< a number of the document */
    DOC_ITEM_COLUMNS, /**< a list: what its values are, [name, unit, sentence] */
    DOC_ITEM_KINDS,   /**< a list of names that this program knows */
    DOC_ITEM_NAMES,   /**< a list of other names */
    DOC_ITEM_SETS,    /**< a list of lists of ascending indices; in memory uint32_t *, their count
                           in [0] */
    DOC_ITEM_ROWS,    /**< a list of rows, whose fields follow */
    DOC_ITEM_FIELD,   /**< a field of the list in front of it */
};

enum doc_order {
    DOC_ANY,    /**< as they come */
    DOC_SORTED, /**< by the fields that are keys, in their order */
    DOC_UNIQUE, /**< sorted, and no two are equal; of names: no two are equal */
};

/** What a table cannot say, looked at when the row has been read and stands in its order; and the
 *  row made what it is in memory.
 *  @param others  counts of the lists of other documents
 *  @return NULL, or what is wrong, without the place */
typedef const char *doc_check_fn(void *document, const size_t *others, size_t row);

/** Makes a copy of a row what it is in the file. */
typedef void doc_pack_fn(const void *document, void *row);

/** A row of the table. */
struct doc_item {
    enum doc_item_kind kind;
    enum doc_type type;
    const char *name, *unit, *sentence;
    size_t at, size;   /**< [bytes] where in its struct; a list: the pointer to its rows */
    const char *of;    /**< an index, a set: of this list, or of this one of another document */
    uint64_t from, to; /**< that it may be; 0, 0: whatever its member can hold. A list: how many
                          there are at least. Names: characters */
    bool key;
    size_t block; /**< values of 64 bits each that stand behind a pointer: where the document has
                     the block of all of them. 0: they are an array */
    size_t counted, each; /**< a list: where its count is; [bytes] of a row */
    enum doc_order order;
    doc_check_fn *check;
    doc_pack_fn *pack;
    const struct doc_columns *columns; /**< columns, kinds */
};

struct doc_document {
    const char *name, *sentence; /**< the file is NAME.json */
    const char *gap;             /**< between numbers, for people */
    int schema;                  /**< version of the layout */
    const struct doc_item *item;
    size_t items, bytes;      /**< bytes: of the struct */
    const char *const *other; /**< lists of other documents that it speaks of; NULL-terminated */
    doc_check_fn *check;      /**< once its numbers have been read; NULL: nothing to check */
};

/** Writes it, as it is walked: a run may have a million rows. */
void doc_document_write(const struct doc_document *d, const void *document, FILE *out);

/** Reads what doc_document_write wrote. Bad input of any kind is refused.
 *  @param others    how many members the lists of other documents have
 *  @param document  the struct; then to be released, and empty if refused
 *  @return true, or false with one line in `why`: the file, and what is wrong where */
bool doc_document_read(const struct doc_document *d, const char *path, const size_t *others,
                       void *document, char *why, size_t size);

/** Releases all that its lists point to, and empties it. */
void doc_document_free(const struct doc_document *d, void *document);

/** Of a field, the list that it is in; else the item itself. */
const struct doc_item *doc_item_list(const struct doc_item *item);

/** As types.def has it. */
const char *doc_type_name(enum doc_type type);

/** a + b. Sums that a made-up file drives out of 64 bits wrap around. */
static inline int64_t doc_plus(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

#endif
