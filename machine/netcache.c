/* The network cache: where entries are found, made and given up. */
#include "machine/netcache.h"

#include "machine/values.h"

enum { BUFFER = 8 };

/* A place of the cache. All zero: empty. */
struct slot {
    uint64_t line; /* its address plus 1; 0: none */
    struct nm_dir_line dir;
    uint8_t brought; /* the card whose request brought the line */
    bool buffered;   /* the place is in the buffer */
};

struct nm_netcache {
    struct nm_controller *c;
    struct slot *slot;
    uint64_t slots, memory_size;
    struct slot buffer[BUFFER]; /* entries that have no place in the cache */
    unsigned buffered;          /* how many */
    bool keeps;
    struct slot passing; /* where no line is kept: the entry of the message at hand */
    struct nm_netcache_count count;
};

bool nm_netcache_keeps(const struct nm_protocol *protocol)
{
    return protocol->agent[NM_AGENT_NC]->states > 1;
}

struct nm_netcache *nm_netcache_new(const struct nm_params *p, struct nm_controller *c,
                                    const struct nm_backing *contents)
{
    struct nm_netcache *cache = sim_room_take(contents->parts, sizeof *cache);
    cache->c = c;
    cache->keeps = nm_netcache_keeps(c->place.protocol);
    cache->memory_size = p->memory_size;
    cache->slots = p->netcache_size / p->l2_line;
    cache->slot = sim_room_take(contents->room, cache->slots * sizeof *cache->slot);
    return cache;
}

/* The home of a line: a station's number. */
static uint16_t home_of(const struct nm_netcache *cache, uint64_t line)
{
    return (uint16_t)(line / cache->memory_size);
}

/* ---- places ---------------------------------------------------------------------------------- */

static struct slot *place_of(const struct nm_netcache *cache, uint64_t line)
{
    return &cache->slot[(line >> cache->c->line_shift) & (cache->slots - 1)];
}

void nm_netcache_expect(const struct nm_netcache *cache, uint64_t line)
{
    __builtin_prefetch(place_of(cache, line), 1);
}

static const struct slot *find(const struct nm_netcache *cache, uint64_t line)
{
    const struct slot *s = place_of(cache, line);
    if (s->line == line + 1)
        return s;
    for (unsigned i = 0; cache->buffered && i < BUFFER; i++)
        if (cache->buffer[i].line == line + 1)
            return &cache->buffer[i];
    return NULL;
}

struct nm_dir_line nm_netcache_look(const struct nm_netcache *cache, uint64_t line, bool by_index,
                                    uint64_t *found)
{
    const struct slot *s = by_index ? place_of(cache, line) : find(cache, line);
    const bool empty = !s || !s->line;
    *found = empty ? ~UINT64_C(0) : s->line - 1;
    return empty ? nm_dir_start(NM_AGENT_NC) : s->dir;
}

struct nm_dir_line nm_netcache_line(const struct nm_netcache *cache, uint64_t line)
{
    uint64_t found;
    return nm_netcache_look(cache, line, false, &found);
}

static void clear(struct nm_netcache *cache, struct slot *s)
{
    cache->buffered -= s->buffered;
    nm_check_drop(cache->c->check, cache->c->copy, s->line - 1);
    *s = (struct slot){0};
}

static struct slot *fill(struct slot *s, uint64_t line)
{
    *s = (struct slot){.line = line + 1, .dir = nm_dir_start(NM_AGENT_NC)};
    return s;
}

/* @return false: the line that holds the place is locked */
static bool eject(struct nm_netcache *cache, struct slot *s, sim_tick now)
{
    struct nm_controller *c = cache->c;
    const uint64_t victim = s->line - 1;
    const uint16_t home = c->place.home;
    c->place.home = home_of(cache, victim);
    const bool free_now = nm_controller_eject(c, &s->dir, victim, now);
    c->place.home = home;
    if (!free_now)
        return false;
    cache->count.ejections++;
    clear(cache, s);
    return true;
}

/* Makes the line's place in the cache its own; NULL when a locked line holds it. */
static struct slot *allocate(struct nm_netcache *cache, uint64_t line, sim_tick now)
{
    struct slot *s = place_of(cache, line);
    if (s->line && !eject(cache, s, now))
        return NULL;
    return fill(s, line);
}

/* A place in the buffer. Interventions stay there for a while and must leave one place to messages
 * that only pass (and cannot be refused). */
static struct slot *buffer(struct nm_netcache *cache, uint64_t line, bool stays)
{
    struct slot *place = cache->buffer;
    if (cache->buffered + 1 + stays > BUFFER)
        return NULL;
    while (place->line)
        place++;
    fill(place, line)->buffered = true;
    cache->buffered++;
    return place;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* The entry a message works on. NULL: it was refused. */
static __attribute__((noinline)) struct slot *
entry_made(struct nm_netcache *cache, const struct nm_packet *in, bool from_network, sim_tick now)
{
    if (!cache->keeps)
        return fill(&cache->passing, in->line);
    struct slot *s = (struct slot *)find(cache, in->line);
    if (s)
        return s;
    const bool asks = !from_network && nm_is_read(in->message);
    const bool stays = nm_is_intervention(in->message);
    s = asks ? allocate(cache, in->line, now) : buffer(cache, in->line, stays);
    if (!s)
        nm_controller_refuse(cache->c, in, from_network, asks ? NM_NO_PLACE : NM_NO_ROOM, now);
    return s;
}

/* The same; nearly always it is there. */
static inline struct slot *entry_for(struct nm_netcache *cache, const struct nm_packet *in,
                                     bool from_network, sim_tick now)
{
    struct slot *s = place_of(cache, in->line);
    return s->line == in->line + 1 ? s : entry_made(cache, in, from_network, now);
}

/* The books of a card's request: was it answered here, and thanks to whom? A miss brings the line.
 * An upgrade wants no data: where the cache has them, it is the right to write that is here. */
static void count_request(struct nm_netcache *cache, struct slot *s, const struct nm_packet *in)
{
    struct nm_netcache_count *count = &cache->count;
    const uint64_t a = cache->c->actions;
    const bool upgrade = in->message == NM_MSG_UPGD;
    if (!(a & (NM_DIR_ACT_FOUND | NM_DIR_ACT_LOCALISED | NM_DIR_ACT_MISSED)))
        return;
    const bool cached = a & NM_DIR_ACT_FOUND && !upgrade;
    const bool localised = a & NM_DIR_ACT_LOCALISED || (a & NM_DIR_ACT_FOUND && upgrade);
    count->hits += localised || cached;
    count->localised += localised;
    count->caching += cached && s->brought == in->requester;
    count->migration += cached && s->brought != in->requester;
    if (a & NM_DIR_ACT_MISSED) {
        count->misses++;
        s->brought = in->requester;
    }
}

/* What the books are about. */
static const uint64_t BOOKS = NM_DIR_ACT_FOUND | NM_DIR_ACT_LOCALISED | NM_DIR_ACT_MISSED |
                              NM_DIR_ACT_FALSE_REMOTE | NM_DIR_ACT_N_SPECIAL;

static __attribute__((noinline)) void count(struct nm_netcache *cache, struct slot *s,
                                            const struct nm_packet *in, bool asks)
{
    const uint64_t a = cache->c->actions;
    if (asks)
        count_request(cache, s, in);
    cache->count.false_remote += !!(a & NM_DIR_ACT_FALSE_REMOTE);
    cache->count.special += !!(a & NM_DIR_ACT_N_SPECIAL);
}

static __attribute__((noinline)) void handle(struct nm_netcache *cache, const struct nm_packet *in,
                                             bool from_network, sim_tick now)
{
    struct nm_controller *c = cache->c;
    const bool asks = !from_network && nm_is_read(in->message);
    c->place.home = home_of(cache, in->line);
    cache->count.requests += asks;
    struct slot *s = nm_controller_admits(c, in, from_network, now)
                         ? entry_for(cache, in, from_network, now)
                         : NULL;
    if (!s || !nm_controller_take(c, &s->dir, in, from_network, now))
        return;
    if (c->actions & BOOKS)
        count(cache, s, in, asks);
    if (nm_dir_unknown(&s->dir))
        clear(cache, s);
}

/* A card's request that is only refused has a way without registers to save. */
void nm_netcache_handle(struct nm_netcache *cache, const struct nm_packet *in, bool from_network,
                        sim_tick now)
{
    struct nm_controller *c = cache->c;
    const struct slot *s = place_of(cache, in->line);
    if (from_network || now < c->oldest.until || s->line != in->line + 1 ||
        !nm_controller_nacks(c, &s->dir, in)) {
        handle(cache, in, from_network, now);
        return;
    }
    cache->count.requests++;
    nm_controller_nack(c, &s->dir, in, now);
}

/* The entry of a line the special function unit asks for. NULL: there is no place for it. */
static struct slot *own_entry_for(struct nm_netcache *cache, uint64_t line, sim_tick now)
{
    if (!cache->keeps)
        return fill(&cache->passing, line);
    struct slot *s = (struct slot *)find(cache, line);
    return s ? s : allocate(cache, line, now);
}

bool nm_netcache_own(struct nm_netcache *cache, const struct nm_packet *in, sim_tick now)
{
    struct nm_controller *c = cache->c;
    c->place.home = home_of(cache, in->line);
    struct slot *s =
        nm_controller_has_turn(c, in, false, now) ? own_entry_for(cache, in->line, now) : NULL;
    if (!s || !nm_controller_take(c, &s->dir, in, false, now))
        return false;
    if (c->actions & NM_DIR_ACT_N_RD)
        s->brought = NM_NO_CARD;
    return true;
}

/* ---- without time ---------------------------------------------------------------------------- */

static void eject_at_once(struct nm_netcache *cache, struct slot *s, struct nm_sends *sends)
{
    struct nm_controller *c = cache->c;
    const uint64_t victim = s->line - 1;
    const uint16_t home = c->place.home;
    c->place.home = home_of(cache, victim);
    nm_controller_eject_at_once(c, &s->dir, victim, sends);
    c->place.home = home;
    clear(cache, s);
}

/* As entry_for. Nothing is locked but by the transaction itself, so there is a place. */
static struct slot *entry_at_once(struct nm_netcache *cache, const struct nm_packet *in,
                                  bool from_network, struct nm_sends *sends)
{
    struct slot *s = (struct slot *)find(cache, in->line);
    if (s)
        return s;
    if (from_network || !nm_is_read(in->message))
        return buffer(cache, in->line, false);
    s = place_of(cache, in->line);
    if (s->line)
        eject_at_once(cache, s, sends);
    return fill(s, in->line);
}

void nm_netcache_at_once(struct nm_netcache *cache, const struct nm_packet *in, bool from_network,
                         struct nm_sends *before, struct nm_sends *sends)
{
    struct nm_controller *c = cache->c;
    before->count = 0;
    c->place.home = home_of(cache, in->line);
    struct slot *s = cache->keeps ? entry_at_once(cache, in, from_network, before)
                                  : fill(&cache->passing, in->line);
    nm_controller_at_once(c, &s->dir, in, from_network, sends);
    if (c->actions & NM_DIR_ACT_MISSED)
        s->brought = in->requester;
    if (nm_dir_unknown(&s->dir))
        clear(cache, s);
}

struct nm_netcache_count nm_netcache_count(const struct nm_netcache *cache)
{
    return cache->count;
}
