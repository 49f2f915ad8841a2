/*
 * Interrupts and barriers between processors, in registers of their cards.
 *
 * A barrier is a counter on every card that takes part. A processor that arrives adds 1 on all of
 * these cards, with one store through a window. Then it waits until its own card's counter has seen
 * all arrivals: a loop that reads its own card and nothing else. The hard idea is that nothing has
 * to be reset. A round takes its arrivals off the counter, so the next round can begin while some
 * card has not yet received the last arrival of this one. No processor arrives twice in a round; so
 * n times the arrivals mean that each processor has arrived n times, in whatever order they came.
 */
#include "procard/sync.h"

#define RW  MON_RW
#define RO  MON_RO
#define WO  MON_WO
#define W1C MON_W1C

static const struct mon_register_row registers[] = {
#define REGISTER(name, offset, bits, access, reset, sentence) \
    {#name, sentence, offset, reset, bits, access},
#define FIELD(register, name, low, bits, sentence)
#include "procard/sync.def"
#undef REGISTER
#undef FIELD
    {0}};

static const struct mon_field_row fields[] = {
#define REGISTER(name, offset, bits, access, reset, sentence)
#define FIELD(register, name, low, bits, sentence) {#register, #name, sentence, low, bits},
#include "procard/sync.def"
#undef REGISTER
#undef FIELD
    {0}};

/* What a word holds, at its place; no bits: there is no register. */
static const struct {
    uint8_t bits, access;
} words[PC_SYNC_WORDS] = {
#define REGISTER(name, offset, bits, access, reset, sentence) \
    [(offset - PC_SYNC_BEGIN) / 4] = {bits, access},
#define FIELD(register, name, low, bits, sentence)
#include "procard/sync.def"
#undef REGISTER
#undef FIELD
};

/* Bits of a register, and the field of a name where it stands. */
enum {
#define REGISTER(name, offset, bits, access, reset, sentence) BITS_##name = bits,
#define FIELD(register, name, low, bits, sentence)            LOW_##register##_##name = low,
#include "procard/sync.def"
#undef REGISTER
#undef FIELD
};

#define REGISTER(name, offset, bits, access, reset, sentence)                                \
    _Static_assert((offset) % 4 == 0 && (offset) >= PC_SYNC_BEGIN && (offset) < PC_SYNC_END, \
                   "a register is a word of its range");                                     \
    _Static_assert((bits) >= 1 && (bits) <= 32 && (reset) == 0, "all begin at 0");
#define FIELD(register, name, low, bits, sentence) \
    _Static_assert((low) + (bits) <= BITS_##register, "a field is in its register");
#include "procard/sync.def"
#undef REGISTER
#undef FIELD

enum {
    TO_SPAN = PC_SYNC_TO_CARDS1 - PC_SYNC_TO_CARDS0, /* [bytes] of a window's four registers, */
    BARRIER_SPAN = PC_SYNC_ARRIVE1 - PC_SYNC_ARRIVE0 /* of a barrier's */
};
_Static_assert(PC_SYNC_TO_CARDS3 == PC_SYNC_TO_CARDS0 + (PC_WINDOWS - 1) * TO_SPAN &&
                   PC_SYNC_ARRIVE7 == PC_SYNC_ARRIVE0 + (PC_BARRIERS - 1) * BARRIER_SPAN,
               "they lie evenly");
_Static_assert(PC_SYNC_TO_GROUPS0 == PC_SYNC_TO_STATIONS0 + 4 * (RING_LEVELS - 1),
               "a field of the routing mask after the other");

const struct mon_register_row *pc_sync_registers(size_t *count)
{
    *count = sizeof registers / sizeof *registers - 1;
    return registers;
}

const struct mon_register_row *pc_sync_register_at(uint32_t offset)
{
    for (size_t i = 0; registers[i].name; i++)
        if (registers[i].offset == offset)
            return &registers[i];
    return NULL;
}

const struct mon_field_row *pc_sync_fields(size_t *count)
{
    *count = sizeof fields / sizeof *fields - 1;
    return fields;
}

static uint32_t *sync_word(struct pc_sync *s, uint32_t offset)
{
    return &s->word[(offset - PC_SYNC_BEGIN) / 4];
}

static uint32_t sync_value_of(const struct pc_sync *s, uint32_t offset)
{
    return s->word[(offset - PC_SYNC_BEGIN) / 4];
}

void pc_sync_init(struct pc_sync *s, const struct nm_params *p)
{
    *s = (struct pc_sync){0};
    *sync_word(s, PC_SYNC_SHAPE) = (uint32_t)(nm_value_processors(p) << LOW_SHAPE_CARDS |
                                              nm_value_ring_stations(p) << LOW_SHAPE_STATIONS |
                                              nm_value_ring_locals(p) << LOW_SHAPE_LOCALS |
                                              nm_value_ring_groups(p) << LOW_SHAPE_GROUPS);
}

uint32_t pc_sync_read(struct pc_sync *s, uint32_t offset)
{
    const uint32_t irq = sync_value_of(s, PC_SYNC_IRQ);
    if (offset != PC_SYNC_IRQ_TAKE)
        return sync_value_of(s, offset); /* what is only written, or not there, stays 0 */
    *sync_word(s, PC_SYNC_IRQ) = 0;
    return irq;
}

/* Counts arrivals at the barrier whose registers begin at `base`. Whole rounds go off at once. */
static void sync_arrive(struct pc_sync *s, uint32_t base, uint32_t arrivals)
{
    uint32_t *arrived = sync_word(s, base + PC_SYNC_ARRIVED0 - PC_SYNC_ARRIVE0);
    const uint32_t expected = sync_value_of(s, base + PC_SYNC_EXPECTED0 - PC_SYNC_ARRIVE0);
    const uint64_t all = (uint64_t)*arrived + arrivals;
    *arrived = (uint32_t)(expected ? all % expected : all);
    if (expected)
        *sync_word(s, base + PC_SYNC_ROUND0 - PC_SYNC_ARRIVE0) += (uint32_t)(all / expected);
}

/* A register of a barrier. Whatever is written, rounds may be complete then. */
static void write_barrier(struct pc_sync *s, uint32_t offset, uint32_t value)
{
    const uint32_t base =
        PC_SYNC_ARRIVE0 + (offset - PC_SYNC_ARRIVE0) / BARRIER_SPAN * BARRIER_SPAN;
    const bool arrives = offset == base;
    if (!arrives)
        *sync_word(s, offset) = value;
    sync_arrive(s, base, arrives ? value : 0);
}

unsigned pc_sync_write(struct pc_sync *s, uint32_t offset, uint32_t value)
{
    const unsigned i = (offset - PC_SYNC_BEGIN) / 4, bits = words[i].bits;
    if (!bits)
        return MON_REFUSED_NO_REGISTER;
    if (words[i].access == MON_RO)
        return MON_REFUSED_READ_ONLY;
    if (bits < 32)
        value &= (1u << bits) - 1;
    if (offset == PC_SYNC_IRQ)
        *sync_word(s, PC_SYNC_IRQ) &= ~value;
    else if (offset == PC_SYNC_IRQ_SET)
        *sync_word(s, PC_SYNC_IRQ) |= value;
    else if (offset >= PC_SYNC_ARRIVE0)
        write_barrier(s, offset, value);
    else
        *sync_word(s, offset) = value;
    return 0;
}

uint32_t pc_sync_pending(const struct pc_sync *s)
{
    return sync_value_of(s, PC_SYNC_IRQ) & sync_value_of(s, PC_SYNC_IRQ_ENABLE);
}

struct pc_sync_cast pc_sync_cast(const struct pc_sync *s, const struct ring_shape *shape,
                                 unsigned cards, uint32_t offset)
{
    const uint32_t to =
        PC_SYNC_TO_CARDS0 + (offset - PC_WINDOW) / PC_WINDOW_SPAN * (uint32_t)TO_SPAN;
    struct pc_sync_cast cast = {.offset = (offset - PC_WINDOW) % PC_WINDOW_SPAN,
                                .cards = (uint8_t)(sync_value_of(s, to) & ((1u << cards) - 1))};
    for (unsigned l = 0; l < shape->levels; l++) {
        const uint64_t field = sync_value_of(s, to + 4 + 4 * l) & ((1u << shape->fan[l]) - 1);
        if (!field) {
            cast.route = 0;
            break;
        }
        cast.route |= field << 16 * l;
    }
    return cast;
}
