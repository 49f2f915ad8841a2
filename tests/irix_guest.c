/*
 * IRIX's event counters from a program's side: irix.py runs each part, with counters and without,
 * as a user and as root. A part prints what it found wrong and exits with how much that was.
 */
#include "guests/guest.h"

#include <fcntl.h>
#include <irix/sys/procfs.h>
#include <irix/sys/syssgi.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/profil.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* GRADUATED: of an R10000; on an R12000 it is another event. */
enum { LOADS = 18, STORES = 19, GRADUATED = 17, INSTRUCTIONS = 15 };

/* Event e in a mode. */
static void want(hwperf_profevctrarg_t *a, int e, int mode)
{
    a->hwp_evctrargs.hwp_evctrl[e].hwperf_creg.hwp_ev = e % HWPERF_CNTEVENTMAX;
    a->hwp_evctrargs.hwp_evctrl[e].hwperf_creg.hwp_ie = 1;
    a->hwp_evctrargs.hwp_evctrl[e].hwperf_creg.hwp_mode = mode;
}

static hwperf_profevctrarg_t only(int e, int mode)
{
    hwperf_profevctrarg_t a = {0};

    want(&a, e, mode);
    return a;
}

static int process(int number, int flags)
{
    char path[32];

    sprintf(path, "/proc/%05d", number);
    return open(path, flags);
}

static int self(void)
{
    return process((int)syscall(SYS_gettid), O_RDWR);
}

/* The result of a call, or minus its errno. */
static long answer(long result)
{
    return result < 0 ? -errno : result;
}

static unsigned long long counted(int fd, int e)
{
    hwperf_cntr_t c;

    CHECK(ioctl(fd, PIOCGETEVCTRS, &c) > 0);
    return c.hwp_evctr[e];
}

/* `n` stores and little else. */
static __attribute__((noinline)) void store(int n)
{
    volatile char place;

    for (int i = 0; i < n; i++)
        place = 1;
    (void)place;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* Every command with every bad address; `counters`: there are some, and the caller is root. */
static void addresses(int root)
{
    static const int commands[] = {PIOCENEVCTRS, PIOCGETEVCTRS, PIOCGETPREVCTRS, PIOCGETEVCTRL,
                                   PIOCSETEVCTRL};
    static const int system[] = {HWPERF_PROFENABLE, HWPERF_ENSYSCNTRS, HWPERF_SET_SYSEVCTRL};
    static const int readers[] = {HWPERF_GET_SYSCNTRS, HWPERF_GET_SYSEVCTRL};
    char *page = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *locked = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hwperf_profevctrarg_t good = only(STORES, HWPERF_CNTEN_U);
    const hwperf_profevctrarg_t kernel = only(STORES, HWPERF_CNTEN_K);
    hwperf_cntr_t counts;
    int fd = self();

    munmap(page + 32768, 32768);
    char *const bad[] = {
        NULL, (char *)8, page + 32768, page + 32768 - 60, (char *)-256L, (char *)(long)0x80000000};
    CHECK(ioctl(fd, PIOCENEVCTRS, &good) > 0);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        for (unsigned c = 0; c < sizeof commands / sizeof *commands; c++)
            CHECK(answer(ioctl(fd, commands[c], bad[i])) == -EFAULT);
    CHECK(answer(ioctl(fd, PIOCGETEVCTRS, locked)) == -EFAULT);
    CHECK(answer(ioctl(fd, PIOCGETEVCTRL, locked)) == -EFAULT);
    CHECK(answer(ioctl(fd, PIOCGETPREVCTRS, locked)) == -EFAULT);
    CHECK(ioctl(fd, PIOCGETEVCTRS, &counts) > 0); /* none of that has changed anything */
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (unsigned c = 0; c < sizeof system / sizeof *system; c++)
            CHECK(answer(syssgi(SGI_EVENTCTR, system[c], bad[i], 0, 0)) == -EFAULT);
        if (!root)
            continue;
        CHECK(syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &kernel) > 0);
        for (unsigned c = 0; c < sizeof readers / sizeof *readers; c++)
            CHECK(answer(syssgi(SGI_EVENTCTR, readers[c], bad[i])) == -EFAULT);
        CHECK(answer(syssgi(SGI_EVENTCTR, HWPERF_GET_CPUCNTRS, 0, bad[i])) == -EFAULT);
        CHECK(syssgi(SGI_EVENTCTR, HWPERF_GET_CPUCNTRS, 99999, bad[i]) == 0);
        CHECK(syssgi(SGI_EVENTCTR, HWPERF_GET_CPUCNTRS, -1, &counts) == 0);
        CHECK(syssgi(SGI_EVENTCTR, HWPERF_GET_CPUCNTRS, 0, &counts) > 0);
        CHECK(syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS) == 0);
    }
    CHECK(answer(ioctl(fd, PIOCSAVECCNTRS + 1, &good)) == -ENOTTY);
    CHECK(answer(ioctl(fd, 0, &good)) == -ENOTTY);
    CHECK(answer(syssgi(SGI_EVENTCTR, 0, &good)) == -EINVAL);
    CHECK(answer(syssgi(SGI_EVENTCTR, 8, &good)) == -EINVAL);
    CHECK(answer(syssgi(SGI_EVENTCTR, -1, &good)) == -EINVAL);
    CHECK(answer(syssgi(SGI_EVENTCTR + 1, HWPERF_RELSYSCNTRS)) == -EINVAL);
}

/* /proc: names of processes, and whose they are. */
static void names(int root)
{
    char path[32];
    struct stat st;
    int fd;

    CHECK(getuid() == (root ? 0u : 1000u));
    fd = self();
    CHECK(fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode));
    CHECK(read(fd, path, 1) < 0 && errno == EINVAL);
    CHECK(process(getpid(), O_RDONLY) >= 0);
    CHECK(open("/proc/1000", O_RDONLY) >= 0);
    CHECK(open("/proc/001000", O_RDONLY) >= 0);
    CHECK(stat("/proc/01000", &st) == 0 && access("/proc/01000", R_OK | W_OK) == 0);
    CHECK(answer(process(4711, O_RDONLY)) == -ENOENT);
    CHECK(stat("/proc/04711", &st) < 0 && errno == ENOENT);
    CHECK(access("/proc/04711", F_OK) < 0 && errno == ENOENT);
    CHECK(answer(open("/proc/4294968296", O_RDONLY)) == -ENOENT); /* 2^32 + 1000 */
    CHECK(answer(open("/proc/1000x", O_RDONLY)) == -ENOENT);
    CHECK(answer(process(1, O_RDONLY)) > 0 || errno == (root ? 0 : EACCES));
    CHECK((process(1, O_RDONLY) >= 0) == root);
    close(fd);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* What is counted of `n` stores, always in the same way. */
static __attribute__((noinline)) unsigned long long measured(int fd, hwperf_profevctrarg_t *a,
                                                             int n)
{
    hwperf_cntr_t c;

    ioctl(fd, PIOCENEVCTRS, a);
    store(n);
    ioctl(fd, PIOCGETEVCTRS, &c);
    return c.hwp_evctr[STORES];
}

static void nothing(int number)
{
    (void)number;
}

/* One of each thing that a process's usage counts, and each is counted once. */
static void use(int fd)
{
    enum { BYTES = 30 };
    const struct timespec moment = {0, 1000};
    hwperf_prusage_t before, after;
    char bytes[BYTES] = {0};
    int ends[2];

    CHECK(pipe(ends) == 0 && signal(SIGUSR1, nothing) != SIG_ERR);
    CHECK(ioctl(fd, PIOCGETPREVCTRS, &before) > 0);
    CHECK(write(ends[1], bytes, BYTES) == BYTES && read(ends[0], bytes, BYTES) == BYTES);
    CHECK(poll(NULL, 0, 0) == 0 && nanosleep(&moment, NULL) == 0 && raise(SIGUSR1) == 0);
    CHECK(ioctl(fd, PIOCGETPREVCTRS, &after) > 0);
    CHECK(after.pu_syscw - before.pu_syscw == 1 && after.pu_syscr - before.pu_syscr == 1);
    CHECK(after.pu_bwrit - before.pu_bwrit == BYTES && after.pu_bread - before.pu_bread == BYTES);
    CHECK(after.pu_gbwrit == 0 && after.pu_gbread == 0);
    CHECK(after.pu_syscps - before.pu_syscps == 1 && after.pu_sysci - before.pu_sysci == 1);
    CHECK(after.pu_sigs - before.pu_sigs == 1);
    CHECK(after.pu_vctx - before.pu_vctx == 1 && after.pu_ictx == before.pu_ictx);
    CHECK(after.pu_sysc - before.pu_sysc >= 6);
}

/* Exact numbers, and what else can be read. */
static void exact(void)
{
    enum { SOME = 1000, MORE = 50000 };
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    unsigned long long few, many;
    hwperf_eventctrl_t control;
    hwperf_prusage_t usage;
    hwperf_cntr_t counts;
    int fd = self(), generation;

    CHECK(answer(ioctl(fd, PIOCGETEVCTRL, &control)) == -EINVAL);
    CHECK(answer(ioctl(fd, PIOCSETEVCTRL, &a)) == -EINVAL);
    generation = ioctl(fd, PIOCENEVCTRS, &a);
    CHECK(generation > 0);
    few = measured(fd, &a, SOME);
    many = measured(fd, &a, MORE);
    CHECK(many - few == MORE - SOME);
    CHECK(ioctl(fd, PIOCGETEVCTRS, &counts) == generation + 2);
    generation++;
    CHECK(few >= SOME && few < SOME + 100);
    CHECK(ioctl(fd, PIOCGETEVCTRL, &control) == generation + 1);
    CHECK(memcmp(&control, &a.hwp_evctrargs, sizeof control) == 0);
    want(&a, LOADS, HWPERF_CNTEN_U | HWPERF_CNTEN_E);
    CHECK(ioctl(fd, PIOCSETEVCTRL, &a) == generation + 2);
    CHECK(ioctl(fd, PIOCGETPREVCTRS, &usage) == generation + 2);
    CHECK(usage.pu_cpu_mon.cm_cntrs.hwp_evctr[STORES] >= many);
    CHECK(usage.pu_utime.tv_sec == 0 && usage.pu_utime.tv_nsec > 0);
    CHECK(usage.pu_tstamp.tv_sec == 820454400 && usage.pu_tstamp.tv_nsec > usage.pu_utime.tv_nsec);
    CHECK(usage.pu_sysc > 5 && usage.pu_sysci >= 5 && usage.pu_syscw == 0 && usage.pu_size > 10);
    CHECK(usage.pu_minf > 0 && usage.pu_minf == usage.pu_vfault);
    CHECK(write(1, "", 0) == 0 && ioctl(fd, PIOCGETPREVCTRS, &usage) > 0 && usage.pu_syscw == 1);
    use(fd);
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0);
    many = counted(fd, STORES);
    store(SOME);
    CHECK(counted(fd, STORES) == many);
    CHECK(answer(ioctl(fd, PIOCRELEVCTRS)) == -EINVAL);
}

static volatile int caught;

static void catch (int signal)
{
    (void)signal;
    caught++;
}

/* A signal at every threshold. */
static void signals(void)
{
    enum { EACH = 5000, ALL = 50000 };
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    unsigned long long all;
    int fd = self();

    signal(SIGUSR1, catch);
    a.hwp_ovflw_freq[STORES] = EACH;
    a.hwp_ovflw_sig = SIGUSR1;
    CHECK(ioctl(fd, PIOCENEVCTRS, &a) > 0);
    store(ALL);
    all = counted(fd, STORES); /* before `caught`: a signal takes its way */
    CHECK((unsigned)caught == all / EACH && all >= ALL);
    a.hwp_ovflw_freq[STORES] = 1; /* a storm that ends */
    CHECK(ioctl(fd, PIOCSETEVCTRL, &a) > 0);
    store(200);
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0);
    caught = 0;
    a.hwp_ovflw_sig = 0; /* counted, and nobody is told */
    CHECK(ioctl(fd, PIOCENEVCTRS, &a) > 0);
    store(100);
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0 && caught == 0);
}

/* Profiles: most samples are in the loop, all are somewhere. */
static void profiling(void)
{
    enum { EACH = 500, ALL = 50000 };
    static unsigned short buckets[256], rest[1];
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    struct prof where[] = {{buckets, sizeof buckets, (size_t)store, 0x10000},
                           {rest, sizeof rest, 0, 2}};
    unsigned inside = 0;
    int fd = self();

    a.hwp_ovflw_freq[STORES] = EACH;
    CHECK(syssgi(SGI_EVENTCTR, HWPERF_PROFENABLE, &a, where, 2) > 0);
    store(ALL);
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0);
    for (unsigned i = 0; i < sizeof buckets / sizeof *buckets; i++)
        inside += buckets[i];
    CHECK(inside >= ALL / EACH - 2);
    CHECK(inside + rest[0] == counted(fd, STORES) / EACH);
}

/* ---- threads: processes of their own --------------------------------------------------------- */

enum { THREADS = 6 };

static pthread_barrier_t begun, done;

struct one {
    int tid, stores;
    hwperf_profevctrarg_t *setup;
    unsigned long long counted;
    unsigned long long again; /* what the same loop counts once more, from zero on */
};

static void *work(void *arg)
{
    struct one *one = arg;

    one->tid = (int)syscall(SYS_gettid);
    pthread_barrier_wait(&begun);
    store(one->stores);
    one->counted = counted(self(), STORES);
    if (one->again)
        one->again = measured(self(), one->setup, one->stores);
    pthread_barrier_wait(&done);
    return NULL;
}

/* Threads that share processors inherit the set-up and count what they do, each for itself. What a
 * loop counts is the same to the instruction alone and among others: switches lose nothing and
 * count nothing twice. */
static void threads(void)
{
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    struct one one[THREADS];
    pthread_t thread[THREADS];
    unsigned long long own, first, alone;
    int fd = self();

    alone = measured(fd, &a, 100000);
    CHECK(ioctl(fd, PIOCENEVCTRS, &a) > 0);
    pthread_barrier_init(&begun, NULL, THREADS + 1);
    pthread_barrier_init(&done, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        one[i] = (struct one){.stores = 100000, .setup = &a, .again = 1};
        pthread_create(&thread[i], NULL, work, &one[i]);
    }
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&done);
    own = counted(fd, STORES);
    CHECK(own < 10000);
    for (int i = 0; i < THREADS; i++) {
        CHECK(one[i].counted >= 100000 && one[i].counted < 101000);
        CHECK(one[i].again == alone); /* to the instruction, however often it was switched */
        pthread_join(thread[i], NULL);
    }
    first = counted(fd, STORES);
    CHECK(first < own + 10000 + THREADS * 101000ull);
    CHECK(answer(process(one[0].tid, O_RDONLY)) == -ENOENT);
}

static void *sleepy(void *arg)
{
    usleep(2000);
    return work(arg);
}

/* The end of a thread: its counts go to its parent if that waits for it, or wants them. */
static void ends(void)
{
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    enum { NOBODY, JOINED, SAVED, KINDS };
    int fd = self(), other;

    pthread_barrier_init(&done, NULL, 1);
    for (int how = 0; how < KINDS; how++) {
        struct one one = {.stores = 100000};
        pthread_t thread;
        unsigned long long before;
        CHECK(ioctl(fd, PIOCENEVCTRS, &a) > 0);
        pthread_barrier_init(&begun, NULL, how == JOINED ? 1 : 2);
        pthread_create(&thread, NULL, how == JOINED ? sleepy : work, &one);
        while (!*(volatile int *)&one.tid && how != JOINED)
            usleep(10);
        other = how == JOINED ? -1 : process(one.tid, O_RDWR);
        if (how == SAVED)
            CHECK(ioctl(other, PIOCSAVECCNTRS) == 0);
        if (how != JOINED) {
            pthread_barrier_wait(&begun);
            usleep(100000); /* it ends meanwhile */
        }
        pthread_join(thread, NULL);
        before = counted(fd, STORES);
        CHECK((before >= 100000) == (how != NOBODY));
        if (how != JOINED) {
            hwperf_cntr_t c;
            CHECK(answer(ioctl(other, PIOCGETEVCTRS, &c)) == -ENOENT);
        }
    }
}

/* Another thread is enabled while it sleeps: it counts from when it runs. */
static void deferred(void)
{
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    struct one one = {.stores = 100000};
    pthread_t thread;
    int fd;

    pthread_barrier_init(&begun, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    pthread_create(&thread, NULL, work, &one);
    while (!*(volatile int *)&one.tid)
        usleep(100);
    usleep(1000); /* it sleeps at the barrier now */
    fd = process(one.tid, O_RDWR);
    CHECK(ioctl(fd, PIOCENEVCTRS, &a) > 0);
    CHECK(counted(fd, STORES) == 0);
    pthread_barrier_wait(&begun);
    pthread_barrier_wait(&done);
    CHECK(one.counted >= 100000 && one.counted < 101000);
    pthread_join(thread, NULL);
}

/* ---- the system's counters ------------------------------------------------------------------- */

static void by_force(void)
{
    hwperf_profevctrarg_t user = only(STORES, HWPERF_CNTEN_U);
    hwperf_profevctrarg_t kernel = only(STORES, HWPERF_CNTEN_U | HWPERF_CNTEN_K);
    hwperf_cntr_t c, all, one;
    int fd = self(), generation = ioctl(fd, PIOCENEVCTRS, &user), system;

    CHECK(generation > 0);
    CHECK(answer(ioctl(fd, PIOCENEVCTRS, &kernel)) == -EBUSY);
    system = (int)syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &kernel);
    CHECK(system > 0);
    CHECK(ioctl(fd, PIOCGETEVCTRS, &c) == generation + 1);
    CHECK(answer(ioctl(fd, PIOCENEVCTRS, &user)) == -EBUSY);
    CHECK(answer(ioctl(fd, PIOCENEVCTRS, &kernel)) == -EBUSY);
    store(10000);
    CHECK(syssgi(SGI_EVENTCTR, HWPERF_GET_SYSCNTRS, &all) == system);
    CHECK(all.hwp_evctr[STORES] >= 10000 && all.hwp_evctr[STORES] < 11000);
    memset(&c, 0, sizeof c);
    for (int cpu = 0; syssgi(SGI_EVENTCTR, HWPERF_GET_CPUCNTRS, cpu, &one) > 0; cpu++)
        c.hwp_evctr[STORES] += one.hwp_evctr[STORES];
    CHECK(c.hwp_evctr[STORES] >= all.hwp_evctr[STORES]);
    CHECK(c.hwp_evctr[STORES] < all.hwp_evctr[STORES] + 1000);
    CHECK(syssgi(SGI_EVENTCTR, HWPERF_SET_SYSEVCTRL, &kernel) == system + 1);
    CHECK(syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS) == 0);
    CHECK(ioctl(fd, PIOCENEVCTRS, &user) == generation + 2);
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0);
    /* By way of /proc nobody is driven away, and the counts stay readable. */
    generation = ioctl(fd, PIOCENEVCTRS, &kernel);
    CHECK(generation > 0);
    store(10000);
    CHECK(ioctl(fd, PIOCRELEVCTRS) == 0);
    CHECK(ioctl(fd, PIOCGETEVCTRS, &c) == generation);
    CHECK(c.hwp_evctr[STORES] >= 10000 && c.hwp_evctr[STORES] < 11000);
}

/* ---- multiplexing ---------------------------------------------------------------------------- */

/* Two events take turns at clock ticks; each has about half of what there was. */
static void turns(void)
{
    enum { ALL = 600000 };
    hwperf_profevctrarg_t a = only(STORES, HWPERF_CNTEN_U);
    unsigned long long stores, graduated, alone;
    int fd = self();

    want(&a, GRADUATED, HWPERF_CNTEN_U);
    want(&a, INSTRUCTIONS, HWPERF_CNTEN_U);
    CHECK(ioctl(fd, PIOCENEVCTRS, &a) > 0);
    store(ALL);
    stores = counted(fd, STORES);
    graduated = counted(fd, GRADUATED);
    alone = counted(fd, INSTRUCTIONS); /* on the other counter */
    CHECK(stores > ALL / 2 * 0.9 && stores < ALL / 2 * 1.1);
    CHECK(graduated > alone / 2 * 0.9 && graduated < alone / 2 * 1.1);
}

/* ---- anything -------------------------------------------------------------------------------- */

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* Commands with arguments that are mostly bad, of several threads at once. Whatever they answer is
 * right (irix_hwperf.c knows what); that they answer is what counts here. */
static void *storm(void *arg)
{
    static unsigned short buckets[512];
    unsigned seed = *(unsigned *)arg;
    static char space[4096];

    for (int i = 0; i < 150; i++) {
        static const int modes[] = {HWPERF_CNTEN_U, HWPERF_CNTEN_U | HWPERF_CNTEN_E,
                                    HWPERF_CNTEN_U | HWPERF_CNTEN_K};
        static const int signals[] = {0, 0, 0, SIGUSR1, SIGUSR2, 33, -1};
        struct prof where[2] = {
            {buckets, sizeof buckets, (size_t)store, 0x10000},
            {buckets, draw(&seed, 2048), draw(&seed, 1 << 30), draw(&seed, 70000)}};
        union {
            hwperf_profevctrarg_t setup;
            hwperf_prusage_t room; /* for every result */
        } a = {.room = {.pu_minf = 0}};
        char *const places[] = {(char *)&a,    (char *)&a, (char *)&a,
                                space,         NULL,       (char *)(size_t)(draw(&seed, 16) << 8),
                                (char *)-4096L};
        void *place = places[draw(&seed, COUNT(places))];
        const int fd = process(1000 + (int)draw(&seed, 6), O_RDWR);
        for (unsigned n = draw(&seed, 5); n-- > 0;) {
            const int e = (int)draw(&seed, 32);
            want(&a.setup, e,
                 draw(&seed, 8) ? modes[draw(&seed, COUNT(modes))] : (int)draw(&seed, 16));
            a.setup.hwp_ovflw_freq[e] = draw(&seed, 3) ? 0 : (int)draw(&seed, 2000);
        }
        if (draw(&seed, 20) == 0)
            for (unsigned n = 0; n < offsetof(hwperf_profevctrarg_t, hwp_ovflw_sig); n++)
                ((char *)&a)[n] = (char)draw(&seed, 256);
        a.setup.hwp_ovflw_sig = signals[draw(&seed, COUNT(signals))];
        if (draw(&seed, 2))
            ioctl(fd, 0x715f + (int)draw(&seed, 9), place);
        else if (draw(&seed, 4) == 0)
            syssgi(SGI_EVENTCTR, HWPERF_PROFENABLE, place, where, (int)draw(&seed, 4) - 1);
        else
            syssgi(SGI_EVENTCTR, (int)draw(&seed, 10) - 1, place, place);
        close(fd);
        store((int)draw(&seed, 300));
        if (draw(&seed, 8) == 0)
            usleep(draw(&seed, 100));
    }
    return NULL;
}

static void storms(void)
{
    pthread_t thread[5];
    unsigned seeds[5];

    signal(SIGUSR1, catch);
    signal(SIGUSR2, SIG_IGN);
    for (unsigned i = 0; i < 5; i++) {
        seeds[i] = i + 1;
        pthread_create(&thread[i], NULL, storm, &seeds[i]);
    }
    for (unsigned i = 0; i < 5; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    const int root = getuid() == 0;
    const char *part = argc > 1 ? argv[1] : "";

    if (strcmp(part, "arguments") == 0)
        addresses(root);
    else if (strcmp(part, "names") == 0)
        names(root);
    else if (strcmp(part, "exact") == 0)
        exact();
    else if (strcmp(part, "signals") == 0)
        signals();
    else if (strcmp(part, "profiling") == 0)
        profiling();
    else if (strcmp(part, "threads") == 0)
        threads();
    else if (strcmp(part, "ends") == 0)
        ends();
    else if (strcmp(part, "deferred") == 0)
        deferred();
    else if (strcmp(part, "force") == 0)
        by_force();
    else if (strcmp(part, "turns") == 0)
        turns();
    else if (strcmp(part, "storm") == 0)
        storms();
    else
        CHECK(!"a part");
    return guest_result();
}
