/*
 * Runs a guest program as os_run does, keeps its past (programs/past.h), and travels there: to
 * places drawn by lot, back and forth, while the run stands at others; and looks for the last store
 * to a word. past.py calls it.
 *
 *     os_past [-j JOURNEYS] [-n STANDS] [-e EVERY] [-b BYTES] [-l LOG] [-x] PROGRAM [ARG...]
 *
 * What there is at a moment is what is simulated: memory, caches, directories, requests, counters,
 * processors, threads and events, each as it says what it is. The live process notes a sum of it at
 * each moment it passes that is a multiple of EVERY ticks; who arrives in one later compares. With
 * -x it changes one thing first, a word, a line, a counter, a register, or an event: then nothing
 * may be the same. As os_run says at the end what came of the run, so does this.
 */
#include "base/alloc.h"
#include "base/beside.h"
#include "machine/assembly.h"
#include "machine/values.h"
#include "procard/card.h"
#include "procard/mips/mips.h"
#include "procard/r4400/r4400.h"
#include "procard/seen.h"
#include "programs/inspect.h"
#include "programs/linux/personality.h"
#include "programs/past.h"
#include "programs/workload.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <xxhash.h>

enum { TRUTHS = 1 << 20 };

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
    struct prog_run *run;
    struct prog_past *past;
    struct shared *shared;
    unsigned journeys; /* at each stand */
    bool plants;       /* something is changed before it is compared */
    sim_tick every, stand, next_stand;
    uint64_t own; /* [bytes] that looking at places of lines has touched, which nobody had */
};

static uint64_t draw(struct shared *sh, uint64_t below)
{
    sh->lot = sh->lot * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (sh->lot >> 33) % below;
}

/* ---- what there is --------------------------------------------------------------------------- */

static void add(uint64_t *sum, const void *bytes, size_t count)
{
    *sum = XXH3_64bits_withSeed(bytes, count, *sum);
}

static void add_number(uint64_t *sum, uint64_t number)
{
    add(sum, &number, sizeof number);
}

static void add_text(uint64_t *sum, const char *text)
{
    add(sum, text, strlen(text) + 1);
}

/** Events to come. Functions and what they are of lie where they lay: copies are of one process. */
static void add_events(uint64_t *sum, const struct sim_kernel *k)
{
    add_number(sum, k->now);
    add_number(sum, k->full);
    add_number(sum, k->heap_first);
    add_number(sum, k->heap_count);
    add_number(sum, k->sequence);
    add(sum, k->due, sizeof k->due);
    for (unsigned i = 0; i < SIM_WHEEL; i++) {
        if (!(k->full >> i & 1)) /* what its bucket says is old */
            continue;
        for (uint32_t e = k->bucket[i]; e != SIM_NO_EVENT; e = k->pool[e].next) {
            const struct sim_event *event = &k->pool[e];
            add_number(sum, i);
            add_number(sum, event->order);
            add_number(sum, (uintptr_t)event->fire);
            add_number(sum, (uintptr_t)event->self);
            add_number(sum, event->arg);
        }
    }
}

/** What directories, network caches and cards have of a line, and ask for. */
static void add_line(uint64_t *sum, struct nm_machine *m, uint64_t pa)
{
    add_text(sum, nm_line_at_home(m, pa));
    for (unsigned s = 0; s < m->stations; s++)
        add_text(sum, nm_line_at_network(m, s, pa));
    for (unsigned card = 0; card < m->cards; card++) {
        struct pc_line_seen seen;
        pc_line_see(m, card, pa, &seen);
        add_text(sum, seen.state);
        add_number(sum, seen.has);
        add_number(sum, seen.asks);
        if (!seen.asks)
            continue;
        add_number(sum, seen.sent);
        add_text(sum, seen.message);
        add_number(sum, seen.nacks);
        add_number(sum, seen.since);
    }
}

/** Pages that hold something, and their lines. */
static void add_image(uint64_t *sum, struct nm_machine *m)
{
    enum { PAGE = 4096, AT_ONCE = 512 };
    static const uint8_t empty[PAGE];
    static uint64_t there[AT_ONCE]; /* reading the others would give them memory */
    const int fd = open("/proc/self/pagemap", O_RDONLY);

    for (uint64_t at = 0; at < m->image_bytes; at += PAGE) {
        const uint8_t *page = m->contents.image + at;
        const size_t i = at / PAGE % AT_ONCE;
        if (i == 0 && pread(fd, there, sizeof there, (off_t)((uintptr_t)page / PAGE * 8)) <= 0)
            abort();
        if (!(there[i] >> 62) || memcmp(page, empty, PAGE) == 0)
            continue;
        add_number(sum, at);
        add(sum, page, PAGE);
        for (uint64_t line = at; line < at + PAGE; line += nm_value_l2_line(m->p))
            add_line(sum, m, line);
    }
    close(fd);
}

static void add_counters(uint64_t *sum, struct nm_machine *m, unsigned card)
{
    struct nm_truth truth;

    nm_card_truth(m, card, &truth);
#define TRUTH(field, unit, sentence) add_number(sum, (uint64_t)truth.field);
#include "machine/truth.def"
#undef TRUTH
}

static void add_thread(uint64_t *sum, const struct traveller *t,
                       const struct prog_inspected *thread)
{
    const struct prog_inspect *inspect = lx_workload.inspect;
    struct mips_regs regs;

    add_number(sum, thread->number);
    add_number(sum, thread->card);
    add_number(sum, thread->on_card);
    add_number(sum, thread->called);
    add_text(sum, thread->doing);
    memset(&regs, 0, sizeof regs);
    if (!inspect->settles(t->run->self, thread->number) &&
        inspect->registers(t->run->self, thread->number, &regs))
        add(sum, &regs, sizeof regs);
}

/** [bytes] Pages that this process has touched first, or changed. */
static uint64_t touched(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_minflt * 4096;
}

/** A sum of all that is simulated: memory, caches, directories, requests, counters, processors,
 *  threads, events. */
static uint64_t sum_of_all(const struct traveller *t)
{
    struct prog_inspected thread = {0};
    char *text = NULL;
    size_t size = 0;
    uint64_t sum = 0;
    FILE *const out = open_memstream(&text, &size);

    add_number(&sum, t->m->now);
    for (unsigned s = 0; s < t->m->stations; s++)
        add_events(&sum, t->m->station[s].k);
    for (unsigned card = 0; card < t->m->cards; card++) {
        add_counters(&sum, t->m, card);
        pc_card_say(t->m, card, out);
    }
    while (lx_workload.inspect->next(t->run->self, thread.number, &thread))
        add_thread(&sum, t, &thread);
    fclose(out);
    add(&sum, text, size);
    free(text);
    add_image(&sum, t->m);
    return sum;
}

/* ---- what must not be the same ----------------------------------------------------------------
 */

/** Changes one thing of what there is. @return false: there was nothing to be changed */
typedef bool plant_fn(const struct traveller *t);

static bool plant_word(const struct traveller *t)
{
    uint64_t at = 0;

    while (at < t->m->image_bytes && !t->m->contents.image[at])
        at++;
    t->m->contents.image[at] ^= 1;
    return true;
}

static bool plant_line(const struct traveller *t)
{
    const uint64_t size = nm_value_l2_line(t->m->p);
    struct pc_line_seen seen = {0};
    uint64_t line = 0;

    while (line + size < t->m->image_bytes && !seen.has)
        pc_line_see(t->m, 0, line += size, &seen);
    if (seen.has)
        pc_line_drop(pc_card_of(nm_machine_card(t->m, 0)), line);
    return seen.has;
}

static bool plant_counter(const struct traveller *t)
{
    pc_cpu_at(t->m, 0)->instructions++;
    return true;
}

static bool plant_register(const struct traveller *t)
{
    const struct prog_inspect *inspect = lx_workload.inspect;
    struct prog_inspected thread = {0};
    struct mips_regs regs;

    while (inspect->next(t->run->self, thread.number, &thread)) {
        if (inspect->settles(t->run->self, thread.number) ||
            !inspect->registers(t->run->self, thread.number, &regs))
            continue;
        regs.gpr[16]++;
        return inspect->set_registers(t->run->self, thread.number, &regs);
    }
    return false;
}

static bool plant_event(const struct traveller *t)
{
    struct sim_kernel *k = t->m->station[0].k;

    if (!k->full)
        return false;
    const unsigned tick = (unsigned)__builtin_ctzll(k->full);
    if (k->bucket[tick] == SIM_NO_EVENT)
        k->due[tick] ^= 1;
    else
        k->pool[k->bucket[tick]].arg ^= 1;
    return true;
}

/** One of them, drawn by lot. */
static bool plant(const struct traveller *t)
{
    static plant_fn *const row[] = {plant_word, plant_line, plant_counter, plant_register,
                                    plant_event};
    return row[draw(t->shared, sizeof row / sizeof *row)](t);
}

/* ---- journeys -------------------------------------------------------------------------------- */

static void truth_note(struct traveller *t, sim_tick now)
{
    struct shared *sh = t->shared;

    if (!t->journeys || now % t->every || sh->truths == TRUTHS)
        return;
    const uint64_t before = touched();
    sh->truth[sh->truths++] = (struct truth){now, sum_of_all(t)};
    t->own += touched() - before;
}

static void truth_compare(struct traveller *t, sim_tick now)
{
    struct shared *sh = t->shared;

    if (t->plants && !plant(t))
        return;
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

static void begun(void *ctx, struct prog_run *r)
{
    ((struct traveller *)ctx)->run = r;
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
                    "[-g GAP] [-x] PROGRAM [ARG...]\n");
    return 2;
}

static int run(struct traveller *t, const struct nm_params *params, const struct prog_spec *spec,
               const struct prog_past_limits *limits)
{
    struct prog_hooks hooks = {.ctx = t, .moment = moment, .begun = begun};
    struct prog_outcome out;

    t->m = nm_machine_new(params, &pc_r4400);
    t->shared = sim_beside_memory(sizeof *t->shared);
    t->past = prog_past_begin(limits, NULL, NULL);
    prog_run(t->m, spec, &hooks, &out);
    fprintf(stderr,
            "end=%d status=%d ticks=%" PRIu64 " instructions=%" PRIu64 " threads=%" PRIu64
            " hash=%016" PRIx64 "\n",
            (int)out.end, out.status, out.ticks, out.instructions, out.threads, out.stdout_hash);
    const uint64_t bytes = prog_past_bytes(t->past);
    fprintf(stderr, "snapshots=%u bytes=%" PRIu64 " journeys=%u same=%u\n",
            prog_past_snapshots(t->past), bytes > t->own ? bytes - t->own : 0, t->shared->made,
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
    struct traveller t = {.journeys = 10, .stand = 100000, .every = 4000};
    int opt;

    nm_params_default(&params);
    params.ring_stations = 2;
    params.ring_locals = 1;
    while ((opt = getopt(argc, argv, "+j:n:e:b:l:g:x")) != -1) {
        const uint64_t v = strtoull(optarg ? optarg : "", NULL, 0);
        switch (opt) {
        case 'x':
            t.plants = true;
            break;
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
