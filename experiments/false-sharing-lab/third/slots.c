/* Connection slots: a thread serves every n-th connection and notes when it was last active. */
#include "shown.h"
#include <string.h>

struct slot {
    APART int fd;
    unsigned last_active;
    unsigned received;
    unsigned char state;
};

enum { SLOTS = 96, ROUNDS = 60, PACKET = 16 };

static struct slot *slots;
static int threads;
static OWN_LINE unsigned char traffic[1024];

static ALONE struct slot *open_table(int n)
{
    struct slot *table = (struct slot *)GET((size_t)n * sizeof *table);
    memset(table, 0, (size_t)n * sizeof *table);
    for (int i = 0; i < n; i++)
        table[i].fd = i + 3;
    return table;
}

static unsigned digest(unsigned at)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < PACKET; i++)
        sum += traffic[(at + i) % sizeof traffic];
    return sum;
}

static void serve(struct slot *s, unsigned now)
{
    unsigned d = digest((unsigned)s->fd * 37 + now);
    s->last_active = now;              /* shares: open_table() */
    s->received += PACKET;             /* shares: open_table() */
    s->state = (unsigned char)(d & 7); /* shares: open_table() */
}

static void *work(void *argument)
{
    int me = number(argument);
    for (unsigned now = 1; now <= ROUNDS; now++)
        for (int i = me; i < SLOTS; i += threads)
            serve(&slots[i], now);
    return NULL;
}

static int stale(void)
{
    int n = 0;
    for (int i = 0; i < SLOTS; i++)
        n += slots[i].last_active != ROUNDS || slots[i].received != ROUNDS * PACKET;
    return n;
}

int main(int argc, char **argv)
{
    threads = threads_asked(argc, argv, 8);
    for (unsigned i = 0; i < sizeof traffic; i++)
        traffic[i] = (unsigned char)(i * 7);
    slots = open_table(SLOTS);
    shown("open_table()", slots, SLOTS * sizeof *slots);
    crew(threads, work);
    printf("%d stale\n", stale());
    return stale() != 0;
}
