/*
 * Whether the program gets on.
 *
 * A livelock looks like work: every thread executes instructions. The hard idea is to look for what
 * a program itself would notice of its progress. A store-conditional succeeds some time. A thread
 * that is woken because a lock is free gets the lock some time. If neither happens for very long,
 * the thread is named. And a thread goes round for ever if it comes back to a state with all
 * registers the same, while nothing is stored or called and no clock or register of a card is read.
 * The run goes on after a name has been given: it may be what the experiment is about.
 *
 * The operating system sees only a lock's futex. How does it know that a thread found the lock
 * taken again? The thread sleeps on the same word again a few instructions after it was woken
 * there, and has called nothing meanwhile. The word has the same value, or the highest bit (beside
 * the number of the owner), and is not 0: that means "taken" to every lock. Semaphores and
 * condition variables sleep on 0, and a barrier's round is another number each time.
 */
#include "programs/linux/threads/watch.h"
#include "base/alloc.h"
#include "base/plural.h"
#include "machine/values.h"
#include "monitor/unit.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/threads/threads.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    PERIOD = 1 << 20,      /**< [ticks] between looks */
    RETRY = 100,           /**< [instructions] at most from a wake-up to a sleep in vain, ... */
    RETRY_SC = 50,         /**< ... so many more for an SC that failed since ... */
    RETRY_SCS = 2,         /**< ... and for at most so many of them */
    LINES = 8,             /**< findings said at one look */
    FOLDED = 3,            /**< threads that do the same have one line, from so many on */
    FURTHER = 10,          /**< a row is spoken of again when it has grown so many times longer */
    TID_MASK = 0x3fffffff, /**< of a lock's word that names its owner */
};

/* ---- the books ------------------------------------------------------------------------------- */

void lx_watch_begin(struct lx_thread *t)
{
    struct pc_tries *tries = pc_tries_at(t->p->m, t->card);

    *tries = t->watched.tries;
    tries->thread = t->tid;
    t->watched.from = pc_cpu_at(t->p->m, t->card)->instructions;
    if (!t->trap.preempted)
        t->watched.since = 0;
}

void lx_watch_trap(struct lx_thread *t)
{
    const struct pc_cpu *cpu = pc_cpu_at(t->p->m, t->trap.card);
    struct lx_watched *w = &t->watched;

    w->tries = cpu->tries;
    w->since += cpu->instructions - w->from;
    if (t->trap.preempted)
        return;
    w->calls++;
    w->called_at = t->trap.at;
    t->p->calls++;
}

void lx_watch_sleep(struct lx_thread *t, uint64_t addr, uint32_t expected)
{
    struct lx_watched *w = &t->watched;
    const bool taken = expected && (expected == w->expected || expected >> 31);
    /* Of tries the last one's address is kept: if it is the lock's, all are taken to be its. */
    const uint64_t failed = w->tries.va == addr ? w->tries.failed - w->failed : 0;
    const uint64_t most = RETRY + RETRY_SC * (failed < RETRY_SCS ? failed : RETRY_SCS);
    const bool again = taken && w->futex == addr && w->slept + 1 == w->calls && w->since < most;

    w->vain = again ? w->vain + 1 : 0;
    w->vain_said = again ? w->vain_said : 0;
    w->futex = addr;
    w->expected = expected;
    w->slept = w->calls;
    w->failed = w->tries.failed;
    if (!again)
        w->free_at = lx_now(t->p);
}

uint64_t lx_watch_vain(const struct lx_thread *t)
{
    return t->watched.slept == t->watched.calls ? t->watched.vain : 0;
}

static const struct pc_tries *watch_tries(const struct lx_thread *t)
{
    return t->state == TH_RUNNING ? pc_tries_at(t->p->m, t->card) : &t->watched.tries;
}

/* ---- for people ------------------------------------------------------------------------------ */

/** "0x400abc (worker+0x1c)": an instruction or an object; what has no name has none. */
static void print_address(FILE *out, struct lx_prog *p, uint64_t va)
{
    char name[160];

    lx_symbols_tell(&p->told, p->elf_fd, &p->image, va, name, sizeof name);
    fprintf(out, "0x%" PRIx64 "%s%s%s", va, *name ? " (" : "", name, *name ? ")" : "");
}

static void print_pc(FILE *out, struct lx_prog *p, uint64_t pc)
{
    fputs(" at pc ", out);
    print_address(out, p, pc);
}

/** Whether a thread has, or had, that tid. */
static bool was_thread(const struct lx_prog *p, uint32_t tid)
{
    return tid >= FIRST_TID && tid < p->next_tid;
}

/** Who has the lock whose word is at `addr`: its tid is in the word, or two words on, as the C
 *  library keeps it. @return 0: not known */
static uint32_t watch_holder(struct lx_prog *p, uint64_t addr)
{
    uint32_t word;

    if (lx_vm_read32(&p->vm, addr, &word) == 0 && was_thread(p, word & TID_MASK))
        return word & TID_MASK;
    if (lx_vm_read32(&p->vm, addr + 8, &word) == 0 && was_thread(p, word))
        return word;
    return 0;
}

/** The thread whose end is told at `addr`, as pthread_join waits for it; NULL: none. */
static const struct lx_thread *ends_at(const struct lx_prog *p, uint64_t addr)
{
    const struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        if (addr && t->clear_tid == addr)
            return t;
    return NULL;
}

/** Whose lock a thread waits for: a sure thing where the operating system keeps it. */
static void print_holder(FILE *out, struct lx_prog *p, const struct lx_thread *t, uint64_t addr)
{
    const bool sure = t->on_futex && t->futex_kind == FUTEX_LOCK;
    const uint32_t owner = sure ? t->lock_owner : watch_holder(p, addr);

    if (!owner)
        return;
    fprintf(out, ", %sheld by ", sure ? "" : "perhaps ");
    if (owner == t->tid)
        fputs("itself", out);
    else
        fprintf(out, "thread %u%s", owner, lx_thread_find(p, owner) ? "" : ", which has ended");
}

/** What a thread that sleeps on the futex at `addr` waits for. */
static void print_wanted(FILE *out, struct lx_prog *p, const struct lx_thread *t, uint64_t addr)
{
    const struct lx_thread *joined = ends_at(p, addr);

    if (joined && joined != t) {
        fprintf(out, ", for the end of thread %u", joined->tid);
        return;
    }
    fprintf(out, ", for %s ",
            watch_holder(p, addr) || t->futex_kind == FUTEX_LOCK ? "the lock" : "futex");
    print_address(out, p, addr);
    print_holder(out, p, t, addr);
}

/** What the thread does, and where. */
static void print_doing(FILE *out, struct lx_prog *p, const struct lx_thread *t)
{
    if (t->state == TH_RUNNING) {
        fprintf(out, "runs");
        print_pc(out, p, lx_pc_now(t));
    } else if (t->state == TH_READY) {
        fprintf(out, "waits for its card");
        print_pc(out, p, lx_isa_of(t)->pc(&t->regs));
    } else {
        fprintf(out, "in %s", t->waits_in ? t->waits_in : "the operating system");
        print_pc(out, p, lx_isa_of(t)->pc(&t->regs));
        if (t->on_futex)
            print_wanted(out, p, t, t->futex.addr);
    }
}

void lx_watch_doing(struct lx_prog *p, const struct lx_thread *t, FILE *out)
{
    print_doing(out, p, t);
}

static void print_thread(FILE *out, struct lx_prog *p, const struct lx_thread *t)
{
    const struct pc_tries *sc = watch_tries(t);

    fprintf(out, "  thread %u, card %u: ", t->tid, t->card);
    print_doing(out, p, t);
    if (t->watched.calls)
        fprintf(out, "; last call at cycle %" PRIu64, t->watched.called_at);
    if (sc->failed)
        fprintf(out, "; %" PRIu64 " SC%s failed", sc->failed, sim_plural(sc->failed));
    if (sc->row) {
        fprintf(out, ", the last %" PRIu64, sc->row);
        print_pc(out, p, sc->pc);
        fputs(" on ", out);
        print_address(out, p, sc->va);
    }
    if (lx_watch_vain(t))
        fprintf(out, "; found it taken again %" PRIu64 " time%s", lx_watch_vain(t),
                sim_plural(lx_watch_vain(t)));
    fprintf(out, "\n");
}

/** A thread in a list, and what it does; NULL: it has been printed. */
struct listed {
    const struct lx_thread *t;
    char *doing;
};

/** Whether two lines would say the same, but for numbers and dates. */
static bool watch_alike(const struct listed *a, const struct listed *b)
{
    return b->doing && !watch_tries(b->t)->row && !lx_watch_vain(b->t) &&
           strcmp(a->doing, b->doing) == 0;
}

/** Prints the numbers of threads like the first one, as ranges. @return how many they are */
static unsigned print_numbers(FILE *out, const struct listed *first, const struct listed *end)
{
    uint32_t from = first->t->tid, to = from;
    unsigned n = 0;

    fputs("  threads ", out);
    for (const struct listed *i = first; i < end; i++) {
        if (!watch_alike(first, i))
            continue;
        n++;
        if (i->t->tid > to + 1) {
            fprintf(out, from < to ? "%u-%u, " : "%u, ", from, to);
            from = i->t->tid;
        }
        to = i->t->tid;
    }
    fprintf(out, from < to ? "%u-%u" : "%u", from, to);
    return n;
}

/** One line for all threads like the first one, which are printed then. */
static void print_folded(FILE *out, struct listed *first, struct listed *end)
{
    const unsigned n = print_numbers(out, first, end);
    sim_tick early = SIM_NEVER, late = 0;
    char *doing = first->doing;
    uint64_t failed = 0;

    for (struct listed *i = end; i-- > first;) {
        if (!watch_alike(first, i))
            continue;
        early = sim_earlier(early, i->t->watched.called_at);
        late = sim_later(late, i->t->watched.called_at);
        failed += watch_tries(i->t)->failed;
        if (i != first) {
            free(i->doing);
            i->doing = NULL;
        }
    }
    fprintf(out, " (%u): %s; last calls at cycles %" PRIu64 " to %" PRIu64, n, doing, early, late);
    if (failed)
        fprintf(out, "; %" PRIu64 " SC%s failed", failed, sim_plural(failed));
    fputc('\n', out);
}

/** How many threads from the first one on are like it. */
static unsigned count_alike(const struct listed *first, const struct listed *end)
{
    unsigned n = 0;

    for (const struct listed *i = first; i < end; i++)
        n += watch_alike(first, i);
    return n;
}

/** What it does, as a text of its own. */
static char *doing_of(struct lx_prog *p, const struct lx_thread *t)
{
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);

    print_doing(out, p, t);
    sim_text_close(out, &text);
    return text;
}

void lx_watch_threads(struct lx_prog *p, FILE *out)
{
    struct listed *list = sim_alloc(p->alive + 1, sizeof *list), *end = list;

    for (const struct lx_thread *t = p->threads; t; t = t->next)
        *end++ = (struct listed){t, doing_of(p, t)};
    for (struct listed *i = list; i < end; i++) {
        if (i->doing && count_alike(i, end) >= FOLDED)
            print_folded(out, i, end);
        else if (i->doing)
            print_thread(out, p, i->t);
        free(i->doing);
        i->doing = NULL;
    }
    free(list);
}

/* ---- findings -------------------------------------------------------------------------------- */

/** What one look finds. */
struct findings {
    struct lx_prog *p;
    FILE *out;
    unsigned count;
};

/** Whether there is room for one more. */
static bool watch_begin(struct findings *f)
{
    return ++f->count <= LINES;
}

/** Whether a row is long, and much longer than when it was last spoken of. */
static bool long_enough(const struct lx_prog *p, uint64_t row, uint64_t *said)
{
    if (row < *said)
        *said = 0;
    if (!p->par->patience || row < p->par->patience || (*said && row / FURTHER < *said))
        return false;
    *said = row;
    return true;
}

static void look_at_tries(struct findings *f, struct lx_thread *t)
{
    const struct pc_tries *sc = watch_tries(t);

    if (!long_enough(f->p, sc->row, &t->watched.tries_said) || !watch_begin(f))
        return;
    fprintf(f->out,
            "thread %u on card %u gets nowhere: %" PRIu64 " store-conditionals in a row failed",
            t->tid, t->card, sc->row);
    print_pc(f->out, f->p, sc->pc);
    fputs(" on address ", f->out);
    print_address(f->out, f->p, sc->va);
    fputc('\n', f->out);
}

static void look_at_vain(struct findings *f, struct lx_thread *t)
{
    struct lx_watched *w = &t->watched;

    if (!long_enough(f->p, lx_watch_vain(t), &w->vain_said) || !watch_begin(f))
        return;
    fprintf(f->out,
            "thread %u on card %u gets nowhere: woken %" PRIu64
            " times in a row, it found the lock ",
            t->tid, t->card, w->vain);
    print_address(f->out, f->p, w->futex);
    fputs(" taken again", f->out);
    print_pc(f->out, f->p, lx_isa_of(t)->pc(&t->regs));
    print_holder(f->out, f->p, t, w->futex);
    fputc('\n', f->out);
}

/** What has been done so far that may show a thread something new: stores, calls, tries to store,
 *  reads of what changes by itself. */
static uint64_t watch_changes(const struct lx_prog *p)
{
    uint64_t n = p->calls;

    for (unsigned c = 0; c < nm_machine_cards(p->m); c++) {
        const struct pc_cpu *cpu = pc_cpu_at(p->m, c);
        n += cpu->states[PC_ST_STORE] + cpu->scs_failed + cpu->polls;
    }
    return n;
}

/** A thread may see something new: what it did before says nothing. */
static void begin_standstill(struct lx_prog *p)
{
    struct lx_thread *t;

    DL_FOREACH(p->threads, t) {
        t->watched.state_count = 0;
        t->watched.done = 0;
        t->watched.repeats = false;
    }
    p->changed_at = lx_now(p);
    p->changed_said = 0;
}

/** Compares the thread's registers with those at earlier looks. A loop longer than a few
 *  instructions takes many looks. */
static void look_at_state(struct lx_thread *t)
{
    struct lx_watched *w = &t->watched;
    const bool runs = t->state == TH_RUNNING;
    const uint64_t state = lx_isa_of(t)->state(lx_regs_now(t));
    const uint64_t done =
        w->since + (runs ? pc_cpu_at(t->p->m, t->card)->instructions - w->from : 0);
    const unsigned known = w->state_count < WATCHED_STATES ? w->state_count : WATCHED_STATES;

    if (w->repeats || done == w->done) /* it has not been on a card since */
        return;
    w->done = done;
    for (unsigned i = 0; i < known; i++)
        w->repeats |= w->states[i] == state;
    w->states[w->state_count++ % WATCHED_STATES] = state;
}

/** Whether every thread that could go on goes round in a loop: none of them computes, or is to
 * come, from a wake-up or from behind others on its card, and change something. */
static bool all_repeat(struct lx_prog *p)
{
    struct lx_thread *t;
    bool all = true;

    DL_FOREACH(p->threads, t) {
        if (t->state == TH_BLOCKED)
            continue;
        look_at_state(t);
        all &= t->watched.repeats;
    }
    return all;
}

static void look_at_changes(struct findings *f, bool waits)
{
    struct lx_prog *p = f->p;
    const uint64_t n = watch_changes(p);
    const sim_tick now = lx_now(p), before = p->changed_at;

    if (n != p->changes || !waits) {
        p->changes = n;
        begin_standstill(p);
    } else if (all_repeat(p) && now - before >= p->par->standstill &&
               long_enough(p, now - before, &p->changed_said) && watch_begin(f)) {
        fprintf(f->out,
                "no thread gets anywhere: since cycle %" PRIu64
                " nothing has been stored and nobody called, and all go round in loops, so that no "
                "thread will see a change%s\n",
                before,
                p->par->mode == NM_MODE_FUNCTIONAL
                    ? " (mode functional: time stands still for event counters; a loop that waits "
                      "for one ends with run.mode=timed)"
                    : "");
    }
}

/** Says findings, a line each. */
static void say_findings(const struct findings *f, const char *lines)
{
    struct lx_prog *p = f->p;
    char line[640];

    for (const char *end; (end = strchr(lines, '\n')); lines = end + 1) {
        snprintf(line, sizeof line, "numachine: warning: cycle %" PRIu64 ": %.*s\n", lx_now(p),
                 (int)(end - lines), lines);
        prog_say(p->run, line);
    }
    if (f->count > LINES) {
        snprintf(line, sizeof line, "numachine: warning: and %u more\n", f->count - LINES);
        prog_say(p->run, line);
    }
}

void lx_watch_look(struct lx_prog *p, bool waits)
{
    char *lines = NULL;
    size_t size;
    struct findings f = {.p = p};

    if (lx_now(p) < p->watch_at)
        return;
    p->watch_at = (lx_now(p) | (PERIOD - 1)) + 1;
    f.out = sim_text_open(&lines, &size);
    for (struct lx_thread *t = p->threads; t; t = t->next) {
        look_at_tries(&f, t);
        look_at_vain(&f, t);
    }
    look_at_changes(&f, waits);
    sim_text_close(f.out, &lines);
    if (f.count && p->par->livelock == NM_LIVELOCK_END)
        prog_finish(p->run, PROG_LIVELOCK, 0, "livelock: %.*s", (int)strcspn(lines, "\n"), lines);
    else
        say_findings(&f, lines);
    free(lines);
}

/* ---- registers ------------------------------------------------------------------------------- */

/** The card that knows of the first refused write, CARDS_MAX: there was none.
 *  @param[out] writes  how many were, of all cards */
static unsigned first_refused(struct lx_prog *p, uint64_t *writes)
{
    unsigned first = CARDS_MAX;
    struct nm_truth truth;

    *writes = 0;
    for (unsigned c = 0; c < nm_machine_cards(p->m); c++) {
        nm_card_truth(p->m, c, &truth);
        *writes += truth.refused_writes;
        if (truth.refused_writes &&
            (first == CARDS_MAX || pc_refused_at(p->m, c)->at < pc_refused_at(p->m, first)->at))
            first = c;
    }
    return first;
}

/** The first event number that a processor's own counters do not have. */
static void say_unknown_event(struct lx_prog *p)
{
    const struct pc_unknown_event *unknown = NULL;
    unsigned card = 0;
    char *text = NULL;
    size_t size;
    FILE *out;

    while (card < nm_machine_cards(p->m) && !(unknown = pc_unknown_event_at(p->m, card)))
        card++;
    if (!unknown)
        return;
    out = sim_text_open(&text, &size);
    fprintf(out,
            "numachine: warning: event 0x%02x is none of the processor's; its counter stood still; "
            "chosen on card %u",
            unknown->number, card);
    print_pc(out, p, unknown->pc);
    fputs("; see 'numachine list processor-events'\n", out);
    sim_text_close(out, &text);
    prog_say(p->run, text);
    free(text);
}

void lx_watch_refused(struct lx_prog *p)
{
    uint64_t writes;
    const unsigned card = first_refused(p, &writes);
    const struct pc_refused *r;
    const struct mon_register_row *row;
    char *text = NULL;
    size_t size;
    FILE *out;

    say_unknown_event(p);
    if (card == CARDS_MAX)
        return;
    r = pc_refused_at(p->m, card);
    row = pc_register_at(p->m, r->card, r->offset);
    out = sim_text_open(&text, &size);
    fprintf(out,
            "numachine: warning: cards refused %" PRIu64
            " write%s to their registers; the first, at cycle %" PRIu64 ", ",
            writes, sim_plural(writes), r->at);
    if (r->window) {
        fprintf(out, "through a window of card %u", r->writer);
    } else {
        fprintf(out, "by thread %u on card %u", r->thread, r->writer);
        print_pc(out, p, r->pc);
    }
    fprintf(out, ", to %s (0x%" PRIx32 ") of card %u: %s\n", row ? row->name : "no register",
            r->offset, r->card, mon_unit_reason(nm_card_unit(p->m, r->card)->ops, r->reason));
    sim_text_close(out, &text);
    prog_say(p->run, text);
    free(text);
}
