/*
 * Assembly: stations with their cards, memory and bus, and the loop that lets time pass.
 *
 * The hard idea is run-ahead. Whatever one card does takes at least the lookahead - cache look-up,
 * agent, bus, directory, bus again - before another card can notice. So the processor that is
 * furthest behind may run on its own, without events, until the station's next event or until
 * another processor plus the lookahead, whichever comes first. Events go before processors on the
 * same tick; among processors the lowest number goes first.
 */
#include "machine/machine.h"

#include "machine/memory.h"
#include "procard/card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct nm_station {
    struct nm_kernel *k;
    struct nm_bus *bus;
    struct nm_memory *memory;
    struct pc_card **card; /* [cards], into the machine's array */
    unsigned cards;
};

struct nm_machine {
    struct nm_params p;
    struct nm_check *check;
    uint8_t *image;
    uint64_t image_bytes;
    struct nm_station *station;
    unsigned stations, cards;
    struct pc_card **card; /* all of them, station by station */
    nm_tick lookahead;
    nm_tick watched_at;      /* when the watchdog last looked */
    struct pc_card *trapped; /* reached its trap, not yet handed out */

    uint64_t pages, next_page;       /* of the image; never used from next_page on */
    uint64_t *free_page, free_pages; /* given back */
};

static void *reserve(uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* Shortest way from one processor's access to another card: look-up, agent, a request's tenure, the
 * directory, an answer's tenure. */
static nm_tick lookahead(const struct nm_params *p)
{
    nm_tick cycle = p->cpu_clock / p->bus_clock;
    return p->l2_lookup + cycle * (p->agent_request + 2 * (p->bus_arbitration + 1) +
                                   p->memory_directory + p->agent_response);
}

static void on_packet(void *ctx, nm_tick now, const struct nm_packet *p)
{
    struct nm_check *check = ctx;
    nm_check_saw(check, now, p);
    for (int i = 1; i < __builtin_popcount(p->targets); i++)
        nm_check_share(check, p->data);
}

static void trap_due(void *self, nm_tick now, uint64_t arg)
{
    struct nm_machine *m = self;
    (void)now;
    m->trapped = m->card[arg];
}

static void on_trap(void *owner, struct pc_card *card)
{
    nm_post(card->k, card->cpu.now, NM_RANK_OS, card->position, trap_due, owner, card->cpu.number);
}

static void station_new(struct nm_machine *m, unsigned number)
{
    struct nm_station *s = &m->station[number];
    s->k = nm_kernel_new();
    s->bus = nm_bus_new(s->k, &m->p);
    nm_bus_listen(s->bus, on_packet, m->check);
    s->memory =
        nm_memory_new(s->k, s->bus, &m->p, number * m->p.memory_size, m->p.memory_size, m->check);
    s->cards = (unsigned)m->p.processors;
    s->card = &m->card[number * s->cards];
    for (unsigned i = 0; i < s->cards; i++) {
        s->card[i] = pc_card_new(s->k, s->bus, &m->p, m->image, m->check, number * s->cards + i, i);
        s->card[i]->owner = m;
        s->card[i]->on_trap = on_trap;
    }
}

struct nm_machine *nm_machine_new(const struct nm_params *params)
{
    struct nm_machine *m = calloc(1, sizeof *m);
    m->p = *params;
    m->stations = (unsigned)m->p.stations;
    m->cards = m->stations * (unsigned)m->p.processors;
    m->image_bytes = m->stations * m->p.memory_size;
    m->image = reserve(m->image_bytes);
    m->pages = m->image_bytes / m->p.page_size;
    m->lookahead = lookahead(&m->p);
    m->check = nm_check_new(&m->p, m->image, m->image_bytes, m->cards);
    m->card = calloc(m->cards, sizeof(struct pc_card *));
    m->station = calloc(m->stations, sizeof *m->station);
    for (unsigned i = 0; i < m->stations; i++)
        station_new(m, i);
    return m;
}

void nm_machine_free(struct nm_machine *m)
{
    if (!m)
        return;
    for (unsigned i = 0; i < m->stations; i++) {
        nm_bus_free(m->station[i].bus);
        nm_memory_free(m->station[i].memory);
        nm_kernel_free(m->station[i].k);
    }
    for (unsigned i = 0; i < m->cards; i++)
        pc_card_free(m->card[i]);
    nm_check_free(m->check);
    munmap(m->image, m->image_bytes);
    free(m->station);
    free(m->card);
    free(m->free_page);
    free(m);
}

const struct nm_params *nm_machine_params(const struct nm_machine *m)
{
    return &m->p;
}

unsigned nm_machine_cards(const struct nm_machine *m)
{
    return m->cards;
}

nm_tick nm_machine_lookahead(const struct nm_machine *m)
{
    return m->lookahead;
}

nm_tick nm_machine_now(const struct nm_machine *m)
{
    return nm_kernel_now(m->station[0].k);
}

uint8_t *nm_machine_image(struct nm_machine *m)
{
    return m->image;
}

bool nm_page_alloc(struct nm_machine *m, unsigned toucher, uint64_t *pa)
{
    (void)toucher; /* one station: there is only one place */
    if (m->free_pages) {
        *pa = m->free_page[--m->free_pages];
        memset(m->image + *pa, 0, m->p.page_size);
        nm_check_os_wrote(m->check, *pa, m->p.page_size);
        return true;
    }
    if (m->next_page == m->pages)
        return false;
    *pa = m->next_page++ * m->p.page_size;
    return true;
}

void nm_page_free(struct nm_machine *m, uint64_t pa)
{
    if (!m->free_page)
        m->free_page = malloc(m->pages * sizeof *m->free_page);
    m->free_page[m->free_pages++] = pa;
}

void nm_machine_os_wrote(struct nm_machine *m, uint64_t pa, uint64_t len)
{
    nm_check_os_wrote(m->check, pa, len);
}

void nm_machine_set_space(struct nm_machine *m, const struct nm_space *space)
{
    for (unsigned i = 0; i < m->cards; i++) {
        m->card[i]->space = *space;
        m->card[i]->cpu.code = space->code;
        pc_card_unmap(m->card[i], 0, UINT64_MAX);
    }
}

void nm_machine_unmap(struct nm_machine *m, uint64_t va, uint64_t len)
{
    for (unsigned i = 0; i < m->cards; i++)
        pc_card_unmap(m->card[i], va, len);
}

/* ---- time passes ----------------------------------------------------------------------------- */

/* The running processor furthest behind, and how far the others let it run. */
static struct pc_card *next_card(const struct nm_station *s, nm_tick ahead, nm_tick *horizon)
{
    struct pc_card *first = NULL;
    nm_tick second = NM_NEVER;
    for (unsigned i = 0; i < s->cards; i++) {
        struct pc_card *c = s->card[i];
        if (c->activity != PC_RUNNING)
            continue;
        if (!first || c->cpu.now < first->cpu.now) {
            second = first ? first->cpu.now : second;
            first = c;
        } else if (c->cpu.now < second)
            second = c->cpu.now;
    }
    *horizon = second == NM_NEVER ? NM_NEVER : second + ahead;
    return first;
}

static bool anyone_waits(const struct nm_machine *m)
{
    for (unsigned i = 0; i < m->cards; i++)
        if (m->card[i]->activity == PC_WAITING)
            return true;
    return false;
}

/* A request that has been out for longer than the watchdog's patience. */
static bool stuck(struct nm_machine *m, nm_tick now)
{
    m->watched_at = now;
    for (unsigned i = 0; i < m->cards; i++) {
        const struct pc_card *c = m->card[i];
        if (c->activity == PC_WAITING && now > c->cpu.now && now - c->cpu.now > m->p.watchdog)
            return true;
    }
    return false;
}

static void hand_out(struct nm_machine *m, struct nm_trap *trap)
{
    *trap = (struct nm_trap){.card = m->trapped->cpu.number,
                             .at = nm_machine_now(m),
                             .preempted = m->trapped->preempted,
                             .cpu = &m->trapped->cpu};
    m->trapped = NULL;
}

enum nm_run nm_machine_run(struct nm_machine *m, nm_tick until, struct nm_trap *trap)
{
    struct nm_station *s = &m->station[0];
    for (;;) {
        nm_tick event = nm_kernel_next(s->k), horizon;
        struct pc_card *card = next_card(s, m->lookahead, &horizon);
        nm_tick first = card ? card->cpu.now : NM_NEVER;
        if (event == NM_NEVER && !card && anyone_waits(m))
            return NM_RUN_STUCK;
        if (event == NM_NEVER && !card && until == NM_NEVER)
            return NM_RUN_IDLE;
        if (event >= until && first >= until) {
            nm_kernel_advance(s->k, until);
            return NM_RUN_UNTIL;
        }
        if (first < event) {
            horizon = horizon < event ? horizon : event;
            pc_card_run(card, horizon < until ? horizon : until);
        } else {
            nm_kernel_step(s->k);
            if (m->trapped) {
                hand_out(m, trap);
                return NM_RUN_TRAP;
            }
            if (event - m->watched_at > m->p.watchdog && stuck(m, event))
                return NM_RUN_STUCK;
        }
        if (*nm_check_error(m->check))
            return NM_RUN_BROKEN;
    }
}

void nm_card_resume(struct nm_machine *m, unsigned card, const struct pc_regs *regs, nm_tick at)
{
    struct pc_card *c = m->card[card];
    if (regs != &c->cpu.r)
        c->cpu.r = *regs;
    if (at > c->cpu.now)
        pc_card_stall(c, PC_ST_STALL_OTHER, at - c->cpu.now, c->cpu.now);
    c->cpu.exc = PC_EXC_NONE;
    c->cpu.fetched_pc = ~0ull;
    c->activity = PC_RUNNING;
}

void nm_card_take(struct nm_machine *m, unsigned card, struct pc_regs *regs)
{
    struct pc_card *c = m->card[card];
    *regs = c->cpu.r;
    c->cpu.link = false;
    c->preempt_at = NM_NEVER;
    c->activity = PC_IDLE;
}

void nm_card_preempt(struct nm_machine *m, unsigned card, nm_tick at)
{
    m->card[card]->preempt_at = at;
}

struct pc_cpu *nm_card_cpu(struct nm_machine *m, unsigned card)
{
    return &m->card[card]->cpu;
}

/* ---- looking --------------------------------------------------------------------------------- */

void nm_card_taps(struct nm_machine *m, unsigned card, struct mon_taps *out)
{
    nm_tick now = nm_machine_now(m);
    pc_card_taps(m->card[card], now, out);
    out->v[MON_TAP_MEMORY_BUSY] = nm_memory_busy(m->station[card / m->p.processors].memory, now);
}

void nm_card_truth(struct nm_machine *m, unsigned card, struct nm_truth *out)
{
    const struct pc_card *c = m->card[card];
    *out = c->truth;
    out->instructions = c->cpu.instructions;
    out->loads = c->cpu.states[PC_ST_LOAD];
    out->stores = c->cpu.states[PC_ST_STORE];
}

const char *nm_machine_error(const struct nm_machine *m)
{
    return nm_check_error(m->check);
}

static void dump_fifo(FILE *out, const char *where, const struct nm_fifo *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        const struct nm_packet *p = nm_fifo_at(f, i);
        fprintf(out, "    %s[%u] %-10s line %#lx from module %u to %#x, requester %u\n", where, i,
                nm_message_row(p->message)->name, (unsigned long)p->line, p->source, p->targets,
                p->requester);
    }
}

static void dump_port(FILE *out, const struct nm_port *port)
{
    dump_fifo(out, "in.sinkable", &port->in[NM_SINKABLE]);
    dump_fifo(out, "in.nonsinkable", &port->in[NM_NONSINKABLE]);
    dump_fifo(out, "out.sinkable", &port->out[NM_SINKABLE]);
    dump_fifo(out, "out.nonsinkable", &port->out[NM_NONSINKABLE]);
}

static void dump_card(const struct nm_machine *m, FILE *out, const struct pc_card *c)
{
    static const char *const activity[] = {"idle", "running", "waiting", "trapped"};
    fprintf(out, "  card %u: %s at pc %#lx since tick %lu", c->cpu.number, activity[c->activity],
            (unsigned long)c->cpu.r.pc, (unsigned long)c->cpu.now);
    if (c->request.active) {
        const struct nm_station *s = &m->station[c->cpu.number / m->p.processors];
        struct nm_home_line line = nm_memory_line(s->memory, c->request.line);
        fprintf(out, "; line %#lx in %s, %s; its home has it in %s, cards %#x, held for %u",
                (unsigned long)c->request.line, nm_card_state_name(c->request.state),
                c->request.sent ? "request sent" : "request not sent",
                nm_home_state_name(line.state), line.cards, line.held);
    }
    fprintf(out, "\n");
    dump_port(out, &c->port);
}

void nm_machine_dump(struct nm_machine *m, void *file)
{
    FILE *out = file;
    fprintf(out, "tick %lu\n", (unsigned long)nm_machine_now(m));
    for (unsigned i = 0; i < m->cards; i++)
        dump_card(m, out, m->card[i]);
    for (unsigned i = 0; i < m->stations; i++) {
        fprintf(out, "  memory of station %u\n", i);
        dump_port(out, nm_bus_port(m->station[i].bus, NM_MODULE_MEMORY));
    }
}
