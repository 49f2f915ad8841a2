/*
 * Which object has which bytes of the program's memory now: the *tenant* of an address. Memory is
 * used again, and an address alone does not say which of its tenants a request was for.
 */
#ifndef REP_TENANTS_H
#define REP_TENANTS_H

#include "report/objects.h"

/** What a request was for, as far as it was known when it was made. In truth.json by number. */
enum rep_tenant_kind {
    REP_TENANT_nobody,    /**< no block, stack or thread-local variable was there */
    REP_TENANT_several,   /**< more than are told apart: not known */
    REP_TENANT_call,      /**< nobody yet: asked for within a call of the site, which had not
                               returned; what it gave, if it is there */
    REP_TENANT_block,     /**< a block */
    REP_TENANT_stack,     /**< of a thread */
    REP_TENANT_variables, /**< of a thread */
    REP_TENANT__COUNT
};

struct rep_tenant {
    enum rep_tenant_kind kind;
    struct rep_block block; /**< of a block: `from`, `to` and `site`; of a thread's: `from`, `to`
                               and `thread`; of a call: `site` */
};

/** Tenants of one layer do not overlap: a new one takes the bytes of the old. */
enum rep_layer { REP_LAYER_VARIABLES, REP_LAYER_STACKS, REP_LAYER_BLOCKS, REP_LAYER_MAPPINGS };
enum { REP_LAYERS = REP_LAYER_MAPPINGS + 1 };

struct rep_tenants;

/** @return the caller's */
struct rep_tenants *rep_tenants_new(void);
void rep_tenants_free(struct rep_tenants *tenants);

/** It has its bytes from now on. Blocks of one place have `serial` to tell them apart. */
void rep_tenants_come(struct rep_tenants *tenants, enum rep_layer layer,
                      const struct rep_tenant *tenant);
/** It no longer has what it has of them; others that came in its place stay. */
void rep_tenants_go(struct rep_tenants *tenants, enum rep_layer layer,
                    const struct rep_tenant *tenant);
/** The bytes of a layer have no tenant any more. */
void rep_tenants_clear(struct rep_tenants *tenants, enum rep_layer layer, uint64_t from,
                       uint64_t to);
/** The number of who has it; REP_TENANT_nobody: none of the layer. */
uint32_t rep_tenants_at(struct rep_tenants *tenants, enum rep_layer layer, uint64_t va);

/** A tenant's number among all that were asked for (pc_missed_row.tenant); made if need be. Blocks
 * that a site had at the same bytes, one after the other, have one number. There are at most
 * 1,048,576.
 */
uint32_t rep_tenants_number(struct rep_tenants *tenants, const struct rep_tenant *tenant);
/** Those that have numbers, in their order: nobody, several, and so on. @return the caller's */
struct rep_tenant *rep_tenants_take(const struct rep_tenants *tenants, size_t *count);

#endif
