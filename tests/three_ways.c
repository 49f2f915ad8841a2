/*
 * Programs the monitoring card of processor 0 and says what its registers hold.
 *
 *     three_ways file                      the experiment's file has done it
 *     three_ways own OFFSET=VALUE...       processor 0 does it
 *     three_ways other OFFSET=VALUE...     processor 1 does it
 *
 * Or lets processors 0 to 3 count in its SRAM, a word for each, as fast as they can, and says what
 * it holds:
 *
 *     three_ways count INCREMENTS          of each processor
 */
#include <numachine.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void go_to(unsigned processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

enum { COUNTING = 4 };
static pthread_barrier_t all;
static unsigned long increments;

static void *count(void *arg)
{
    const unsigned long me = (unsigned long)arg;
    go_to(me);
    volatile unsigned *card = numachine_card(0);
    pthread_barrier_wait(&all);
    for (unsigned long i = 0; i < increments; i++)
        numachine_card_write(card, NUMACHINE_REG_SRAM + 4 * me, 1);
    return arg;
}

static int count_together(unsigned long each)
{
    volatile unsigned *card = numachine_card(0);
    pthread_t thread[COUNTING];
    increments = each;
    pthread_barrier_init(&all, NULL, COUNTING);
    for (unsigned long i = 1; i < COUNTING; i++)
        pthread_create(&thread[i], NULL, count, (void *)i);
    count(NULL);
    for (unsigned i = 1; i < COUNTING; i++)
        pthread_join(thread[i], NULL);
    for (unsigned i = 0; i < COUNTING; i++)
        printf("%u\n", NUMACHINE_SRAM(card, i));
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "count"))
        return count_together(strtoul(argv[2], NULL, 0));
    /* What no traffic changes. */
    static const unsigned shown[] = {
        NUMACHINE_REG_CONTROL0,   NUMACHINE_REG_CONTROL1,     NUMACHINE_REG_CONTROL2,
        NUMACHINE_REG_CONTROL3,   NUMACHINE_REG_OPTIONS,      NUMACHINE_REG_ERROR,
        NUMACHINE_REG_MASK,       NUMACHINE_REG_COMMAND,      NUMACHINE_REG_PHASE_MATCH,
        NUMACHINE_REG_FIFO_DEPTH, NUMACHINE_REG_CARE_LOW,     NUMACHINE_REG_CARE_HIGH,
        NUMACHINE_REG_VALUE_LOW,  NUMACHINE_REG_VALUE_HIGH,   NUMACHINE_REG_THRESHOLD,
        NUMACHINE_REG_WATCH,      NUMACHINE_REG_SRAM_CONTROL,
    };
    go_to(argc > 1 && !strcmp(argv[1], "other"));
    volatile unsigned *card = numachine_card(0);
    if (!card)
        return 1;
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');
        if (!value)
            return 2;
        numachine_card_write(card, (unsigned)strtoul(argv[i], NULL, 0),
                             (unsigned)strtoul(value + 1, NULL, 0));
    }
    for (unsigned i = 0; i < sizeof shown / sizeof *shown; i++)
        printf("0x%03x 0x%08x\n", shown[i], numachine_card_read(card, shown[i]));
    return 0;
}
