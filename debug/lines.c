/*
 * A line of the program from outside: home, directory, copies, requests.
 *
 * The hard idea: protocol events are nobody's calls here. A copy of the process that looks ahead
 * goes tick by tick and compares what each card has of the line with what it had a tick ago.
 */
#include "debug/lines.h"

#include "base/alloc.h"
#include "machine/values.h"
#include "procard/procard.h"
#include "procard/seen.h"

#include <inttypes.h>
#include <string.h>

struct dbg_lines {
    struct dbg *d;
    unsigned cards;
    struct pc_line_seen seen[]; /* [lines * cards] */
};

static bool lines_see(const struct dbg_lines *l, const struct dbg_line *line, unsigned card,
                      struct pc_line_seen *out)
{
    uint64_t pa;
    const bool there = l->d->inspect->physical(l->d->run->self, line->va, &pa);
    *out = (struct pc_line_seen){.state = "-"};
    if (there)
        pc_line_see(l->d->live->machine, card, pa, out);
    return there;
}

struct dbg_lines *dbg_lines_new(struct dbg *d)
{
    const struct dbg_conditions *c = &d->session->conditions;
    const size_t count = (size_t)c->lines * d->live->cards;
    struct dbg_lines *l = sim_alloc(1, sizeof *l + count * sizeof *l->seen);
    l->d = d;
    l->cards = d->live->cards;
    for (unsigned i = 0; i < c->lines; i++)
        for (unsigned card = 0; card < l->cards; card++)
            lines_see(l, &c->line[i], card, &l->seen[i * l->cards + card]);
    return l;
}

static bool lines_happened(enum dbg_of_line what, const struct pc_line_seen *was,
                           const struct pc_line_seen *is)
{
    switch (what) {
    case DBG_LINE_MISS:
        return is->asks && !was->asks;
    case DBG_LINE_NACK:
        return is->nacks > was->nacks;
    case DBG_LINE_INVALIDATE:
        return was->has && !is->has;
    case DBG_LINE_LOSS:
        return was->has && !is->has;
    }
    return false;
}

void dbg_lines_look(struct dbg_lines *l, struct dbg_hit *hit)
{
    const struct dbg_conditions *c = &l->d->session->conditions;
    for (unsigned i = 0; i < c->lines; i++)
        for (unsigned card = 0; card < l->cards; card++) {
            struct pc_line_seen *was = &l->seen[i * l->cards + card], is;
            lines_see(l, &c->line[i], card, &is);
            const bool wanted = c->line[i].card == DBG_ANY_CARD || c->line[i].card == card;
            if (wanted && !hit->what && lines_happened(c->line[i].what, was, &is))
                *hit =
                    (struct dbg_hit){.what = DBG_AT_LINE,
                                     .point = {nm_machine_now(l->d->live->machine), card, 0},
                                     .thread = pc_cpu_at(l->d->live->machine, card)->tries.thread,
                                     .va = c->line[i].va,
                                     .line = c->line[i].what};
            *was = is;
        }
}

/* ---- for people ------------------------------------------------------------------------------ */

static void say_card(struct dbg *d, unsigned card, uint64_t pa, FILE *out)
{
    struct pc_line_seen seen;
    pc_line_see(d->live->machine, card, pa, &seen);
    if (!seen.has && !seen.asks)
        return;
    fprintf(out, "  card %u: %s", card, seen.state);
    if (seen.asks)
        fprintf(out, "; asks for it with %s since cycle %" PRIu64 "%s", seen.message, seen.since,
                seen.sent ? ", on its way" : ", not sent yet");
    if (seen.nacks)
        fprintf(out, ", refused %u time%s", seen.nacks, seen.nacks == 1 ? "" : "s");
    fputc('\n', out);
}

/* @param pa  where it is */
static void line_say(struct dbg *d, uint64_t va, uint64_t pa, FILE *out)
{
    struct nm_machine *m = d->live->machine;
    const struct nm_params *p = nm_machine_params(m);
    const uint64_t line_bytes = nm_value_l2_line(p), in = pa & (line_bytes - 1), line = pa - in;
    fprintf(out,
            "line of 0x%" PRIx64 ": 0x%" PRIx64 " to 0x%" PRIx64 ", physical 0x%" PRIx64
            ", home station %u\n",
            va, va - in, va - in + line_bytes - 1, line,
            (unsigned)(line / nm_value_memory_size(p)));
    fprintf(out, "  directory at home: %s\n", nm_line_at_home(m, line));
    for (unsigned s = 0; s < nm_params_stations(p); s++) {
        const char *state = nm_line_at_network(m, s, line);
        if (strcmp(state, "-") != 0 && strcmp(state, "N") != 0)
            fprintf(out, "  network cache of station %u: %s\n", s, state);
    }
    for (unsigned card = 0; card < d->live->cards; card++)
        say_card(d, card, line, out);
}

void dbg_line_say(struct dbg *d, uint64_t va, FILE *out)
{
    uint64_t pa;
    if (d->inspect->physical(d->run->self, va, &pa))
        line_say(d, va, pa, out);
    else
        fprintf(out, "0x%" PRIx64 ": no page has memory there yet\n", va);
}
