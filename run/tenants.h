/*
 * Which object has which bytes of the program's memory now: the *tenant* of an address. Memory is
 * used again, and an address alone does not say which of its tenants a request was for.
 */
#ifndef RUN_TENANTS_H
#define RUN_TENANTS_H

#include "documents/rows/truth.h"

/** Tenants of one layer do not overlap: a new one takes the bytes of the old. */
enum run_layer { RUN_LAYER_VARIABLES, RUN_LAYER_STACKS, RUN_LAYER_BLOCKS, RUN_LAYER_MAPPINGS };
enum { RUN_LAYERS = RUN_LAYER_MAPPINGS + 1 };

struct run_tenants;

/** @return the caller's */
struct run_tenants *run_tenants_new(void);
void run_tenants_free(struct run_tenants *tenants);

/** It has its bytes from now on. Blocks of one place have `serial` to tell them apart. */
void run_tenants_come(struct run_tenants *tenants, enum run_layer layer,
                      const struct doc_tenant *tenant);
/** Others than its own: it has [from, to) now, and what it has had. */
void run_tenants_have(struct run_tenants *tenants, enum run_layer layer, uint64_t from, uint64_t to,
                      const struct doc_tenant *tenant);
/** It no longer has what it has of them; others that came in its place stay. */
void run_tenants_go(struct run_tenants *tenants, enum run_layer layer,
                    const struct doc_tenant *tenant);
/** ... of what it has in [from, to). */
void run_tenants_leave(struct run_tenants *tenants, enum run_layer layer, uint64_t from,
                       uint64_t to, const struct doc_tenant *tenant);
/** The bytes of a layer have no tenant any more. */
void run_tenants_clear(struct run_tenants *tenants, enum run_layer layer, uint64_t from,
                       uint64_t to);
/** The number of who has it; DOC_TENANT_nobody: none of the layer. */
uint32_t run_tenants_at(struct run_tenants *tenants, enum run_layer layer, uint64_t va);
/** The number of the smallest that has it, of the layers before the mappings; likewise.
 *  @param[out] its_layer  nobody: RUN_LAYER_MAPPINGS */
uint32_t run_tenants_smallest(struct run_tenants *tenants, uint64_t va, enum run_layer *its_layer);

/** Who has it, and its number if it has been asked for, else 0. NULL: none of the layer. */
const struct doc_tenant *run_tenants_of(const struct run_tenants *tenants, enum run_layer layer,
                                        uint64_t va, uint32_t *number);

/** A tenant's number among all that were asked for (pc_missed_row.tenant); made if need be. Blocks
 * that a site had at the same bytes, one after the other, have one number. There are at most
 * 1,048,576.
 */
uint32_t run_tenants_number(struct run_tenants *tenants, const struct doc_tenant *tenant);
/** Those that have numbers, in their order: nobody, several, and so on. @return the caller's */
struct doc_tenant *run_tenants_take(const struct run_tenants *tenants, size_t *count);

#endif
