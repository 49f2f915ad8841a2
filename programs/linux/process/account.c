/*
 * What a program's rooms reckon with: simulated time, chance from the run's seed, and the host's
 * memory that the guest may have.
 */
#include "programs/linux/process/process.h"

#include <Random123/philox.h>

uint64_t lx_ns(const struct lx_prog *p, sim_tick t)
{
    return (uint64_t)((unsigned __int128)t * 1000000000 / nm_value_cpu_clock(p->par));
}

sim_tick lx_ticks(const struct lx_prog *p, uint64_t ns)
{
    return (sim_tick)(((unsigned __int128)ns * nm_value_cpu_clock(p->par) + 999999999) /
                      1000000000);
}

void lx_random(const struct lx_prog *p, uint64_t stream, uint64_t from, void *buf, size_t len)
{
    philox4x32_key_t key = {{(uint32_t)p->run->spec->seed, (uint32_t)(p->run->spec->seed >> 32)}};
    uint8_t *to = buf;

    for (size_t i = 0; i < len; i++) {
        uint64_t block = (from + i) / 16;
        unsigned byte = (unsigned)((from + i) % 16);
        philox4x32_ctr_t ctr = {
            {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
        to[i] = (uint8_t)(philox4x32(ctr, key).v[byte / 4] >> (8 * (byte % 4)));
    }
}

uint64_t lx_memory(const struct lx_prog *p)
{
    return nm_value_memory_size(p->par) * nm_params_stations(p->par);
}

uint64_t lx_room(const struct lx_prog *p)
{
    return lx_memory(p) - p->kept;
}

bool lx_has_cards(const struct lx_prog *p)
{
    return nm_value_mode(p->par) == NM_MODE_TIMED && !p->run->stages;
}

bool lx_keep(struct lx_prog *p, uint64_t bytes)
{
    if (bytes > lx_room(p))
        return false;
    p->kept += bytes;
    return true;
}

void lx_give_back(struct lx_prog *p, uint64_t bytes)
{
    p->kept -= bytes;
}
