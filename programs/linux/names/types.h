/*
 * An executable's variables: what they are called in its source, and what lies where in them.
 */
#ifndef LX_TYPES_H
#define LX_TYPES_H

#include "programs/linux/binary/elf.h"
#include "programs/linux/names/dwarf.h"
#include "programs/linux/names/symbols.h"
#include "programs/workload.h"

/** Where a source declares something. */
struct lx_source {
    uint32_t file; /**< its number in struct lx_types; 0: not known */
    uint32_t line;
};

/** A variable. */
struct lx_variable {
    uint64_t from;    /**< guest virtual; of a thread-local one, from the start of a thread's */
    uint64_t size;    /**< [bytes]; 0: its type does not say */
    const char *name; /**< with namespaces and function in front; the table's; as of a symbol */
    struct lx_source source;
    uint32_t type; /**< for lx_types_member */
    bool local;    /**< thread-local */
};

enum {
    LX_NO_TYPE = 0,         /**< number of no type */
    LX_TYPES_DEPTH_MAX = 32 /**< types in one another */
};

struct lx_types;

/** Reads the debugging information. What is damaged, or takes more than a few seconds or gigabytes,
 *  is left out.
 *  @param fd       the executable
 *  @param objects  its objects: tables of virtual functions are among them
 *  @return the caller's, never NULL */
struct lx_types *lx_types_new(const struct lx_dwarf_files *files, int fd,
                              const struct lx_elf_image *image, const struct lx_symbols *objects);
void lx_types_free(struct lx_types *types);

/** The variable that starts at `va`. @return NULL: none is known */
const struct lx_variable *lx_types_at(const struct lx_types *types, bool local, uint64_t va);

/** Whether it ends in an array of unknown length: it may be longer than its symbol. */
bool lx_types_is_open(const struct lx_types *types, uint32_t type);

/** The one of that name; of several, the first by address. @return NULL: none */
const struct lx_variable *lx_types_find(const struct lx_types *types, const char *name);

/** prog_names.member. @param size  [bytes] of the variable */
void lx_types_member(const struct lx_types *types, uint32_t number, uint64_t size, uint64_t offset,
                     unsigned depth, struct prog_member *out);

/** prog_declarations.type */
bool lx_types_type_declared(const struct lx_types *types, uint32_t number, struct prog_line *out);

/** prog_declarations.variable */
bool lx_types_variable_declared(const struct lx_types *types, const struct prog_object *object,
                                const char *function, struct prog_line *out);

/* ---- types one by one, for those who follow pointers (reach.c) ---- */

enum lx_type_kind {
    LX_TYPE_PLAIN,
    LX_TYPE_STRUCT,
    LX_TYPE_UNION,
    LX_TYPE_ARRAY,
    LX_TYPE_POINTER,
    LX_TYPE_DESCRIPTOR
};

struct lx_type {
    enum lx_type_kind kind;
    uint32_t number;
    uint32_t of;      /**< of an array its elements', of a pointer what it leads to; 0: not known */
    uint64_t size;    /**< [bytes] 0: not known */
    uint64_t count;   /**< of an array */
    size_t parts;     /**< of a struct; none overlap. Of a descriptor its array's dimensions */
    const char *name; /**< NULL: none */
};

struct lx_part {
    uint64_t at; /**< [bytes] */
    uint32_t type;
    const char *name;
};

struct lx_locals;

size_t lx_types_count(const struct lx_types *types);
/** All variables, thread-local ones last, by address. */
const struct lx_variable *lx_types_variables(const struct lx_types *types, size_t *count);
const struct lx_locals *lx_types_locals(const struct lx_types *types);

/** The number of a type that was sent as `id`; 0: there is none. */
uint32_t lx_types_number(const struct lx_types *types, uint64_t id);
/** @param number  any */
const struct lx_type *lx_types_tell(const struct lx_types *types, uint32_t number);
/** @param number  as told, of one with so many parts */
void lx_types_part(const struct lx_types *types, uint32_t number, size_t i, struct lx_part *out);
/** Where in a descriptor the numbers of the first and last element of a dimension are. */
void lx_types_bound(const struct lx_types *types, uint32_t number, size_t i, uint64_t *first,
                    uint64_t *last);
/** The struct or union of a name; 0: none. */
uint32_t lx_types_named(const struct lx_types *types, const char *name);
/** The structs that begin with that one as their base, one behind the other; 0: no more.
 *  @param after  the last one; 0: none yet */
uint32_t lx_types_derived(const struct lx_types *types, uint32_t base, uint32_t after);
/** The order of two places in sources, as of qsort. */
int lx_types_sources(const struct lx_source *a, const struct lx_source *b);
/** Whether a path ("pool->list", "rows[3]") begins with a variable. @return the name's length; 0:
 * it does not */
size_t lx_types_begins(const char *path, const char *name);
/** Whether a member's name is one that only a library may use: _M_start, __data. */
bool lx_types_is_reserved(const char *name);

#endif
