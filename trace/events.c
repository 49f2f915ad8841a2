/*
 * Threads, processors and requests as Trace Event JSON, which Perfetto and chrome://tracing open.
 *
 * What a thread or a processor does is complete events (X) on a track of its own, one behind the
 * other. Requests and waits may overlap what is on their track, so they are asynchronous ones (b
 * and e). Times are in us with six digits, that is in ps, rounded down: a duration is the
 * difference of two such times, so that nothing overlaps and no gap is where none was.
 */
#include "trace/recorder.h"
#include "trace/text.h"

#include "base/alloc.h"
#include "documents/cells.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>

/** Numbers of processes: the program's threads, then a station each. */
enum { PROGRAM = 1, FIRST_STATION };

struct writing {
    const struct trc_recorder *r;
    struct prog_names *names;
    FILE *out;
    bool some;    /**< events have been written */
    uint64_t ids; /**< of asynchronous events so far */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/** [ps] */
static uint64_t events_time_of(const struct writing *w, sim_tick t)
{
    return trc_picoseconds(t, nm_value_cpu_clock(w->r->experiment->machine.params));
}

static void events_put_text(FILE *out, const char *text)
{
    json_t *value = doc_json_text(text);
    json_dumpf(value, out, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
    json_decref(value);
}

/** The begin of an event, up to its name. */
static void put_event(struct writing *w, char ph, unsigned pid, unsigned tid, const char *name)
{
    fprintf(w->out, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u,\"name\":", w->some ? ",\n" : "", ph,
            pid, tid);
    events_put_text(w->out, name);
    w->some = true;
}

static void events_put_time(const struct writing *w, const char *key, uint64_t ps)
{
    fprintf(w->out, ",\"%s\":", key);
    trc_put_fraction(ps, 6, w->out);
}

/** What lies at a virtual address, if the program has a name for it. */
static void put_symbol(const struct writing *w, uint64_t va)
{
    struct prog_object object;
    fprintf(w->out, ",\"va\":\"0x%" PRIx64 "\"", va);
    if (!w->names || !w->names->object || !w->names->object(w->names, va, &object))
        return;
    fputs(",\"symbol\":", w->out);
    events_put_text(w->out, object.name);
}

/* ---- tracks ---------------------------------------------------------------------------------- */

static __attribute__((format(printf, 5, 6))) void
put_name(struct writing *w, const char *what, unsigned pid, unsigned tid, const char *format, ...)
{
    char name[64];
    va_list ap;
    va_start(ap, format);
    vsnprintf(name, sizeof name, format, ap);
    va_end(ap);
    put_event(w, 'M', pid, tid, what);
    fputs(",\"args\":{\"name\":", w->out);
    events_put_text(w->out, name);
    fputs("}}", w->out);
}

static unsigned events_station_of(const struct writing *w, unsigned card)
{
    return card / (unsigned)nm_value_processors(w->r->experiment->machine.params);
}

static void put_names(struct writing *w)
{
    const struct nm_params *p = w->r->experiment->machine.params;
    put_name(w, "process_name", PROGRAM, 0, "threads");
    for (size_t i = 0; i < w->r->threads.signals; i++)
        put_name(w, "thread_name", PROGRAM, w->r->threads.signal[i].number, "thread %u",
                 w->r->threads.signal[i].number);
    for (unsigned s = 0; s < nm_params_stations(p); s++)
        put_name(w, "process_name", FIRST_STATION + s, 0, "station %u", s);
    for (unsigned c = 0; c < nm_params_cards(p); c++)
        put_name(w, "thread_name", FIRST_STATION + events_station_of(w, c), c + 1, "card %u", c);
}

/** A stretch in which a signal had one value. */
static void put_slice(struct writing *w, const struct trc_signal *s, uint64_t value, sim_tick from,
                      sim_tick to)
{
    const bool thread = s->of == TRC_OF_THREAD;
    const unsigned card = (unsigned)(value >> 8);
    if (value == TRC_UNKNOWN || from == to || (thread && (value & 0xff) == TRC_NONE))
        return;
    put_event(w, 'X', thread ? PROGRAM : FIRST_STATION + events_station_of(w, s->number),
              thread ? s->number : s->number + 1, s->word(value));
    events_put_time(w, "ts", events_time_of(w, from));
    events_put_time(w, "dur", events_time_of(w, to) - events_time_of(w, from));
    if (thread)
        fprintf(w->out, ",\"args\":{\"card\":%u}", card);
    putc('}', w->out);
}

static void put_slices(struct writing *w, const struct trc_book *book)
{
    struct {
        sim_tick since;
        uint64_t value;
    } *now = sim_alloc(book->signals, sizeof *now);
    for (size_t i = 0; i < book->signals; i++) {
        now[i].since = book->from;
        now[i].value = book->signal[i].first;
    }
    for (size_t i = 0; i < book->changes; i++) {
        const struct trc_change *c = &book->change[i];
        const struct trc_signal *s = &book->signal[c->signal];
        if (s->of == TRC_OF_WIRE)
            continue;
        put_slice(w, s, now[c->signal].value, now[c->signal].since, c->at);
        now[c->signal].since = c->at;
        now[c->signal].value = c->value;
    }
    for (size_t i = 0; i < book->signals; i++)
        if (book->signal[i].of != TRC_OF_WIRE)
            put_slice(w, &book->signal[i], now[i].value, now[i].since, book->to);
    free(now);
}

/* ---- what overlaps --------------------------------------------------------------------------- */

/** Begin or end of an asynchronous event; what else it says follows. */
static void put_side(struct writing *w, char ph, const char *kind, unsigned pid, unsigned tid,
                     const char *name, sim_tick at)
{
    put_event(w, ph, pid, tid, name);
    fprintf(w->out, ",\"cat\":\"%s\",\"id\":%" PRIu64, kind, w->ids);
    events_put_time(w, "ts", events_time_of(w, at));
}

static void put_request(struct writing *w, const struct pc_served *q)
{
    const unsigned pid = FIRST_STATION + events_station_of(w, q->card), tid = q->card + 1;
    uint64_t va;
    w->ids++;
    put_side(w, 'b', "request", pid, tid, q->message, q->issued);
    fprintf(w->out, ",\"args\":{\"card\":%u,\"address\":\"0x%" PRIx64 "\"", q->card, q->line);
    if (trc_virtual(w->r, q->line, &va))
        put_symbol(w, va);
    fprintf(w->out, ",\"nacks\":%u,\"remote\":%s,\"served\":%s}}", q->nacks,
            q->remote ? "true" : "false", q->given_up ? "false" : "true");
    put_side(w, 'e', "request", pid, tid, q->message, q->over);
    putc('}', w->out);
}

/** What a thread waited for; `locks` has it. */
static void put_wait(struct writing *w, const struct doc_locks *locks,
                     const struct doc_lock_wait *wait)
{
    const struct doc_lock *lock = &locks->lock[locks->site[wait->site].lock];
    const char *name = doc_lock_kinds[lock->kind].name;
    if (wait->call || wait->end < w->r->threads.from || wait->end > w->r->threads.to)
        return;
    w->ids++;
    put_side(w, 'b', "wait", PROGRAM, wait->thread, name, wait->begin);
    fprintf(w->out, ",\"args\":{\"ended_by\":%u", wait->by);
    if (lock->address != DOC_LOCKS_NOWHERE)
        put_symbol(w, lock->address);
    fputs("}}", w->out);
    put_side(w, 'e', "wait", PROGRAM, wait->thread, name, wait->end);
    putc('}', w->out);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void events_put_all(struct writing *w, const struct doc_locks *locks)
{
    const struct trc_recorder *r = w->r;
    fprintf(w->out,
            "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"clock_hz\":%" PRIu64
            ",\"from_tick\":%" PRIu64 ",\"to_tick\":%" PRIu64 ",\"threads_to_tick\":%" PRIu64
            "},\"traceEvents\":[\n",
            nm_value_cpu_clock(r->experiment->machine.params), r->wires.from, r->wires.to,
            r->threads.to);
    put_names(w);
    put_slices(w, &r->threads);
    put_slices(w, &r->wires);
    for (size_t i = 0; i < r->requests; i++)
        put_request(w, &r->request[i]);
    for (size_t i = 0; locks && i < locks->waits; i++)
        put_wait(w, locks, &locks->wait[i]);
    fputs("\n]}\n", w->out);
}

void trc_write_trace(const struct trc_recorder *r, struct prog_names *names,
                     const struct doc_locks *locks, FILE *out)
{
    struct writing w = {.r = r, .names = names, .out = trc_gzip_open(out)};
    events_put_all(&w, locks);
    fclose(w.out); /* what did not come to `out` is its error */
}
