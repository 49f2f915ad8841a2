/*
 * The memory card: a master controller between the bus FIFOs, the DRAM (two interleaved banks) and
 * the directory in SRAM. Directory and DRAM are looked up in parallel and meet here (TR, memory
 * module).
 *
 * The hard idea is order. The controller takes one message per directory time, while line accesses
 * of several messages overlap in the banks; but what it sends leaves in the order the messages were
 * taken, or an invalidation could overtake the data it belongs behind. And the controller must
 * never stop taking sinkable messages because something nonsinkable is stuck: a request is taken
 * only when an intervention would find room, and answers wait in a small stage of their own.
 */
#include "machine/memory.h"

#include <assert.h>
#include <stdlib.h>

enum {
    STAGE = 8,  /* answers under way in the banks */
    ANSWERS = 2 /* the most one message sends */
};

/* An answer and the tick at which its data are there. */
struct answer {
    struct nm_packet packet;
    nm_tick ready;
};

struct nm_memory {
    struct nm_kernel *k;
    struct nm_bus *bus;
    struct nm_check *check;
    struct nm_port port;
    struct nm_home_line *line; /* directory, one entry per line */
    uint64_t base, line_bytes;
    unsigned line_shift, banks;
    nm_tick directory, dram, recovery; /* [ticks] */
    nm_tick *bank_free;                /* [banks] */
    nm_tick free_at;                   /* controller takes the next message */
    nm_tick last_out;                  /* when the last answer leaves, order is kept */
    nm_tick busy_until;
    nm_tick busy;    /* [ticks] of work begun, the present one whole */
    nm_tick work_at; /* tick of the posted `work` event, NM_NEVER if none */

    struct answer stage[STAGE]; /* in order of leaving */
    unsigned stage_head, staged;
};

static nm_fire_fn work;

static void wake(struct nm_memory *mem, nm_tick at)
{
    if (at >= mem->work_at)
        return;
    mem->work_at = at;
    nm_post(mem->k, at, NM_RANK_MODULE, NM_MODULE_MEMORY, work, mem, at);
}

static void on_bus(void *self, nm_tick now)
{
    wake(self, now);
}

struct nm_memory *nm_memory_new(struct nm_kernel *k, struct nm_bus *bus, const struct nm_params *p,
                                uint64_t base, uint64_t size, struct nm_check *check)
{
    struct nm_memory *mem = calloc(1, sizeof *mem);
    nm_tick cycle = nm_bus_cycle(bus);
    mem->k = k;
    mem->bus = bus;
    mem->check = check;
    mem->base = base;
    mem->line_bytes = p->l2_line;
    mem->line_shift = (unsigned)__builtin_ctzll(p->l2_line);
    mem->line = calloc(size >> mem->line_shift, sizeof *mem->line);
    mem->banks = (unsigned)p->memory_banks;
    mem->bank_free = calloc(mem->banks, sizeof *mem->bank_free);
    mem->directory = p->memory_directory * cycle;
    mem->dram = p->memory_dram * cycle;
    mem->recovery = p->memory_recovery * cycle;
    mem->work_at = NM_NEVER;
    mem->port = (struct nm_port){.module = mem, .arrived = on_bus, .sent = on_bus};
    nm_bus_attach(bus, NM_MODULE_MEMORY, &mem->port);
    return mem;
}

void nm_memory_free(struct nm_memory *mem)
{
    if (!mem)
        return;
    free(mem->line);
    free(mem->bank_free);
    free(mem);
}

static struct nm_home_line *entry(const struct nm_memory *mem, uint64_t line)
{
    return &mem->line[(line - mem->base) >> mem->line_shift];
}

struct nm_home_line nm_memory_line(const struct nm_memory *mem, uint64_t line)
{
    return *entry(mem, line);
}

/* Starts a line access in its bank; returns when the data are there. */
static nm_tick access_dram(struct nm_memory *mem, uint64_t line, nm_tick now)
{
    nm_tick *bank = &mem->bank_free[(line >> mem->line_shift) % mem->banks];
    nm_tick start = *bank > now ? *bank : now;
    *bank = start + mem->dram + mem->recovery;
    return start + mem->dram;
}

static void occupy(struct nm_memory *mem, nm_tick from, nm_tick to)
{
    if (from < mem->busy_until)
        from = mem->busy_until;
    if (to <= from)
        return;
    mem->busy += to - from;
    mem->busy_until = to;
}

uint64_t nm_memory_busy(const struct nm_memory *mem, nm_tick now)
{
    nm_tick left = mem->busy_until > now ? mem->busy_until - now : 0;
    return (mem->busy - left) / nm_bus_cycle(mem->bus);
}

/* Moves answers whose data are there into the outgoing FIFOs as far as there is room, in order. The
 * place of an intervention was reserved when its request was taken. */
static void drain_stage(struct nm_memory *mem, nm_tick now)
{
    while (mem->staged && mem->stage[mem->stage_head].ready <= now) {
        const struct nm_packet *p = &mem->stage[mem->stage_head].packet;
        struct nm_fifo *out = &mem->port.out[nm_message_row(p->message)->class];
        if (out == &mem->port.out[NM_NONSINKABLE])
            out->reserved--;
        else if (!nm_fifo_room(out, 1))
            return;
        mem->stage_head = (mem->stage_head + 1) % STAGE;
        mem->staged--;
        nm_bus_send(mem->bus, NM_MODULE_MEMORY, p);
    }
}

/* The class of the message to take now, or NM_CLASSES: sinkable ones first; a nonsinkable one only
 * when whatever it sends has a place. */
static unsigned next_class(const struct nm_memory *mem)
{
    if (mem->staged + ANSWERS > STAGE)
        return NM_CLASSES;
    if (mem->port.in[NM_SINKABLE].count)
        return NM_SINKABLE;
    if (mem->port.in[NM_NONSINKABLE].count && nm_fifo_room(&mem->port.out[NM_NONSINKABLE], 1))
        return NM_NONSINKABLE;
    return NM_CLASSES;
}

static void carry(struct nm_memory *mem, struct nm_packet *p)
{
    p->source = NM_MODULE_MEMORY;
    if (nm_message_row(p->message)->has_data)
        p->data = nm_check_from_memory(mem->check, p->line);
    for (unsigned card = 0; p->message == NM_MSG_INVALIDATE && card < NM_CARDS_MAX; card++)
        if (p->targets >> card & 1)
            nm_check_invalidate_sent(mem->check, card, p->line);
}

/* Stages an answer: it leaves when its data are there, but never before an earlier one. */
static void stage(struct nm_memory *mem, struct nm_packet *p, const struct nm_packet *in,
                  nm_tick ready)
{
    p->line = in->line;
    p->phase = in->phase;
    carry(mem, p);
    if (nm_message_row(p->message)->class == NM_NONSINKABLE)
        mem->port.out[NM_NONSINKABLE].reserved++;
    mem->last_out = ready > mem->last_out ? ready : mem->last_out;
    mem->stage[(mem->stage_head + mem->staged++) % STAGE] =
        (struct answer){.packet = *p, .ready = mem->last_out};
}

/* One message through directory and DRAM; what it sends is staged until its data are there. */
static void handle(struct nm_memory *mem, const struct nm_packet *in, nm_tick now)
{
    struct nm_home_line *line = entry(mem, in->line);
    struct nm_sends out;
    uint32_t actions;
    uint8_t state = line->state;
    if (!nm_home_step(line, in, &out, &actions)) {
        nm_check_fail(mem->check, now, in->line,
                      "memory: no transition from %s (mask %#x) on %s from module %u",
                      nm_home_state_name(state), line->cards, nm_message_row(in->message)->name,
                      in->source);
        return;
    }
    if (actions & NM_HOME_ACT_WRITE)
        nm_check_to_memory(mem->check, in->line, in->data);
    nm_tick ready = now + mem->directory;
    if (actions & (NM_HOME_ACT_READ | NM_HOME_ACT_WRITE)) {
        nm_tick data = access_dram(mem, in->line, now);
        if (data > ready)
            ready = data;
    }
    occupy(mem, now, ready);
    mem->free_at = now + mem->directory;
    for (unsigned i = 0; i < out.count; i++)
        stage(mem, &out.packet[i], in, ready);
}

static void work(void *self, nm_tick now, uint64_t arg)
{
    struct nm_memory *mem = self;
    if (mem->work_at != arg)
        return; /* an earlier one took its place */
    mem->work_at = NM_NEVER;
    drain_stage(mem, now);
    unsigned c = next_class(mem);
    if (c != NM_CLASSES && now >= mem->free_at) {
        struct nm_packet in = nm_fifo_pop(&mem->port.in[c]);
        nm_bus_drained(mem->bus, now);
        handle(mem, &in, now);
        nm_check_release(mem->check, in.data);
    }
    if (mem->staged && mem->stage[mem->stage_head].ready > now)
        wake(mem, mem->stage[mem->stage_head].ready);
    if (next_class(mem) != NM_CLASSES)
        wake(mem, mem->free_at > now ? mem->free_at : now + nm_bus_cycle(mem->bus));
}
