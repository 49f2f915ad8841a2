/*
 * The processor card as a machine knows it: the operations of machine/card.h, each with what it is
 * here.
 */
#include "machine/functional.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/procard.h"
#include "procard/record.h"
#include "procard/steps.h"

#include <assert.h>

static struct nm_card *ops_create(const struct nm_card_site *site)
{
    const struct pc_core_ops *core = site->kind->ctx;
    assert(core && core->name && core->run && core->size >= sizeof(struct pc_cpu));
    assert(!core->settle == !core->totals);
    return pc_card_new(site);
}

static void ops_release(struct nm_card *nm)
{
    pc_card_free(pc_card_of(nm));
}

static sim_tick ops_goes_on(const struct nm_card *nm)
{
    const struct pc_card *card = pc_const_card_of(nm);
    if (card->activity == PC_RUNNING)
        return pc_card_stands(card);
    return card->warm.on ? pc_warm_goes_on(card) : SIM_NEVER;
}

static sim_tick ops_run(struct nm_card *nm, sim_tick horizon)
{
    struct pc_card *card = pc_card_of(nm);
    return pc_card_run(card, horizon);
}

static void ops_comes_to(struct nm_card *nm, sim_tick now)
{
    pc_core_wakes(pc_card_of(nm), now);
}

static void ops_turn(struct nm_card *nm, sim_tick end, sim_tick until)
{
    struct pc_cpu *cpu = &pc_card_of(nm)->cpu;
    if (pc_card_of(nm)->warm.on) {
        pc_warm_turn(pc_card_of(nm), end);
        return;
    }
    ops_run(nm, end);
    for (unsigned n = 0; n < NM_QUANTUM_LINKED && cpu->link && ops_goes_on(nm) < until; n++)
        ops_run(nm, cpu->now + 1);
    cpu->link = false;
}

static void set_mode(struct nm_card *nm, enum nm_mode mode, sim_tick at)
{
    pc_card_set_mode(pc_card_of(nm), mode, at);
}

static void ops_take(struct nm_card *nm, const struct nm_packet *in)
{
    pc_warm_take(pc_card_of(nm), in);
}

static sim_tick ops_wake(struct nm_card *nm, sim_tick at)
{
    struct pc_card *card = pc_card_of(nm);
    if (card->stale)
        pc_card_forget(card);
    const sim_tick stopped = card->cpu.now, returns = pc_card_return(card, at);
    card->cpu.exc = PC_EXC_NONE;
    card->cpu.absent = false;
    pc_uncached_forget(card);
    pc_core_leave(card);
    if (card->cpu.cursor) {
        pc_cursor_used(card->cpu.cursor, returns);
        card->core->placed(&card->cpu);
    }
    if (card->cpu.record)
        pc_record_goes_on(&card->cpu, stopped);
    pc_card_becomes(card, PC_RUNNING);
    pc_counters_woken(card);
    return returns;
}

static void ops_idle(struct nm_card *nm)
{
    struct pc_card *card = pc_card_of(nm);
    card->cpu.link = false;
    card->spared_to = 0;
    pc_card_preempt(card, SIM_NEVER);
    pc_card_becomes(card, PC_IDLE);
}

static void ops_preempt(struct nm_card *nm, sim_tick at)
{
    pc_card_preempt(pc_card_of(nm), at);
}

static void ops_unmap(struct nm_card *nm, uint64_t va, uint64_t len)
{
    struct pc_card *card = pc_card_of(nm);
    if (card->cpu.record)
        pc_record_unmapped(card->cpu.record, va, len);
    pc_card_unmap(card, va, len);
}

static void set_space(struct nm_card *nm, const struct nm_space *space)
{
    pc_card_of(nm)->space = *space;
    ops_unmap(nm, 0, UINT64_MAX);
}

static bool ops_os_wrote(struct nm_card *nm, uint64_t pa, uint64_t len)
{
    struct pc_card *card = pc_card_of(nm);
    struct pc_cpu *cpu = &card->cpu;
    if (cpu->link && cpu->link_pa < pa + len && pa < cpu->link_pa + nm_value_l2_line(card->p)) {
        cpu->link = false;
        pc_agent_link_taken(card);
    }
    if (card->early && !card->functional) {
        pc_core_wakes(card, pc_card_now(card));
        card->early->os_wrote(cpu, pa, len);
    }
    return cpu->link || card->early;
}

static void ops_hide(struct nm_card *nm, uint64_t line)
{
    pc_line_hide(pc_card_of(nm), line);
}

static void ops_special(struct nm_card *nm, const struct nm_function *function, uint64_t line,
                        unsigned lines, sim_tick at)
{
    pc_agent_special(pc_card_of(nm), function, line, lines, at);
}

static void ops_look(struct nm_card *nm, const struct nm_look *question, sim_tick at)
{
    pc_agent_look(pc_card_of(nm), question, at);
}

static const struct nm_look *ops_looked(const struct nm_card *nm)
{
    return &pc_const_card_of(nm)->special.look;
}

static bool special_busy(const struct nm_card *nm)
{
    return pc_const_card_of(nm)->special.active;
}

static void ops_taps(const struct nm_card *nm, sim_tick at, struct mon_taps *out)
{
    pc_monitor_taps(pc_const_card_of(nm), at, out);
}

static void ops_truth(struct nm_card *nm, struct nm_truth *out)
{
    struct pc_card *card = pc_card_of(nm);
    pc_core_settle(card);
    *out = *pc_card_truth(card);
    out->instructions = card->cpu.instructions;
    out->loads = card->cpu.states[PC_ST_LOAD];
    out->stores = card->cpu.states[PC_ST_STORE];
    out->packets_sent = card->taps.v[MON_TAP_HEADERS_OUT];
    out->scs_failed = card->cpu.scs_failed;
    if (card->core->truth)
        card->core->truth(&card->cpu, out);
}

static uint32_t register_read(struct nm_card *nm, uint32_t offset, sim_tick now)
{
    return pc_register_read(pc_card_of(nm), offset, now);
}

static void register_write(struct nm_card *nm, unsigned writer, uint32_t offset, uint32_t value,
                           sim_tick now)
{
    pc_register_write(pc_card_of(nm), writer, offset, value, now);
}

static const struct mon_unit *ops_unit(const struct nm_card *nm)
{
    return pc_const_card_of(nm)->monitor.unit;
}

static unsigned ops_watching(const struct nm_card *nm)
{
    return pc_const_card_of(nm)->monitor.idle + pc_const_card_of(nm)->counters.idle;
}

static bool ops_waits(const struct nm_card *nm, struct nm_wait *out)
{
    const struct pc_card *card = pc_const_card_of(nm);
    const bool uncached = card->uncached.waits;
    const struct pc_request *r = pc_oldest_request(card);
    if (card->activity == PC_WAITING && uncached)
        *out = (struct nm_wait){.since = card->cpu.now, .line = card->uncached.request.line};
    else if (r)
        *out = (struct nm_wait){.since = pc_goes_on(card) ? r->asked : card->cpu.now,
                                .line = r->line,
                                .coherent = true};
    return card->activity == PC_WAITING || r;
}

static void ops_dump(struct nm_card *nm, FILE *out)
{
    static const char *const activity[] = {"idle", "running", "waiting", "trapped"};
    struct pc_card *card = pc_card_of(nm);
    pc_core_settle(card);
    fprintf(out, "%s at pc %#lx since tick %lu", activity[card->activity],
            (unsigned long)pc_core_pc(card), (unsigned long)card->cpu.now);
    if (card->uncached.busy)
        fprintf(out, "; %s of %#lx under way", nm_message_row(card->uncached.request.message)->name,
                (unsigned long)card->uncached.request.line);
    if (card->special.active)
        fprintf(out, "; %s of %#lx under way", nm_message_row(card->special.command.message)->name,
                (unsigned long)card->special.command.line);
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        fprintf(out, "; line %#lx in %s, %s", (unsigned long)r->line, pc_state_name(card, r->state),
                r->sent ? "request sent" : "request not sent");
    }
}

static void ops_invariants(const struct nm_card *nm, sim_tick now)
{
    pc_card_invariants(pc_const_card_of(nm), now);
}

const struct nm_card_ops pc_card_ops = {
    .create = ops_create,
    .free = ops_release,
    .run = ops_run,
    .goes_on = ops_goes_on,
    .comes_to = ops_comes_to,
    .turn = ops_turn,
    .set_mode = set_mode,
    .take = ops_take,
    .wake = ops_wake,
    .idle = ops_idle,
    .preempt = ops_preempt,
    .set_space = set_space,
    .unmap = ops_unmap,
    .os_wrote = ops_os_wrote,
    .hide = ops_hide,
    .special = ops_special,
    .look = ops_look,
    .looked = ops_looked,
    .special_busy = special_busy,
    .taps = ops_taps,
    .truth = ops_truth,
    .register_read = register_read,
    .register_write = register_write,
    .unit = ops_unit,
    .watching = ops_watching,
    .waits = ops_waits,
    .dump = ops_dump,
    .invariants = ops_invariants,
    .commutes = pc_card_commutes,
};

/* ---- for those who know the kind (procard.h) --------------------------------------------------
 */

static struct pc_card *ops_card_at(struct nm_machine *m, unsigned card)
{
    return pc_card_of(nm_machine_card(m, card));
}

struct pc_cpu *pc_cpu_at(struct nm_machine *m, unsigned card)
{
    struct pc_card *c = ops_card_at(m, card);
    pc_core_settle(c);
    return &c->cpu;
}

uint64_t pc_stands_at(struct nm_machine *m, unsigned card)
{
    struct pc_card *c = ops_card_at(m, card);
    pc_core_settle(c);
    return pc_core_pc(c);
}

bool pc_peek(struct nm_machine *m, uint64_t va, void *bytes, size_t count)
{
    enum { PIECE = 256 }; /* [bytes] that are on one page */
    const struct nm_space *space = &ops_card_at(m, 0)->space;
    uint8_t *to = bytes;
    for (uint64_t pa, now; count; count -= now, va += now, to += now) {
        now = PIECE - va % PIECE < count ? PIECE - va % PIECE : count;
        if (!nm_xlate_found(space->translate(space->ctx, 0, va, NM_LOAD, &pa)) ||
            pa >= NM_REGISTERS)
            return false;
        memcpy(to, nm_machine_image(m) + pa, now);
    }
    return true;
}

const struct pc_program_ops *pc_programs_at(struct nm_machine *m, unsigned card)
{
    return ops_card_at(m, card)->core->programs;
}

/* Its registers are up to date: it has trapped, or is idle. */
void pc_thread_take(struct nm_machine *m, unsigned card, void *regs, struct pc_call_site *call)
{
    pc_programs_at(m, card)->take(&ops_card_at(m, card)->cpu, regs, call);
    nm_card_take(m, card);
}

void pc_thread_resume(struct nm_machine *m, unsigned card, const void *regs, sim_tick at)
{
    pc_programs_at(m, card)->put(&ops_card_at(m, card)->cpu, regs);
    nm_card_resume(m, card, at);
}

void *pc_thread_registers(struct nm_machine *m, unsigned card)
{
    return pc_programs_at(m, card)->registers(pc_cpu_at(m, card));
}

bool pc_thread_settles(struct nm_machine *m, unsigned card)
{
    return ops_card_at(m, card)->core->interrupted;
}

void pc_thread_look(struct nm_machine *m, unsigned card, void *regs)
{
    struct pc_cpu *cpu = pc_cpu_at(m, card);
    struct pc_call_site call;
    pc_programs_at(m, card)->take(cpu, regs, &call);
}

void pc_thread_change(struct nm_machine *m, unsigned card, const void *regs)
{
    struct pc_card *c = ops_card_at(m, card);
    if (c->core->interrupted)
        c->core->interrupted(&c->cpu);
    pc_uncached_forget(c);
    pc_core_leave(c);
    pc_programs_at(m, card)->put(&c->cpu, regs);
}

void pc_code_give(struct nm_machine *m, unsigned card, void *code)
{
    pc_programs_at(m, card)->code_give(&ops_card_at(m, card)->cpu, code);
}

void pc_code_changed(struct nm_machine *m, unsigned card, uint64_t va, uint64_t len)
{
    struct pc_card *c = ops_card_at(m, card);
    if (!c->early)
        return;
    pc_core_wakes(c, pc_card_now(c));
    c->early->code_changed(&c->cpu, va, len);
}

void pc_spare(struct nm_machine *m, unsigned card, uint64_t instructions)
{
    struct pc_card *c = ops_card_at(m, card);
    pc_core_settle(c);
    c->spared_to = c->cpu.instructions + instructions;
}

const struct pc_refused *pc_refused_at(struct nm_machine *m, unsigned card)
{
    return &ops_card_at(m, card)->refused;
}

struct pc_tries *pc_tries_at(struct nm_machine *m, unsigned card)
{
    return &ops_card_at(m, card)->cpu.tries;
}

void pc_watch_requests(struct nm_machine *m, unsigned card, pc_served_fn *told, void *ctx)
{
    struct pc_card *c = ops_card_at(m, card);
    c->served = told;
    c->served_ctx = ctx;
}

void pc_hear(struct nm_machine *m, const struct nm_ear *ear)
{
    nm_machine_in_turn(m);
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        ops_card_at(m, i)->ear = ear;
}

bool pc_has_steps(struct nm_machine *m, unsigned card)
{
    return ops_card_at(m, card)->core->stepping;
}

void pc_follow_steps(struct nm_machine *m, unsigned card, const struct pc_steps *steps)
{
    struct pc_card *c = ops_card_at(m, card);
    nm_machine_in_turn(m);
    pc_core_settle(c);
    if (steps)
        pc_core_becomes(c, c->core->stepping); /* and stays so, which changes nothing */
    c->cpu.steps = steps;
}

void pc_watch_waits(struct nm_machine *m, bool watches)
{
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        pc_warm_watch(ops_card_at(m, i), watches);
}

struct pc_waited pc_waited_at(struct nm_machine *m, unsigned card)
{
    const struct pc_card *c = ops_card_at(m, card);
    struct pc_waited waited = c->warm.waited;
    for (unsigned left = c->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &c->request[__builtin_ctz(left)];
        waited.refused += r->nacks ? nm_machine_now(m) - r->asked : 0;
    }
    return waited;
}

void pc_follow_pins(struct nm_machine *m, unsigned card, struct pc_pins *pins, pc_pins_fn *edge,
                    void *ctx)
{
    struct pc_card *c = ops_card_at(m, card);
    pc_core_settle(c);
    if (pins)
        pc_pins_begin(pins, c->cpu.now, c->cpu.states, pc_status_codes, edge, ctx);
    c->pins = pins;
    pc_card_heard(c);
    pc_card_watch(c);
}

bool pc_exports(struct nm_machine *m, unsigned card)
{
    return ops_card_at(m, card)->core->exports;
}

void pc_follow_exported(struct nm_machine *m, unsigned card, struct pc_exported *exported,
                        pc_exported_fn *changed, void *ctx)
{
    struct pc_card *c = ops_card_at(m, card);
    if (c->exported)
        c->core->exports(&c->cpu, c->exported);
    if (exported) {
        *exported = (struct pc_exported){.changed = changed, .ctx = ctx, .next = c->cpu.now};
        c->core->signals(&c->cpu, 0, &exported->seen);
    }
    c->exported = exported;
    pc_card_watch(c);
}
