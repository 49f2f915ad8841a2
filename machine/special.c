/*
 * The special function unit: one in each memory card and one in each network cache (TR, memory
 * module and network cache).
 *
 * The hard idea is that it has no way of its own around the protocol. For each line it makes a
 * request of its own directory, with nobody as the requester, and the protocol's rows do the rest:
 * a line that is locked says no and is tried again, an owner is asked by the ordinary intervention,
 * shared copies go by the ordinary invalidation. The unit only watches the transitions of its line
 * for the word SERVED or a refusal.
 *
 * A claim (lines created in a secondary cache without data) is made of such requests too: the line
 * is fetched from everybody and locked; when the issuer has created all of its lines, it becomes
 * their owner. Until then the unit belongs to the claim.
 *
 * It does one command at a time. Another that arrives meanwhile is answered SF_BUSY and its card
 * tries again, as for a locked line. The next turn is kept for the one given first, as the
 * controller keeps a line's (nm_controller_has_turn), but from the first refusal on.
 */
#include "machine/special.h"

static const struct nm_function functions[] = {
#define FUNCTION(number, message, place, sentence) \
    {number, NM_MSG_##message, NM_MODULE_##place, #message, sentence},
#include "machine/special.def"
#undef FUNCTION
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const struct nm_function *nm_functions(size_t *count)
{
    *count = FUNCTIONS;
    return functions;
}

/* Tells the issuer of a command, here or on another station. */
static void answer(struct nm_controller *c, const struct nm_packet *command, uint64_t line,
                   enum nm_message message, sim_tick now)
{
    struct nm_packet p = *command;
    p.line = line;
    nm_controller_answer(c, &p, message, now + c->timing.directory);
}

void nm_special_look(struct nm_controller *c, const struct nm_packet *in, uint64_t tag,
                     const struct nm_dir_line *line, sim_tick now)
{
    struct nm_packet p = *in;
    p.word = line->stations;
    p.bytes = line->cards;
    p.lines = line->state;
    c->free_at = now + c->timing.directory;
    answer(c, &p, tag, NM_MSG_SF_LINE, now);
}

/* Whether the turn is kept for no older command. */
static bool goes_first(const struct nm_special *s, const struct nm_packet *in, sim_tick now)
{
    return now >= s->oldest.until || in->rank <= s->oldest.rank;
}

static void busy(struct nm_special *s, struct nm_controller *c, const struct nm_packet *in,
                 sim_tick now)
{
    if (c->patience && goes_first(s, in, now)) {
        s->oldest.rank = in->rank;
        s->oldest.until = nm_rank_until(in->rank, now, c->turn);
    }
    answer(c, in, in->line, NM_MSG_SF_BUSY, now);
}

void nm_special_take(struct nm_special *s, struct nm_controller *c, const struct nm_packet *in,
                     sim_tick now)
{
    if (in->message == NM_MSG_SF_CREATED) {
        s->phase = NM_SPECIAL_OWN;
        s->command.line = s->first;
        s->command.lines = s->total;
        s->at = now + c->timing.directory;
        s->since = now;
        return;
    }
    if (s->busy || !goes_first(s, in, now)) {
        busy(s, c, in, now);
        return;
    }
    s->oldest.until = 0;
    s->busy = true;
    s->waiting = false;
    s->command = *in;
    s->first = in->line;
    s->total = in->lines;
    s->phase = in->message == NM_MSG_SF_CLAIM ? NM_SPECIAL_CLEAR : NM_SPECIAL_ONLY;
    s->at = now + c->timing.directory;
    s->since = now;
}

static unsigned unit(const struct nm_controller *c)
{
    return nm_rank_unit(c->place.station, c->agent == NM_AGENT_NC);
}

/* Everybody who wants a line that a claim has reserved waits for the claim, so until it has the
 * others it goes before them all. */
static uint64_t rank_of(const struct nm_special *s, const struct nm_controller *c)
{
    const bool reserves = s->phase == NM_SPECIAL_CLEAR || s->phase == NM_SPECIAL_RESERVE;
    const bool has_lines = reserves && s->command.line != s->first;
    return nm_request_rank(has_lines ? 0 : s->since, unit(c));
}

bool nm_special_next(const struct nm_special *s, const struct nm_controller *c, sim_tick now,
                     struct nm_packet *request)
{
    static const uint8_t asks[] = {[NM_SPECIAL_CLEAR] = NM_MSG_SF_EXCL,
                                   [NM_SPECIAL_RESERVE] = NM_MSG_SF_CLAIM,
                                   [NM_SPECIAL_OWN] = NM_MSG_SF_OWN};
    const bool own = s->phase == NM_SPECIAL_OWN;
    if (!s->busy || s->waiting || s->phase == NM_SPECIAL_CREATE || now < s->at || c->late_count ||
        !nm_controller_may_take(c, NM_NONSINKABLE, now))
        return false;
    *request = (struct nm_packet){.line = s->command.line,
                                  .message = s->phase ? asks[s->phase] : s->command.message,
                                  .source = c->module,
                                  .requester = own ? s->command.requester : NM_NO_CARD,
                                  .station = own ? s->command.station : c->place.station,
                                  .age = s->refusals,
                                  .data = -1,
                                  .rank = rank_of(s, c)};
    return true;
}

sim_tick nm_special_wake(const struct nm_special *s, const struct nm_controller *c, sim_tick now)
{
    if (!s->busy || s->waiting || s->phase == NM_SPECIAL_CREATE)
        return SIM_NEVER;
    sim_tick at = s->at > c->free_at ? s->at : c->free_at;
    return at > now ? at : now + c->cycle; /* the controller has no room just now */
}

void nm_special_skip(struct nm_special *s, struct nm_controller *c, sim_tick now)
{
    s->waiting = false;
    s->since = now;
    s->refusals = 0;
    s->command.line += 1ull << c->line_shift;
    const bool more = --s->command.lines;
    if (s->phase == NM_SPECIAL_RESERVE) {
        s->phase = more ? NM_SPECIAL_CLEAR : NM_SPECIAL_CREATE;
        if (!more)
            answer(c, &s->command, s->first, NM_MSG_SF_READY, now);
        return;
    }
    if (more)
        return;
    s->busy = false;
    answer(c, &s->command, s->first, NM_MSG_SF_DONE, now);
}

void nm_special_refused(struct nm_special *s, sim_tick now)
{
    s->waiting = false;
    s->refusals += s->refusals < UINT16_MAX;
    if (s->phase == NM_SPECIAL_RESERVE)
        s->phase = NM_SPECIAL_CLEAR; /* somebody came between */
    s->at = now + s->retry;
}

void nm_special_saw(struct nm_special *s, struct nm_controller *c, uint64_t line, bool own,
                    sim_tick now)
{
    if (!s->busy || line != s->command.line || !(own || s->waiting))
        return;
    if (c->actions & NM_DIR_ACT_SERVED && s->phase == NM_SPECIAL_CLEAR) {
        s->waiting = false;
        s->phase = NM_SPECIAL_RESERVE;
    } else if (c->actions & NM_DIR_ACT_SERVED)
        nm_special_skip(s, c, now);
    else if (c->actions & (own ? NM_DIR_ACT_NACK : NM_DIR_ACT_REFUSE_HELD))
        nm_special_refused(s, now);
    else
        s->waiting = true;
}
