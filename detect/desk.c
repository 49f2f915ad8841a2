/*
 * Tells models what they have declared to see, and keeps what they answer and cost.
 *
 * The hard idea is how it is made sure that a model sees no more: an event is a row of words, and
 * each model has a row of masks over it. What it has not declared has a mask of zeroes.
 */
#include "detect/desk.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "detect/queue.h"

#include <assert.h>
#include <inttypes.h>

#define MODEL(name, finds, sentence, paper) extern const struct det_ops det_##name;
#define PARAMETER(model, name, unit, value, least, most, sentence)
#include "detect/models.def"
#undef MODEL
#undef PARAMETER

const struct det_row det_rows[] = {
#define MODEL(name, finds, sentence, paper) {#name, sentence, paper, DET_##finds, &det_##name},
#define PARAMETER(model, name, unit, value, least, most, sentence)
#include "detect/models.def"
#undef MODEL
#undef PARAMETER
};

const size_t det_row_count = sizeof det_rows / sizeof *det_rows;

const struct det_parameter_row det_parameter_rows[] = {
#define MODEL(name, finds, sentence, paper)
#define PARAMETER(model, name, unit, value, least, most, sentence) \
    {#model, #name, unit, sentence, value, least, most},
#include "detect/models.def"
#undef MODEL
#undef PARAMETER
    {0}};

typedef void desk_hear_fn(void *self, const struct det_event *event);

/** The operation for a kind of events. */
static desk_hear_fn *desk_op(const struct det_ops *ops, enum det_event_kind kind)
{
    switch (kind) {
#define EVENT(name, sentence) \
    case DET_EVENT_##name:    \
        return ops->name;
#include "detect/events.def"
#undef EVENT
    case DET_EVENT__COUNT:
        break;
    }
    return NULL;
}

/** An event as words, and what a model has of it: ones. */
typedef uint64_t __attribute__((may_alias)) desk_word;
enum { DESK_WORDS = sizeof(struct det_event) / sizeof(desk_word) };
union desk_words {
    struct det_event event;
    desk_word word[DESK_WORDS];
};
_Static_assert(sizeof(struct det_event) % sizeof(uint64_t) == 0, "an event is whole words");

/** A debug register. */
struct desk_slot {
    uint64_t va, bytes; /* bytes 0: it watches none */
    bool stores;
};

struct det_seat {
    struct det_desk *desk;
    struct det_choice choice;
    void *self;
    union desk_words mask;
    struct desk_slot *slot; /* [cards * DET_SLOTS_MAX]; NULL: it has watched nothing yet */
    struct det_answer answer;
    struct det_named *named;
    size_t room;
    bool answers; /* its `answer` has begun */
};

/** Who hears of a kind of events. */
struct desk_listener {
    desk_hear_fn *hear;
    struct det_seat *seat;
};

struct det_desk {
    struct det_machine machine;
    struct det_seat *seat; /* [seats] */
    size_t seats;
    struct desk_listener *listener[DET_EVENT__COUNT]; /* [listeners] */
    size_t listeners[DET_EVENT__COUNT];
    uint64_t *last; /* [2 * cards] line that the card has loaded from last, and stored to */
    struct det_queue *queue; /* of what models have not heard of yet; NULL: they hear at once */
    det_charge_fn *charge;
    void *charge_ctx;
};

/* ---- which there are ------------------------------------------------------------------------- */

const struct det_row *det_row_named(const char *name, size_t length)
{
    for (size_t i = 0; i < det_row_count; i++)
        if (strlen(det_rows[i].name) == length && !strncmp(det_rows[i].name, name, length))
            return &det_rows[i];
    return NULL;
}

bool det_owns(const struct det_row *row, enum det_parameters parameter)
{
    return parameter < DET_PARAMETERS && !strcmp(det_parameter_rows[parameter].model, row->name);
}

static int desk_parameter_named(const struct det_row *row, const char *name, size_t length)
{
    for (unsigned i = 0; i < DET_PARAMETERS; i++) {
        const char *own = det_parameter_rows[i].name;
        if (det_owns(row, i) && strlen(own) == length && !strncmp(own, name, length))
            return (int)i;
    }
    return -1;
}

/** Yields the names of a model's parameters. @param row  struct det_row */
static const char *desk_next_parameter(void *row, size_t i)
{
    for (unsigned p = 0; p < DET_PARAMETERS; p++)
        if (det_owns(row, p) && i-- == 0)
            return det_parameter_rows[p].name;
    return NULL;
}

static void desk_complain_parameter(const struct det_row *row, const char *name, size_t length,
                                    char *why, size_t size)
{
    enum { SHOWN = 60 };
    char *word = sim_strndup(name, length < SHOWN ? length : SHOWN);
    const char *near = sim_nearest(word, desk_next_parameter, (void *)row);
    if (near)
        snprintf(why, size, "model '%s' has no parameter '%s'; did you mean '%s'?", row->name, word,
                 near);
    else
        snprintf(why, size, "model '%s' has no parameter '%s' ('numachine list detectors %s')",
                 row->name, word, row->name);
    free(word);
}

/** Reads "parameter=number" of so many bytes. */
static bool desk_set(struct det_choice *choice, const char *text, size_t length, char *why,
                     size_t size)
{
    const char *equals = memchr(text, '=', length);
    const size_t name = equals ? (size_t)(equals - text) : length;
    const int which = desk_parameter_named(choice->row, text, name);
    char *end;
    if (which < 0) {
        desk_complain_parameter(choice->row, text, name, why, size);
        return false;
    }
    const struct det_parameter_row *row = &det_parameter_rows[which];
    const bool plain = equals && strchr("-0123456789", equals[1]);
    const long long value = plain ? strtoll(equals + 1, &end, 10) : 0;
    if (!plain || end == equals + 1 || end != text + length || value < row->least ||
        value > row->most) {
        snprintf(why, size,
                 "parameter '%s' of model '%s' is a number from %" PRId64 " to %" PRId64
                 ": %s=%" PRId64,
                 row->name, row->model, row->least, row->most, row->name, row->value);
        return false;
    }
    choice->value[which] = value;
    return true;
}

bool det_choose(struct det_choice *choice, const char *text, char *why, size_t size)
{
    const size_t name = strcspn(text, ":");
    *choice = (struct det_choice){.row = det_row_named(text, name)};
    if (!choice->row) {
        snprintf(why, size, "there is no model '%.*s'", (int)name, text);
        return false;
    }
    for (unsigned i = 0; i < DET_PARAMETERS; i++)
        choice->value[i] = det_parameter_rows[i].value;
    for (text += name; *text;) {
        const size_t length = strcspn(++text, ":");
        if (!desk_set(choice, text, length, why, size))
            return false;
        text += length;
    }
    return true;
}

/* ---- what a model may ask -------------------------------------------------------------------- */

const struct det_machine *det_machine(const struct det_seat *seat)
{
    return &seat->desk->machine;
}

int64_t det_parameter(const struct det_seat *seat, enum det_parameters which)
{
    assert(det_owns(seat->choice.row, which));
    return seat->choice.value[which];
}

void det_spend(struct det_seat *seat, unsigned card, uint64_t pcycles)
{
    seat->answer.pcycles += pcycles;
    if (seat->desk->charge)
        seat->desk->charge(seat->desk->charge_ctx, card, pcycles);
}

void det_interrupt(struct det_seat *seat, unsigned card, uint64_t pcycles)
{
    seat->answer.interrupts++;
    det_spend(seat, card, pcycles);
}

void det_counted(struct det_seat *seat, uint64_t events)
{
    seat->answer.events += events;
}

void det_lost(struct det_seat *seat, uint64_t samples)
{
    seat->answer.lost += samples;
}

void det_watch(struct det_seat *seat, unsigned card, unsigned slot, uint64_t va, uint64_t bytes,
               bool stores)
{
    if (!seat->slot)
        seat->slot =
            sim_alloc((size_t)seat->desk->machine.cards * DET_SLOTS_MAX, sizeof *seat->slot);
    if (slot < DET_SLOTS_MAX && card < seat->desk->machine.cards)
        seat->slot[card * DET_SLOTS_MAX + slot] = (struct desk_slot){va, bytes, stores};
}

void det_name(struct det_seat *seat, const struct det_named *named)
{
    assert(seat->answers && "a model names in its answer only");
    assert(named->score >= 0 && named->score <= 1 && "a score is from 0 to 1");
    SIM_ROOM(seat->named, seat->answer.names, seat->room, 16);
    seat->named[seat->answer.names++] = *named;
}

/* ---- events ---------------------------------------------------------------------------------- */

bool det_desk_hears(const struct det_desk *desk, enum det_event_kind kind)
{
    return desk->listeners[kind] ||
           (kind == DET_EVENT_access && desk->listeners[DET_EVENT_trapped]);
}

bool det_desk_sees(const struct det_desk *desk, unsigned sees)
{
    for (size_t i = 0; i < desk->seats; i++)
        if (desk->seat[i].choice.row->ops->sees & sees)
            return true;
    return false;
}

static void desk_hand(const struct desk_listener *to, const struct det_event *event)
{
    union desk_words some;
    const desk_word *all = (const desk_word *)event;
    for (size_t i = 0; i < DESK_WORDS; i++)
        some.word[i] = all[i] & to->seat->mask.word[i];
    to->hear(to->seat->self, &some.event);
}

static void desk_trap(const struct desk_listener *to, const struct det_event *e)
{
    const struct desk_slot *slot = to->seat->slot ? &to->seat->slot[e->card * DET_SLOTS_MAX] : NULL;
    for (unsigned i = 0; slot && i < DET_SLOTS_MAX; i++)
        if (slot[i].bytes && e->va < slot[i].va + slot[i].bytes && slot[i].va < e->va + e->bytes &&
            (e->store || !slot[i].stores)) {
            struct det_event trapped = *e;
            trapped.slot = i;
            desk_hand(to, &trapped);
        }
}

unsigned det_desk_leaves(const struct det_desk *desk)
{
    unsigned leaves = desk->listeners[DET_EVENT_trapped] ? 0 : ~0u;
    for (size_t i = 0; i < desk->listeners[DET_EVENT_access]; i++)
        leaves &= desk->listener[DET_EVENT_access][i].seat->choice.row->ops->leaves;
    return leaves;
}

/** To those that do not leave it: what a model hears does not depend on who else looks. */
static void desk_tell_access(struct det_desk *desk, const struct det_event *event)
{
    uint64_t *last = &desk->last[2 * event->card + event->store];
    const unsigned kind =
        (event->store ? 0 : DET_LEAVES_LOADS) | (*last == event->line ? DET_LEAVES_REPEATS : 0);
    *last = event->line;
    for (size_t i = 0; i < desk->listeners[DET_EVENT_access]; i++) {
        const struct desk_listener *to = &desk->listener[DET_EVENT_access][i];
        if (!(to->seat->choice.row->ops->leaves & kind))
            desk_hand(to, event);
    }
    for (size_t i = 0; i < desk->listeners[DET_EVENT_trapped]; i++)
        desk_trap(&desk->listener[DET_EVENT_trapped][i], event);
}

static void desk_tell(void *ctx, enum det_event_kind kind, const struct det_event *event)
{
    struct det_desk *desk = ctx;
    if (kind == DET_EVENT_access) {
        desk_tell_access(desk, event);
        return;
    }
    for (size_t i = 0; i < desk->listeners[kind]; i++)
        desk_hand(&desk->listener[kind][i], event);
}

void det_desk_tell(struct det_desk *desk, enum det_event_kind kind, const struct det_event *event)
{
    if (desk->queue)
        det_queue_put(desk->queue, kind, event);
    else
        desk_tell(desk, kind, event);
}

void det_desk_told(struct det_desk *desk, sim_tick before)
{
    if (desk->queue)
        det_queue_take(desk->queue, before, desk_tell, desk);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void desk_sit(struct det_desk *desk, struct det_seat *seat, const struct det_choice *choice)
{
    const struct det_ops *ops = choice->row->ops;
    struct det_event *mask = &seat->mask.event;
    assert(ops->bits && ops->answer && "a model says what it stores and what it suspects");
    assert(!(ops->leaves && (ops->trapped || ops->sees & (DET_SEES_SERVED | DET_SEES_LATENCY))));
    seat->desk = desk;
    seat->choice = *choice;
    seat->self = sim_alloc(1, ops->size);
    memset(&mask->card, 0xff, sizeof mask->card);
    memset(&mask->slot, 0xff, sizeof mask->slot);
    memset(&mask->at, 0xff, sizeof mask->at);
#define SEES(name, member, type, sentence) \
    memset(&mask->member, ops->sees &DET_SEES_##name ? 0xff : 0, sizeof mask->member);
#include "detect/sees.def"
#undef SEES
    for (unsigned kind = 0; kind < DET_EVENT__COUNT; kind++) {
        desk_hear_fn *hear = desk_op(ops, kind);
        if (hear)
            desk->listener[kind][desk->listeners[kind]++] = (struct desk_listener){hear, seat};
    }
    if (ops->begin)
        ops->begin(seat->self, seat);
}

bool det_desk_fits(const struct det_machine *machine, const struct det_choice *choice,
                   size_t models, uint64_t memory, char *why, size_t size)
{
    struct det_desk asked = {.machine = *machine};
    uint64_t all = 0;
    for (size_t i = 0; i < models; i++) {
        const struct det_seat seat = {.desk = &asked, .choice = choice[i]};
        const struct det_row *row = choice[i].row;
        all += row->ops->tables ? row->ops->tables(&seat) : 0;
        if (all <= memory)
            continue;
        snprintf(why, size,
                 "model '%s': its tables take %s%" PRIu64 " MB of this host's memory, which has "
                 "%" PRIu64 " MB left: smaller ones, or fewer processors",
                 row->name, i ? "with those before it " : "", all >> 20, memory >> 20);
        return false;
    }
    return true;
}

struct det_desk *det_desk_new(const struct det_machine *machine, const struct det_choice *choice,
                              size_t models)
{
    struct det_desk *desk = sim_alloc(1, sizeof *desk);
    *desk = (struct det_desk){.machine = *machine, .seats = models};
    desk->seat = sim_alloc(models, sizeof *desk->seat);
    desk->last = sim_alloc((size_t)2 * machine->cards, sizeof *desk->last);
    memset(desk->last, 0xff, (size_t)2 * machine->cards * sizeof *desk->last);
    for (unsigned kind = 0; kind < DET_EVENT__COUNT; kind++)
        desk->listener[kind] = sim_alloc(models, sizeof **desk->listener);
    desk->queue = det_queue_new();
    for (size_t i = 0; i < models; i++)
        desk_sit(desk, &desk->seat[i], &choice[i]);
    return desk;
}

void det_desk_charge(struct det_desk *desk, det_charge_fn *charge, void *ctx)
{
    desk->charge = charge;
    desk->charge_ctx = ctx;
    det_queue_free(desk->queue);
    desk->queue = NULL;
}

static int desk_by_score(const void *a, const void *b)
{
    const struct det_named *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

void det_desk_end(struct det_desk *desk)
{
    det_desk_told(desk, SIM_NEVER);
    for (size_t i = 0; i < desk->seats; i++) {
        struct det_seat *seat = &desk->seat[i];
        const struct det_ops *ops = seat->choice.row->ops;
        seat->answer.bits = ops->bits(seat->self, seat);
        seat->answers = true;
        ops->answer(seat->self, seat);
        if (seat->answer.names)
            qsort(seat->named, seat->answer.names, sizeof *seat->named, desk_by_score);
        seat->answer.named = seat->named;
    }
}

const struct det_answer *det_desk_answer(const struct det_desk *desk, size_t model)
{
    return &desk->seat[model].answer;
}

void det_desk_free(struct det_desk *desk)
{
    if (!desk)
        return;
    for (size_t i = 0; i < desk->seats; i++) {
        struct det_seat *seat = &desk->seat[i];
        if (seat->choice.row->ops->end)
            seat->choice.row->ops->end(seat->self);
        free(seat->self);
        free(seat->slot);
        free(seat->named);
    }
    for (unsigned kind = 0; kind < DET_EVENT__COUNT; kind++)
        free(desk->listener[kind]);
    free(desk->seat);
    free(desk->last);
    det_queue_free(desk->queue);
    free(desk);
}
