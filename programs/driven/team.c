/*
 * A thread's batch is handed to its core as it is; then its act is made, one reference after the
 * other, each as the last one's result says. Only then is the producer asked again. So a producer
 * is called at simulated moments only, and a batch's length is no part of any result.
 *
 * A page gets its memory when it is touched: the core traps, and goes on. Marks of regions trap,
 * too, because the machine must stand.
 *
 * All threads wait, and none of the words is what is waited for: that is a deadlock, for what
 * changes a word is a thread. The look is now and then, because nothing can hide it.
 */
#include "programs/driven/team.h"

#include "base/alloc.h"
#include "base/plural.h"

#include <endian.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    LOOK = 1 << 18, /**< [PCycles] between two looks whether all wait */
    LINK_WORK = 2,  /**< [PCycles] an LL takes with the work behind it: lw, addu */
    STORE_WORK = 2, /**< ... an SC: sc, beqz */
    WAIT_WORK = 3,  /**< ... a look at a word: lw, bne, nop */
};

struct driven_page {
    uint64_t va, pa;
    UT_hash_handle hh;
};

struct driven_member {
    struct driven_batch batch;
    struct driven_place last; /**< of the batches before it */
    struct driven_result result;
    bool taken;  /**< its references have been handed over */
    bool acting; /**< its act is under way, or done if `acted` */
    bool acted;
    uint64_t found; /**< by the LL */
    bool linked;    /**< the LL of an act is done, its SC is next */
    bool ended;
    sim_tick since;    /**< [ticks] it acts */
    sim_tick marks_at; /**< [ticks] its mark is made; SIM_NEVER: it is at none */
};

/* ---- the address space ----------------------------------------------------------------------- */

static uint64_t page_of(const struct driven_team *team, uint64_t va)
{
    return va & ~(nm_value_page_size(team->run->par) - 1);
}

static bool is_register(const struct driven_team *team, uint64_t va)
{
    return va >= NM_REGISTERS &&
           va < NM_REGISTERS + nm_params_cards(team->run->par) * NM_REGISTER_SPACE;
}

uint64_t driven_team_phase(const struct driven_team *team, unsigned thread)
{
    const struct mon_register_row *phase =
        mon_unit_register_named(nm_card_unit(team->run->m, thread)->ops, "PHASE");
    const bool has_cards = nm_value_mode(team->run->par) == NM_MODE_TIMED && !team->run->stages;

    return phase && has_cards ? NM_REGISTERS + (uint64_t)thread * NM_REGISTER_SPACE + phase->offset
                              : 0;
}

static bool team_owns(struct driven_team *team, uint64_t va)
{
    return team->producer->owns ? team->producer->owns(team, va)
                                : va < UINT64_C(1) << PC_PACKED_BITS;
}

bool driven_team_at(const struct driven_team *team, uint64_t va, uint64_t *pa)
{
    const uint64_t at = page_of(team, va);
    struct driven_page *page;

    HASH_FIND(hh, team->page, &at, sizeof at, page);
    if (page)
        *pa = page->pa + (va - at);
    return page;
}

static enum nm_xlate team_translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                                    uint64_t *pa)
{
    struct driven_team *team = ctx;

    (void)card, (void)access;
    if (is_register(team, va)) {
        *pa = va;
        return NM_XLATE_UNCACHED;
    }
    if (driven_team_at(team, va, pa))
        return NM_XLATE_OK;
    return team_owns(team, va) ? NM_XLATE_ABSENT : NM_XLATE_UNMAPPED;
}

/** Gives a page memory, if no other card has touched it in the same window and come before.
 *  @param station  where; negative: where the machine's rule says
 *  @return false: there is none left, and the run ends */
static bool team_give(struct driven_team *team, unsigned card, uint64_t va, int station)
{
    const struct prog_hooks *hooks = team->run->hooks;
    const uint64_t at = page_of(team, va);
    struct nm_machine *m = team->run->m;
    struct driven_page *page;

    HASH_FIND(hh, team->page, &at, sizeof at, page);
    if (page)
        return true;
    page = sim_alloc(1, sizeof *page);
    page->va = at;
    if (station < 0 ? !nm_page_alloc(m, card, page->va, &page->pa)
                    : !nm_page_alloc_at(m, (unsigned)station, page->va, &page->pa)) {
        free(page);
        prog_finish(team->run, PROG_NOMEM, 0,
                    "the machine's memory is full: thread %u touches one page more", card);
        return false;
    }
    HASH_ADD(hh, team->page, va, sizeof page->va, page);
    if (hooks && hooks->paged)
        hooks->paged(hooks->ctx, page->va, page->pa);
    return true;
}

bool driven_team_page(struct driven_team *team, unsigned card, uint64_t va, int station)
{
    uint64_t pa;

    return team_translate(team, card, va, NM_LOAD, &pa) == NM_XLATE_OK ||
           team_give(team, card, va, station);
}

/* ---- acts ------------------------------------------------------------------------------------ */

/** Those that take an LL and an SC. */
static bool team_changes(enum driven_act act)
{
    return act == DRIVEN_ADD || act == DRIVEN_SWAP || act == DRIVEN_COMPARE;
}

static struct pc_reference reference_of(const struct driven_batch *b, enum pc_reference_kind kind,
                                        uint64_t value, uint64_t ticks)
{
    return (struct pc_reference){.kind = kind,
                                 .size = b->size,
                                 .address = b->address,
                                 .value = value,
                                 .ticks = ticks,
                                 .state = PC_ST_INT,
                                 .relation = b->relation};
}

/** What the word becomes. */
static uint64_t team_changed(const struct driven_member *t)
{
    return t->batch.value + (t->batch.act == DRIVEN_ADD ? t->found : 0);
}

/** The next reference of an act. */
static struct pc_reference team_act(const struct driven_member *t)
{
    const struct driven_batch *b = &t->batch;

    switch (b->act) {
    case DRIVEN_LOAD:
        return reference_of(b, PC_REFERENCE_LOAD, 0, 1);
    case DRIVEN_LINKED:
        return reference_of(b, PC_REFERENCE_LOAD_LINKED, 0, LINK_WORK);
    case DRIVEN_STORED:
        return reference_of(b, PC_REFERENCE_STORE_CONDITIONAL, b->value, STORE_WORK);
    case DRIVEN_WAIT:
        return reference_of(b, PC_REFERENCE_WAIT, b->value, WAIT_WORK);
    case DRIVEN_UNTIL:
        return (struct pc_reference){
            .kind = PC_REFERENCE_COMPUTE, .at = b->value, .ticks = 1, .state = PC_ST_INT};
    default:
        return t->linked
                   ? reference_of(b, PC_REFERENCE_STORE_CONDITIONAL, team_changed(t), STORE_WORK)
                   : reference_of(b, PC_REFERENCE_LOAD_LINKED, 0, LINK_WORK);
    }
}

/* ---- the source of the cores ----------------------------------------------------------------- */

/** The next batch, if the last one is done with. */
static void team_refill(struct driven_team *team, unsigned thread, sim_tick now)
{
    struct driven_member *t = &team->member[thread];
    const struct driven_result result = t->result;

    if (t->batch.place.file)
        t->last = t->batch.place;
    t->batch = (struct driven_batch){.act = DRIVEN_OVER};
    t->result = (struct driven_result){0};
    t->taken = t->acting = t->acted = t->linked = false;
    team->producer->refill(team, thread, now, &result, &t->batch);
}

static size_t team_more(void *self, unsigned card, sim_tick now, const struct pc_packed **first)
{
    struct driven_team *team = self;
    struct driven_member *t = &team->member[card];

    for (;;) {
        if (!t->taken) {
            t->taken = true;
            *first = t->batch.reference;
            if (t->batch.count)
                return t->batch.count;
        }
        if (!t->acted && t->batch.act != DRIVEN_MORE)
            return 0;
        team_refill(team, card, now);
    }
}

static void team_next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct driven_team *team = self;
    struct driven_member *t = &team->member[card];

    if (!t->acting)
        t->since = now;
    t->acting = true;
    if (t->batch.act == DRIVEN_OVER || t->batch.act == DRIVEN_BEGIN ||
        t->batch.act == DRIVEN_FINISH)
        return; /* it traps */
    *out = team_act(t);
    t->acted = t->batch.act == DRIVEN_UNTIL; /* nobody is told of its end */
}

static void team_done(void *self, unsigned card, const struct pc_reference *reference,
                      const struct pc_result *result)
{
    struct driven_member *t = &((struct driven_team *)self)->member[card];
    const bool changing = team_changes(t->batch.act);

    t->result.began = result->began;
    t->result.done = result->done;
    if (changing && reference->kind == PC_REFERENCE_LOAD_LINKED) {
        t->found = result->value;
        t->result.failed = t->batch.act == DRIVEN_COMPARE && t->found != t->batch.expected;
        t->linked = !t->result.failed;
        t->acted = t->result.failed;
    } else if (changing) {
        t->linked = false;
        t->acted = !result->failed;
    } else {
        t->found = result->value;
        t->result.failed = result->failed;
        t->acted = true;
    }
    t->result.value = t->found;
}

static const struct pc_driver_source source = {
    .next = team_next, .done = team_done, .more = team_more};

/* ---- the workload ---------------------------------------------------------------------------- */

static unsigned team_allowed(const struct prog_run *run)
{
    return run->spec->processors ? run->spec->processors : nm_machine_cards(run->m);
}

bool driven_team_prepare(struct driven_team *team, struct prog_run *run,
                         const struct driven_producer *producer, unsigned threads)
{
    const struct nm_space space = {.ctx = team, .translate = team_translate};

    team->run = run;
    team->producer = producer;
    team->threads = threads ? threads : team_allowed(run);
    team->busy = team->threads;
    team->look_at = LOOK;
    if (team->threads > team_allowed(run)) {
        prog_finish(run, PROG_UNLOADABLE, 0,
                    "%u threads shall run, one a processor: there %s %u processor%s for them",
                    team->threads, team_allowed(run) == 1 ? "is" : "are", team_allowed(run),
                    sim_plural(team_allowed(run)));
        return false;
    }
    team->member = sim_alloc(team->threads, sizeof *team->member);
    for (unsigned i = 0; i < team->threads; i++)
        team->member[i] =
            (struct driven_member){.taken = true, .acted = true, .marks_at = SIM_NEVER};
    nm_machine_set_space(run->m, &space);
    run->out->threads = team->threads;
    return true;
}

void driven_team_start(void *self)
{
    struct driven_team *team = self;

    for (unsigned i = 0; i < team->threads; i++)
        pc_drive(team->run->m, i, &source, team,
                 nm_machine_now(team->run->m) + nm_machine_ahead(team->run->m));
}

bool driven_team_runs(const void *self)
{
    return ((const struct driven_team *)self)->busy;
}

sim_tick driven_team_date(const void *self)
{
    const struct driven_team *team = self;
    sim_tick at = team->look_at;

    for (unsigned i = 0; i < team->threads; i++)
        at = sim_earlier(at, team->member[i].marks_at);
    return at;
}

static void team_resume(struct driven_team *team, unsigned card)
{
    nm_card_resume(team->run->m, card,
                   nm_machine_now(team->run->m) + nm_machine_ahead(team->run->m));
}

static void team_mark(struct driven_team *team, unsigned card)
{
    struct driven_member *t = &team->member[card];

    t->acted = true;
    t->marks_at = SIM_NEVER;
    team_resume(team, card); /* first: the books say from when on the time is the thread's again */
    prog_mark(team->run, t->batch.name, t->batch.act == DRIVEN_BEGIN);
}

/** A thread has come to a mark: it is made when no other card is further than the machine. */
static void come_to_mark(struct driven_team *team, unsigned card)
{
    const sim_tick ahead = nm_machine_ahead(team->run->m);

    if (!ahead)
        team_mark(team, card);
    else
        team->member[card].marks_at = nm_machine_now(team->run->m) + ahead;
}

/** Whether a thread waits for what is not. */
static bool team_waits(const struct driven_team *team, const struct driven_member *t)
{
    const struct driven_batch *b = &t->batch;
    uint64_t pa, word = 0, differs;

    if (b->act != DRIVEN_WAIT || !t->acting || t->acted ||
        team_translate((void *)team, 0, b->address, NM_LOAD, &pa) != NM_XLATE_OK)
        return false;
    memcpy((uint8_t *)&word + sizeof word - b->size, nm_machine_image(team->run->m) + pa, b->size);
    differs = (be64toh(word) - b->value) << (64 - 8 * b->size);
    return b->relation == PC_IS       ? differs
           : b->relation == PC_IS_NOT ? !differs
                                      : (int64_t)differs < 0;
}

void driven_team_due(void *self, sim_tick now)
{
    struct driven_team *team = self;
    char *text = NULL;
    size_t size;
    FILE *out;

    for (unsigned i = 0; i < team->threads; i++)
        if (team->member[i].marks_at <= now)
            team_mark(team, i);
    if (now < team->look_at)
        return;
    team->look_at = now + LOOK;
    for (unsigned i = 0; i < team->threads; i++)
        if (!team->member[i].ended && !team_waits(team, &team->member[i]))
            return;
    if (!team->busy)
        return;
    out = sim_text_open(&text, &size);
    driven_team_describe(team, out);
    sim_text_close(out, &text);
    prog_finish(team->run, PROG_DEADLOCK, 0, "deadlock: every thread waits\n%s", text);
    free(text);
}

static void end_thread(struct driven_team *team, unsigned card)
{
    struct prog_run *run = team->run;

    nm_card_take(run->m, card);
    nm_card_use(run->m, card, NM_USE_IDLE, nm_machine_now(run->m));
    team->member[card].ended = true;
    if (--team->busy)
        return;
    if (team->producer->ended)
        team->producer->ended(team);
    prog_finish(run, PROG_EXITED, 0, NULL);
}

/** @param how  the place stands to what is told: "after"; "": it is there */
static void describe_place(const char *how, const struct driven_place *at, FILE *out)
{
    if (at->file)
        fprintf(out, ",%s%s %s at %s:%u", *how ? " " : "", how, at->what, at->file, at->line);
}

/** What is wrong with a reference, and what to do about it. Where it lies on the host is nobody's
 *  business, and another place each time. */
static const char *wrong_with(const struct pc_cpu *cpu)
{
    if (cpu->unmapped)
        return "memory that is not the program's; of a kernel only what kn_alloc has given can be "
               "referred to, and locals need no reference";
    if (cpu->protected)
        return "memory that must not be written";
    return "an address that is no multiple of the reference's size; align what is there";
}

static void team_refuse(struct driven_team *team, const struct pc_cpu *cpu)
{
    const struct driven_member *t = &team->member[cpu->number];
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);

    fprintf(out, "thread %u", cpu->number);
    describe_place("after", &t->last, out);
    describe_place("before", &t->batch.place, out);
    fprintf(out, ": refers to %s", wrong_with(cpu));
    sim_text_close(out, &text);
    prog_finish(team->run, PROG_SIGNALED, SIGSEGV, "%s", text);
    free(text);
}

/** A reference has failed. */
static void team_failed(struct driven_team *team, const struct pc_cpu *cpu)
{
    if (!cpu->absent)
        team_refuse(team, cpu);
    else if (team_give(team, cpu->number, cpu->badvaddr, -1))
        team_resume(team, cpu->number);
}

void driven_team_trap(void *self, const struct nm_trap *trap)
{
    struct driven_team *team = self;
    const struct pc_cpu *cpu = pc_cpu_at(team->run->m, trap->card);

    if (cpu->exc != PC_EXC_SYS)
        team_failed(team, cpu);
    else if (team->member[trap->card].batch.act == DRIVEN_OVER)
        end_thread(team, trap->card);
    else
        come_to_mark(team, trap->card);
}

/* ---- for people ------------------------------------------------------------------------------ */

static void describe_wait(const struct driven_member *t, FILE *out)
{
    static const char *const relations[] = {
        [PC_IS] = "is", [PC_IS_NOT] = "is not", [PC_AT_LEAST] = "has come to"};

    fprintf(out, " waits since cycle %" PRIu64 " until the word at 0x%" PRIx64 " %s %" PRIu64,
            t->since, t->batch.address, relations[t->batch.relation], t->batch.value);
}

void driven_team_describe(void *self, FILE *out)
{
    const struct driven_team *team = self;

    for (unsigned i = 0; i < team->threads; i++) {
        const struct driven_member *t = &team->member[i];
        const struct driven_place *at = &t->batch.place;
        fprintf(out, "  thread %u, card %u:", i, i);
        if (t->ended)
            fputs(" has ended", out);
        else if (t->acting && !t->acted && t->batch.act == DRIVEN_WAIT)
            describe_wait(t, out);
        else
            fputs(" runs", out);
        if (!t->ended)
            describe_place("", at, out);
        putc('\n', out);
    }
}

void driven_team_end(struct driven_team *team)
{
    struct driven_page *page, *other;

    HASH_ITER(hh, team->page, page, other) {
        HASH_DEL(team->page, page);
        free(page);
    }
    free(team->member);
}
