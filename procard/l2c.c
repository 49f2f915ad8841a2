/*
 * The controller of the secondary cache of an ARM11.
 *
 * The one thing to know: a slave port keeps the line it read last in a buffer of 32 bytes. What
 * that serves is looked up nowhere, and the event monitor does not see it ([S] 9).
 */
#include "procard/l2c.h"

#include "machine/values.h"
#include "procard/card.h"

enum {
#define L2C_REGISTER(name, offset, access, sentence) name = (offset),
#include "procard/l2c.def"
#undef L2C_REGISTER
};
static const struct mon_register_row registers[] = {
#define L2C_REGISTER(name, offset, access, sentence) {#name, sentence, offset, 0, 32, MON_##access},
#include "procard/l2c.def"
#undef L2C_REGISTER
    {0}};
enum {
    WAY_UNIT = 8192,   /* [bytes] a way of size 0 */
    LATENCIES = 0xfff, /* what can be written of AUX: these, */
    BUS_ON = 1 << 20,  /* this, */
    OTHERS = 3 << 21,  /* and bits without effect */
    WRITABLE = LATENCIES | BUS_ON | OTHERS,
    FIELD = 3, /* [bits] of a latency: */
    DATA_READ = 0,
    DATA_WRITE = 3,
    TAG = 6,
};

static void signal_of(struct pc_l2c *l2c, enum l2c_signal s, uint64_t n)
{
    l2c->signals.total[s] += n;
}

static sim_tick now_of(const struct pc_card *card)
{
    return sim_later(card->cpu.now, sim_kernel_now(card->k));
}

/* Behind its signals: who waits for them is told in the next PCycle. */
static void l2c_tell(struct pc_card *card)
{
    struct pc_l2c *l2c = &card->l2c;
    if (!l2c->waits)
        return;
    const struct l2c_signals now = pc_l2c_signals(card, now_of(card));
    if (l2c_interrupts(&l2c->monitor, &now) & ~l2c->raised)
        pc_counters_look(&card->cpu, now_of(card) + 1, false);
}

static uint64_t l2c_line_of(uint64_t pa)
{
    return pa & ~(uint64_t)(PC_L2C_LINE - 1);
}

/* [PCycles] of a field of AUX. */
static sim_tick l2c_cycles(const struct pc_l2c *l2c, unsigned field)
{
    return (l2c->aux >> field & ((1U << FIELD) - 1)) + 1;
}

/* Bits of AUX that are the machine's, and those that are as they must be. */
static uint32_t l2c_fixed(const struct nm_params *p)
{
    const uint64_t way = p->l2_size / p->l2_ways;
    const unsigned size = way > WAY_UNIT ? (unsigned)__builtin_ctzll(way / WAY_UNIT) : 0;
    return (uint32_t)p->l2_ways << 13 | size << 17 | (p->l2c == NM_L2C_210 ? 1U << 23 : 1U << 24);
}

void pc_l2c_init(struct pc_card *card)
{
    const struct nm_params *p = card->p;
    struct pc_l2c *l2c = &card->l2c;
    l2c->on = p->l2c != NM_L2C_NONE;
    l2c->aux = ((uint32_t)p->l2c_aux & WRITABLE) | l2c_fixed(p);
    l2c->buffer[PC_SIDE_I] = l2c->buffer[PC_SIDE_D] = ~UINT64_C(0);
    l2c->monitor.kind = p->l2c == NM_L2C_220 ? L2C_220 : L2C_210;
    l2c->monitor.bus = l2c->aux & BUS_ON;
}

struct l2c_signals pc_l2c_signals(const struct pc_card *card, sim_tick at)
{
    struct l2c_signals now = card->l2c.signals;
    now.total[L2C_SIGNAL_CYCLES] = card->l2c.on ? at : 0;
    return now;
}

/* ---- accesses -------------------------------------------------------------------------------- */

sim_tick pc_l2c_reads(struct pc_cpu *cpu, enum pc_side side, const struct pc_look *look,
                      sim_tick without)
{
    struct pc_l2c *l2c = &cpu->card->l2c;
    const sim_tick there_and_back = 2 * cpu->card->p->l2c_handover;
    if (!l2c->on)
        return without;
    if (l2c->buffer[side] == l2c_line_of(look->pa))
        return there_and_back + 1;
    l2c->buffer[side] = l2c_line_of(look->pa);
    signal_of(l2c, side == PC_SIDE_I ? L2C_SIGNAL_IRREQ : L2C_SIGNAL_DRREQ, 1);
    if (look->state != NM_LINE_I)
        signal_of(l2c, side == PC_SIDE_I ? L2C_SIGNAL_IRHIT : L2C_SIGNAL_DRHIT, 1);
    l2c_tell(cpu->card);
    return there_and_back + l2c_cycles(l2c, TAG) + l2c_cycles(l2c, DATA_READ);
}

/* What is in [from, from + size) is not in the ports' buffers any more. */
static void buffers_empty(struct pc_l2c *l2c, uint64_t from, uint64_t size)
{
    for (unsigned side = 0; side < PC_SIDES; side++)
        if (l2c->buffer[side] - from < size)
            l2c->buffer[side] = ~UINT64_C(0);
}

void pc_l2c_loses(struct pc_card *card, uint64_t line)
{
    buffers_empty(&card->l2c, line, card->p->l2_line);
}

sim_tick pc_l2c_writes(struct pc_cpu *cpu, const struct pc_look *look, sim_tick without)
{
    struct pc_l2c *l2c = &cpu->card->l2c;
    if (!l2c->on)
        return without;
    buffers_empty(l2c, l2c_line_of(look->pa), PC_L2C_LINE);
    signal_of(l2c, L2C_SIGNAL_DWREQ, 1);
    signal_of(l2c, look->state != NM_LINE_I ? L2C_SIGNAL_DWHIT : L2C_SIGNAL_WA, 1);
    l2c_tell(cpu->card);
    return cpu->card->p->l2c_handover + l2c_cycles(l2c, TAG) + l2c_cycles(l2c, DATA_WRITE);
}

void pc_l2c_evicts(struct pc_card *card)
{
    const uint64_t lines = card->p->l2_line / PC_L2C_LINE;
    signal_of(&card->l2c, L2C_SIGNAL_CO, lines);
    signal_of(&card->l2c, L2C_SIGNAL_CO_HALVES, 2 * lines);
    l2c_tell(card);
}

/* ---- interrupt ------------------------------------------------------------------------------- */

void pc_l2c_look(struct pc_card *card, sim_tick at)
{
    struct pc_l2c *l2c = &card->l2c;
    const struct l2c_signals now = pc_l2c_signals(card, at);
    if (!l2c->on)
        return;
    const unsigned flags = l2c_interrupts(&l2c->monitor, &now);
    const uint64_t quiet = l2c_quiet(&l2c->monitor, &now);
    if (flags & ~l2c->raised)
        pc_counters_interrupt(&card->cpu, at);
    l2c->raised = flags;
    l2c->waits = l2c_waits(&l2c->monitor, &now);
    if (quiet)
        pc_counters_look(&card->cpu, at + quiet, true);
}

/* ---- registers ------------------------------------------------------------------------------- */

bool pc_l2c_has(const struct pc_card *card, uint32_t offset)
{
    return card->l2c.on && offset >= PC_L2C_CONTROLLER && offset < PC_L2C_END;
}

static const struct mon_register_row *row_at(const struct mon_register_row *row, uint32_t offset)
{
    while (row->name && row->offset != offset)
        row++;
    return row->name ? row : NULL;
}

/* Whether an offset is among the registers of the event monitor. @param[out] at  in its 4 KB */
static bool is_monitor(const struct pc_l2c *l2c, uint32_t offset, uint32_t *at)
{
    *at = offset % L2C_SPACE;
    if (l2c->monitor.kind == L2C_210)
        return offset >= PC_L2C_EVENTS;
    return offset < PC_L2C_EVENTS && row_at(l2c_registers(L2C_220), *at);
}

const struct mon_register_row *pc_l2c_register_at(const struct pc_card *card, uint32_t offset)
{
    uint32_t its;
    if (is_monitor(&card->l2c, offset, &its))
        return row_at(l2c_registers(card->l2c.monitor.kind), its);
    return row_at(registers, offset - PC_L2C_CONTROLLER);
}

uint32_t pc_l2c_read(const struct pc_card *card, uint32_t offset, sim_tick at)
{
    const struct pc_l2c *l2c = &card->l2c;
    const struct l2c_signals now = pc_l2c_signals(card, at);
    uint32_t its;
    if (is_monitor(l2c, offset, &its))
        return l2c_read(&l2c->monitor, its, &now);
    switch (offset - PC_L2C_CONTROLLER) {
    case ID:
        return UINT32_C(0x41) << 24 | (l2c->monitor.kind == L2C_210 ? 1U : 2U) << 6;
    case CONTROL:
        return 1;
    case AUX:
        return l2c->aux;
    default:
        return 0;
    }
}

unsigned pc_l2c_write(struct pc_card *card, uint32_t offset, uint32_t value, sim_tick at)
{
    struct pc_l2c *l2c = &card->l2c;
    const struct l2c_signals now = pc_l2c_signals(card, at);
    const struct mon_register_row *row = pc_l2c_register_at(card, offset);
    uint32_t its;
    if (!row)
        return MON_REFUSED_NO_REGISTER;
    if (row->access == MON_RO)
        return MON_REFUSED_READ_ONLY;
    if (is_monitor(l2c, offset, &its)) {
        l2c_write(&l2c->monitor, its, value, &now);
    } else if (offset - PC_L2C_CONTROLLER == AUX) {
        l2c->aux = (value & WRITABLE) | l2c_fixed(card->p);
        l2c_set_bus(&l2c->monitor, l2c->aux & BUS_ON, &now);
    }
    l2c->waits = l2c_waits(&l2c->monitor, &now);
    if (l2c->raised || l2c->waits || l2c_interrupts(&l2c->monitor, &now))
        pc_counters_look(&card->cpu, at + 1, false);
    return 0;
}
