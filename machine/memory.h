/* The memory card of a station: two interleaved DRAM banks and the directory in SRAM. */
#ifndef NM_MEMORY_H
#define NM_MEMORY_H

#include "machine/bus.h"
#include "machine/check.h"
#include "machine/protocol.h"

struct nm_memory;

/**
 * @param base,size  physical addresses this card is home of [bytes]
 * @param check      checking mode's observer, or NULL
 * @param broken     called with a sentence when the protocol table has no cell
 */
struct nm_memory *nm_memory_new(struct nm_kernel *k, struct nm_bus *bus, const struct nm_params *p,
                                uint64_t base, uint64_t size, struct nm_check *check);
void nm_memory_free(struct nm_memory *mem);

/** [bus cycles] the card worked on a request, up to `now`. */
uint64_t nm_memory_busy(const struct nm_memory *mem, nm_tick now);

/** Directory entry of a line, for looking. */
struct nm_home_line nm_memory_line(const struct nm_memory *mem, uint64_t line);

#endif
