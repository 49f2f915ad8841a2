/*
 * What cores refer to. The hard idea is whose a PCycle is: whatever the card charges, it charges in
 * one place (pc_card_stall), so what is left of a core's clock is its own.
 */
#include "procard/record.h"
#include "base/alloc.h"
#include "procard/card.h"

struct pc_records {
    struct nm_machine *m;
    struct pc_record_listener listener;
};

static struct pc_card *record_card_at(const struct pc_records *records, unsigned card)
{
    return pc_card_of(nm_machine_card(records->m, card));
}

struct pc_records *pc_record_begin(struct nm_machine *m, const struct pc_record_listener *listener)
{
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        if (!pc_card_of(nm_machine_card(m, i))->core->recording)
            return NULL;
    struct pc_records *records = sim_alloc(1, sizeof *records);
    *records = (struct pc_records){m, *listener};
    nm_machine_in_turn(m);
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct pc_card *card = record_card_at(records, i);
        struct pc_record *record = sim_alloc(1, sizeof *record);
        record->listener = &records->listener;
        record->card = i;
        memset(record->last, 0xff, sizeof record->last);
        pc_core_becomes(card, card->core->recording);
        card->cpu.record = record;
        pc_card_heard(card);
    }
    return records;
}

void pc_record_end(struct pc_records *records)
{
    if (!records)
        return;
    for (unsigned i = 0; i < nm_machine_cards(records->m); i++)
        free(record_card_at(records, i)->cpu.record);
    free(records);
}

void pc_record_points(struct pc_records *records, pc_point_fn *point)
{
    records->listener.point = point;
}

static void record_ignores_unmapped(void *ctx, uint64_t va, uint64_t len)
{
    (void)ctx, (void)va, (void)len;
}

static void record_ignores_goes_on(void *ctx, unsigned card, uint32_t thread, uint64_t own,
                                   sim_tick from, sim_tick to)
{
    (void)ctx, (void)card, (void)thread, (void)own, (void)from, (void)to;
}

static void record_ignores_made(void *ctx, unsigned card, uint32_t thread,
                                const struct pc_recorded *reference, size_t count)
{
    (void)ctx, (void)card, (void)thread, (void)reference, (void)count; /* begun, and given up */
}

struct pc_records *pc_record_follow(struct nm_machine *m, const struct pc_record_listener *listener)
{
    struct pc_record_listener all = *listener;
    all.made = record_ignores_made;
    all.goes_on = record_ignores_goes_on;
    if (!all.unmapped)
        all.unmapped = record_ignores_unmapped;
    return pc_record_begin(m, &all);
}

static bool has_asked(const struct pc_recorded *begun)
{
    return begun->version & PC_BEGUN_ASKED;
}

/* Until it is made (pc_record). Of a trap nothing is known: an access that fails has not begun. One
 * that has asked for its line may have to ask again, or for its page: all of it is done in order.
 * What it did before it asked, it does when it asks. */
void pc_record_begun(struct pc_cpu *cpu, enum nm_access access, uint64_t va, unsigned size,
                     enum pc_stop why)
{
    static const uint8_t kinds[] = {[NM_FETCH] = PC_RECORDED_FETCH,
                                    [NM_LOAD] = PC_RECORDED_LOAD,
                                    [NM_STORE] = PC_RECORDED_STORE,
                                    [NM_LINKED] = PC_RECORDED_LL,
                                    [NM_CONDITIONAL] = PC_RECORDED_SC};
    if (why == PC_STOP_TRAP)
        return;
    struct pc_record *record = cpu->record;
    struct pc_recorded *last = &record->begun[record->begins ? record->begins - 1 : 0];
    if (!record->begins || (has_asked(last) && record->begins < PC_BEGINS))
        last = &record->begun[record->begins++];
    *last = (struct pc_recorded){
        .va = va,
        .size = (uint8_t)size,
        .kind = PC_RECORDED_BEGUN,
        .version =
            pc_begun_code(kinds[access], why == PC_STOP_MISS ? PC_BEGUN_ASKED : PC_BEGUN_MAPPED)};
}

/* An access that was begun is not made any more. */
static void record_give_up(struct pc_cpu *cpu)
{
    struct pc_record *record = cpu->record;
    for (unsigned i = 0; i < record->begins; i++) {
        record->begun[i].own = cpu->now - record->waited;
        record->made[record->count++] = record->begun[i];
        if (record->count == PC_RECORD_ROOM)
            pc_record_tell(record);
    }
    record->begins = 0;
}

void pc_record_interrupted(struct pc_cpu *cpu)
{
    record_give_up(cpu);
    cpu->record->interrupted = true;
}

void pc_record_stop(struct pc_records *records)
{
    for (unsigned i = 0; i < nm_machine_cards(records->m); i++)
        record_give_up(&record_card_at(records, i)->cpu);
}

void pc_record_tell(struct pc_record *record)
{
    const struct pc_record_listener *listener = record->listener;
    if (record->count)
        listener->made(listener->ctx, record->card, record->thread, record->made, record->count);
    record->count = 0;
}

uint64_t pc_record_flush(struct pc_records *records, unsigned card)
{
    struct pc_card *c = record_card_at(records, card);
    pc_core_settle(c);
    pc_record_tell(c->cpu.record);
    return c->cpu.now - c->cpu.record->waited;
}

bool pc_record_stands(const struct pc_records *records, unsigned card)
{
    const enum pc_activity activity = record_card_at(records, card)->activity;
    return activity == PC_TRAPPED || activity == PC_IDLE;
}

bool pc_record_is_interrupted(const struct pc_records *records, unsigned card)
{
    return record_card_at(records, card)->cpu.record->interrupted;
}

void pc_record_forgets(struct pc_card *card)
{
    struct pc_record *record = card->cpu.record;
    const bool fetches = record->begun->version >> 1 == PC_RECORDED_FETCH;
    record->again = card->uncached.waits || (record->begins && !fetches);
}

void pc_record_unmapped(struct pc_record *record, uint64_t va, uint64_t len)
{
    memset(record->last, 0xff, sizeof record->last);
    if (record->card == 0)
        record->listener->unmapped(record->listener->ctx, va, len);
}

void pc_record_goes_on(struct pc_cpu *cpu, sim_tick from)
{
    struct pc_record *record = cpu->record;
    const struct pc_record_listener *listener = record->listener;
    pc_record_tell(record);
    record->again = false;
    record->begins = 0;
    record->thread = cpu->tries.thread;
    listener->goes_on(listener->ctx, record->card, record->thread, cpu->now - record->waited, from,
                      cpu->now);
    record->interrupted = false;
}
