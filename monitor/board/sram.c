/*
 * The SRAM of the card: 65,536 counters of 32 bits whose number is formed from what happened (N-75
 * .. N-91), so that it draws histograms.
 *
 * The hard idea is the 7-bit service time (N-85): 3 exponent bits with an excess of 1 and 4
 * mantissa bits, denormal for exponent 0. As printed this reaches from 0 to 1984 without a gap, in
 * steps of 1, 1, 2, 4, 8, 16, 32 and 64: what an 11-bit counter holds, not 12 (the remark in the
 * card's document). Exponent 1 is read as normal, or 16 to 31 would have no code.
 *
 * An increment is fetched, incremented and written back in three cycles; an event that comes sooner
 * after the one before is lost (N-88). Processors that all count in one SRAM at a regular pace can
 * be in step, so that one of them loses nearly everything. Losses are counted for each processor,
 * and counters.arbitration makes the processors take turns.
 */
#include "monitor/board/board.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

enum { MANTISSA = 4, IMPLIED = 1 << MANTISSA, TIME_CODES = 128, TIME_LINEAR_MAX = 4095 };

const struct mon_row mon_board_sources[MON_SOURCES + 1] = {
#define SOURCE(name, number, ref, sentence) [number] = {#name, ref, sentence, number},
#define PART(source, name, low, bits, sentence)
#include "monitor/board/sources.def"
#undef SOURCE
#undef PART
};

const struct mon_field_row mon_board_parts[] = {
#define SOURCE(name, number, ref, sentence)
#define PART(source, name, low, bits, sentence) {#source, #name, sentence, low, bits},
#include "monitor/board/sources.def"
#undef SOURCE
#undef PART
    {0}};

/* Where the parts lie: AT_state_time_PHASE is the low bit, MAX_... the value mask. */
enum {
#define SOURCE(name, number, ref, sentence)
#define PART(source, name, low, bits, sentence) \
    AT_##source##_##name = low, MAX_##source##_##name = (1 << (bits)) - 1,
#include "monitor/board/sources.def"
#undef SOURCE
#undef PART
};
#define PUT(value, part) ((unsigned)(value) << AT_##part)
#define GET(index, part) ((index) >> AT_##part & MAX_##part)

/* ---- service time ---------------------------------------------------------------------------- */

unsigned mon_time_encode(uint64_t cycles, bool doubled)
{
    const uint64_t v = doubled ? cycles / 2 : cycles;
    if (v < IMPLIED)
        return (unsigned)v;
    unsigned exponent = 64u - (unsigned)__builtin_clzll(v) - MANTISSA;
    if (exponent >= TIME_CODES >> MANTISSA)
        return TIME_CODES - 1;
    return exponent << MANTISSA | (unsigned)((v >> (exponent - 1)) - IMPLIED);
}

unsigned mon_time_decode(unsigned code, bool doubled)
{
    const unsigned exponent = code >> MANTISSA, mantissa = code % IMPLIED;
    const unsigned v = exponent ? (IMPLIED + mantissa) << (exponent - 1) : mantissa;
    return doubled ? 2 * v : v;
}

uint64_t mon_time_end(enum mon_source source, bool doubled)
{
    if (source == MON_SOURCE_state_time)
        return mon_time_decode(TIME_CODES - 1, doubled);
    return source == MON_SOURCE_phase_time ? TIME_LINEAR_MAX : 0;
}

/* ---- the number of a word -------------------------------------------------------------------- */

static unsigned state_bits(const struct mon_transaction *t)
{
    return PUT(t->exclusive, state_time_EXCLUSIVE) | PUT(t->remote, state_time_REMOTE) |
           PUT(t->global, state_time_GLOBAL) | PUT(t->valid, state_time_VALID) |
           PUT(t->nc_hit, state_time_NC_HIT);
}

_Static_assert((int)AT_state_time_EXCLUSIVE == (int)AT_state_phase_EXCLUSIVE &&
                   (int)AT_state_time_REMOTE == (int)AT_state_phase_REMOTE &&
                   (int)AT_state_time_GLOBAL == (int)AT_state_phase_GLOBAL &&
                   (int)AT_state_time_VALID == (int)AT_state_phase_VALID &&
                   (int)AT_state_time_NC_HIT == (int)AT_state_phase_NC_HIT,
               "both sources have StateInfo and RequestInfo in the same bits");

uint16_t mon_bin_of(enum mon_source source, const struct mon_transaction *t, bool doubled)
{
    const uint64_t service = t->service < TIME_LINEAR_MAX ? t->service : TIME_LINEAR_MAX;
    switch (source) {
    case MON_SOURCE_state_phase:
        return (uint16_t)(state_bits(t) | PUT(t->phase & MAX_state_phase_PHASE, state_phase_PHASE));
    case MON_SOURCE_state_time:
        return (uint16_t)(state_bits(t) | PUT(t->phase & MAX_state_time_PHASE, state_time_PHASE) |
                          PUT(mon_time_encode(t->service, doubled), state_time_TIME));
    default:
        return (uint16_t)(PUT(t->phase & MAX_phase_time_PHASE, phase_time_PHASE) |
                          PUT(service, phase_time_TIME));
    }
}

static void decode_state(struct mon_bin *bin, unsigned index)
{
    bin->has_state = true;
    bin->exclusive = GET(index, state_time_EXCLUSIVE);
    bin->remote = GET(index, state_time_REMOTE);
    bin->global = GET(index, state_time_GLOBAL);
    bin->valid = GET(index, state_time_VALID);
    bin->nc_hit = GET(index, state_time_NC_HIT);
}

struct mon_bin mon_bin_decode(enum mon_source source, uint16_t index, bool doubled)
{
    struct mon_bin bin = {0};
    unsigned code;
    switch (source) {
    case MON_SOURCE_scaddr:
        bin.has_block = true;
        bin.block = GET(index, scaddr_INDEX);
        bin.high_half = GET(index, scaddr_HALF);
        break;
    case MON_SOURCE_state_phase:
        decode_state(&bin, index);
        bin.has_phase = true;
        bin.phase = GET(index, state_phase_PHASE);
        break;
    case MON_SOURCE_state_time:
        decode_state(&bin, index);
        bin.has_phase = bin.has_time = true;
        bin.phase = GET(index, state_time_PHASE);
        code = GET(index, state_time_TIME);
        bin.time_low = mon_time_decode(code, doubled);
        bin.time_high = code + 1 < TIME_CODES ? mon_time_decode(code + 1, doubled) - 1 : UINT64_MAX;
        break;
    case MON_SOURCE_phase_time:
        bin.has_phase = bin.has_time = true;
        bin.phase = GET(index, phase_time_PHASE);
        bin.time_low = GET(index, phase_time_TIME);
        bin.time_high = bin.time_low < TIME_LINEAR_MAX ? bin.time_low : UINT64_MAX;
        break;
    default:
        break;
    }
    return bin;
}

/* ---- counting -------------------------------------------------------------------------------- */

bool mon_sram_count(struct mon_sram *s, uint16_t index, uint64_t cycle)
{
    if (cycle < s->free_at) {
        s->lost += s->lost < UINT32_MAX;
        return false;
    }
    s->free_at = cycle + MON_SRAM_BUSY;
    uint32_t *word = mon_sram_words(s);
    if (++word[index] == 0) {
        s->overflow = true;
        s->last = index;
    }
    return true;
}

static struct mon_writer *writer_of(struct mon_sram *s, unsigned writer)
{
    if (writer >= s->writers) {
        s->writer = sim_grow(s->writer, writer + 1, sizeof *s->writer);
        memset(s->writer + s->writers, 0, (writer + 1 - s->writers) * sizeof *s->writer);
        s->writers = writer + 1;
    }
    return &s->writer[writer];
}

bool mon_sram_increment(struct mon_sram *s, uint16_t index, uint64_t cycle, unsigned writer,
                        bool own)
{
    struct mon_writer *w = writer_of(s, writer);
    if (s->turns && cycle < s->free_at && s->latched[own] <= cycle)
        cycle = s->latched[own] = s->free_at;
    const bool counted = mon_sram_count(s, index, cycle);
    w->written++;
    w->lost += !counted;
    return counted;
}

/* Memory of the host is used only for cards whose SRAM is. */
uint32_t *mon_sram_words(struct mon_sram *s)
{
    if (!s->word)
        s->word = sim_alloc(MON_SRAM_WORDS, sizeof *s->word);
    return s->word;
}
