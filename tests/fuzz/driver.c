/*
 * Drives a target without libFuzzer: the same inputs on every machine, for the quick suite.
 *
 *     TARGET COUNT SEED [ROWS]   every row of ROWS for this target, every seed, COUNT inputs made
 *                                from seeds
 *     TARGET --seeds DIRECTORY   writes the seeds as files
 *     TARGET --words FILE        writes the words as a libFuzzer dictionary
 *     TARGET --row FILE...       shows files as rows
 *     TARGET FILE...             tries files
 *
 * A row is "TARGET: text", the text with the escapes of C (\n \t \\ \xHH); a line that begins with
 * # says what was wrong. The one idea: an input that kills the process is printed as such a row.
 */
#include "base/sanitized.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <signal.h>
#include <unistd.h>

enum {
    POOL = 64,     /* inputs that others are made from */
    STEPS_MAX = 6, /* changes to make one of another */
    KEEP = 16,     /* one in so many stays in the pool */
    PATIENCE = 60, /* [s] for one input */
    LINE_MAX_ = 4 * FUZZ_INPUT_MAX + 64
};

struct bytes {
    size_t size;
    uint8_t at[FUZZ_INPUT_MAX];
};

/* ---- rows ------------------------------------------------------------------------------------ */

/** The input being tried, for the handler of the signal that ends it. */
static struct bytes now;

/** Writes an input as a row. Safe in a signal handler. */
static void show(int fd, const struct bytes *in)
{
    static char line[LINE_MAX_];
    static const char digits[] = "0123456789abcdef";
    size_t n = strlen(FUZZ_TARGET);

    memcpy(line, FUZZ_TARGET, n);
    line[n++] = ':';
    line[n++] = ' ';
    for (size_t i = 0; i < in->size; i++) {
        const uint8_t c = in->at[i];
        if (c >= ' ' && c < 0x7f && c != '\\') {
            line[n++] = (char)c;
            continue;
        }
        line[n++] = '\\';
        line[n++] = 'x';
        line[n++] = digits[c >> 4];
        line[n++] = digits[c & 15];
    }
    line[n++] = '\n';
    if (write(fd, line, n) < 0)
        return;
}

static void on_death(int sig)
{
    signal(sig, SIG_DFL);
    show(STDERR_FILENO, &now);
    raise(sig);
}

static uint8_t escaped(const char **text)
{
    char hex[3] = "";
    const char c = *(*text)++;

    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'x':
        memcpy(hex, *text, 2);
        *text += strlen(hex);
        return (uint8_t)strtoul(hex, NULL, 16);
    default:
        return (uint8_t)c;
    }
}

/** Reads a row. @return false: it is another target's, or none */
static int parse(const char *line, struct bytes *out)
{
    const size_t name = strlen(FUZZ_TARGET);

    if (strncmp(line, FUZZ_TARGET, name) || strncmp(line + name, ": ", 2))
        return 0;
    line += name + 2;
    for (out->size = 0; *line && *line != '\n' && out->size < sizeof out->at; out->size++) {
        const char c = *line++;
        out->at[out->size] = c == '\\' && *line ? escaped(&line) : (uint8_t)c;
    }
    return 1;
}

/* ---- trying ---------------------------------------------------------------------------------- */

static void try(const struct bytes *in)
{
    /* A block of exactly that size, so that reading past it is noticed. */
    uint8_t *copy = malloc(in->size ? in->size : 1);

    if (!copy)
        abort();
    memcpy(copy, in->at, in->size);
    now = *in;
    alarm(PATIENCE);
    LLVMFuzzerTestOneInput(copy, in->size);
    free(copy);
}

static unsigned try_rows(const char *path)
{
    static char line[LINE_MAX_];
    static struct bytes in;
    FILE *f = fopen(path, "re");
    unsigned n = 0;

    if (!f)
        abort();
    while (fgets(line, sizeof line, f)) {
        if (parse(line, &in)) {
            try(&in);
            n++;
        }
    }
    fclose(f);
    return n;
}

static int read_file(const char *path, struct bytes *out)
{
    FILE *f = fopen(path, "re");

    if (!f)
        return 0;
    out->size = fread(out->at, 1, sizeof out->at, f);
    fclose(f);
    return 1;
}

/* ---- making inputs --------------------------------------------------------------------------- */

/** xorshift64*: any good generator does, as long as it is the same everywhere. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return below ? (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % below : 0;
}

/** Puts `n` bytes in front of byte `at`, as far as there is room. */
static void insert(struct bytes *b, size_t at, const void *what, size_t n)
{
    uint8_t copy[64];

    n = n < sizeof copy ? n : sizeof copy;
    if (b->size + n > sizeof b->at)
        return;
    memcpy(copy, what, n);
    memmove(b->at + at + n, b->at + at, b->size - at);
    memcpy(b->at + at, copy, n);
    b->size += n;
}

static void erase(struct bytes *b, size_t at, size_t n)
{
    n = n < b->size - at ? n : b->size - at;
    memmove(b->at + at, b->at + at + n, b->size - at - n);
    b->size -= n;
}

static void insert_word(struct bytes *b, size_t at, uint64_t *state)
{
    unsigned count = 0;

    while (fuzz_words[count])
        count++;
    if (count > 0) {
        const char *word = fuzz_words[draw(state, count)];
        insert(b, at, word, strlen(word));
    }
}

/** Changes one thing. */
static void change(struct bytes *b, const struct bytes *other, uint64_t *state)
{
    static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '0', '9', '\n', ' ', ':', '-', '{'};
    const size_t at = draw(state, (uint32_t)b->size + 1), last = b->size ? b->size - 1 : 0;
    const size_t in = at < last ? at : last, from = draw(state, (uint32_t)other->size + 1);
    uint8_t byte = (uint8_t)draw(state, 256);

    switch (draw(state, 8)) {
    case 0:
        b->at[in] ^= (uint8_t)(1 << (byte & 7));
        break;
    case 1:
        b->at[in] = edges[byte % sizeof edges];
        break;
    case 2:
        b->at[in] = byte;
        break;
    case 3:
        insert(b, at, &byte, 1);
        break;
    case 4:
        erase(b, at, 1 + draw(state, 8));
        break;
    case 5:
        insert_word(b, at, state);
        break;
    case 6:
        insert(b, at, b->at + in, draw(state, (uint32_t)(b->size - in) + 1));
        break;
    default:
        insert(b, at, other->at + from, draw(state, (uint32_t)(other->size - from) + 1));
        break;
    }
}

/** Every seed, then `count` inputs made from them and from each other. */
static unsigned explore(unsigned count, uint64_t state)
{
    static struct bytes pool[POOL], in;
    unsigned seeds = 0;

    while (seeds < POOL && (pool[seeds].size = fuzz_seed(seeds, pool[seeds].at, FUZZ_INPUT_MAX)))
        try(&pool[seeds++]);
    assert(seeds);
    for (unsigned n = 0; n < count; n++) {
        const unsigned from = draw(&state, seeds < POOL ? 2 * seeds : POOL);
        in = pool[from % POOL].size ? pool[from % POOL] : pool[from % seeds];
        for (unsigned steps = 1 + draw(&state, STEPS_MAX); steps > 0; steps--)
            change(&in, &pool[draw(&state, seeds)], &state);
        try(&in);
        if (seeds < POOL && draw(&state, KEEP) == 0)
            pool[seeds + draw(&state, POOL - seeds)] = in;
    }
    return seeds + count;
}

/* ---- the commands ---------------------------------------------------------------------------- */

static void write_seeds(const char *directory)
{
    static struct bytes seed;
    char path[4096];

    for (unsigned n = 0; (seed.size = fuzz_seed(n, seed.at, FUZZ_INPUT_MAX)); n++) {
        snprintf(path, sizeof path, "%s/%s-%u", directory, FUZZ_TARGET, n);
        fuzz_write(path, seed.at, seed.size);
    }
}

/** Words as libFuzzer reads them. */
static void write_words(const char *path)
{
    FILE *f = fopen(path, "we");

    if (!f)
        abort();
    for (unsigned n = 0; fuzz_words[n]; n++) {
        fputc('"', f);
        for (const char *c = fuzz_words[n]; *c; c++)
            fprintf(f, "\\x%02x", (uint8_t)*c);
        fputs("\"\n", f);
    }
    fclose(f);
}

static void each_file(char **paths, int show_only)
{
    static struct bytes in;

    for (; *paths; paths++) {
        if (!read_file(*paths, &in))
            fprintf(stderr, "cannot read %s\n", *paths);
        else if (show_only)
            show(STDOUT_FILENO, &in);
        else
            try(&in);
    }
}

static void run(char **argv)
{
    const unsigned rows = argv[2] && argv[3] ? try_rows(argv[3]) : 0;
    const unsigned made = explore((unsigned)strtoul(argv[1], NULL, 0),
                                  strtoull(argv[2] ? argv[2] : "1", NULL, 0) | 1);

    printf(FUZZ_TARGET ": %u rows, %u inputs\n", rows, made);
}

int main(int argc, char **argv)
{
    static const int deadly[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM};

    if (argc < 2) {
        fprintf(stderr,
                "usage: %s COUNT SEED [ROWS] | --seeds DIR | --words FILE | [--row] FILE...\n",
                argv[0]);
        return 2;
    }
#if SIM_ADDRESSES_WATCHED
    signal(SIGABRT, on_death); /* the sanitizer says more about the others, and then aborts */
#else
    for (unsigned i = 0; i < sizeof deadly / sizeof *deadly; i++)
        signal(deadly[i], on_death);
#endif
    signal(SIGALRM, on_death);
    (void)deadly;
    if (!strcmp(argv[1], "--seeds") && argc == 3)
        write_seeds(argv[2]);
    else if (!strcmp(argv[1], "--words") && argc == 3)
        write_words(argv[2]);
    else if (!strcmp(argv[1], "--row"))
        each_file(argv + 2, 1);
    else if (argv[1][0] >= '0' && argv[1][0] <= '9')
        run(argv);
    else
        each_file(argv + 1, 0);
    return 0;
}
