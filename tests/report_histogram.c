/* Histograms, counters and samples as results, from words and totals made up by hand. */
#include "documents/statistics/histogram.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "report_fake.h"
#include "run/regions.h"
#include "run/samples.h"

#include <criterion/criterion.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

static struct fake fake;
static struct doc_registers registers[FAKE_CARDS];
static uint32_t sram[MON_SRAM_WORDS];

static void setup(void)
{
    fake_init(&fake, "run,nacks,bus_busy");
    fake.run.registers = registers;
}

static void teardown(void)
{
    run_regions_free(&fake.run);
}

TestSuite(report_histogram, .init = setup, .fini = teardown);

static char *written(void (*write)(const struct doc_run *, FILE *), size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);
    write(&fake.run, out);
    fclose(out);
    return text;
}

static void chart_110(const struct doc_run *run, FILE *out)
{
    doc_chart(run, out, 110);
}

static void chart_40(const struct doc_run *run, FILE *out)
{
    doc_chart(run, out, 40);
}

/* Card 1 counts transactions by service time. */
static void service_times(void)
{
    static char *phases[] = {(char *)"solve=3", NULL};
    const struct mon_transaction t[] = {
        {.service = 5, .phase = 3, .valid = true},
        {.service = 20, .phase = 3, .valid = true, .remote = true, .exclusive = true},
        {.service = 5000, .phase = 0, .global = true},
    };
    fake.experiment.phases = phases;
    registers[1].memory.setup = MON_PUT(MON_SOURCE_state_time, SRAM_CONTROL_SOURCE);
    registers[1].memory.word = sram;
    registers[1].memory.lost = 4;
    for (unsigned i = 0; i < 3; i++)
        sram[mon_bin_of(MON_SOURCE_state_time, &t[i], false)] = 10 * (i + 1);
}

Test(report_histogram, totals)
{
    struct doc_histogram h = doc_histogram_total(&fake.run);
    cr_expect(h.cards == 0 && h.counted == 0);
    service_times();
    h = doc_histogram_total(&fake.run);
    cr_expect_eq(h.cards, 1);
    cr_expect_eq(h.counted, 60);
    cr_expect_eq(h.words, 3);
    cr_expect_eq(h.lost, 4);
    cr_expect_eq(h.saturated, 30);
}

Test(report_histogram, bins_are_taken_apart)
{
    size_t size;
    service_times();
    char *text = written(doc_write_bins, &size);
    cr_expect_eq(strncmp(text,
                         "card,bin,lo,hi,count,unit,global,valid,nc_hit,exclusive,remote,"
                         "phase,phase_name,half\r\n",
                         86),
                 0, "%s", text);
    cr_expect(strstr(text, ",5,5,10,cycles,0,1,0,0,0,3,solve,\r\n"), "%s", text);
    cr_expect(strstr(text, ",20,20,20,cycles,0,1,0,1,1,3,solve,\r\n"), "%s", text);
    cr_expect(strstr(text, ",1984,,30,cycles,1,0,0,0,0,0,,\r\n"), "%s", text);
    free(text);
}

Test(report_histogram, npy_is_what_numpy_reads)
{
    size_t size;
    service_times();
    sram[65535] = 0x01020304;
    char *text = written(doc_write_npy, &size);
    const size_t data = FAKE_CARDS * MON_SRAM_WORDS * 4;
    cr_assert_gt(size, data);
    const size_t header = size - data;
    cr_expect_eq(header % 64, 0);
    cr_expect_eq(memcmp(text, "\x93NUMPY\x01\x00", 8), 0);
    const unsigned char low = text[8], high = text[9]; // little-endian
    cr_expect_eq((size_t)high << 8 | low, header - 10);
    cr_expect(strstr(text + 10, "'shape': (2, 65536)"));
    cr_expect_eq(text[header - 1], '\n');
    cr_expect_eq(memcmp(text + size - 4, "\x04\x03\x02\x01", 4), 0);
    free(text);
    sram[65535] = 0;
}

/* What is passed over is there, and 0, whichever card has counted. */
Test(report_histogram, npy_has_every_word_of_every_card)
{
    const size_t data = FAKE_CARDS * MON_SRAM_WORDS * 4;
    sram[40000] = 7;
    for (unsigned user = 0; user < FAKE_CARDS; user++) {
        size_t size;
        for (unsigned c = 0; c < FAKE_CARDS; c++)
            registers[c].memory.word = c == user ? sram : NULL;
        char *text = written(doc_write_npy, &size);
        cr_assert_gt(size, data);
        for (size_t i = 0; i < data / 4; i++) {
            uint32_t word;
            memcpy(&word, text + size - data + 4 * i, sizeof word);
            cr_assert_eq(le32toh(word), i == user * MON_SRAM_WORDS + 40000 ? 7 : 0, "word %zu", i);
        }
        free(text);
    }
}

Test(report_histogram, chart_of_times)
{
    size_t size;
    service_times();
    char *text = written(chart_110, &size);
    cr_expect(strstr(text, "60 counted, 4 lost\n"), "%s", text);
    cr_expect(strstr(text, "solve"), "%s", text);
    cr_expect(strstr(text, "phase 0"), "%s", text);
    cr_expect(strstr(text, "16 .. 31"), "%s", text);
    cr_expect(strstr(text, "1984 or more (saturated)"), "%s", text);
    cr_expect(strstr(text, "####"), "%s", text);
    cr_expect(!strchr(text, '\033'));
    free(text);
    text = written(chart_40, &size);
    cr_expect(strstr(text, "##########"), "%s", text);
    free(text);
}

/* The first number of a row, -1 without that row. */
static long row_of(const char *text, const char *label)
{
    const size_t n = strlen(label);
    for (; *text; text++)
        if (!strncmp(text, label, n))
            return strtol(text + n, NULL, 10);
    return -1;
}

/* What has no upper bound stands in no interval, and the rows' ends are those of the words. */
Test(report_histogram, saturated_times)
{
    static const struct {
        int line;
        enum mon_source source;
        bool doubled;
        uint64_t last; /* [cycles] the greatest time with a bound */
        const char *row, *saturated, *better;
    } rows[] = {
        {__LINE__, MON_SOURCE_state_time, false, 1983, "1024 .. 1983  ", "1984 or more (saturated)",
         "histogram source service-time-linear reaches to 4,094"},
        {__LINE__, MON_SOURCE_state_time, true, 3967, "2048 .. 3967  ", "3968 or more (saturated)",
         "histogram source service-time-linear reaches to 4,094"},
        {__LINE__, MON_SOURCE_phase_time, false, 4094, "2048 .. 4094  ", "4095 or more (saturated)",
         "no histogram reaches so far, source service-time-linear to 4,094"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct mon_transaction last = {.service = rows[i].last},
                                     next = {.service = rows[i].last + 1};
        size_t size;
        memset(sram, 0, sizeof sram);
        registers[1].memory = (struct mon_memory){
            .setup = MON_PUT(rows[i].source, SRAM_CONTROL_SOURCE) |
                     (rows[i].doubled ? MON_SETUP_DOUBLED : 0),
            .word = sram,
            .longest = rows[i].last,
        };
        sram[mon_bin_of(rows[i].source, &last, rows[i].doubled)] = 7;
        char *text = written(chart_110, &size);
        cr_expect(strstr(text, rows[i].row), "row %d: %s", rows[i].line, text);
        cr_expect(!strstr(text, "saturated"), "row %d: %s", rows[i].line, text);
        free(text);
        const size_t before = fake.run.remarks;
        doc_histogram_remark(&fake.run);
        cr_expect_eq(fake.run.remarks, before, "row %d", rows[i].line);
        sram[mon_bin_of(rows[i].source, &next, rows[i].doubled)] = 90;
        registers[1].memory.longest = rows[i].last < 4000 ? 4000 : 5000;
        text = written(chart_110, &size);
        cr_expect_eq(row_of(text, rows[i].saturated), 90, "row %d: %s", rows[i].line, text);
        cr_expect(strstr(text, "97 counted"), "row %d: %s", rows[i].line, text);
        free(text);
        doc_histogram_remark(&fake.run);
        cr_assert_eq(fake.run.remarks, before + 1, "row %d", rows[i].line);
        cr_expect(strstr(fake.run.remark[before], "90 of 97 service times") &&
                      strstr(fake.run.remark[before], rows[i].better),
                  "row %d: %s", rows[i].line, fake.run.remark[before]);
    }
}

Test(report_histogram, chart_of_blocks)
{
    size_t size;
    registers[0].memory.setup = MON_PUT(MON_SOURCE_scaddr, SRAM_CONTROL_SOURCE);
    registers[0].memory.word = sram;
    for (unsigned i = 0; i < 40; i++)
        sram[0x8000 + 2 * i] = i + 1;
    char *text = written(chart_110, &size);
    cr_expect(strstr(text, "bin 32846: data 0x009c0-0x009df, page + 0x9c0"), "%s", text);
    cr_expect(!strstr(text, "bin 32768"), "only the fullest: %s", text);
    free(text);
    text = written(doc_write_bins, &size);
    cr_expect(strstr(text, "0,32770,64,95,2,bytes,,,,,,,,data\r\n"), "%s", text);
    free(text);
}

/* A row says which bytes it is about, in the chart and in the file alike: of an access a block, of
 * an invalidate the line; and in which half, if there are halves. */
Test(report_histogram, what_a_word_covers)
{
    enum { LINE = 1, BLOCK = 0 };
    static const struct {
        int at;
        unsigned invalidates, line, split, data_half, bin;
        const char *chart, *file;
    } rows[] = {
        {__LINE__, BLOCK, 128, 1, 1, 0x8004, "bin 32772: data 0x00080-0x0009f, page + 0x080",
         "0,32772,128,159,5,bytes,,,,,,,,data\r\n"},
        {__LINE__, LINE, 128, 1, 1, 0x8004, "bin 32772: data 0x00080-0x000ff, page + 0x080",
         "0,32772,128,255,5,bytes,,,,,,,,data\r\n"},
        {__LINE__, LINE, 64, 1, 0, 0x0006, "bin 6: data 0x000c0-0x000ff, page + 0x0c0",
         "0,6,192,255,5,bytes,,,,,,,,data\r\n"},
        {__LINE__, BLOCK, 64, 1, 0, 0x8006, "bin 32774: instruction 0x000c0-0x000df, page + 0x0c0",
         "0,32774,192,223,5,bytes,,,,,,,,instruction\r\n"},
        {__LINE__, LINE, 16, 1, 1, 0x8004, "bin 32772: data 0x00080-0x0009f, page + 0x080",
         "0,32772,128,159,5,bytes,,,,,,,,data\r\n"},
        {__LINE__, LINE, 128, 0, 1, 0x0084, "bin 132: joint 0x01080-0x010ff, page + 0x080",
         "0,132,4224,4351,5,bytes,,,,,,,,joint\r\n"},
    };
    struct nm_params *p = fake.experiment.machine.params;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t size;
        memset(sram, 0, sizeof sram);
        p->l2_line = rows[i].line;
        p->l2_split = rows[i].split;
        p->l2_data_half = rows[i].data_half;
        registers[0].memory =
            (struct mon_memory){.setup = MON_PUT(MON_SOURCE_scaddr, SRAM_CONTROL_SOURCE) |
                                         MON_PUT(rows[i].invalidates, SRAM_CONTROL_INVALIDATES),
                                .word = sram};
        sram[rows[i].bin] = 5;
        char *text = written(chart_110, &size);
        cr_expect(strstr(text, rows[i].chart), "row %d: %s", rows[i].at, text);
        free(text);
        text = written(doc_write_bins, &size);
        cr_expect(strstr(text, rows[i].file), "row %d: %s", rows[i].at, text);
        free(text);
    }
    p->l2_size = 4096; /* halves of 2 KB: no address of a page is to be read from them */
    char *text = NULL;
    size_t size;
    text = written(chart_110, &size);
    cr_expect(strstr(text, "0x010ff") && strstr(text, "page +"), "%s", text);
    free(text);
    p->l2_split = true;
    text = written(chart_110, &size);
    cr_expect(!strstr(text, "page +"), "%s", text);
    free(text);
}

/* A histogram that has counted nothing is there, with zeros: who reads it need not ask. */
Test(report_histogram, nothing_counted)
{
    size_t size;
    for (unsigned source = MON_SOURCE_off; source < MON_SOURCES; source++) {
        registers[1].memory = (struct mon_memory){.setup = MON_PUT(source, SRAM_CONTROL_SOURCE)};
        const bool asked = source != MON_SOURCE_off;
        cr_expect_eq(doc_histogram_used(&fake.run, &registers[1]), asked, "source %u", source);
        cr_expect_eq(doc_histogram_total(&fake.run).cards, asked, "source %u", source);
        char *text = written(doc_write_csv, &size);
        cr_expect_eq(strstr(text, "whole,machine,histogram.counted,0,events\r\n") != NULL, asked,
                     "source %u: %s", source, text);
        free(text);
        text = written(chart_110, &size);
        cr_expect_eq(strstr(text, "0 counted, 0 lost") != NULL, asked, "source %u: %s", source,
                     text);
        free(text);
        text = written(doc_write_bins, &size);
        cr_expect(!strncmp(text, "card,bin,", 9) && strchr(text, '\n') == text + size - 1,
                  "source %u: %s", source, text);
        free(text);
        text = written(doc_write_npy, &size);
        cr_expect_gt(size, FAKE_CARDS * MON_SRAM_WORDS * 4, "source %u", source);
        free(text);
    }
}

Test(report_histogram, counters)
{
    size_t size;
    cr_expect(!doc_registers_used(&fake.run));
    registers[1].counter[2] = (struct mon_reading){.used = true,
                                                   .event = MON_EV_nacks,
                                                   .masked = true,
                                                   .setup = 5,
                                                   .value = 77,
                                                   .counted = (UINT64_C(1) << 32) + 1077,
                                                   .overflowed = true};
    cr_expect(doc_registers_used(&fake.run));
    char *text = written(doc_write_counters, &size);
    cr_expect_str_eq(text, "card,counter,event,masked,value,counted,unit,overflowed\r\n"
                           "1,2,nacks,1,77,4294968373,packets,1\r\n");
    free(text);
    text = written(doc_write_csv, &size);
    cr_expect(strstr(text, "whole,machine.station[0].card[1].counter[2],value,77,packets\r\n"));
    cr_expect(strstr(text, ".card[1].counter[2],counted,4294968373,packets\r\n"));
    free(text);
    /* A counter that starts near its end on an idle card has counted nothing there. */
    registers[0].counter[2] = registers[1].counter[2];
    registers[0].counter[2].value = (uint32_t)-1000;
    registers[0].counter[2].counted = 0;
    registers[0].counter[2].overflowed = false;
    text = written(doc_table_counters, &size);
    cr_expect(strstr(text, "nacks, masked") && strstr(text, "on 1 card"), "%s", text);
    cr_expect(strstr(text, "2  4,294,968,373  packets  0 .. 4,294,968,373 "), "%s", text);
    free(text);
}

/* ---- samples --------------------------------------------------------------------------------- */

static char *samples_text(const struct doc_samples *samples)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    doc_write_samples(samples, &fake.run, out);
    fclose(out);
    return text;
}

Test(report_histogram, samples)
{
    struct doc_samples s;
    run_samples_init(&s, &fake.run, 300, fake.now);
    for (sim_tick at = 300; at <= 900; at += 300) {
        fake_pass(&fake, 300);
        run_samples_take(&s, &fake.run, at, fake.now);
    }
    fake_pass(&fake, 30);
    run_samples_finish(&s, &fake.run, 930, fake.now);
    char *text = samples_text(&s);
    cr_expect(strstr(text, "begin_tick,end_tick,component,stat,value,unit\r\n"
                           "0,300,machine.station[0].card[0],monitor.run,100,PCycles\r\n"),
              "%s", text);
    cr_expect(strstr(text, "600,900,machine.station[0],monitor.bus_busy,50,cycles\r\n"), "%s",
              text);
    cr_expect(strstr(text, "900,930,machine.station[0].card[1],monitor.nacks,2,packets\r\n"), "%s",
              text);
    cr_expect_eq(fake.run.remarks, 0);
    free(text);
    run_samples_free(&s);
}

/* A run far longer than there is room for keeps its whole course. */
Test(report_histogram, samples_double_their_interval)
{
    struct doc_samples s;
    uint64_t sum = 0, last = 0;
    run_samples_init(&s, &fake.run, 3, fake.now);
    for (sim_tick at = 3; at <= 3 * 10000; at += 3) {
        fake_pass(&fake, 3);
        run_samples_take(&s, &fake.run, at, fake.now);
    }
    run_samples_finish(&s, &fake.run, 30000, fake.now);
    cr_expect_eq(s.interval, 12);
    cr_expect_leq(s.count, s.room + 1);
    for (size_t i = 0; i < s.count; i++) {
        cr_assert_eq(s.at[i] - last, 12, "sample %zu at %llu", i, (unsigned long long)s.at[i]);
        last = s.at[i];
        sum = s.total[i * s.words];
    }
    cr_expect_eq(last, 30000);
    cr_expect_eq(sum, 10000, "run: one PCycle in three");
    cr_expect_eq(fake.run.remarks, 1);
    run_samples_free(&s);
}

/* An interval longer than the run is no mistake, but samples were expected. */
Test(report_histogram, an_interval_that_never_ends)
{
    struct doc_samples s;
    run_samples_init(&s, &fake.run, 3000, fake.now);
    fake_pass(&fake, 300);
    run_samples_finish(&s, &fake.run, 300, fake.now);
    char *text = samples_text(&s);
    cr_expect(strstr(text, "\r\n0,300,machine.station[0].card[0],monitor.run,100,PCycles\r\n"),
              "%s", text);
    free(text);
    cr_expect_eq(fake.run.remarks, 1);
    run_samples_free(&s);
}

Test(report_histogram, no_interval_no_samples)
{
    struct doc_samples s;
    run_samples_init(&s, &fake.run, SIM_NEVER, fake.now);
    run_samples_take(&s, &fake.run, 3, fake.now);
    run_samples_finish(&s, &fake.run, 3, fake.now);
    cr_expect_eq(s.count, 0);
    run_samples_free(&s);
}
