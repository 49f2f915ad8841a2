/*
 * The driver core. A reference is asked for once and made until the card lets it through; an
 * exception leaves it as it is, to be made again when the card goes on.
 *
 * Two things are common enough to have a short way, which gives what the plain one does: packed
 * references that hit (hits), and a wait whose word is in the cache, where nothing can change it
 * before the horizon (look_on).
 */
#include "procard/driver/driver.h"
#include "monitor/board/board.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

enum {
    ENOUGH = 1000,  /**< [ticks] of packed references that are looked at ahead */
    AHEAD = 100000, /**< [ticks] foreseen at most: the watchdog looks between windows */
    ITAG = 4,
};

/* A packed reference's address. */
#define ADDRESS ((UINT64_C(1) << PC_PACKED_BITS) - 1)

struct driver {
    struct pc_cpu base;
    const struct pc_driver_source *source;
    void *self;
    struct pc_reference reference; /**< under way, if it has been asked for */
    bool asked;
    bool quiet;                                  /**< the source is not told of it */
    const struct pc_packed *packed, *packed_end; /**< to be made before the source is asked */
    const struct pc_packed *seen;                /**< those before it have been foreseen, ... */
    const struct pc_packed *sure; /**< ... and those before it are shown; NULL: none */
    uint64_t tag[ITAG + 1]; /**< bits of a packed address that a line's tag has, by the logarithm of
                                 its size; those of instructions */
    sim_tick began;         /**< it was first tried; SIM_NEVER: not yet */
    uint64_t line;          /**< of instructions, the last one that was looked up (LINE), ... */
    bool again;     /**< ... and is to be looked up again before the reference is tried again */
    bool has_asked; /**< the reference, which is not made whole, for its line */
    uint64_t left;  /**< [PCycles] to compute before the next one ... */
    enum pc_status state; /**< ... in this state */
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint64_t driver_get(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    memcpy((uint8_t *)&value + sizeof value - size, bytes, size);
    return be64toh(value);
}

static inline void driver_put(uint8_t *bytes, unsigned size, uint64_t value)
{
    const uint32_t word = htobe32((uint32_t)value);
    if (size == sizeof word) { /* the most common: two instructions */
        memcpy(bytes, &word, sizeof word);
        return;
    }
    value = htobe64(value << (64 - 8 * size));
    memcpy(bytes, &value, size);
}

/* ---- one reference --------------------------------------------------------------------------- */

/* Whether the word is what the wait is for. */
static bool driver_holds(const struct pc_reference *r, uint64_t value)
{
    const uint64_t differs = (value - r->value) << (64 - 8 * r->size); /* in the word's own width */
    switch (r->relation) {
    case PC_IS:
        return !differs;
    case PC_IS_NOT:
        return differs;
    default:
        return (int64_t)differs >= 0;
    }
}

/* The place of a primary cache where the bytes at an address would be shown. */
static inline const struct pc_line *driver_place_of(const struct pc_cpu *cpu, uint64_t va)
{
    return &cpu->d[va >> cpu->dshift & cpu->dmask];
}

/* What an aligned access of so many bytes must have in common with a line's tag. */
static inline uint64_t bits_of(unsigned shift, unsigned size)
{
    return ~UINT64_C(0) << shift | (size - 1);
}

/* The bytes of a reference that is shown: nobody need be asked, and nothing changes but they.
   @return NULL: it is not */
static uint8_t *shown_bytes(const struct pc_cpu *cpu, const struct pc_reference *r)
{
    const struct pc_line *line = driver_place_of(cpu, r->address);
    const uint64_t bits = bits_of(cpu->dshift, r->size);
    const bool store = r->kind == PC_REFERENCE_STORE;
    if (store ? !pc_line_writes(line, r->address, bits) : !pc_line_reads(line, r->address, bits))
        return NULL;
    return (uint8_t *)(line->host + r->address); // NOLINT(performance-no-int-to-ptr)
}

/* The same of an instruction. */
static bool is_shown(const struct pc_cpu *cpu, uint64_t va)
{
    return pc_line_reads(&cpu->i[va >> cpu->ishift & cpu->imask], va, bits_of(cpu->ishift, 4));
}

static bool driver_load(struct driver *d, bool linked, struct pc_result *result, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    const uint8_t *bytes = linked ? NULL : shown_bytes(&d->base, r);
    if (!bytes)
        bytes = linked ? pc_load_linked(&d->base, r->address, r->size, d->base.now, stop)
                       : pc_load(&d->base, r->address, r->size, d->base.now, stop);
    if (bytes)
        result->value = driver_get(bytes, r->size);
    return bytes;
}

static bool driver_store(struct driver *d, bool conditional, struct pc_result *result,
                         enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    uint8_t *bytes = conditional ? NULL : shown_bytes(&d->base, r);
    if (!bytes)
        bytes = conditional ? pc_store_conditional(&d->base, r->address, r->size, d->base.now, stop,
                                                   &result->failed)
                            : pc_store(&d->base, r->address, r->size, d->base.now, stop);
    result->value = r->value;
    if (bytes)
        driver_put(bytes, r->size, r->value);
    return bytes || result->failed;
}

/* @return false: *stop says why */
static bool driver_make(struct driver *d, struct pc_result *result, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    switch (r->kind) {
    case PC_REFERENCE_LOAD:
    case PC_REFERENCE_WAIT:
    case PC_REFERENCE_LOAD_LINKED:
        return driver_load(d, r->kind == PC_REFERENCE_LOAD_LINKED, result, stop);
    case PC_REFERENCE_STORE:
    case PC_REFERENCE_STORE_CONDITIONAL:
        return driver_store(d, r->kind == PC_REFERENCE_STORE_CONDITIONAL, result, stop);
    case PC_REFERENCE_FETCH:
    case PC_REFERENCE_LINE:
        return is_shown(&d->base, r->address) || pc_fetch(&d->base, r->address, d->base.now, stop);
    default:
        return pc_sync(&d->base, d->base.now, stop);
    }
}

static enum pc_status completes_in(enum pc_reference_kind kind)
{
    static const enum pc_status states[] = {
        [PC_REFERENCE_LOAD] = PC_ST_LOAD,        [PC_REFERENCE_STORE] = PC_ST_STORE,
        [PC_REFERENCE_LOAD_LINKED] = PC_ST_LOAD, [PC_REFERENCE_STORE_CONDITIONAL] = PC_ST_STORE,
        [PC_REFERENCE_FETCH] = PC_ST_INT,        [PC_REFERENCE_SYNC] = PC_ST_INT,
        [PC_REFERENCE_WAIT] = PC_ST_LOAD};
    return states[kind];
}

static void count_try(struct pc_cpu *cpu, const struct pc_reference *r, bool failed)
{
    cpu->scs_failed += failed;
    cpu->tries.failed += failed;
    cpu->tries.row = failed ? cpu->tries.row + 1 : 0;
    if (failed)
        cpu->tries.va = r->address;
}

/* A reference that an interrupt came before in the run that it is from.
   @return false: *stop says why */
static bool refer_in_part(struct driver *d, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &d->base;
    const struct pc_reference r = d->reference;
    const bool maps = r.extent == PC_AS_FAR_AS_MAPPED;
    const sim_tick horizon = cpu->horizon;
    struct pc_result result = {.failed = false};
    bool over = d->has_asked;
    if (!over) {
        cpu->horizon = maps ? cpu->now + 1 : horizon;
        over = driver_make(d, &result, stop) || (maps && *stop == PC_STOP_HORIZON);
        cpu->horizon = horizon;
    }
    d->asked = !over;
    d->has_asked = !over && *stop == PC_STOP_MISS;
    if (over && d->source->done)
        d->source->done(d->self, cpu->number, &r, &result);
    return over;
}

/* Nothing that was packed follows. */
static void driver_forget(struct driver *d)
{
    d->packed = d->packed_end = d->seen = d->sure = NULL;
    d->left = 0;
}

/* A packed reference is done that the source is to be told of. */
static void driver_tell(struct driver *d, const struct pc_packed *p, sim_tick waited)
{
    if (!d->source->told(d->self, d->base.number, p, waited))
        driver_forget(d);
}

/* @return false: *stop says why */
static bool driver_refer(struct driver *d, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &d->base;
    const struct pc_reference r = d->reference;
    struct pc_result result = {.failed = false};
    if (d->began == SIM_NEVER)
        d->began = cpu->now;
    if (d->again && !pc_fetch(cpu, d->line, cpu->now, stop))
        return false;
    d->again = false;
    if (r.extent != PC_WHOLE)
        return refer_in_part(d, stop);
    if (!driver_make(d, &result, stop))
        return false;
    if (r.kind == PC_REFERENCE_LINE)
        d->line = r.address;
    result.began = d->began;
    result.done = cpu->now;
    if (r.kind == PC_REFERENCE_STORE_CONDITIONAL)
        count_try(cpu, &r, result.failed);
    d->asked = r.kind == PC_REFERENCE_WAIT && !driver_holds(&r, result.value);
    d->left = r.ticks;
    if (r.kind != PC_REFERENCE_LINE) {
        d->left -= r.ticks > 0;
        pc_complete(cpu, completes_in(r.kind), 1);
        cpu->instructions++;
    }
    if (d->quiet && d->packed[-1].what & PC_TOLD)
        driver_tell(d, d->packed - 1, result.done - result.began);
    else if (d->source->done && !d->quiet && !d->asked)
        d->source->done(d->self, cpu->number, &r, &result);
    return true;
}

/* ---- the core -------------------------------------------------------------------------------- */

/* Up to the horizon: whatever comes from outside finds the processor at its PCycle. */
static uint64_t driver_pass(struct pc_cpu *cpu, enum pc_status state, uint64_t left)
{
    uint64_t n = cpu->horizon - cpu->now < left ? cpu->horizon - cpu->now : left;
    n = n < UINT16_MAX ? n : UINT16_MAX;
    pc_complete(cpu, state, (uint16_t)n);
    return n;
}

static uint64_t driver_compute(struct driver *d)
{
    const uint64_t n = driver_pass(&d->base, d->state, d->left);
    d->base.instructions += pc_status_completes(d->state) ? n : 0;
    return n;
}

static unsigned driver_size_of(const struct pc_packed *p)
{
    return 1u << (p->what >> PC_PACKED_BITS & 3);
}

static uint64_t address_of(const struct pc_packed *p)
{
    return p->what & ADDRESS;
}

static void driver_unpack(struct driver *d)
{
    const struct pc_packed *p = d->packed++;
    assert((pc_packed_kind(p) >= PC_REFERENCE_COMPUTE && pc_packed_kind(p) <= PC_REFERENCE_STORE) ||
           pc_packed_kind(p) == PC_REFERENCE_LINE);
    d->reference = (struct pc_reference){.kind = pc_packed_kind(p),
                                         .size = driver_size_of(p),
                                         .address = address_of(p),
                                         .value = p->value,
                                         .ticks = p->ticks,
                                         .state = PC_ST_INT};
}

static void driver_ask(struct driver *d)
{
    size_t count = 0;
    if (d->source->more)
        count = d->source->more(d->self, d->base.number, d->base.now, &d->packed);
    d->packed = count ? d->packed : NULL;
    d->packed_end = d->packed + count;
    d->seen = d->packed;
    d->sure = NULL;
    if (count)
        return;
    d->reference = (struct pc_reference){.kind = PC_REFERENCE_END};
    d->source->next(d->self, d->base.number, d->base.now, &d->reference);
    d->asked = true;
    d->quiet = false;
    d->began = SIM_NEVER;
    d->state = PC_ST_INT;
}

/* A trap kills so many PCycles. Somebody may look at the books within them. */
static void kill_for(struct pc_cpu *cpu, uint64_t ticks)
{
    cpu->tail = (struct pc_tail){.held = (uint16_t)(ticks < UINT16_MAX ? ticks : UINT16_MAX),
                                 .holds = PC_ST_KILL_EXC};
    pc_charge(cpu, PC_ST_KILL_EXC, ticks);
}

/* The reference's turn has come. @return false: *stop says why */
static bool driver_begin(struct driver *d, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    if (r->kind != PC_REFERENCE_END && r->kind != PC_REFERENCE_COMPUTE)
        return driver_refer(d, stop);
    d->asked = false;
    if (r->kind == PC_REFERENCE_COMPUTE) {
        d->left = r->ticks ? r->ticks : 1;
        d->state = r->state;
        return true;
    }
    if (r->interrupted)
        pc_let_go(&d->base);
    kill_for(&d->base, r->ticks);
    d->base.exc = PC_EXC_SYS;
    *stop = PC_STOP_TRAP;
    return false;
}

/* ---- the short ways -------------------------------------------------------------------------- */

/* Bits of a packed reference that say whether it is a load or a store, or something else. */
#define REFERS (UINT64_C(1) << (PC_PACKED_BITS + 9))
#define OTHERS (~(PC_TOLD | (REFERS - 1)))

/* What is left of an address in the tag of a line, for each size: an access that is not aligned
   never has the line's. */
static void find_tags(struct driver *d)
{
    for (unsigned shift = 0; shift < ITAG; shift++)
        d->tag[shift] = bits_of(d->base.dshift, 1u << shift) & ADDRESS;
    d->tag[ITAG] = bits_of(d->base.ishift, 4) & ADDRESS;
}

_Static_assert((PC_REFERENCE_LOAD ^ PC_REFERENCE_STORE) == 1 && PC_REFERENCE_LOAD % 2 == 0,
               "loads and stores are told from the rest by one comparison, REFERS");

static inline bool driver_refers(const struct pc_packed *p)
{
    return (p->what & OTHERS) == REFERS;
}

static inline bool driver_stores(const struct pc_packed *p)
{
    return p->what >> (PC_PACKED_BITS + 8) & 1;
}

static inline bool driver_is_line(const struct pc_packed *p)
{
    return pc_packed_kind(p) == PC_REFERENCE_LINE;
}

/* [PCycles] that a packed one takes, if it waits for nothing: all but those of its own are work
   behind it. */
static inline uint64_t work_of(const struct pc_packed *p)
{
    return (uint64_t)p->ticks + (!p->ticks && !driver_is_line(p));
}

/* The tag that a line must have for a packed load or store. */
static inline uint64_t packed_tag(const struct driver *d, uint64_t what)
{
    return what & d->tag[what >> PC_PACKED_BITS & 3];
}

/* Whether a packed load may read there; PC_LINE_READ_ONLY is not among the bits. */
static inline bool packed_reads(const struct driver *d, uint64_t what, const struct pc_line *line)
{
    return !((what ^ line->tag) & d->tag[what >> PC_PACKED_BITS & 3]);
}

/* Whether a packed reference is a load or a store, and the processor is shown what it needs. */
static inline bool driver_shown(const struct driver *d, const struct pc_packed *p)
{
    const struct pc_line *line = driver_place_of(&d->base, p->what);
    return driver_refers(p) && (driver_stores(p) ? packed_tag(d, p->what) == line->tag
                                                 : packed_reads(d, p->what, line));
}

/* Makes a packed store that is shown. */
static inline void put_packed(const struct pc_line *line, const struct pc_packed *p)
{
    driver_put((uint8_t *)(line->host + address_of(p)), // NOLINT(performance-no-int-to-ptr)
               driver_size_of(p), p->value);
}

/* Packed ones that are made together. */
struct hits {
    const struct pc_packed *to; /* they are those before it */
    uint64_t loads, stores;     /* among them, */
    uint64_t line;              /* and the last of instructions */
    sim_tick now;               /* the last one is over then, with the work behind it */
    bool refused;               /* what would follow the last one is not to be made */
};

/* The last PCycles of those up to `p`, of which some take time, and all of whose work is done. */
static struct pc_tail tail_of(const struct pc_packed *p)
{
    while (!work_of(p))
        p--;
    const uint64_t refers = driver_refers(p), work = work_of(p) - refers;
    const enum pc_status does = driver_stores(p) ? PC_ST_STORE : PC_ST_LOAD;
    struct pc_tail tail = {.did = (uint16_t)(work ? work : refers)};
    tail.done = (uint8_t)(work ? PC_ST_INT : does);
    return tail;
}

/* Their books. Work behind the last one that the horizon cuts is left: it goes in parts. */
static void driver_enter(struct driver *d, const struct hits *h)
{
    struct pc_cpu *cpu = &d->base;
    const struct pc_packed *const last = h->to - 1;
    const uint64_t own = driver_refers(last), work = h->refused ? 0 : work_of(last) - own;
    const bool cut = work >= UINT16_MAX || h->now > cpu->horizon;
    const uint64_t left = cut ? work : 0, passed = h->now - left - cpu->now;
    d->packed = h->to;
    d->state = PC_ST_INT;
    d->left = left;
    if (!passed)
        return;
    cpu->states[PC_ST_LOAD] += h->loads;
    cpu->states[PC_ST_STORE] += h->stores;
    cpu->states[PC_ST_INT] += passed - h->loads - h->stores;
    cpu->instructions += passed;
    if (left || h->refused)
        cpu->tail = (struct pc_tail){.did = (uint16_t)own,
                                     .done = driver_stores(last) ? PC_ST_STORE : PC_ST_LOAD};
    else
        cpu->tail = tail_of(last);
    cpu->now += passed;
}

/* Whether a packed reference is a look-up of instructions that are shown. */
static inline bool line_shown(const struct driver *d, const struct pc_packed *p)
{
    return driver_is_line(p) && is_shown(&d->base, address_of(p));
}

/* The view of the place where a primary cache would show an address. @param shift  from an address
   to the place in bytes, of which `mask` has the bits */
static inline struct pc_line *view_of(struct pc_line *first, uint64_t what, unsigned shift,
                                      uint64_t mask)
{
    return (struct pc_line *)((char *)first + (what >> shift & mask));
}

enum { TOLD = PC_TOLD >> (PC_PACKED_BITS + 8) };

/* Makes a packed reference that hits, of which the source is told. @return false: it does not hit
 */
static bool make_told(struct driver *d, const struct pc_line *line, const struct pc_packed *p,
                      struct hits *h)
{
    if (!driver_shown(d, p))
        return false;
    h->loads += !driver_stores(p);
    h->stores += driver_stores(p);
    if (driver_stores(p))
        put_packed(line, p);
    h->refused = !d->source->told(d->self, d->base.number, p, 0);
    return true;
}

/* Makes packed references before `end` as long as they hit and the horizon is not reached, and the
   work between them. What it needs of the caches is in variables: they stay as they are, but that
   instructions are shown again.
   @param end  NULL: they are of a source that is `ended`
   @param sure  they hit, and are not looked up */
static inline __attribute__((always_inline)) void
make_hits(struct driver *d, const struct pc_packed *end, bool sure, struct hits *h)
{
    const struct pc_cpu *const cpu = &d->base;
    const unsigned dshift = cpu->dshift - PC_LINE_SHIFT, ishift = cpu->ishift - PC_LINE_SHIFT;
    const uint64_t dmask = (uint64_t)cpu->dmask << PC_LINE_SHIFT,
                   imask = (uint64_t)cpu->imask << PC_LINE_SHIFT, ibits = d->tag[ITAG];
    struct pc_line *const data = cpu->d, *const code = cpu->i;
    const sim_tick horizon = cpu->horizon;
    const struct pc_packed *p = h->to;
    uint64_t loads = 0, stores = 0, line = h->line;
    sim_tick now = h->now;
    for (; now < horizon && (!end || p < end); p++) {
        const uint64_t what = p->what, kind = what >> (PC_PACKED_BITS + 8);
        if (kind == PC_REFERENCE_LINE) {
            if (!sure && (what & ibits) != view_of(code, what, ishift, imask)->tag &&
                !pc_fetch_again(&d->base, what & ADDRESS))
                break;
            line = what;
            now += p->ticks;
        } else if (kind == PC_REFERENCE_LOAD) {
            if (!sure && !packed_reads(d, what, view_of(data, what, dshift, dmask)))
                break;
            loads++;
            now += p->ticks + (end && !p->ticks);
        } else if (kind == PC_REFERENCE_STORE) {
            const struct pc_line *const view = view_of(data, what, dshift, dmask);
            if (!sure && packed_tag(d, what) != view->tag)
                break;
            put_packed(view, p);
            stores++;
            now += p->ticks + (end && !p->ticks);
        } else if (kind == PC_REFERENCE_COMPUTE) {
            now += p->ticks + (end && !p->ticks);
        } else { /* of which the source is told */
            if (!make_told(d, view_of(data, what, dshift, dmask), p, h))
                break;
            now += h->refused ? 1 : work_of(p);
            if (h->refused) {
                p++;
                break;
            }
        }
    }
    h->to = p;
    h->now = now;
    h->loads += loads;
    h->stores += stores;
    h->line = line;
}

/* Makes packed references as long as they hit and the horizon is not reached. */
static void driver_hits(struct driver *d)
{
    struct hits h = {.to = d->packed, .now = d->base.now, .line = d->line};
    if (d->source->ended) {
        make_hits(d, NULL, false, &h);
    } else {
        if (d->sure > d->packed)
            make_hits(d, d->sure, true, &h);
        make_hits(d, d->packed_end, false, &h);
    }
    d->line = h.line & ADDRESS;
    if (h.to == d->packed)
        return;
    driver_enter(d, &h);
    if (h.refused)
        driver_forget(d);
}

/* Asks the card for what a packed reference needs. @return false: *stop says why */
static bool driver_get_shown(struct driver *d, const struct pc_packed *p, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &d->base;
    const uint64_t va = address_of(p);
    if (driver_is_line(p)) {
        if (!pc_fetch(cpu, va, cpu->now, stop))
            return false;
        d->line = va;
        return true;
    }
    if (!driver_stores(p))
        return pc_load(cpu, va, driver_size_of(p), cpu->now, stop);
    uint8_t *const stored = pc_store(cpu, va, driver_size_of(p), cpu->now, stop);
    if (stored)
        driver_put(stored, driver_size_of(p), p->value);
    return stored;
}

/* Makes a packed reference that does not hit. @return false: *stop says why; it is the reference
   under way now */
static bool driver_serve(struct driver *d, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &d->base;
    const struct pc_packed *p = d->packed;
    d->state = PC_ST_INT;
    if (!driver_get_shown(d, p, stop)) {
        driver_unpack(d);
        d->asked = d->quiet = true;
        d->began = cpu->now;
        return false;
    }
    d->left = work_of(p);
    if (driver_refers(p)) {
        d->left--;
        pc_complete(cpu, driver_stores(p) ? PC_ST_STORE : PC_ST_LOAD, 1);
        cpu->instructions++;
    }
    d->packed++;
    if (p->what & PC_TOLD)
        driver_tell(d, p, 0);
    return true;
}

/* Whether it is a wait whose word is shown, and is not what is waited for. */
static bool waits_in_vain(const struct pc_cpu *cpu, const struct pc_reference *r)
{
    const struct pc_line *line = driver_place_of(cpu, r->address);
    return r->kind == PC_REFERENCE_WAIT &&
           pc_line_reads(line, r->address, ~UINT64_C(0) << cpu->dshift) &&
           !driver_holds(r, driver_get((const uint8_t *)(line->host + r->address),
                                       r->size)); // NOLINT(performance-no-int-to-ptr)
}

/* Such a wait looks at its word until the horizon in vain. @return whether it did */
static bool look_on(struct driver *d)
{
    struct pc_cpu *cpu = &d->base;
    const struct pc_reference *r = &d->reference;
    const uint64_t round = r->ticks > 1 ? r->ticks : 1, room = cpu->horizon - cpu->now;
    if (round > room || round > UINT16_MAX || !waits_in_vain(cpu, r))
        return false;
    const uint64_t rounds = room / round;
    if (d->began == SIM_NEVER)
        d->began = cpu->now;
    cpu->now += rounds * round;
    cpu->states[PC_ST_LOAD] += rounds;
    cpu->states[PC_ST_INT] += rounds * (round - 1);
    cpu->instructions += rounds * round;
    cpu->tail = round > 1 ? (struct pc_tail){.did = (uint16_t)(round - 1), .done = PC_ST_INT}
                          : (struct pc_tail){.did = 1, .done = PC_ST_LOAD};
    return true;
}

/* ---- what it will do ------------------------------------------------------------------------- */

/* Whether a packed reference would be served without asking anybody. */
static bool driver_served(const struct pc_cpu *cpu, const struct pc_packed *p)
{
    if (driver_is_line(p))
        return false; /* else it would be shown */
    return !driver_refers(p) || pc_served(cpu, address_of(p), driver_size_of(p), driver_stores(p));
}

/* The tick before which the packed references from `at` on are served. Of those that were looked at
   before, nothing has been lost since. */
static sim_tick served_until(struct driver *d, sim_tick at)
{
    const struct pc_packed *p = d->packed;
    const sim_tick enough = at + ENOUGH;
    for (; p < d->seen; p++)
        at += work_of(p);
    if (d->sure == p || p == d->packed) {
        for (; p < d->packed_end && at < enough && (driver_shown(d, p) || line_shown(d, p)); p++)
            at += work_of(p);
        d->sure = p;
    }
    for (; p < d->packed_end && at < enough &&
           (driver_shown(d, p) || line_shown(d, p) || driver_served(&d->base, p));
         p++)
        at += work_of(p);
    d->seen = p;
    return at;
}

/* Whether the work behind the last packed reference is all to come: of a source whose answers hang
 * on others (`near`) it has not been said yet, as if it came by itself. */
static bool work_to_come(const struct driver *d)
{
    return d->left && d->packed && driver_refers(d->packed - 1) &&
           d->left == work_of(d->packed - 1) - 1;
}

/* Says for how long nobody could notice what it does: at the horizon, if it is not known. A wait
   that looks at what it has seen in vain sees it until the caches lose it. */
static void driver_foresee(struct driver *d)
{
    struct pc_cpu *cpu = &d->base;
    const sim_tick at = cpu->now + d->left, known = pc_foreseen(cpu);
    sim_tick until = at;
    if (known > cpu->now)
        return;
    if (!known || d->seen < d->packed)
        d->seen = d->packed;
    if (!d->asked)
        until = !d->source->near ? served_until(d, at) : work_to_come(d) ? cpu->now : at;
    else if (waits_in_vain(cpu, &d->reference))
        until = SIM_NEVER;
    else
        until = sim_later(at, d->reference.at);
    pc_foresee(cpu, sim_earlier(until, cpu->now + AHEAD));
}

static sim_tick driver_run(struct pc_cpu *cpu, sim_tick horizon)
{
    struct driver *d = (struct driver *)cpu;
    enum pc_stop stop = PC_STOP_HORIZON;
    if (cpu->now >= horizon)
        return cpu->now;
    cpu->horizon = horizon;
    if (d->sure && !pc_foreseen(cpu))
        d->sure = NULL;
    if (!d->tag[0])
        find_tags(d);
    while (cpu->now < horizon)
        if (d->left) {
            d->left -= driver_compute(d);
        } else if (!d->asked) {
            if (d->packed < d->packed_end)
                driver_hits(d);
            if (d->left || cpu->now >= horizon)
                continue;
            if (d->packed == d->packed_end)
                driver_ask(d);
            else if (!driver_serve(d, &stop))
                return pc_stopped(cpu, stop);
        } else if (cpu->now < d->reference.at) {
            driver_pass(cpu, PC_ST_INT, d->reference.at - cpu->now);
        } else if (!look_on(d) && !driver_begin(d, &stop)) {
            return pc_stopped(cpu, stop);
        }
    driver_foresee(d);
    return cpu->now;
}

/* A load or store that waits belongs to an instruction, which is fetched again if its line has been
 * said: but not for a reference that will not be tried again. */
static void driver_leave(struct pc_cpu *cpu)
{
    struct driver *d = (struct driver *)cpu;
    const enum pc_reference_kind kind = d->reference.kind;
    const bool fetches = kind == PC_REFERENCE_FETCH || kind == PC_REFERENCE_LINE;
    const bool waits = d->asked && d->began != SIM_NEVER && !d->has_asked;
    d->again = d->line && waits && !fetches;
}

static void driver_moved(struct pc_cpu *cpu)
{
    struct driver *d = (struct driver *)cpu;
    d->tag[0] = 0;
    d->sure = NULL;
}

static const struct pc_core_ops core = {.name = "driver",
                                        .size = sizeof(struct driver),
                                        .foresees = true,
                                        .run = driver_run,
                                        .leave = driver_leave,
                                        .moved = driver_moved};

const struct nm_card_kind pc_driver = {&pc_card_ops, &core, &mon_numachine};

void pc_drive(struct nm_machine *m, unsigned card, const struct pc_driver_source *source,
              void *self, sim_tick at)
{
    assert(source && source->next);
    struct driver *d = (struct driver *)pc_cpu_at(m, card);
    d->source = source;
    d->self = self;
    d->asked = d->has_asked = d->again = false;
    d->line = 0;
    driver_forget(d);
    nm_card_resume(m, card, at);
}

size_t pc_drive_left(struct nm_machine *m, unsigned card)
{
    const struct driver *d = (const struct driver *)pc_cpu_at(m, card);
    return (size_t)(d->packed_end - d->packed) + (d->asked && d->quiet);
}

/* ---- the flat space -------------------------------------------------------------------------- */

static enum nm_xlate driver_translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                                      uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va & (PC_FLAT_UNCACHED - 1);
    return va & PC_FLAT_NONCOHERENT                       ? NM_XLATE_NONCOHERENT
           : va & PC_FLAT_UNCACHED || *pa >= NM_REGISTERS ? NM_XLATE_UNCACHED
                                                          : NM_XLATE_OK;
}

const struct nm_space pc_flat_space = {.translate = driver_translate};
