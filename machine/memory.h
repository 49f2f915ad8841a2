/* The memory card of a station: two interleaved DRAM banks and the directory in SRAM. */
#ifndef NM_MEMORY_H
#define NM_MEMORY_H

#include "machine/controller.h"

struct nm_memory;

/**
 * @param place     where it stands
 * @param base      first physical address this card is home of; p->memory_size bytes follow
 * @param contents  copied
 */
struct nm_memory *nm_memory_new(struct sim_kernel *k, struct nm_bus *bus, const struct nm_params *p,
                                const struct nm_place *place, uint64_t base,
                                const struct nm_backing *contents);
void nm_memory_free(struct nm_memory *mem);

/** DRAM banks busy up to `now`. */
struct nm_banks_busy nm_memory_banks_busy(const struct nm_memory *mem, sim_tick now);

/** [bus cycles] the card worked on a request, up to `now`. */
uint64_t nm_memory_busy(const struct nm_memory *mem, sim_tick now);

/** Its controller, for looking. */
const struct nm_controller *nm_memory_controller(const struct nm_memory *mem);

/** Has it tell `ear`; NULL: no longer. */
void nm_memory_hear(struct nm_memory *mem, const struct nm_ear *ear);

/** Handles a message without time (warm.h). @param[out] sends  what it brings about */
void nm_memory_at_once(struct nm_memory *mem, const struct nm_packet *in, struct nm_sends *sends);

/** A message about that line will come soon: has the host fetch its directory entry. */
void nm_memory_expect(const struct nm_memory *mem, uint64_t line);

/** Directory entry of a line, for looking. */
struct nm_dir_line nm_memory_line(const struct nm_memory *mem, uint64_t line);

#endif
