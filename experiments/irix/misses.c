/*
 * The example of IRIX's r10k_counters(5): a program counts its own primary cache misses, of
 * instructions (event 9) and of data (event 25), through /proc. What is put right in it is marked
 * IX-n; docs/irix.md says what was wrong.
 *
 * Between start and read it walks through an array, one word of each line: STEPS lines of LINE
 * bytes, none twice, so every load misses.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/hwperftypes.h>
#include <sys/ioctl.h>
#include <sys/procfs.h>
#include <unistd.h>

enum { LINE = 128, STEPS = 4096 };

static volatile char array[LINE * STEPS] __attribute__((aligned(LINE)));

#ifndef MODE /* -DMODE='HWPERF_CNTEN_U|HWPERF_CNTEN_E': also while the TLB is refilled */
#define MODE HWPERF_CNTEN_U
#endif

static hwperf_profevctrarg_t evctr_args;
static hwperf_cntr_t cnts;

/* exit(errno) after perror, but perror may change it: IX-9. */
static void fail(const char *what)
{
    const int error = errno;

    perror(what);
    exit(error);
}

/* The body of the program. */
static void body(void)
{
    for (int i = 0; i < STEPS; i++)
        (void)array[i * LINE];
}

int main(void)
{
    char pfile[32];
    int pid, fd, i, generation1, generation2;

    for (i = 0; i < STEPS; i++) /* pages get their memory before anything is counted */
        array[i * LINE] = 1;

    pid = getpid();
    sprintf(pfile, "/proc/%05d", pid);
    fd = open(pfile, O_RDWR);
    if (fd < 0) /* IX-10 */
        fail(pfile);
    for (i = 0; i < HWPERF_CNTEVENTMAX; i++) {
        if (i == 9) {
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_mode = MODE;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ie = 1;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ev = i;
            evctr_args.hwp_ovflw_freq[i] = 0;
        } else {
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_spec = 0;
            evctr_args.hwp_ovflw_freq[i] = 0;
        }
    }
    for (i = HWPERF_CNT1BASE; i < HWPERF_EVENTMAX; i++) {
        if (i == 25) { /* IX-1 */
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_mode = MODE;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ie = 1;
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_creg.hwp_ev = i - HWPERF_CNT1BASE;
            evctr_args.hwp_ovflw_freq[i] = 0;
        } else {
            evctr_args.hwp_evctrargs.hwp_evctrl[i].hwperf_spec = 0;
            evctr_args.hwp_ovflw_freq[i] = 0;
        }
    }
    evctr_args.hwp_ovflw_sig = 0;
    generation1 = ioctl(fd, PIOCENEVCTRS, (void *)&evctr_args);
    if (generation1 < 0)
        fail("failed to acquire counters");

    body();

    /* now read the counter values */
    if ((generation2 = ioctl(fd, PIOCGETEVCTRS, (void *)&cnts)) < 0)
        fail("PIOCGETEVCTRS returns error");

    /* generation number should be the same */
    if (generation1 != generation2) {
        printf("program lost event counters\n"); /* IX-2 */
        exit(0);
    }

    /* release the counters */
    if ((ioctl(fd, PIOCRELEVCTRS)) < 0)
        fail("prioctl PIOCRELEVCTRS returns error");

    /* print out the counts */
    printf("instruction cache misses: %llu\n", (unsigned long long)cnts.hwp_evctr[9]); /* IX-2 */
    printf("data cache misses: %llu\n", (unsigned long long)cnts.hwp_evctr[25]);       /* IX-2 */
    exit(0);
}
