/*
 * One run of a guest on a small machine, as often as wanted in one process (actors.c). The idea:
 * whatever the guest does, the run ends as a program ends; a machine that is broken or stuck is a
 * finding, and so is a second run that differs.
 */
#include "machine/values.h"
#include "procard/r10000/r10000.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/personality.h"
#include "tests/fuzz/guest.h"
#include "tests/test_machine.h"

#include <fcntl.h>
#include <unistd.h>

void fuzz_machine(struct nm_params *p, unsigned how)
{
    const char *key;
    char why[300];

    test_machine(p);
    p->ring_stations = how & 1 ? 2 : 1;
    p->ring_locals = p->ring_groups = 1;
    p->processors = 2;
    p->check = how >> 1 & 1;
    p->mode = how >> 2 & 1;
    p->memory_size = 1 << 20;
    p->page_size = 4096;
    p->netcache_size = how & 8 ? 512 : 4096;
    p->l2_size = how & 8 ? 512 : 8192;
    p->l1i_size = p->l1d_size = how & 8 ? 64 : 1024;
    p->os_quantum = how & 16 ? 20000 : 1500000;
    p->check = p->check && p->mode == 0;
    FUZZ_CHECK(nm_params_check(p, &key, why, sizeof why), "%s: %s", key, why);
}

/** The machine; of each two cards one, or both, may be an R10000. */
static struct nm_machine *build(const struct nm_params *p, unsigned how)
{
    enum { CARDS = 4, LEAST = 256 /* [bytes] of a primary cache of two ways and two banks */ };
    struct nm_params *its = nm_params_copy(p);
    const struct nm_fitting r10000 = {&pc_r10000, its};
    uint8_t of[CARDS];

    its->core = NM_CORE_R10000;
    its->l1i_size = its->l1d_size = p->l1d_size < LEAST ? LEAST : p->l1d_size;
    its->l2_size = 8192;
    its->l2_split = false;
    its->l2_ways = 2;
    for (unsigned c = 0; c < nm_params_cards(p); c++)
        of[c] = how >> (c % 2 ? 5 : 6) & 1;
    struct nm_machine *m = nm_machine_new_mixed(p, &pc_r4400, &(struct nm_mix){&r10000, 1, of});
    free(its);
    return m;
}

/** Where the program's messages go. */
static int nowhere(void)
{
    static int fd = -1;

    if (fd < 0)
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    FUZZ_CHECK(fd >= 0, "/dev/null cannot be opened to be written");
    return fd;
}

enum prog_end fuzz_run(const struct nm_params *p, unsigned how, sim_tick limit,
                       struct prog_outcome *out)
{
    char *const argv[] = {"guest", "one", NULL}, *const envp[] = {"LANG=C", NULL};
    const struct prog_program program = {.path = "guest",
                                         .argv = argv,
                                         .envp = envp,
                                         .stdin_fd = nowhere(),
                                         .stdout_fd = nowhere(),
                                         .stderr_fd = nowhere()};
    const struct prog_spec spec = {
        .workload = &lx_workload, .what = &program, .seed = 1, .limit = limit};
    struct nm_machine *m = build(p, how);
    FILE *real = stderr;

    FUZZ_CHECK(m, "no such machine: %u", how);
    stderr = fdopen(dup(nowhere()), "w"); /* complaints about unknown calls */
    prog_run(m, &spec, NULL, out);
    fclose(stderr);
    stderr = real;
    FUZZ_CHECK(out->end != PROG_BROKEN && out->end != PROG_STUCK, "%s", out->message);
    nm_machine_free(m);
    return out->end;
}

void fuzz_guest(struct guest *g, unsigned how, sim_tick limit, bool twice)
{
    static uint8_t elf[GUEST_ELF_MAX];
    struct prog_outcome one, two;
    struct nm_params p;

    guest_finish(g);
    fuzz_machine(&p, how);
    for (unsigned i = 0; i < (twice ? 2 : 1); i++) {
        fuzz_sweep();
        fuzz_write("guest", elf, guest_write(g, elf, sizeof elf));
        fuzz_run(&p, how, limit, i ? &two : &one);
    }
    FUZZ_CHECK(one.end != PROG_UNLOADABLE, "%s", one.message);
    FUZZ_CHECK(!twice ||
                   (one.end == two.end && one.status == two.status && one.ticks == two.ticks &&
                    one.instructions == two.instructions && !strcmp(one.message, two.message)),
               "%s and again: %s; %llu ticks and %llu", one.message, two.message,
               (unsigned long long)one.ticks, (unsigned long long)two.ticks);
}
