/*
 * Locks for people: a line for each lock, who holds it when others wait, what the run's end hangs
 * on, and a hint where it is obvious.
 */
#include "base/plural.h"
#include "look/locks/view.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST = 20, OBVIOUS = 90 /**< [%] */, WORTH = 10 /**< [%] */ };

static double text_percent(uint64_t some, uint64_t all)
{
    return all ? 100. * (double)some / (double)all : 0;
}

static uint64_t text_mean(uint64_t sum, uint64_t count)
{
    return count ? sum / count : 0;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void text_put_head(const struct look_locks_view *view, FILE *out)
{
    const uint64_t *v = view->whole;
    look_code_put(view->code, out);
    fprintf(out, "# elapsed: %" PRIu64 " PCycles\n", view->locks->ticks);
    fprintf(out, "# threads: %zu, of %" PRIu64 " PCycles together\n", view->locks->threads,
            look_locks_time(view->locks));
    fprintf(out, "# waiting of threads: %" PRIu64 " PCycles\n", v[DOC_LOCK_WAITED]);
    fprintf(out, "#   asleep     %16" PRIu64 " %7.2f %%\n", v[DOC_LOCK_ASLEEP],
            text_percent(v[DOC_LOCK_ASLEEP], v[DOC_LOCK_WAITED]));
    fprintf(out, "#   waking up  %16" PRIu64 " %7.2f %%\n", v[DOC_LOCK_LATE],
            text_percent(v[DOC_LOCK_LATE], v[DOC_LOCK_WAITED]));
    fprintf(out, "#   running    %16" PRIu64 " %7.2f %%\n", v[DOC_LOCK_SPUN],
            text_percent(v[DOC_LOCK_SPUN], v[DOC_LOCK_WAITED]));
    fputs("#\n# PCycles; `waited %` is the share of all that waiting; `bound` is how much sooner "
          "the run would "
          "end without that lock, if all else took as long\n#\n",
          out);
    fprintf(out, "# %8s %12s %38s %15s %13s %15s\n", "", "waiting", "", "", "held", "hand-over");
    fprintf(out, "# %8s %12s %12s %12s %9s %9s %7s %9s %9s %9s %9s %9s %5s %12s  %s\n", "waited %",
            "waited", "asleep", "running", "longest", "taken", "cont. %", "mean", "99 %", "longest",
            "mean", "longest", "fair", "bound", "lock");
}

/* Nothing of its kind: a place to stay empty. */
static void put_known(FILE *out, int width, bool known, uint64_t n)
{
    if (known)
        fprintf(out, " %*" PRIu64, width, n);
    else
        fprintf(out, " %*s", width, "-");
}

/* Calls that got it, or had to wait. A place where none waited may be one that only tries, or
 * posts: of its calls those count that got it. */
static uint64_t text_calls_of(const struct look_locks_view *view, uint32_t lock)
{
    const struct doc_locks *l = view->locks;
    uint64_t calls = 0;
    for (size_t i = 0; i < l->sites; i++) {
        const uint64_t *v = l->site[i].v;
        if (l->site[i].lock == lock)
            calls += v[DOC_LOCK_CONTENDED] ? v[DOC_LOCK_CALLS] : v[DOC_LOCK_TAKEN];
    }
    return calls;
}

static void put_contended(const struct look_locks_view *view, const struct look_lock_row *row,
                          FILE *out)
{
    const uint64_t calls = text_calls_of(view, row->lock);
    if (calls)
        fprintf(out, " %6.1f%%", text_percent(row->v[DOC_LOCK_CONTENDED], calls));
    else
        fprintf(out, " %7s", "-");
}

static void put_lock(const struct look_locks_view *view, const struct look_lock_row *row, FILE *out)
{
    const uint64_t *v = row->v;
    const struct doc_lock *lock = &view->locks->lock[row->lock];
    const bool held = v[DOC_LOCK_HOLDS], handed = v[DOC_LOCK_HANDOVERS];
    fprintf(out, "  %7.2f%% %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %9" PRIu64 " %9" PRIu64,
            text_percent(v[DOC_LOCK_WAITED], view->whole[DOC_LOCK_WAITED]), v[DOC_LOCK_WAITED],
            v[DOC_LOCK_ASLEEP], v[DOC_LOCK_SPUN], v[DOC_LOCK_LONGEST], v[DOC_LOCK_TAKEN]);
    put_contended(view, row, out);
    put_known(out, 9, held, text_mean(v[DOC_LOCK_HELD], v[DOC_LOCK_HOLDS]));
    put_known(out, 9, held, (uint64_t)look_lock_figure_of(view, row, LOOK_LOCK_HELD_P99));
    put_known(out, 9, held, v[DOC_LOCK_HELD_LONGEST]);
    put_known(out, 9, handed, text_mean(v[DOC_LOCK_HANDOVER], v[DOC_LOCK_HANDOVERS]));
    put_known(out, 9, handed, v[DOC_LOCK_HANDOVER_LONGEST]);
    if (row->waiters)
        fprintf(out, " %5.2f", row->fairness);
    else
        fprintf(out, " %5s", "-");
    put_known(out, 12, row->bound_known, row->bound);
    fprintf(out, "  %s ", doc_lock_kinds[lock->kind].name);
    look_lock_label(view, row->lock, out);
    putc('\n', out);
}

static bool is_own_place(const struct look_locks_view *view, uint64_t pc)
{
    return pc != DOC_LOCKS_NOWHERE && look_code_own(view->code, pc);
}

/* The places to say: the first, and where that is in a library that no call of the program has led
 * to (a runtime's own thread), the first one of the program's, too. @return how many */
static size_t places_to_say(const struct look_locks_view *view, const struct look_lock_place *place,
                            size_t places, size_t say[2])
{
    size_t own = 0;
    while (own < places && !is_own_place(view, place[own].pc))
        own++;
    say[0] = 0;
    say[1] = own;
    return own && own < places ? 2 : 1;
}

static void put_most(const struct look_locks_view *view, const struct look_lock_row *row,
                     unsigned column, const char *what, FILE *out)
{
    size_t places, say[2];
    struct look_lock_place *place = look_lock_places(view, row->lock, column, &places);
    const size_t said = places ? places_to_say(view, place, places, say) : 0;
    for (size_t i = 0; i < said; i++) {
        fprintf(out, "#   %6.2f%% %s ", text_percent(place[say[i]].n, row->v[column]), what);
        look_lock_place_put(view, place[say[i]].pc, out);
        if (i + 1 == said && places > said)
            fprintf(out, "; %zu more place%s", places - said, sim_plural(places - said));
        putc('\n', out);
    }
    free(place);
}

/* A lock that is looked at for a while before its thread sleeps on it has two rows. */
static void put_twin(const struct look_locks_view *view, const struct look_lock_row *row, FILE *out)
{
    const struct doc_lock *lock = &view->locks->lock[row->lock];
    const bool spins = lock->kind == DOC_LOCK_spin;
    if (!spins && lock->kind != DOC_LOCK_futex)
        return;
    for (size_t i = 0; i < view->rows; i++) {
        const struct look_lock_row *other = &view->row[i];
        const struct doc_lock *twin = &view->locks->lock[other->lock];
        if (twin->address == lock->address && other->v[DOC_LOCK_WAITED] &&
            twin->kind == (spins ? DOC_LOCK_futex : DOC_LOCK_spin))
            fprintf(out, "#   threads also %s this word: the row `%s` of the same name\n",
                    spins ? "sleep on" : "look again and again at",
                    doc_lock_kinds[twin->kind].name);
    }
}

/* What a person would say who sees the numbers. */
static void put_hint(const struct look_locks_view *view, const struct look_lock_row *row, FILE *out)
{
    const uint8_t kind = view->locks->lock[row->lock].kind;
    const uint64_t delayed = row->v[DOC_LOCK_DELAYED];
    const struct doc_lock_site *holder =
        row->holder == DOC_LOCKS_NONE ? NULL : &view->locks->site[row->holder];
    const uint64_t time = look_locks_time(view->locks);
    if (!holder)
        return;
    if (kind == DOC_LOCK_barrier && text_percent(row->v[DOC_LOCK_WAITED], time) >= WORTH &&
        text_percent(holder->v[DOC_LOCK_DELAYED], delayed) >= OBVIOUS)
        fprintf(out, "#   hint: thread %" PRIu32 " is nearly always the last: give it less to do\n",
                holder->thread);
    else if ((kind == DOC_LOCK_mutex || kind == DOC_LOCK_spinlock || kind == DOC_LOCK_rwlock) &&
             row->bound_known && text_percent(row->bound, view->locks->ticks) >= WORTH)
        fprintf(out,
                "#   hint: do less while it is held, or let threads have locks of their own\n");
}

/* Of locks that are not shown: the one that the run might do best without. */
static void put_left(const struct look_locks_view *view, size_t said, FILE *out)
{
    char name[DOC_COLUMN_NAME];
    const struct look_lock_row *best = NULL;
    for (size_t i = said; i < view->rows; i++)
        if (view->row[i].bound_known && (!best || view->row[i].bound > best->bound))
            best = &view->row[i];
    fprintf(out, "# %zu more", view->rows - said);
    if (said < MOST)
        fprintf(out, ", of which `%s` is 0", look_lock_figure_name(view->sort, name));
    if (best && text_percent(best->bound, view->locks->ticks) >= 1) {
        fprintf(out, "; the greatest bound of these: %" PRIu64 " of %s ", best->bound,
                doc_lock_kinds[view->locks->lock[best->lock].kind].name);
        look_lock_label(view, best->lock, out);
        fputs(" (--sort=bound)", out);
    }
    putc('\n', out);
}

static void put_locks(const struct look_locks_view *view, FILE *out)
{
    size_t said = 0;
    for (; said < view->rows && said < MOST; said++) {
        const struct look_lock_row *row = &view->row[said];
        if (look_lock_figure_of(view, row, view->sort) == 0)
            break;
        put_lock(view, row, out);
        if (!row->v[DOC_LOCK_WAITED])
            continue;
        put_most(view, row, DOC_LOCK_WAITED, "of it is waited at", out);
        put_most(view, row, DOC_LOCK_DELAYED,
                 row->v[DOC_LOCK_HOLDS] ? "of it for a holder that took it at"
                                        : "of it is ended at",
                 out);
        put_twin(view, row, out);
        put_hint(view, row, out);
    }
    if (said < view->rows)
        put_left(view, said, out);
}

/* ---- the critical path ----------------------------------------------------------------------- */

/** Parts of the path that are alike. */
struct stretch {
    enum look_lock_part part;
    uint32_t thread; /**< of a part with a lock: how many parts they are */
    uint32_t lock;
    uint64_t pc, ticks;
};

static int text_alike(const struct stretch *a, const struct stretch *b)
{
    const bool same = a->lock != DOC_LOCKS_NONE;
    const uint64_t x[] = {a->part, a->lock, a->pc, same ? 0 : a->thread};
    const uint64_t y[] = {b->part, b->lock, b->pc, same ? 0 : b->thread};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int text_by_place(const void *x, const void *y)
{
    return text_alike(x, y);
}

static int by_ticks(const void *x, const void *y)
{
    const struct stretch *a = x, *b = y;
    return a->ticks != b->ticks ? (a->ticks > b->ticks ? -1 : 1) : text_alike(a, b);
}

/* @return the caller's */
static struct stretch *text_stretches(const struct look_locks_view *view, size_t *count)
{
    struct stretch *all = sim_alloc(view->segments, sizeof *all);
    size_t kept = 0;
    for (size_t i = 0; i < view->segments; i++) {
        const struct look_lock_segment *s = &view->segment[i];
        const struct doc_lock_site *site =
            s->site == DOC_LOCKS_NONE ? NULL : &view->locks->site[s->site];
        all[i] = (struct stretch){s->part, site ? 1 : s->thread, site ? site->lock : DOC_LOCKS_NONE,
                                  site ? site->pc : DOC_LOCKS_NOWHERE, s->to - s->from};
    }
    if (view->segments)
        qsort(all, view->segments, sizeof *all, text_by_place);
    for (size_t i = 0; i < view->segments; i++)
        if (kept && !text_alike(&all[kept - 1], &all[i])) {
            all[kept - 1].ticks += all[i].ticks;
            all[kept - 1].thread += all[i].lock != DOC_LOCKS_NONE;
        } else {
            all[kept++] = all[i];
        }
    if (kept)
        qsort(all, kept, sizeof *all, by_ticks);
    *count = kept;
    return all;
}

static void put_stretch(const struct look_locks_view *view, const struct stretch *s, FILE *out)
{
    static const char *const text[DOC_PARTS] = {
        [LOOK_PART_WORK] = "work: thread",
        [LOOK_PART_HOLDING] = "held:",
        [LOOK_PART_HANDOVER] = "handed over:",
        [LOOK_PART_SLEEP] = "waited for, ended by no known thread:",
    };
    fprintf(out, "  %7.2f%% %12" PRIu64 "  %s", text_percent(s->ticks, view->locks->ticks),
            s->ticks, text[s->part]);
    if (s->lock == DOC_LOCKS_NONE)
        fprintf(out, " %" PRIu32, s->thread);
    if (s->lock != DOC_LOCKS_NONE) {
        fprintf(out, " %s ", doc_lock_kinds[view->locks->lock[s->lock].kind].name);
        look_lock_label(view, s->lock, out);
        fputs(" in ", out);
        look_lock_place_put(view, s->pc, out);
        fprintf(out, ", %" PRIu32 " time%s", s->thread, sim_plural(s->thread));
    }
    putc('\n', out);
}

static void put_path(const struct look_locks_view *view, FILE *out)
{
    size_t count;
    struct stretch *all = text_stretches(view, &count);
    fprintf(out,
            "#\n# the critical path: each part had to be over before the next could begin\n"
            "#\n# %8s %12s  %s\n",
            "path %", "PCycles", "part");
    for (size_t i = 0; i < count && i < MOST; i++)
        put_stretch(view, &all[i], out);
    if (count > MOST)
        fprintf(out, "# %zu more\n", count - MOST);
    if (view->locks->missed)
        fprintf(out,
                "# %" PRIu64 " wait%s of less than %" PRIu64
                " PCycles %s in no path and no bound: there were too many\n",
                view->locks->missed, sim_plural(view->locks->missed), view->locks->least,
                view->locks->missed == 1 ? "is" : "are");
    free(all);
}

void look_locks_text(const struct look_locks_view *view, FILE *out)
{
    text_put_head(view, out);
    put_locks(view, out);
    put_path(view, out);
}
