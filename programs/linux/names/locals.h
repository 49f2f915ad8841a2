/*
 * The variables and arguments of an executable's functions: where each is while an instruction
 * executes.
 */
#ifndef LX_LOCALS_H
#define LX_LOCALS_H

#include "procard/profile.h"
#include "programs/linux/names/types.h"
#include "programs/linux/names/types_sent.h"
#include "programs/workload.h"

struct lx_local {
    uint64_t from, to;    /**< instructions, guest virtual */
    const char *name;     /**< the table's, as `function` */
    const char *function; /**< that it is declared in, perhaps one that is inlined there: */
    unsigned inlined;     /**< in so many, one in another */
    uint32_t type;
    struct lx_source source;
    unsigned mode; /**< LX_PLACE_MEMORY ... */
    unsigned base; /**< a register, or LX_PLACE_CFA */
    int64_t offset;
};

struct lx_locals;

struct lx_locals *lx_locals_new(void);
void lx_locals_free(struct lx_locals *locals);

/** A FUNCTION or AUTO has come. @param source  of an AUTO
 *  @param name  NULL: none that can be printed */
void lx_locals_take(struct lx_locals *locals, const struct lx_sent *sent, uint64_t bias,
                    struct lx_source source, const char *name);
/** All has come. */
void lx_locals_settle(struct lx_locals *locals, const struct lx_types *types);

/** The variables that have a place while the instruction at `pc` executes: all of them, one behind
 *  the other, those of inner scopes first. @param before  the last one; NULL: none yet
 *  @return NULL: no more */
const struct lx_local *lx_locals_at(const struct lx_locals *locals, uint64_t pc,
                                    const struct lx_local *before);

/** Where the variable is declared that a path of a function begins with ("rows[3].n"): the longest
 *  name, and of several of that name the first by file and line. */
struct lx_source lx_locals_source(const struct lx_locals *locals, const char *function,
                                  const char *path);

/** Where in memory it is. @return false: it is in a register, or where nobody knows
 *  @param read_word  reads an address from memory */
bool lx_local_address(const struct lx_local *local, const struct pc_profile_frame *frame,
                      bool (*read_word)(void *ctx, uint64_t va, uint64_t *out), void *ctx,
                      uint64_t *out);

#endif
