/*
 * The memory card's answer to accesses outside coherence. The master controller gives them the DRAM
 * as it gives it to the protocol, in the same order and at the same price, and leaves the directory
 * alone.
 *
 * The one idea: an uncached access takes effect here, at its home, in one event. So all processors
 * see two uncached accesses to one datum in the same order. A processor has only one uncached
 * access out at a time. So uncached accesses are sequentially consistent among themselves.
 *
 * A line of a non-coherent page is moved for its time and traffic only: its bytes are those of the
 * one memory image wherever they are read.
 */
#include "machine/noncoherent.h"

#include <string.h>

void nm_noncoherent_merge(uint8_t *to, uint64_t word, uint8_t bytes)
{
    uint8_t from[sizeof word];
    memcpy(from, &word, sizeof from);
    for (unsigned i = 0; i < sizeof from; i++)
        if (bytes >> i & 1)
            to[i] = from[i];
}

void nm_noncoherent_take(struct nm_controller *c, uint8_t *image, const struct nm_packet *in,
                         sim_tick now)
{
    const sim_tick ready = nm_controller_access(c, in->line, now);
    uint8_t *datum = image + (in->line & ~(uint64_t)(sizeof in->word - 1));
    struct nm_packet p = *in;
    switch (in->message) {
    case NM_MSG_UNC_RD:
        memcpy(&p.word, datum, sizeof p.word);
        nm_controller_answer(c, &p, NM_MSG_UNC_DATA, ready);
        break;
    case NM_MSG_UNC_WR:
        nm_noncoherent_merge(datum, in->word, in->bytes);
        nm_controller_answer(c, &p, NM_MSG_UNC_DONE, ready);
        break;
    case NM_MSG_NCH_RD:
        nm_controller_answer(c, &p, NM_MSG_NCH_DATA, ready);
        break;
    default: /* a write-back needs no answer */
        break;
    }
}
