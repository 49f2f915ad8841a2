/* The monitor: section: the registers it comes to, every refusal with its place, and back. */
#include "input/write.h"
#include "input_text.h"
#include "machine/packet.h"
#include "monitor/board/board.h"

TestSuite(input_monitor, .fini = leave_scratch);

static struct outcome read_monitor(const char *monitor)
{
    char text[600];
    enter_scratch();
    write_guest("a.out");
    snprintf(text, sizeof text, "program: {path: a.out}\nmonitor: {%s}\n", monitor);
    return read_text(text);
}

static uint32_t control(enum mon_event_id event, bool masked)
{
    return MON_PUT(event, CONTROL0_EVENT) | MON_PUT(masked, CONTROL0_MASK);
}

/* A counter for the mask, and what it comes to. */
#define MASKED ", counters: [{event: nacks, masked: true}]"
#define NACKS                                        \
    {MON_REG_CONTROL0, control(MON_EV_nacks, true)}, \
    {                                                \
        MON_REG_COUNTER0, 0                          \
    }

Test(input_monitor, register_writes)
{
    const struct {
        int line;
        const char *monitor;
        struct {
            uint32_t offset, value;
        } writes[8];
    } rows[] = {
        {__LINE__, "", {{0}}},
        {__LINE__, "mask: {direction: any, command: any}", {{0}}},
        {__LINE__,
         "counters: [{event: run}]",
         {{MON_REG_CONTROL0, control(MON_EV_run, false)}, {MON_REG_COUNTER0, 0}}},
        {__LINE__,
         "counters: [{event: nothing}, {event: N-43, masked: true, start: -1000}]",
         {{MON_REG_CONTROL0, control(MON_EV_nothing, false)},
          {MON_REG_COUNTER0, 0},
          {MON_REG_CONTROL1, control(MON_EV_nacks, true)},
          {MON_REG_COUNTER1, (uint32_t)-1000}}},
        {__LINE__,
         "counters: [{event: useful, start: 0xFFFFFFFF}]",
         {{MON_REG_CONTROL0, control(MON_EV_run, false)}, {MON_REG_COUNTER0, UINT32_MAX}}},
        {__LINE__,
         "counters: [{event: run, interrupt: true, start: -9}, {event: load, read_clears: true}]",
         {{MON_REG_CONTROL0, control(MON_EV_run, false) | MON_PUT(1, CONTROL0_INTERRUPT)},
          {MON_REG_COUNTER0, (uint32_t)-9},
          {MON_REG_CONTROL1, control(MON_EV_load, false) | MON_PUT(1, CONTROL0_READ_CLEARS)},
          {MON_REG_COUNTER1, 0}}},
        {__LINE__,
         "histogram: {source: blocks, interrupt: true}",
         {{MON_REG_SRAM_CONTROL, MON_PUT(MON_SOURCE_ad, SRAM_CONTROL_SOURCE) |
                                     MON_PUT(1, SRAM_CONTROL_INCREMENT) |
                                     MON_PUT(1, SRAM_CONTROL_INTERRUPT)}}},
        {__LINE__,
         "mask: {address: {from: 0x1000, to: 8192}}" MASKED,
         {{MON_REG_CARE_LOW, UINT32_MAX},
          {MON_REG_CARE_HIGH, 0xff},
          {MON_REG_VALUE_LOW, UINT32_MAX},
          {MON_REG_VALUE_HIGH, 0xff},
          {MON_REG_MASK, MON_PUT(1, MASK_ADDRESS)},
          NACKS}},
        {__LINE__,
         "mask: {direction: in, fifo: 2}" MASKED,
         {{MON_REG_FIFO_DEPTH, 2},
          {MON_REG_MASK, MON_PUT(1, MASK_FIFO) | MON_PUT(2, MASK_DIRECTION)},
          NACKS}},
        {__LINE__,
         "mask: {direction: out, command: RDEXCL}" MASKED,
         {{MON_REG_COMMAND, 1},
          {MON_REG_MASK, MON_PUT(1, MASK_COMMAND) | MON_PUT(1, MASK_DIRECTION)},
          NACKS}},
        {__LINE__,
         "mask: {phase: solve}, phases: {setup: 0, solve: 3}" MASKED,
         {{MON_REG_PHASE_MATCH, 3}, {MON_REG_MASK, MON_PUT(1, MASK_PHASE)}, NACKS}},
        {__LINE__,
         "mask: {phase: 15}" MASKED,
         {{MON_REG_PHASE_MATCH, 15}, {MON_REG_MASK, MON_PUT(1, MASK_PHASE)}, NACKS}},
        {__LINE__,
         "mask: {address: 0x12_3xX}" MASKED,
         {{MON_REG_CARE_LOW, 0xFFF00},
          {MON_REG_CARE_HIGH, 0},
          {MON_REG_VALUE_LOW, 0x12300},
          {MON_REG_VALUE_HIGH, 0},
          {MON_REG_MASK, MON_PUT(1, MASK_ADDRESS)},
          NACKS}},
        {__LINE__,
         "mask: {address: 0xABCDEF0123}" MASKED,
         {{MON_REG_CARE_LOW, UINT32_MAX},
          {MON_REG_CARE_HIGH, 0xFF},
          {MON_REG_VALUE_LOW, 0xCDEF0123},
          {MON_REG_VALUE_HIGH, 0xAB},
          {MON_REG_MASK, MON_PUT(1, MASK_ADDRESS)},
          NACKS}},
        {__LINE__,
         "mask: {address: 0b1x_01}" MASKED,
         {{MON_REG_CARE_LOW, 0xB},
          {MON_REG_CARE_HIGH, 0},
          {MON_REG_VALUE_LOW, 0x9},
          {MON_REG_VALUE_HIGH, 0},
          {MON_REG_MASK, MON_PUT(1, MASK_ADDRESS)},
          NACKS}},
        {__LINE__,
         "registers: {MASK: 2, CONTROL1: 0x11f, COMMAND: 5}",
         {{MON_REG_MASK, 2}, {MON_REG_CONTROL1, 0x11f}, {MON_REG_COMMAND, 5}}},
        {__LINE__,
         "mask: {command: WB}, registers: {CONTROL0: 0x11f}",
         {{MON_REG_COMMAND, NM_MSG_WB},
          {MON_REG_MASK, MON_PUT(1, MASK_COMMAND)},
          {MON_REG_CONTROL0, 0x11f}}},
        {__LINE__,
         "registers: {WATCH: 1, THRESHOLD: 0x100}, counters: [{event: run}]",
         {{MON_REG_WATCH, 1},
          {MON_REG_THRESHOLD, 0x100},
          {MON_REG_CONTROL0, control(MON_EV_run, false)},
          {MON_REG_COUNTER0, 0}}},
        {__LINE__,
         "histogram: {source: transactions}",
         {{MON_REG_SRAM_CONTROL, MON_PUT(MON_SOURCE_state_phase, SRAM_CONTROL_SOURCE)}}},
        {__LINE__,
         "histogram: {source: service-time, scale: doubled}",
         {{MON_REG_OPTIONS, 1 | MON_PUT(1, OPTIONS_DOUBLE_TIME)},
          {MON_REG_SRAM_CONTROL, MON_PUT(MON_SOURCE_state_time, SRAM_CONTROL_SOURCE)}}},
        {__LINE__,
         "histogram: {source: service-time-linear}",
         {{MON_REG_SRAM_CONTROL, MON_PUT(MON_SOURCE_phase_time, SRAM_CONTROL_SOURCE)}}},
        {__LINE__,
         "histogram: {source: l2}",
         {{MON_REG_SRAM_CONTROL,
           MON_PUT(MON_SOURCE_scaddr, SRAM_CONTROL_SOURCE) | MON_PUT(1, SRAM_CONTROL_DATA_HALF)}}},
        {__LINE__,
         "histogram: {source: l2-victims}",
         {{MON_REG_SRAM_CONTROL, MON_PUT(MON_SOURCE_scaddr, SRAM_CONTROL_SOURCE) |
                                     MON_PUT(1, SRAM_CONTROL_DATA_HALF) |
                                     MON_PUT(MON_KIND_VICTIM, SRAM_CONTROL_KINDS)}}},
        {__LINE__,
         "histogram: {source: blocks}",
         {{MON_REG_SRAM_CONTROL,
           MON_PUT(MON_SOURCE_ad, SRAM_CONTROL_SOURCE) | MON_PUT(1, SRAM_CONTROL_INCREMENT)}}},
        {__LINE__,
         "counters: [{event: invalidate_hits}], histogram: {source: invalidates}",
         {{MON_REG_CONTROL0, control(MON_EV_invalidate_hits, false)},
          {MON_REG_COUNTER0, 0},
          {MON_REG_SRAM_CONTROL, MON_PUT(MON_SOURCE_scaddr, SRAM_CONTROL_SOURCE) |
                                     MON_PUT(1, SRAM_CONTROL_INVALIDATES) |
                                     MON_PUT(1, SRAM_CONTROL_DATA_HALF)}}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = read_monitor(rows[i].monitor);
        unsigned n = 0;
        cr_expect_eq(o.kind, IN_FILE_EXPERIMENT, "row %d: %s", rows[i].line, o.complaints);
        while (rows[i].writes[n].offset)
            n++;
        cr_expect_eq(o.x.write_count, n, "row %d: %u", rows[i].line, o.x.write_count);
        for (unsigned k = 0; k < n && k < o.x.write_count; k++)
            cr_expect(o.x.write[k].offset == rows[i].writes[k].offset &&
                          o.x.write[k].value == rows[i].writes[k].value,
                      "row %d, write %u: 0x%x = 0x%x", rows[i].line, k, o.x.write[k].offset,
                      o.x.write[k].value);
        outcome_free(&o);
    }
}

/* ---- the least and the most of everything, in loops over the tables -----------------------------
 */

/* A text of monitor: that comes to one write of this value, among others, or to no write of the
 * register. */
static void expect_write(const char *monitor, uint32_t offset, bool written, uint32_t value)
{
    struct outcome o = read_monitor(monitor);
    unsigned found = 0;
    cr_expect_eq(o.kind, IN_FILE_EXPERIMENT, "%s: %s", monitor, o.complaints);
    for (unsigned k = 0; k < o.x.write_count; k++)
        found += o.x.write[k].offset == offset && o.x.write[k].value == value;
    cr_expect_eq(found, written, "%s: 0x%x = 0x%x", monitor, offset, value);
    outcome_free(&o);
}

/* Whatever a condition of the mask is compared with, 0 too, the condition is on; and off without
 * it. */
Test(input_monitor, conditions_at_their_ends)
{
    char monitor[200];
    for (unsigned phase = 0; phase < 16; phase++)
        for (unsigned named = 0; named < 2; named++) {
            char text[16];
            snprintf(text, sizeof text, named ? "p%u" : "%u", phase);
            snprintf(monitor, sizeof monitor, "phases: {p%u: %u}, mask: {phase: %s}" MASKED, phase,
                     phase, text);
            expect_write(monitor, MON_REG_PHASE_MATCH, true, phase);
            expect_write(monitor, MON_REG_MASK, true, MON_PUT(1, MASK_PHASE));
        }
    static const unsigned depths[] = {0, 1, 254, 255};
    for (unsigned i = 0; i < sizeof depths / sizeof *depths; i++) {
        snprintf(monitor, sizeof monitor, "mask: {fifo: %u}" MASKED, depths[i]);
        expect_write(monitor, MON_REG_FIFO_DEPTH, true, depths[i]);
        expect_write(monitor, MON_REG_MASK, true, MON_PUT(1, MASK_FIFO));
    }
    for (unsigned i = 0; i < NM_MSG__COUNT; i++) {
        snprintf(monitor, sizeof monitor, "mask: {command: %s}" MASKED,
                 nm_message_row((enum nm_message)i)->name);
        expect_write(monitor, MON_REG_COMMAND, true, i);
        expect_write(monitor, MON_REG_MASK, true, MON_PUT(1, MASK_COMMAND));
    }
    static const char *const addresses[] = {"0x0", "0xffffffffff", "{from: 0, to: 1}", "0bx0"};
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        snprintf(monitor, sizeof monitor, "mask: {address: %s}" MASKED, addresses[i]);
        expect_write(monitor, MON_REG_MASK, true, MON_PUT(1, MASK_ADDRESS));
    }
    static const char *const directions[] = {"out", "in"};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(monitor, sizeof monitor, "mask: {direction: %s}" MASKED, directions[i]);
        expect_write(monitor, MON_REG_MASK, true, MON_PUT(i + 1, MASK_DIRECTION));
    }
    for (unsigned condition = 0; condition < 16; condition++)
        expect_write("mask: {direction: any, command: any}", MON_REG_MASK, false, condition);
}

/* Each event on each counter that has it, each flag alone, and what a counter begins with. */
Test(input_monitor, counters_at_their_ends)
{
    char monitor[200];
    for (unsigned event = 0; event < mon_numachine.event_count; event++) {
        unsigned fits = 0;
        for (unsigned k = 0; k < 4; k++) {
            static const char *const before[] = {
                "", "{event: nothing}, ", "{event: nothing}, {event: nothing}, ",
                "{event: nothing}, {event: nothing}, {event: nothing}, "};
            snprintf(monitor, sizeof monitor, "counters: [%s{event: %s}]", before[k],
                     mon_numachine.events[event].name);
            struct outcome o = read_monitor(monitor);
            fits += o.kind == IN_FILE_EXPERIMENT;
            const bool good = o.kind == IN_FILE_EXPERIMENT && o.x.write_count == 2 * (k + 1) &&
                              o.x.write[2 * k].offset == MON_REG_CONTROL0 + 4 * k &&
                              o.x.write[2 * k].value == event;
            cr_expect(good || strstr(o.complaints, "it fits only counter"), "%s: %s", monitor,
                      o.complaints);
            outcome_free(&o);
        }
        cr_expect_gt(fits, 0, "%s", mon_numachine.events[event].name);
    }
    for (unsigned i = 0; mon_board_flag_rows[i].name; i++) {
        const char *flag = mon_board_flag_rows[i].name;
        snprintf(monitor, sizeof monitor, "mask: {fifo: 1}, counters: [{event: nacks, %s: true}%s]",
                 flag, strcmp(flag, "masked") ? ", {event: nacks, masked: true}" : "");
        expect_write(monitor, MON_REG_CONTROL0, true,
                     MON_EV_nacks | UINT32_C(1) << mon_board_flag_rows[i].number);
        snprintf(monitor, sizeof monitor, "counters: [{event: nacks, %s: false}]", flag);
        expect_write(monitor, MON_REG_CONTROL0, true, MON_EV_nacks);
    }
    static const struct {
        const char *text;
        uint32_t value;
    } starts[] = {{"0", 0},           {"1", 1},           {"4294967295", UINT32_MAX},
                  {"-1", UINT32_MAX}, {"-4294967295", 1}, {"-0", 0}};
    for (unsigned i = 0; i < sizeof starts / sizeof *starts; i++) {
        snprintf(monitor, sizeof monitor, "counters: [{event: nacks, start: %s}]", starts[i].text);
        expect_write(monitor, MON_REG_COUNTER0, true, starts[i].value);
    }
}

/* Each source of the histogram, with each of its ends; each register that can be written, at both
 * ends of its bits. */
Test(input_monitor, registers_at_their_ends)
{
    static const uint32_t control[] = {
#define HISTOGRAM(word, control, sentence) (control),
#include "monitor/board/histograms.def"
#undef HISTOGRAM
    };
    char monitor[200];
    for (unsigned i = 1; mon_board_histograms[i].name; i++)
        for (unsigned interrupt = 0; interrupt < 2; interrupt++) {
            snprintf(monitor, sizeof monitor, "histogram: {source: %s, interrupt: %s}",
                     mon_board_histograms[i].name, interrupt ? "true" : "false");
            expect_write(monitor, MON_REG_SRAM_CONTROL, true,
                         control[i] | MON_PUT(interrupt, SRAM_CONTROL_INTERRUPT));
        }
    expect_write("histogram: {source: none}", MON_REG_SRAM_CONTROL, false, 0);
    for (const struct mon_register_row *r = mon_numachine.registers; r->name; r++) {
        const uint32_t most = UINT32_MAX >> (32 - r->bits);
        for (unsigned i = 0; i < 3; i++) {
            const uint64_t value = i == 0 ? 0 : i == 1 ? most : UINT64_C(1) + most;
            snprintf(monitor, sizeof monitor, "registers: {%s: %lu}", r->name,
                     (unsigned long)value);
            struct outcome o = read_monitor(monitor);
            if (i == 2)
                cr_expect(strstr(o.complaints, "does not fit") ||
                              strstr(o.complaints, "is not a number from"),
                          "%s: %s", monitor, o.complaints);
            else if (o.kind == IN_FILE_EXPERIMENT)
                cr_expect(o.x.write_count == 1 && o.x.write[0].offset == r->offset &&
                              o.x.write[0].value == value,
                          "%s", monitor);
            else
                cr_expect(strstr(o.complaints, "the monitoring card refuses this: "), "%s: %s",
                          monitor, o.complaints);
            outcome_free(&o);
        }
    }
}

Test(input_monitor, refusals)
{
    static const struct {
        int line;
        const char *monitor, *complaint;
    } rows[] = {
        {__LINE__, "counters: [run]", ":2:22: error: expected keys with values"},
        {__LINE__, "counters: {event: run}", ":2:21: error: 'monitor.counters' is a mapping"},
        {__LINE__, "counters: [{masked: true}]", ":2:22: error: counter 0 has no event"},
        {__LINE__, "counters: [{event: runn}]", ":2:30: error: unknown event 'runn'; did you mean"},
        {__LINE__, "counters: [{event: default}]", ":2:30: error: unknown event 'default'"},
        {__LINE__, "counters: [{evnt: run}]",
         ":2:23: error: unknown key 'evnt'; did you mean 'event'"},
        {__LINE__, "counters: [{event: run}, {event: invalidate_hits}]",
         ":2:44: error: counter 1 cannot count 'invalidate_hits': it fits only counter 0"},
        {__LINE__, "counters: [{event: read_latency}]", "it fits only counter 2 or 3"},
        {__LINE__, "counters: [{event: run, start: 1e3}]", ":2:42: error: 'start': '1e3' is not a"},
        {__LINE__, "counters: [{event: run, start: 0x}]", "'0x' is not a number"},
        {__LINE__, "counters: [{event: run, start: 4294967296}]",
         "is not a number from -4294967295"},
        {__LINE__, "counters: [{event: run, start: --1}]", "'--1' is not a number"},
        {__LINE__, "counters: [{event: run, masked: 1}]", "expected true or false"},
        {__LINE__,
         "counters: [{event: run}, {event: run}, {event: run}, {event: run}, {event: run}]",
         ":2:21: error: 'monitor.counters' has 5 entries; a card has 4 counters"},
        {__LINE__, "counters: [{event: run, masked: true}]",
         ":2:22: error: the monitoring card refuses this: the master mask applies to events that "
         "are packets"},
        {__LINE__, "mask: {address: 1234}", ":2:27: error: 'monitor.mask.address': '1234' is no"},
        {__LINE__, "mask: {address: {symbol: a b}}",
         ":2:27: error: 'monitor.mask.address': the program has no symbol 'a b'"},
        {__LINE__, "mask: {address: {from: 0x1000, to: 0x2000}}", "changes nothing"},
        {__LINE__, "mask: {address: {from: 0x2000, to: 0x1000}}",
         ":2:27: error: 'monitor.mask.address': '{from: 0x2000, to: 0x1000}' is no range"},
        {__LINE__, "mask: {address: {from: x, to: 0x1000}}", "is no range"},
        {__LINE__, "mask: {address: {of: x}}", "expected an address pattern such as"},
        {__LINE__, "mask: {address: [1]}", "expected an address pattern such as"},
        {__LINE__, "mask: {address: 0x}", "'0x' is no pattern"},
        {__LINE__, "mask: {address: 0xg}", "'0xg' is no pattern"},
        {__LINE__, "mask: {address: 0b12}", "'0b12' is no pattern"},
        {__LINE__, "mask: {address: 0x123456789ab}", "for at most 40 bits"},
        {__LINE__, "mask: {command: RDX}",
         "'monitor.mask.command': RDX is not a choice (did you mean 'RD'?); expected any, RD, "
         "RDEXCL"},
        {__LINE__, "mask: {command: }",
         ":2:27: error: 'monitor.mask.command' has no value; expected any"},
        {__LINE__, "mask: {direction: up}", "expected any, out or in"},
        {__LINE__, "mask: {phase: 16}", ":2:25: error: 'monitor.mask.phase': '16' is no PhaseID"},
        {__LINE__, "mask: {phase: solve}, phases: {solver: 1}", "'solve' is no PhaseID"},
        {__LINE__, "mask: {fifo: -1}", "'monitor.mask.fifo': -1"},
        {__LINE__, "phases: {3: 5}",
         ":2:20: error: 'monitor.phases': '3' is a number and no name; a name begins with a "
         "letter, "
         "and its PhaseID stands behind it: {solve: 5}"},
        {__LINE__, "phases: {7: solve}",
         ":2:20: error: 'monitor.phases': the name comes first; write {solve: 7}, not {7: solve}"},
        {__LINE__, "phases: {\"0x7\": 2}", ":2:20: error: 'monitor.phases': '0x7' is a number"},
        {__LINE__, "phases: {-1: 2}", ":2:20: error: 'monitor.phases': '-1' is a number"},

        {__LINE__, "phases: {a: 010}", ":2:23: error: 'monitor.phases': '010' is no PhaseID"},
        {__LINE__, "phases: {a: 16}", ":2:23: error: 'monitor.phases': '16' is no PhaseID"},
        {__LINE__, "phases: {a: 1, b: 1}", "PhaseID 1 has a name already"},
        {__LINE__, "phases: {a: x}", "'x' is no PhaseID"},
        {__LINE__, "histogram: {source: l1}", "'monitor.histogram.source': l1"},
        {__LINE__, "histogram: {interrupt: true}",
         ":2:34: error: 'monitor.histogram.interrupt' changes nothing"},
        {__LINE__, "histogram: {scale: 2}", "expected formula or doubled"},
        {__LINE__, "histogram: service-time", "'monitor.histogram' is a single value"},
        {__LINE__, "counters: [{event: invalidate_hits}], histogram: {source: transactions}",
         "the monitoring card refuses this: invalidate_hits uses the cache index"},
        {__LINE__,
         "counters: [{event: rereferences}, {event: nacks, masked: true}], mask: "
         "{address: 0x1xxx}",
         ":2:22: error: the monitoring card refuses this: the comparator"},
        {__LINE__, "registers: {WACH: 1}",
         ":2:23: error: unknown register 'WACH'; did you mean 'WATCH'"},
        {__LINE__, "registers: {WATCH: one}", ":2:23: error: 'WATCH': 'one' is not a"},
        {__LINE__, "registers: {PHASE: 2048}",
         ":2:23: error: 'PHASE': '2048' does not fit; the register has 11 bits, 0 to 2047"},
        {__LINE__, "registers: {WATCH: -1}", "does not fit; the register has 2 bits, 0 to 3"},
        {__LINE__, "registers: {IDENTITY: 1}", "refuses this: the register cannot be written"},
        {__LINE__, "registers: {MASK: 0x30}", "refuses this: MASK.DIRECTION knows"},
        {__LINE__, "registers: {SRAM_CONTROL: 2}, histogram: {source: service-time}",
         ":2:23: error: 'SRAM_CONTROL' is written by 'monitor.histogram.source', too; say it in "
         "one"},
        {__LINE__, "registers: {OPTIONS: 3}, histogram: {source: service-time, scale: doubled}",
         ":2:23: error: 'OPTIONS' is written by 'monitor.histogram.scale', too"},
        {__LINE__, "registers: {COMMAND: 3}, mask: {command: WB}" MASKED,
         ":2:23: error: 'COMMAND' is written by 'monitor.mask', too"},
        {__LINE__, "registers: {WATCH: 0, CONTROL0: 3}, counters: [{event: run}]",
         ":2:33: error: 'CONTROL0' is written by 'monitor.counters', too"},
        {__LINE__, "counters: [{event: nacks}], mask: {command: WB}",
         ":2:55: error: 'monitor.mask' changes nothing: no entry of 'monitor.counters' has masked: "
         "true"},
        {__LINE__, "mask: {direction: in}", ":2:29: error: 'monitor.mask' changes nothing"},
        {__LINE__, "interval: 0cy", "'monitor.interval': 0cy"},
        {__LINE__, "interval: 10", "'monitor.interval': 10"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = read_monitor(rows[i].monitor);
        cr_expect_eq(o.kind, IN_FILE_UNREADABLE, "row %d", rows[i].line);
        cr_expect(strstr(o.complaints, rows[i].complaint), "row %d: %s", rows[i].line,
                  o.complaints);
        outcome_free(&o);
    }
}

/* Every message can be chosen, and a complaint ends with the last of them. */
Test(input_monitor, all_commands)
{
    static const char *const names[] = {
#define MESSAGE(name, number, class, data, sentence) [number] = #name,
#include "machine/message.def"
#undef MESSAGE
    };
    enum { MESSAGES = sizeof names / sizeof *names };
    char monitor[100], last[100];
    snprintf(last, sizeof last, " or %s\n", names[MESSAGES - 1]);
    for (unsigned i = 0; i < MESSAGES; i++) {
        snprintf(monitor, sizeof monitor, "mask: {command: %s}" MASKED, names[i]);
        struct outcome o = read_monitor(monitor);
        cr_expect(o.x.write_count > 0 && o.x.write[0].offset == MON_REG_COMMAND &&
                      o.x.write[0].value == i,
                  "%s: %s", names[i], o.complaints);
        outcome_free(&o);
    }
    static const char *const wrong[] = {"mask: {command: zz}", "mask: {command: [zz]}"};
    for (unsigned i = 0; i < 2; i++) {
        struct outcome o = read_monitor(wrong[i]);
        cr_expect(strstr(o.complaints, last), "%s", o.complaints);
        outcome_free(&o);
    }
}

Test(input_monitor, and_back)
{
    struct outcome o =
        read_monitor("counters: [{event: nacks, interrupt: true}, {event: packet_headers, masked: "
                     "true, start: -5},"
                     "{event: time, read_clears: true}],"
                     "mask: {address: 0xffxx, direction: out, command: WB, phase: b, fifo: 3},"
                     "histogram: {source: service-time, scale: doubled, interrupt: true}, "
                     "interval: 30us, phases: {a: 0, b: 9}");
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_eq(o.x.interval, 4500);
    FILE *f = fopen("resolved.yaml", "w");
    in_experiment_write_resolved(f, &o.x, NULL);
    fclose(f);
    struct outcome again = read_file("resolved.yaml", NULL);
    cr_assert_eq(again.kind, IN_FILE_EXPERIMENT, "%s", again.complaints);
    cr_expect_eq(again.x.interval, 4500);
    cr_assert_eq(again.x.write_count, o.x.write_count);
    cr_expect_eq(memcmp(again.x.write, o.x.write, o.x.write_count * sizeof *o.x.write), 0);
    cr_expect_str_eq(again.x.phases[1], "b=9");
    outcome_free(&o);
    outcome_free(&again);
}

/* What is set on the command line has no line, but a complaint all the same. */
Test(input_monitor, assignments)
{
    char *good[] = {(char *)"monitor.mask.command=NACK", (char *)"monitor.histogram.source=l2",
                    (char *)"monitor.counters=[{event: nacks, masked: true}]", NULL};
    char *bad[] = {(char *)"monitor.mask.address=7", NULL};
    struct outcome o = read_monitor("");
    outcome_free(&o);
    o = read_file("t.yaml", good);
    cr_expect_eq(o.x.write_count, 5, "%s", o.complaints);
    outcome_free(&o);
    o = read_file("t.yaml", bad);
    cr_expect(strstr(o.complaints, "--set monitor.mask.address=7: 'monitor.mask.address': '7'"),
              "%s", o.complaints);
    outcome_free(&o);
}

Test(input_monitor, all_errors_at_once)
{
    struct outcome o = read_monitor("mask: {address: 12, phase: zz}, counters: [{event: runn}],"
                                    "phases: {a: 77}, registers: {WACH: 1}");
    cr_expect_eq(o.errors, 5, "%s", o.complaints);
    outcome_free(&o);
}
