/*
 * Malformed files. Three sources, one demand: a complaint with its place, no crash, no hang.
 *
 * - a table of texts people and machines get wrong, each with the place and words of its complaint;
 * - for every key of both tables, every value that its type must refuse;
 * - good texts with every byte cut off, replaced or doubled in turn. Some stay good; those that do
 *   not must say where they are bad.
 */
#include "input/tables.h"
#include "input_text.h"

#include <stdio.h>

TestSuite(input_malformed, .fini = leave_scratch);

/* ---- texts ----------------------------------------------------------------------------------- */

#define TEXT(text) __LINE__, text, sizeof text - 1

static const struct bad {
    int line;
    const char *text;
    size_t size;
    const char *place; /**< line:column */
    const char *says;
} texts[] = {
    {TEXT(""), "1:1", "nothing in it"},
    {TEXT("\n\n\n"), "1:1", "nothing in it"},
    {TEXT("# comment\n"), "1:1", "nothing in it"},
    {TEXT("---\n...\n"), "", "error: "},
    {TEXT("null\n"), "1:1", "expected keys"},
    {TEXT("42\n"), "1:1", "expected keys"},
    {TEXT("[a, b]\n"), "1:1", "a list"},
    {TEXT("just words\n"), "1:1", "a single value"},
    {TEXT("\xff\xfe"
          "a\0:\0 \0"),
     "1:1", "UTF-16"},
    {TEXT("\xfe\xff\0a\0:"), "1:1", "UTF-16"},
    {TEXT("\0\0\0a"), "1:1", "UTF-8"},
    {TEXT("bus: {fifo: 1}\nx\0y"), "2:2", "zero byte"},
    {TEXT("a: \xc3("), "1:5", "UTF-8"},
    {TEXT("a: \x80"), "1:", "UTF-8"},
    {TEXT("a: \xed\xa0\x80"), "1:", "UTF-8"},
    {TEXT("a: \xf5\x80\x80\x80"), "1:", "UTF-8"},
    {TEXT("a: \xc0\xaf"), "1:", "UTF-8"},
    {TEXT("a: \x07"), "1:4", "control characters"},
    {TEXT("\x7f"
          "ELF\x02\x02\x01"),
     "", "executable"},
    {TEXT("\x89PNG\r\n\x1a\n"), "1:1", "UTF-8"},
    {TEXT("\x1f\x8b\x08"), "1:1", "UTF-8"},
    {TEXT("bus:\n\tfifo: 1\n"), "2:1", "tabs"},
    {TEXT("bus: @x\n"), "1:6", "quote"},
    {TEXT("bus: `x`\n"), "1:6", "quote"},
    {TEXT("bus: %x\n"), "1:6", "quote"},
    {TEXT("bus: {fifo: 1\n"), "2:1", "not YAML"},
    {TEXT("bus: [1, 2\n"), "2:1", "not YAML"},
    {TEXT("bus: {fifo: 1}}\n"), "1:15", "not YAML"},
    {TEXT("\xef\xbb\xbf"
          "bus: {fifo: 1}}\n"),
     "1:15", "not YAML"},
    {TEXT("# \xc3\xa9\xc3\xa9\nbus: *none\n"), "2:6", "no anchor &none stands"},
    {TEXT("bus: \"open\n"), "2:1", "not YAML"},
    {TEXT("bus: 'open\n"), "2:1", "not YAML"},
    {TEXT("bus: \"\\q\"\n"), "1:", "not YAML"},
    {TEXT("bus: {fifo: 1}\n  more: 2\n"), "2:", "not YAML"},
    {TEXT("bus: a: b\n"), "1:7", "not YAML"},
    {TEXT("bus:\n fifo: 1\n   width: 8B\n"), "3:", "not YAML"},
    {TEXT("- a\nb: c\n"), "2:1", "not YAML"},
    {TEXT("%YAML 9.9\n---\nbus: {fifo: 1}\n"), "1:1", "not YAML"},
    {TEXT("%FOO\n"), "", "error: "},
    {TEXT("--- {bus: {fifo: 1}}\n--- {}\n"), "2:1", "second document"},
    {TEXT("bus: {fifo: 1}\n---\n"), "2:1", "second document"},
    {TEXT("bus: *none\n"), "1:6", "no anchor &none stands before *none"},
    {TEXT("bus: &a\nl2: &a {line: 64B}\n"), "2:5",
     "the anchor &a is already in line 1; give one of them another name"},
    {TEXT("bus: &b {fifo: *b}\n"), "", "error: "},
    {TEXT("&m bus: *m\n"), "1:1", "'bus' is a single value"},
    {TEXT("l1i: &c {size: 8KB}\nl1d:\n  <<: *c\n"), "3:3", "merge keys"},
    {TEXT("bus: !!int 3\n"), "1:6", "tagged"},
    {TEXT("bus: !x {fifo: 1}\nbux: 1\n"), "2:1", "did you mean 'bus'"},
    {TEXT("bus: {fifo: !!str 1, fifo: 1}\n"), "1:22", "given twice"},
    {TEXT("bus: {fifo: !!binary MQ=Q}\n"), "1:13", "tagged or binary"},
    {TEXT("bus: {fifo: !!binary MQ}\n"), "1:13", "tagged or binary"},
    {TEXT("bus: {fifo: !!binary AA==}\n"), "1:13", "tagged or binary"},
    {TEXT("bus: {fifo: !!binary /w==}\n"), "1:13", "error: "},
    {TEXT("bus: {!!binary Zmlmbw==: 1, fifo: 1}\n"), "1:29", "given twice"},
    {TEXT("bus: {fifo: \"1\\0\"}\n"), "1:13", "tagged or binary"},
    {TEXT("bus: {\"fi\\0fo\": 1}\n"), "1:7", "a key must be a word"},
    {TEXT("bus: {? [a] : 1}\n"), "1:9", "a key must be a word"},
    {TEXT("bus: {'': 1}\n"), "1:7", "a key must be a word"},
    {TEXT("? {a: b}\n: 1\n"), "1:3", "a key must be a word"},
    {TEXT("bus: {fifo: 1}\nbus: {width: 8B}\n"), "2:1", "given twice; first in line 1"},
    {TEXT("bus: {fifo: 1, 'fifo': 2}\n"), "1:16", "given twice"},
    {TEXT("bus.fifo: 1\n"), "1:1", "{bus: {fifo: ...}}"},
    {TEXT("bus: {clock.x: 1}\n"), "1:7", "unknown key"},
    {TEXT("bus: 3\n"), "1:6", "expected a mapping"},
    {TEXT("bus:\nl2: {line: 64B}\n"), "1:5", "'bus' is empty"},
    {TEXT("bus:fifo: 1\n"), "1:1", "unknown key 'bus:fifo'"},
    {TEXT("bus: {fifo:1}\n"), "1:7", "unknown key"},
    {TEXT("Bus: {fifo: 1}\n"), "1:1", "did you mean 'bus'"},
    {TEXT("clock: 50MHz\n"), "1:1", "'bus.clock' or 'processor.clock'"},
    {TEXT("page_size: 4KB\n"), "1:1", "'memory.page_size'"},
    {TEXT("memory: {pagesize: 4KB}\n"), "1:10", "'memory.page_size'"},
    {TEXT("run: {seed: 1}\n"), "1:7", "belongs to an experiment"},
    {TEXT("\x1b[31mred: 1\n"), "1:1", "control characters"},
    {TEXT("base: nothing-like-it\n"), "1:7", "no machine"},
    {TEXT("base: statoin-4\n"), "1:7", "did you mean 'station-4'"},
    {TEXT("base: gone.yaml\n"), "1:7", "cannot read 'gone.yaml'"},
    {TEXT("base: ./\n"), "1:7", "directory"},
    {TEXT("base: t.yaml\n"), "1:7", "circle"},
    {TEXT("base: -\n"), "", "error: "},
    {TEXT("base: '-'\n"), "1:7", "standard input"},
    {TEXT("base: [a]\n"), "1:7", "is a list"},
    {TEXT("base:\n"), "1:6", "no value"},
    {TEXT("base: /dev/zero\n"), "1:7", "it is a device"},
    {TEXT("about: [a]\n"), "1:8", "is a list"},
    {TEXT("bus: {clock: 40MHz}\n"), "1:14", "whole multiple"},
    {TEXT("bus: {width: 12B}\n"), "1:14", "power of two"},
    {TEXT("memory: {banks: 3}\n"), "1:17", "power of two"},
    {TEXT("l2: {line: 48B}\n"), "1:12", "power of two"},
    {TEXT("memory: {page_size: 4KB}\nl1d: {size: 64KB}\n"), "2:13", "not be larger than eight"},
    {TEXT("memory: {page_size: 64KB, size: 1MB}\n"), "1:33", "64 pages"},
    {TEXT("l2: {line: 32B}\nbus: {width: 64B}\n"), "2:14", "wider than the line"},
    {TEXT("program: {}\n"), "1:1", "no program"},
    {TEXT("monitor: {}\n"), "1:1", "no program"},
    {TEXT("machine: station-4\n"), "1:1", "no program"},
    {TEXT("program: {path: a.out, source: prog.c}\n"), "1:32", "both given"},
    {TEXT("program: {path: nowhere}\n"), "1:17", "No such file"},
    {TEXT("program: {path: /}\n"), "1:17", "directory"},
    {TEXT("program: {path: ''}\n"), "1:17", "cannot read"},
    {TEXT("program: {source: a.out}\n"), "1:19", "must end in one of .c "},
    {TEXT("program: {path: a.out, args: 3}\n"), "1:30", "in brackets"},
    {TEXT("program: {path: a.out, args: [~]}\n"), "1:31", "empty value"},
    {TEXT("program: {path: a.out, args: [a, ]}\nx: 1\n"), "2:1", "unknown key"},
    {TEXT("program: {path: a.out, args: [[a]]}\n"), "1:31", "a list"},
    {TEXT("program: {path: a.out, args: &a [*a]}\n"), "", "error: "},
    {TEXT("program: {path: a.out, env: [A=1]}\n"), "1:29", "in braces"},
    {TEXT("program: {path: a.out, env: {A: }}\n"), "1:33", "empty value"},
    {TEXT("program: {path: a.out, env: {A: 1, A: 2}}\n"), "1:36", "given twice"},
    {TEXT("program: {path: a.out, env: {'A=B': 1}}\n"), "1:30", "must not contain"},
    {TEXT("program: {path: a.out, env: {A: {B: 1}}}\n"), "1:33", "a mapping"},
    {TEXT("program: {path: a.out, abi: n32}\n"), "1:29", "expected o32, n64, host or armel"},
    {TEXT("program: {path: a.out, processors: 65}\n"), "1:36", "has 64 cards"},
    {TEXT("program: {path: a.out, stdin: gone}\n"), "1:31", "No such file"},
    {TEXT("program: {path: a.out}\nmonitor: {events: run}\n"), "2:19", "in brackets"},
    {TEXT("program: {path: a.out}\nmonitor: {events: [run, naks]}\n"), "2:25", "naks"},
    {TEXT("program: {path: a.out}\nrun: {limit: 1ns}\n"), "2:14", "whole number"},
    {TEXT("program: {path: a.out}\nrun: {check: true}\n"), "2:7", "under machine:"},
    {TEXT("program: {path: a.out}\nbus: {fifo: 1}\n"), "2:1", "under machine:"},
    {TEXT("program: {path: a.out}\nmachine: '-'\n"), "2:10", "standard input"},
    {TEXT("program: {path: a.out}\nmachine: [a]\n"), "2:10", "is a list"},
    {TEXT("program: {path: a.out}\nmachine: {base: t.yaml}\n"), "1:1", "belongs to an experiment"},
    {TEXT("program: {path: a.out}\nmachine: {bus: {clock: 40MHz}}\n"), "2:24", "whole multiple"},
    {TEXT("program: {path: a.out}\nmachine:\n"), "2:9", "no value"},
};

static void make_files(void)
{
    enter_scratch();
    write_file("prog.c", "int main(void){return 0;}\n", 26);
    write_guest("a.out");
}

Test(input_malformed, texts)
{
    make_files();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char place[40];
        const struct bad *bad = &texts[i];
        snprintf(place, sizeof place, "yaml:%s", bad->place);
        struct outcome o = read_bytes(bad->text, bad->size, NULL);
        cr_expect_eq(o.kind, IN_FILE_UNREADABLE, "line %d", bad->line);
        cr_expect(!*bad->place || strstr(o.complaints, place), "line %d: said %s", bad->line,
                  o.complaints);
        cr_expect(strstr(o.complaints, bad->says), "line %d: said %s", bad->line, o.complaints);
        outcome_free(&o);
    }
}

/* ---- values ---------------------------------------------------------------------------------- */

/** Values that a type refuses wherever it stands; NULL-terminated. */
static const char *const refused[][24] = {
    [IN_INT] = {"", "~", "x", "[1]", "{a: 1}", "-1", "+1", "010", "0x1", "1e0", "1.5", "'1'", "1B",
                "1_0", "99999999999999999999", "!!int 1", ".nan", "true"},
    [IN_BOOL] = {"", "null", "yes", "no", "on", "1", "0", "True", "'true'", "[true]", "{}",
                 "truth"},
    [IN_CYCLES] = {"", "~", "12", "12ns", "12 cy", "1.5cy", "cy", "-1cy", "0x1cy", "012cy", "1e1cy",
                   "[12cy]", "{a: 1cy}", "99999999999999999999cy", "12CY"},
    [IN_BYTES] = {"", "~", "64", "64b", "64KiB", "64MHz", "64 KB", "-64B", "064B", "0x40B", "1e3B",
                  "0.3B", "[64B]", "{a: 64B}", "99999999999GB", "1TB"},
    [IN_FREQ] = {"", "~", "50", "50mhz", "50MB", "20ns", "-50MHz", "050MHz", "5e1MHz", "0.5Hz",
                 "[50MHz]", "{a: 50MHz}", "99999999999GHz", "50 MHz"},
    [IN_ENUM] = {"", "~", "mips5", "MIPS3x", "[mips3]", "{a: b}", "1"},
    [IN_TIME] = {"", "~", "100", "-1s", "0s", "1h", "[1s]", "{a: 1s}", "010ms", "1e3us", "forever"},
    [IN_WORD] = {"", "~", "o64", "[o32]", "{a: b}", "32"},
    [IN_FILE] = {"", "~", "[a.out]", "{a: b}", "gone", "./"},
    [IN_LIST] = {"", "~", "a", "{a: b}", "[[a]]", "[{a: b}]", "[~]"},
    [IN_EVENTS] = {"", "~", "run", "{a: b}", "[[run]]", "[~]", "[runn, run]"},
    [IN_GRANTS] = {"", "~", ".", "{a: b}", "[[a]]", "[~]", "[gone]", "[gone:ro]", "['']"},
    [IN_ROWS] = {"", "~", "a", "{a: b}", "[a]", "[[a]]", "[~]", "[{a: b}]", "[{event: runn}]"},
    [IN_MAP] = {"", "~", "a", "[a]", "{a: [b]}", "{a: ~}"},
    [IN_MACHINE] = {"", "~", "[station-4]", "station-5x", "{bus: 3}", "gone.yaml"},
};

/** Reads "section:\n  key: VALUE" and expects a complaint in the key's line. */
static void expect_refused(const struct in_key *key, const char *before, const char *value)
{
    char text[400];
    int n = snprintf(text, sizeof text, "%s", before), indent = 0;
    const char *name = key->path;
    for (const char *dot; (dot = strchr(name, '.')); name = dot + 1, indent += 2)
        n += snprintf(text + n, sizeof text - (size_t)n, "%*s%.*s:\n", indent, "",
                      (int)(dot - name), name);
    snprintf(text + n, sizeof text - (size_t)n, "%*s%s: %s\n", indent, "", name, value);
    unsigned line = 1;
    for (const char *p = text; p < text + n; p++)
        line += *p == '\n';
    char place[60];
    snprintf(place, sizeof place, "t.yaml:%u:", line);
    struct outcome o = read_text(text);
    cr_expect_eq(o.kind, IN_FILE_UNREADABLE, "%s", text);
    cr_expect(o.complaints && strstr(o.complaints, place), "%s said %s", text, o.complaints);
    outcome_free(&o);
}

static size_t refuse_all(const struct in_table *table, const char *before)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct in_key *key = &table->keys[i];
        const bool in_program = *before && !strncmp(key->path, "program.", 8);
        if (key->form.type > IN_MACHINE)
            continue;
        for (const char *const *value = refused[key->form.type]; *value; value++, count++)
            if (strcmp(*value, "0s") || key->form.min) /* some may be no time at all */
                expect_refused(key, in_program ? "" : before, *value);
        if (key->form.type > IN_FREQ || key->form.type == IN_BOOL)
            continue;
        /* just outside the range, in the smallest unit */
        const uint64_t outside[] = {key->form.min - 1, key->form.max + 1};
        static const char *const unit[] = {
            [IN_INT] = "", [IN_CYCLES] = "cy", [IN_BYTES] = "B", [IN_FREQ] = "Hz"};
        for (size_t k = key->form.min ? 0 : 1; k < 2; k++, count++) {
            char value[60];
            snprintf(value, sizeof value, "%llu%s", (unsigned long long)outside[k],
                     unit[key->form.type]);
            expect_refused(key, in_program ? "" : before, value);
        }
    }
    return count;
}

Test(input_malformed, values)
{
    make_files();
    const size_t machines = refuse_all(&in_machine_table, "");
    const size_t experiments = refuse_all(&in_experiment_table, "program: {path: a.out}\n");
    cr_expect_geq(machines, 200);
    cr_expect_geq(experiments, 50);
}

/* ---- mutations ------------------------------------------------------------------------------- */

static const char machine[] = "# machine\nbase: station-4\nbus: {clock: 25MHz, fifo: &f 4}\n"
                              "l2:\n  line: 128B\n  split: false\nmemory: {banks: *f}\n";
static const char experiment[] = "about: 'x'\nprogram:\n  path: a.out\n  args: [1, \"b\\n\"]\n"
                                 "  env: {A: b}\nrun: {limit: 1ms}\n"
                                 "monitor:\n  groups: [NACK]\n  mask: {address: 0x1x, phase: s}\n"
                                 "  counters: [{event: nacks, masked: true, start: -1}]\n"
                                 "  histogram: {source: l2}\n  phases: {s: 1}\n";

/** Whatever became of it: good, or bad with a place. */
static void expect_sane(const char *text, size_t size, size_t at)
{
    struct outcome o = read_bytes(text, size, NULL);
    if (o.kind == IN_FILE_UNREADABLE)
        cr_expect(strstr(o.complaints, ": error: "), "byte %zu: %s", at, o.complaints);
    else
        cr_expect_eq(o.errors, 0);
    outcome_free(&o);
}

static void mutate(const char *text, size_t size)
{
    static const char replacements[] = {'\0', '\t', '\n', ' ', ':', '{', '[', '*', '&',
                                        '-',  '#',  '"',  '%', '!', '9', 'z', ',', '\xff'};
    char *copy = malloc(2 * size);
    for (size_t i = 0; i < size; i++) {
        expect_sane(text, i, i); /* cut */
        memcpy(copy, text, size);
        for (size_t r = 0; r < sizeof replacements; r++) {
            copy[i] = replacements[r];
            expect_sane(copy, size, i);
        }
        memcpy(copy, text, i);
        memcpy(copy + i, text + i / 2, size - i / 2); /* doubled */
        expect_sane(copy, i + size - i / 2, i);
    }
    free(copy);
}

Test(input_malformed, mutations)
{
    make_files();
    mutate(machine, sizeof machine - 1);
    mutate(experiment, sizeof experiment - 1);
}

/* ---- bombs ----------------------------------------------------------------------------------- */

/** `open` n times, then `middle`. */
static char *repeat(const char *open, size_t n, const char *middle)
{
    const size_t m = strlen(open);
    char *text = calloc(n * m + strlen(middle) + 1, 1);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * m, open, m);
    strcpy(text + n * m, middle);
    return text;
}

static const struct {
    int line;
    const char *open;
    size_t n;
    const char *says;
} bombs[] = {
    {__LINE__, "[", 60000, "nested too deeply"},
    {__LINE__, "{a: ", 15000, "nested too deeply"},
    {__LINE__, "- ", 30000, "nested too deeply"},
    {__LINE__, "? ", 30000, "nested too deeply"},
    {__LINE__, "a:\n", 20000, "more than 4096"},
    {__LINE__, "- &a b\n", 9000, "more anchors"},
    {__LINE__, "x", 70000, "larger than 64 KB"},
    {__LINE__, "x", 60000, "single value"},
    {__LINE__, "#\n", 30000, "nothing in it"},
    {__LINE__, "\"", 60000, "not YAML"},
    {__LINE__, "!", 60000, "error: "},
    {__LINE__, "&", 60000, "not YAML"},
    {__LINE__, "--- a\n", 10000, "second document"},
    {__LINE__, "%TAG !a! b\n", 5000, "not YAML"},
};

Test(input_malformed, bombs)
{
    for (size_t i = 0; i < sizeof bombs / sizeof bombs[0]; i++) {
        char *text = repeat(bombs[i].open, bombs[i].n, "");
        struct outcome o = read_text(text);
        cr_expect_eq(o.kind, IN_FILE_UNREADABLE, "line %d", bombs[i].line);
        cr_expect(strstr(o.complaints, bombs[i].says), "line %d: said %.300s", bombs[i].line,
                  o.complaints);
        outcome_free(&o);
        free(text);
    }
}

/* A billion laughs: each alias stands for ten of the one before. Nothing is ever expanded. */
Test(input_malformed, laughs)
{
    make_files();
    struct outcome o = read_text("program: {path: a.out}\n"
                                 "x: &a [lol,lol,lol,lol,lol,lol,lol,lol,lol,lol]\n"
                                 "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n"
                                 "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
                                 "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
                                 "e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n"
                                 "f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n");
    cr_expect_eq(o.errors, 6, "%s", o.complaints);
    outcome_free(&o);

    char *long_word = repeat("x", 1000, "\", ");
    char *aliases = repeat("*a, ", 4000, "");
    char *text;
    cr_assert(asprintf(&text, "program: {path: a.out, args: [&a \"%s%s]}\n", long_word, aliases) >
              0);
    o = read_text(text);
    cr_expect(strstr(o.complaints, "more than 128 KB"), "%s", o.complaints);
    outcome_free(&o);
    free(text);
    free(aliases);
    free(long_word);
}

/* ---- places that are no files ---------------------------------------------------------------- */

Test(input_malformed, not_files)
{
    static const char *const names[] = {"gone.yaml", "/", "/dev/null", "/dev/zero", "a.out/x", ""};
    make_files();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct outcome o = read_file(names[i], NULL);
        cr_expect_eq(o.kind, IN_FILE_UNREADABLE, "%s", names[i]);
        cr_expect(strstr(o.complaints, "error: "), "%s", names[i]);
        outcome_free(&o);
    }
}
