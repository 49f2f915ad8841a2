/*
 * A card from outside, for people and for debuggers.
 */
#include "procard/seen.h"

#include "procard/card.h"

static struct pc_card *seen_card_at(struct nm_machine *m, unsigned card)
{
    return pc_card_of(nm_machine_card(m, card));
}

/* The outstanding request for a line; NULL: there is none. */
static const struct pc_request *seen_request(const struct pc_card *card, uint64_t line)
{
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        if (r->line == line)
            return r;
    }
    return NULL;
}

void pc_line_see(struct nm_machine *m, unsigned card, uint64_t pa, struct pc_line_seen *out)
{
    const struct pc_card *c = seen_card_at(m, card);
    const uint64_t line = pa & ~(nm_value_l2_line(c->p) - 1);
    const struct pc_request *r = seen_request(c, line);
    *out = (struct pc_line_seen){.state = pc_state_name(c, NM_LINE_I)};
    if (c->functional)
        return;
    out->state = pc_state_name(c, pc_line_state(c, line));
    out->has = pc_line_in_half(c, PC_SIDE_D, line) || pc_line_in_half(c, PC_SIDE_I, line);
    out->asks = r;
    if (!r)
        return;
    out->sent = r->sent;
    out->message = r->issued == SIM_NEVER ? "-" : nm_message_row(r->command)->name;
    out->nacks = r->nacks;
    out->since = r->asked;
}

void pc_card_say(struct nm_machine *m, unsigned card, FILE *out)
{
    struct nm_card *nm = nm_machine_card(m, card);
    const struct pc_card *c = pc_card_of(nm);
    nm->ops->dump(nm, out);
    if (c->core->pipeline)
        c->core->pipeline(&c->cpu, out);
}
