/*
 * Signals as a value change dump (IEEE 1364-2005, clause 18), as waveform viewers read it.
 *
 * The format's unit of time is a power of ten, and a PCycle is none: times are in ps, rounded down.
 * Signals whose values have names are strings, which GTKWave and vcd2fst know beyond the standard.
 */
#include "base/version.h"
#include "trace/recorder.h"
#include "trace/text.h"

#include <inttypes.h>
#include <string.h>

enum { ID_DIGITS = 94, ID = 8 };

/** Short names of signals, as VCD wants them: printable characters. */
static const char *id(uint32_t signal, char out[ID])
{
    unsigned n = 0;
    do
        out[n++] = (char)('!' + signal % ID_DIGITS);
    while (signal /= ID_DIGITS);
    out[n] = '\0';
    return out;
}

static void vcd_put_value(const struct trc_signal *s, uint32_t signal, uint64_t value, FILE *out)
{
    char name[ID];
    id(signal, name);
    if (s->word) {
        fprintf(out, "s%s %s\n", value == TRC_UNKNOWN ? "-" : s->word(value), name);
    } else if (s->bits == 1) {
        fprintf(out, "%c%s\n", value == TRC_UNKNOWN ? 'x' : (char)('0' + value), name);
    } else if (value == TRC_UNKNOWN) {
        fprintf(out, "bx %s\n", name);
    } else {
        unsigned bit = 63;
        while (bit && !(value >> bit & 1))
            bit--;
        putc('b', out);
        for (bit++; bit; bit--)
            putc(value >> (bit - 1) & 1 ? '1' : '0', out);
        fprintf(out, " %s\n", name);
    }
}

/* ---- the hierarchy --------------------------------------------------------------------------- */

/** [bytes] What two components have in common: whole parts, each with the dot behind it. */
static size_t vcd_common(const char *a, const char *b)
{
    size_t same = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.')
            same = i + 1;
    return same;
}

static void vcd_leave(const char *rest, FILE *out)
{
    while ((rest = strchr(rest, '.'))) {
        rest++;
        fputs("$upscope $end\n", out);
    }
}

static void vcd_enter(const char *rest, FILE *out)
{
    for (const char *dot; (dot = strchr(rest, '.')); rest = dot + 1)
        fprintf(out, "$scope module %.*s $end\n", (int)(dot - rest), rest);
}

static void put_signal(const struct trc_signal *s, uint32_t signal, FILE *out)
{
    char name[ID];
    id(signal, name);
    if (s->word)
        fprintf(out, "$var string 1 %s %s $end\n", name, s->name);
    else if (s->bits == 1)
        fprintf(out, "$var wire 1 %s %s $end\n", name, s->name);
    else
        fprintf(out, "$var wire %u %s %s [%u:0] $end\n", s->bits, name, s->name, s->bits - 1);
}

static void put_signals(const struct trc_book *book, FILE *out)
{
    char open[sizeof book->signal->part + 1] = "", part[sizeof open];
    for (uint32_t i = 0; i < book->signals; i++) {
        const struct trc_signal *s = &book->signal[i];
        if (s->of != TRC_OF_WIRE)
            continue;
        snprintf(part, sizeof part, "%s.", s->part);
        const size_t same = vcd_common(open, part);
        vcd_leave(open + same, out);
        vcd_enter(part + same, out);
        strcpy(open, part);
        put_signal(s, i, out);
    }
    vcd_leave(open, out);
}

static void put_header(const struct trc_recorder *r, FILE *out)
{
    const struct in_machine *machine = &r->experiment->machine;
    fprintf(out,
            "$version numachine " SIM_VERSION " $end\n$comment\n"
            "  Times in ps; a PCycle (a tick) is 1/%" PRIu64 " s.\n"
            "  Status(7:0) shows two PCycles in each MasterClock. Codes:\n",
            nm_value_cpu_clock(machine->params));
    for (unsigned s = 0; s < IN_STATUS_STATES; s++)
        fprintf(out, "  %x %s\n", machine->codes[s], in_state_name(s));
    fputs("$end\n$timescale 1 ps $end\n", out);
    put_signals(&r->wires, out);
    fputs("$enddefinitions $end\n", out);
}

/* ---- the changes ----------------------------------------------------------------------------- */

static void vcd_put_time(const struct trc_recorder *r, sim_tick t, FILE *out)
{
    fprintf(out, "#%" PRIu64 "\n",
            trc_picoseconds(t, nm_value_cpu_clock(r->experiment->machine.params)));
}

void trc_write_waves(const struct trc_recorder *r, FILE *out)
{
    const struct trc_book *book = &r->wires;
    sim_tick now = book->from;
    put_header(r, out);
    vcd_put_time(r, now, out);
    fputs("$dumpvars\n", out);
    for (uint32_t i = 0; i < book->signals; i++)
        if (book->signal[i].of == TRC_OF_WIRE)
            vcd_put_value(&book->signal[i], i, book->signal[i].first, out);
    fputs("$end\n", out);
    for (size_t i = 0; i < book->changes; i++) {
        const struct trc_change *c = &book->change[i];
        if (book->signal[c->signal].of != TRC_OF_WIRE)
            continue;
        if (c->at > now)
            vcd_put_time(r, now = c->at, out);
        vcd_put_value(&book->signal[c->signal], c->signal, c->value, out);
    }
    if (book->to > now)
        vcd_put_time(r, book->to, out);
}
