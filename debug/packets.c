/*
 * Registers, memory, breakpoints and watched bytes, as gdb asks for them.
 */
#include "base/alloc.h"
#include "debug/rsp.h"
#include "debug/target.h"

#include <stdlib.h>
#include <string.h>

/* The thread that is meant. */
static uint32_t packet_thread(const struct dbg_packet *p)
{
    const uint32_t general = p->d->session->general;
    return general ? general : dbg_thread(p->d);
}

static unsigned packet_card(const struct dbg_packet *p)
{
    struct prog_inspected t;
    return p->d->inspect->thread(p->d->run->self, packet_thread(p), &t) ? t.card : 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static void answer_register(struct dbg_packet *p, const void *regs, unsigned number)
{
    const struct prog_binary *b = &p->d->binary;
    const unsigned size = dbg_register_size(b, number);
    uint8_t bytes[8];
    dbg_bytes_of(b, dbg_register_get(b, regs, number), size, bytes);
    dbg_answer_hex(p, bytes, size);
}

void dbg_p_registers(struct dbg_packet *p)
{
    prog_registers regs;
    if (!dbg_registers(p->d, packet_thread(p), regs)) {
        dbg_answer(p, "E01");
        return;
    }
    for (unsigned i = 0; i < dbg_register_count(&p->d->binary); i++)
        answer_register(p, regs, i);
}

void dbg_p_register(struct dbg_packet *p)
{
    prog_registers regs;
    const char *text = p->text;
    uint64_t number;
    if (dbg_hex(&text, &number) && number < dbg_register_count(&p->d->binary) &&
        dbg_registers(p->d, packet_thread(p), regs))
        answer_register(p, regs, (unsigned)number);
    else
        dbg_answer(p, "E01");
}

/* Takes one register's digits into `regs`. */
static bool take_register(const struct dbg_packet *p, const char *digits, void *regs,
                          unsigned number)
{
    const struct prog_binary *b = &p->d->binary;
    const unsigned size = dbg_register_size(b, number);
    uint8_t bytes[8];
    if (dbg_hex_bytes(digits, bytes, size) != size)
        return false;
    dbg_register_set(b, regs, number, dbg_value_of(b, bytes, size));
    return true;
}

void dbg_p_set_register(struct dbg_packet *p)
{
    prog_registers regs;
    const char *text = p->text;
    uint64_t number;
    dbg_answer_done(p, dbg_hex(&text, &number) && dbg_next(&text, '=') &&
                           number < dbg_register_count(&p->d->binary) &&
                           dbg_registers(p->d, packet_thread(p), regs) &&
                           take_register(p, text, regs, (unsigned)number) &&
                           dbg_set_registers(p->d, packet_thread(p), regs));
}

void dbg_p_set_registers(struct dbg_packet *p)
{
    prog_registers regs;
    const char *text = p->text;
    bool good = dbg_registers(p->d, packet_thread(p), regs);
    for (unsigned i = 0; good && i < dbg_register_count(&p->d->binary); i++) {
        good = take_register(p, text, regs, i);
        text += good ? 2 * dbg_register_size(&p->d->binary, i) : 0;
    }
    dbg_answer_done(p, good && dbg_set_registers(p->d, packet_thread(p), regs));
}

/* ---- memory ---------------------------------------------------------------------------------- */

void dbg_p_read(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t va, count;
    if (!dbg_hex(&text, &va) || !dbg_next(&text, ',') || !dbg_hex(&text, &count)) {
        dbg_answer(p, "E00");
        return;
    }
    const size_t most = count < DBG_PACKET / 2 - 8 ? (size_t)count : DBG_PACKET / 2 - 8;
    uint8_t *bytes = sim_alloc(most, 1);
    const size_t n = dbg_read(p->d, packet_thread(p), va, bytes, most);
    if (n || !count)
        dbg_answer_hex(p, bytes, n);
    else
        dbg_answer(p, "E14");
    free(bytes);
}

void dbg_p_write(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t va, count;
    bool good = dbg_hex(&text, &va) && dbg_next(&text, ',') && dbg_hex(&text, &count) &&
                dbg_next(&text, ':') && count <= DBG_PACKET / 2;
    uint8_t *bytes = sim_alloc(good ? (size_t)count : 0, 1);
    good = good && p->count - (size_t)(text - p->text) == 2 * count &&
           dbg_hex_bytes(text, bytes, (size_t)count) == count;
    dbg_answer_done(p, good && dbg_write(p->d, packet_card(p), va, bytes, (size_t)count));
    free(bytes);
}

void dbg_p_write_binary(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t va, count;
    const bool good = dbg_hex(&text, &va) && dbg_next(&text, ',') && dbg_hex(&text, &count) &&
                      dbg_next(&text, ':') && count == p->count - (size_t)(text - p->text);
    dbg_answer_done(p, good && dbg_write(p->d, packet_card(p), va, text, (size_t)count));
}

/* ---- breakpoints ----------------------------------------------------------------------------- */

/* Conditions behind ';', each an 'X', a length, a comma and digits; gdb has no ';' between them.
 * One that cannot be read makes it a breakpoint without any: gdb asks them again at each stop.
 * @return [bytes] of `code`, each expression with two bytes of its length in front */
static size_t take_conditions(const char *text, uint8_t *code, size_t most)
{
    size_t used = 0;
    uint64_t size;
    for (dbg_next(&text, ';'); dbg_next(&text, 'X'); dbg_next(&text, ';')) {
        if (!dbg_hex(&text, &size) || !dbg_next(&text, ',') || size > UINT16_MAX ||
            used + 2 + size > most || dbg_hex_bytes(text, code + used + 2, (size_t)size) != size)
            return 0;
        code[used] = (uint8_t)(size >> 8);
        code[used + 1] = (uint8_t)size;
        text += 2 * size;
        used += 2 + (size_t)size;
    }
    return used;
}

void dbg_p_break(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t va, kind;
    if (!dbg_hex(&text, &va) || !dbg_next(&text, ',') || !dbg_hex(&text, &kind)) {
        dbg_answer(p, "E00");
        return;
    }
    uint8_t *code = sim_alloc(DBG_CODE, 1);
    const size_t count = take_conditions(text, code, DBG_CODE);
    dbg_answer_done(p, dbg_break_add(&p->d->session->conditions, va, code, count));
    free(code);
}

void dbg_p_no_break(struct dbg_packet *p)
{
    const char *text = p->text;
    uint64_t va;
    if (dbg_hex(&text, &va))
        dbg_break_drop(&p->d->session->conditions, va);
    dbg_answer_done(p, true); /* one that is not there is gone */
}

static bool take_watch(struct dbg_packet *p, bool reads, bool writes, struct dbg_watch *watch)
{
    const char *text = p->text;
    uint64_t va, count;
    if (!dbg_hex(&text, &va) || !dbg_next(&text, ',') || !dbg_hex(&text, &count))
        return false;
    *watch = (struct dbg_watch){va, va + count, reads, writes};
    return true;
}

static void packet_watches(struct dbg_packet *p, bool reads, bool writes)
{
    struct dbg_watch watch;
    dbg_answer_done(p, take_watch(p, reads, writes, &watch) &&
                           dbg_watch_add(&p->d->session->conditions, &watch));
}

static void packet_drops(struct dbg_packet *p, bool reads, bool writes)
{
    struct dbg_watch watch;
    if (take_watch(p, reads, writes, &watch))
        dbg_watch_drop(&p->d->session->conditions, &watch);
    dbg_answer_done(p, true);
}

void dbg_p_watch_write(struct dbg_packet *p)
{
    packet_watches(p, false, true);
}

void dbg_p_watch_read(struct dbg_packet *p)
{
    packet_watches(p, true, false);
}

void dbg_p_watch_access(struct dbg_packet *p)
{
    packet_watches(p, true, true);
}

void dbg_p_no_watch_write(struct dbg_packet *p)
{
    packet_drops(p, false, true);
}

void dbg_p_no_watch_read(struct dbg_packet *p)
{
    packet_drops(p, true, false);
}

void dbg_p_no_watch_access(struct dbg_packet *p)
{
    packet_drops(p, true, true);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* A thread's number; 0 and -1 are any. @return false: there is none of that number */
static bool take_thread(const struct dbg_packet *p, const char *text, uint32_t *thread)
{
    struct prog_inspected t;
    uint64_t number = 0;
    if (*text != '-' && (!dbg_hex(&text, &number) || number > UINT32_MAX))
        return false;
    *thread = (uint32_t)number;
    return !number || p->d->inspect->thread(p->d->run->self, *thread, &t);
}

void dbg_p_thread(struct dbg_packet *p)
{
    struct dbg_session *x = p->d->session;
    uint32_t *const meant = *p->text == 'g' ? &x->general : *p->text == 'c' ? &x->resume : NULL;
    uint32_t thread;
    const bool good = meant && take_thread(p, p->text + 1, &thread);
    if (good)
        *meant = thread;
    dbg_answer_done(p, good);
}

void dbg_p_alive(struct dbg_packet *p)
{
    uint32_t thread;
    dbg_answer_done(p, take_thread(p, p->text, &thread) && thread);
}
