/*
 * Runs a guest program as os_run does, keeps its past (programs/past.h), and travels there: to
 * places drawn by lot, back and forth, while the run stands at others; and looks for the last store
 * to a word. past.py calls it.
 *
 *     os_past [-j JOURNEYS] [-n STANDS] [-e EVERY] [-b BYTES] [-l LOG] PROGRAM [ARG...]
 *
 * What there is at a moment is all that the process has in its memory: heap and mappings, byte by
 * byte, but for stacks and the past's own books. The live process notes a sum of it at each moment
 * it passes that is a multiple of EVERY ticks; who arrives in one later compares. As os_run says at
 * the end what came of the run, so does this.
 */
#include "base/alloc.h"
#include "base/beside.h"
#include "machine/values.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/personality.h"
#include "programs/past.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { TRUTHS = 1 << 20, ACTOR_STACK = 8 << 20 };

struct truth {
    sim_tick at;
    uint64_t sum;
};

/** What all processes share. */
struct shared {
    uint64_t lot;        /* of what is drawn */
    unsigned left;       /* journeys before the run goes on */
    unsigned made, same; /* ever */
    size_t truths;
    struct truth truth[TRUTHS];
};

struct traveller {
    struct nm_machine *m;
    struct prog_past *past;
    struct shared *shared;
    unsigned journeys; /* at each stand */
    sim_tick every, stand, next_stand;
};

static uint64_t draw(struct shared *sh, uint64_t below)
{
    sh->lot = sh->lot * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (sh->lot >> 33) % below;
}

/* ---- what there is --------------------------------------------------------------------------- */

static char maps[1 << 16];

static void read_maps(void)
{
    const int fd = open("/proc/self/maps", O_RDONLY);
    size_t have = 0;
    ssize_t n;

    while ((n = read(fd, maps + have, sizeof maps - 1 - have)) > 0)
        have += (size_t)n;
    maps[have] = '\0';
    close(fd);
}

/** A mapping of the process. The kernel joins neighbours, or does not: here they always are. */
struct mapping {
    uintptr_t from, to;
    enum { MEMORY, GUARD, OTHER } kind;
};

static const char *mapping_read(const char *line, struct mapping *m)
{
    const char *const end = strchr(line, '\n'), *const named = strpbrk(line, "/[\n");
    char rights[8];

    sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &m->from, &m->to, rights);
    m->kind = named != end && strncmp(named, "[heap]", 6) ? OTHER
              : !strncmp(rights, "rw-p", 4)               ? MEMORY
              : !strncmp(rights, "---p", 4)               ? GUARD
                                                          : OTHER;
    return end + 1;
}

/** The next mapping that there is from `line` on, with all neighbours like it. */
static const char *mapping_next(const char *line, struct mapping *m)
{
    struct mapping more;
    const char *next = mapping_read(line, m);

    while (*next) {
        const char *const behind = mapping_read(next, &more);
        if (more.from != m->to || more.kind != m->kind)
            break;
        m->to = more.to;
        next = behind;
    }
    return next;
}

/** Without what is the process's own, and not the run's: variables of libraries, which follow their
 *  files, and of threads; an actor's stack, which follows a guard: below its top lies what is old.
 *  @return whether anything is left */
static bool mapping_trim(struct mapping *m, const struct mapping *before)
{
    const uintptr_t thread = (uintptr_t)&errno;

    if (before->to == m->from && before->kind == GUARD)
        m->from += ACTOR_STACK;
    return m->kind == MEMORY && m->from < m->to && (thread < m->from || thread >= m->to) &&
           (before->to != m->from || before->kind != OTHER);
}

/** A sum of a piece of memory, without pages that have never been touched. */
static uint64_t sum_of(uint64_t sum, uintptr_t from, uintptr_t to)
{
    enum { PAGE = 4096, AT_ONCE = 512 };
    static const uint8_t empty[PAGE];
    static uint64_t there[AT_ONCE];
    const int fd = open("/proc/self/pagemap", O_RDONLY);

    for (uintptr_t at = from; at < to; at += PAGE) {
        const size_t i = (at - from) / PAGE % AT_ONCE;
        if (i == 0 && pread(fd, there, sizeof there, (off_t)(at / PAGE * 8)) <= 0)
            abort();
        if (there[i] >> 62 && memcmp((const void *)at, empty, PAGE) != 0)
            sum = XXH3_64bits_withSeed((const void *)at, PAGE, sum + at);
    }
    close(fd);
    return sum;
}

/** A sum of all that the process has in memory, but for stack, libraries and the past's own. */
static uint64_t sum_of_all(struct traveller *t)
{
    const size_t size = malloc_usable_size(t->past);
    static uint8_t kept[4096];
    struct mapping before = {0}, m;
    uint64_t sum = 0;

    memcpy(kept, t->past, size);
    memset(t->past, 0, size);
    read_maps();
    for (const char *line = maps; *line; before = m) {
        line = mapping_next(line, &m);
        struct mapping trimmed = m;
        if (mapping_trim(&trimmed, &before))
            sum = sum_of(sum, trimmed.from, trimmed.to);
    }
    memcpy(t->past, kept, size);
    return sum;
}

/* ---- journeys -------------------------------------------------------------------------------- */

static void truth_note(struct traveller *t, sim_tick now)
{
    struct shared *sh = t->shared;

    if (now % t->every == 0 && sh->truths < TRUTHS)
        sh->truth[sh->truths++] = (struct truth){now, sum_of_all(t)};
}

static void truth_compare(struct traveller *t, sim_tick now)
{
    struct shared *sh = t->shared;
    const uint64_t sum = sum_of_all(t);

    for (size_t i = 0; i < sh->truths; i++)
        if (sh->truth[i].at == now) {
            sh->made++;
            sh->same += sh->truth[i].sum == sum;
        }
}

/** Goes to a moment drawn by lot, until there have been enough journeys. */
static void journey(struct traveller *t)
{
    struct shared *sh = t->shared;

    while (sh->left) {
        sh->left--;
        const sim_tick to = sh->truth[draw(sh, sh->truths)].at;
        if (prog_past_go(t->past, sh->left ? to : SIM_NEVER) == PROG_PAST_LOST) {
            fprintf(stderr, "lost\n");
            sh->left = 0;
        }
    }
}

static sim_tick moment(void *ctx, sim_tick now)
{
    struct traveller *t = ctx;
    bool moved;
    sim_tick next = prog_past_visit(t->past, now, &moved);

    if (prog_past_is_copy(t->past)) {
        if (prog_past_travels(t->past))
            return next;
        truth_compare(t, now);
        if (prog_past_errand(t->past) == PROG_PAST_SEARCH)
            prog_past_found(t->past);
        journey(t);
        prog_past_leave(t->past, PROG_PAST_GONE_ON);
    }
    truth_note(t, now);
    if (now >= t->next_stand) {
        t->next_stand = now + t->stand;
        t->shared->left = t->journeys;
        prog_past_stand(t->past, now);
        journey(t);
    }
    return sim_earlier(sim_earlier(next, t->next_stand), (now / t->every + 1) * t->every);
}

/* ---- the run --------------------------------------------------------------------------------- */

static int usage(void)
{
    fprintf(stderr, "usage: os_past [-j JOURNEYS] [-n STAND] [-e EVERY] [-b BYTES] [-l LOG] "
                    "[-g GAP] PROGRAM [ARG...]\n");
    return 2;
}

static int run(struct traveller *t, const struct nm_params *params, const struct prog_spec *spec,
               const struct prog_past_limits *limits)
{
    struct prog_hooks hooks = {.ctx = t, .moment = moment};
    struct prog_outcome out;

    t->m = nm_machine_new(params, &pc_r4400);
    t->shared = sim_beside_memory(sizeof *t->shared);
    t->past = prog_past_begin(limits);
    prog_run(t->m, spec, &hooks, &out);
    fprintf(stderr,
            "end=%d status=%d ticks=%" PRIu64 " instructions=%" PRIu64 " threads=%" PRIu64
            " hash=%016" PRIx64 "\n",
            (int)out.end, out.status, out.ticks, out.instructions, out.threads, out.stdout_hash);
    fprintf(stderr, "snapshots=%u bytes=%" PRIu64 " journeys=%u same=%u\n",
            prog_past_snapshots(t->past), prog_past_bytes(t->past), t->shared->made,
            t->shared->same);
    prog_past_end(t->past);
    nm_machine_free(t->m);
    return out.end == PROG_EXITED ? out.status : 99;
}

int main(int argc, char **argv)
{
    char *const env[] = {"LANG=C", NULL};
    struct nm_params params;
    struct prog_program program = {.stdin_fd = 0, .stdout_fd = 1, .stderr_fd = 2, .envp = env};
    struct prog_spec spec = {
        .workload = &lx_workload, .what = &program, .seed = 1, .limit = SIM_NEVER};
    struct prog_past_limits limits = prog_past_usual;
    struct traveller t = {.journeys = 10, .stand = 100000, .every = 1000};
    int opt;

    nm_params_default(&params);
    params.ring_stations = 2;
    params.ring_locals = 1;
    while ((opt = getopt(argc, argv, "+j:n:e:b:l:g:")) != -1) {
        const uint64_t v = strtoull(optarg ? optarg : "", NULL, 0);
        switch (opt) {
        case 'j':
            t.journeys = (unsigned)v;
            break;
        case 'n':
            t.stand = v;
            break;
        case 'e':
            t.every = v;
            break;
        case 'b':
            limits.bytes = v;
            break;
        case 'l':
            limits.log = v;
            break;
        case 'g':
            limits.gap = (unsigned)v;
            break;
        default:
            return usage();
        }
    }
    if (optind == argc)
        return usage();
    t.next_stand = t.stand;
    program.path = argv[optind];
    program.argv = argv + optind;
    return run(&t, &params, &spec, &limits);
}
