/*
 * The words of a document's table (documents/rows/NAME.def), for the file that makes an array of
 * struct doc_item of it. It defines DOCUMENT, the struct of the document; the table defines ROW in
 * front of a list, the struct of its rows.
 *
 *   NUMBER(name, from, to, unit, sentence)             a number of the document; member `name`
 *   COLUMNS(columns, sentence)                         what its values are
 *   KINDS(name, columns, sentence)                     names that this program knows
 *   NAMES(name, member, least, longest, order, sentence)
 *   SETS(name, member, of, sentence)
 *   ROWS(name, member, least, order, check, pack, sentence)
 *     FIELD(name, member, type, unit, sentence)        type is of types.def
 *     KEY(name, member, type, unit, sentence)          a field that rows are sorted by
 *     INDEX(name, member, type, of, sentence)          an index of the list `of`; KEY_INDEX, too
 *     LIMITED(name, member, type, to, unit, sentence)  at most `to`; KEY_LIMITED, too
 *     VALUES(member, type, sentence)                   an array; VALUES_APART(member, block, ...):
 * a pointer into the document's block
 *
 * A list's count is the member that is called as the list.
 */
#include "documents/document.h"

#define DOC_SIZE(type, member)     sizeof(((type *)0)->member)
#define DOC_AT(type, member)       .at = offsetof(type, member), .size = DOC_SIZE(type, member)
#define DOC_SAYS(title, in, words) .name = (title), .unit = (in), .sentence = (words)
#define DOC_LISTED(title, member_, words) \
    DOC_SAYS(#title, "", words), DOC_AT(DOCUMENT, member_), .counted = offsetof(DOCUMENT, title)
#define DOC_FIELD(title, member_, type_, in, words)                                \
    .kind = DOC_ITEM_FIELD, .type = DOC_TYPE_##type_, DOC_SAYS(#title, in, words), \
    DOC_AT(ROW, member_)

#define NUMBER(title, from_, to_, in, words) \
    {.kind = DOC_ITEM_NUMBER,                \
     .type = DOC_TYPE_count,                 \
     DOC_SAYS(#title, in, words),            \
     DOC_AT(DOCUMENT, title),                \
     .from = (from_),                        \
     .to = (to_)},
#define COLUMNS(columns_, words) \
    {.kind = DOC_ITEM_COLUMNS, DOC_SAYS("columns", "", words), .columns = &(columns_)},
#define KINDS(title, columns_, words) \
    {.kind = DOC_ITEM_KINDS, DOC_SAYS(#title, "", words), .columns = &(columns_)},
#define NAMES(title, member_, least, longest, order_, words) \
    {.kind = DOC_ITEM_NAMES,                                 \
     DOC_LISTED(title, member_, words),                      \
     .from = (least),                                        \
     .to = (longest),                                        \
     .order = DOC_##order_},
#define SETS(title, member_, of_, words) \
    {.kind = DOC_ITEM_SETS, DOC_LISTED(title, member_, words), .of = #of_},
#define ROWS(title, member_, least, order_, check_, pack_, words) \
    {.kind = DOC_ITEM_ROWS,                                       \
     DOC_LISTED(title, member_, words),                           \
     .each = sizeof(ROW),                                         \
     .from = (least),                                             \
     .order = DOC_##order_,                                       \
     .check = (check_),                                           \
     .pack = (pack_)},
#define FIELD(title, member_, type_, in, words) {DOC_FIELD(title, member_, type_, in, words)},
#define KEY(title, member_, type_, in, words) \
    {DOC_FIELD(title, member_, type_, in, words), .key = true},
#define INDEX(title, member_, type_, of_, words) \
    {DOC_FIELD(title, member_, type_, "", words), .of = #of_},
#define KEY_INDEX(title, member_, type_, of_, words) \
    {DOC_FIELD(title, member_, type_, "", words), .of = #of_, .key = true},
#define LIMITED(title, member_, type_, to_, in, words) \
    {DOC_FIELD(title, member_, type_, in, words), .to = (to_)},
#define KEY_LIMITED(title, member_, type_, to_, in, words) \
    {DOC_FIELD(title, member_, type_, in, words), .to = (to_), .key = true},
#define VALUES(member_, type_, words) {DOC_FIELD(values, member_, type_, "", words)},
#define VALUES_APART(member_, block_, type_, words) \
    {DOC_FIELD(values, member_, type_, "", words), .block = offsetof(DOCUMENT, block_)},
