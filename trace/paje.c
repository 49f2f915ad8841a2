/*
 * States of threads as a Paje file, which ViTE, pajeng and the tools of SimGrid's users read.
 *
 * SimGrid can write such files itself, but not with what threads do here (docs/tools.md).
 */
#include "trace/recorder.h"
#include "trace/text.h"

#include "base/alloc.h"

#include <inttypes.h>

enum { SECOND_DIGITS = 12 /**< of a second: ps */ };

/** The numbers of events in this file. */
enum {
    DEFINE_CONTAINER,
    DEFINE_STATE,
    DEFINE_VALUE,
    CREATE_CONTAINER,
    DESTROY_CONTAINER,
    SET_STATE,
};

static const char definitions[] = "%EventDef PajeDefineContainerType 0\n"
                                  "% Alias string\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineStateType 1\n"
                                  "% Alias string\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDefineEntityValue 2\n"
                                  "% Alias string\n% Type string\n% Name string\n% Color color\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeCreateContainer 3\n"
                                  "% Time date\n% Alias string\n% Type string\n"
                                  "% Container string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeDestroyContainer 4\n"
                                  "% Time date\n% Type string\n% Name string\n"
                                  "%EndEventDef\n"
                                  "%EventDef PajeSetState 5\n"
                                  "% Time date\n% Type string\n% Container string\n"
                                  "% Value string\n% Card int\n"
                                  "%EndEventDef\n";

static void paje_put_time(const struct trc_recorder *r, unsigned event, sim_tick t, FILE *out)
{
    fprintf(out, "%u ", event);
    trc_put_fraction(trc_picoseconds(t, nm_value_cpu_clock(r->experiment->machine.params)),
                     SECOND_DIGITS, out);
}

static void put_types(FILE *out)
{
    static const char *const colours[TRC_STATES] = {
        [TRC_READY] = "0.9 0.7 0.2", [TRC_RUNS] = "0.2 0.6 0.3", [TRC_BLOCKED] = "0.7 0.2 0.2"};
    fputs(definitions, out);
    fprintf(out, "%u program 0 \"program\"\n", DEFINE_CONTAINER);
    fprintf(out, "%u thread program \"thread\"\n", DEFINE_CONTAINER);
    fprintf(out, "%u state thread \"state\"\n", DEFINE_STATE);
    for (unsigned i = TRC_NONE + 1; i < TRC_STATES; i++)
        fprintf(out, "%u %s state \"%s\" \"%s\"\n", DEFINE_VALUE, trc_thread_word(i),
                trc_thread_word(i), colours[i]);
}

static void put_birth(const struct trc_recorder *r, unsigned thread, sim_tick at, FILE *out)
{
    paje_put_time(r, CREATE_CONTAINER, at, out);
    fprintf(out, " t%u thread p \"thread %u\"\n", thread, thread);
}

static void put_state(const struct trc_recorder *r, unsigned thread, uint64_t value, sim_tick at,
                      FILE *out)
{
    paje_put_time(r, SET_STATE, at, out);
    fprintf(out, " state t%u %s %u\n", thread, trc_thread_word(value), (unsigned)(value >> 8));
}

static void put_end(const struct trc_recorder *r, unsigned thread, sim_tick at, FILE *out)
{
    paje_put_time(r, DESTROY_CONTAINER, at, out);
    fprintf(out, " thread t%u\n", thread);
}

/* A thread's value has changed from one to another: 0 is none of its states. */
static void put_change(const struct trc_recorder *r, const struct trc_signal *s, uint64_t from,
                       uint64_t to, sim_tick at, FILE *out)
{
    const bool was = (from & 0xff) != TRC_NONE, is = (to & 0xff) != TRC_NONE;
    if (is && !was)
        put_birth(r, s->number, at, out);
    if (is)
        put_state(r, s->number, to, at, out);
    else if (was)
        put_end(r, s->number, at, out);
}

/* The program and its threads, from the begin of the window to its end. */
static void put_program(const struct trc_recorder *r, FILE *out)
{
    const struct trc_book *book = &r->threads;
    uint64_t *now = sim_alloc(book->signals, sizeof *now);
    paje_put_time(r, CREATE_CONTAINER, book->from, out);
    fputs(" p program 0 \"program\"\n", out);
    for (size_t i = 0; i < book->signals; i++) {
        now[i] = book->signal[i].first;
        put_change(r, &book->signal[i], 0, now[i], book->from, out);
    }
    for (size_t i = 0; i < book->changes; i++) {
        const struct trc_change *c = &book->change[i];
        put_change(r, &book->signal[c->signal], now[c->signal], c->value, c->at, out);
        now[c->signal] = c->value;
    }
    for (size_t i = 0; i < book->signals; i++)
        put_change(r, &book->signal[i], now[i], 0, book->to, out);
    paje_put_time(r, DESTROY_CONTAINER, book->to, out);
    fputs(" program p\n", out);
    free(now);
}

void trc_write_paje(const struct trc_recorder *r, FILE *out)
{
    put_types(out);
    if (r->threads.from < r->threads.to)
        put_program(r, out);
}
