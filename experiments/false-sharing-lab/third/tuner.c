/*
 * Two threads search for better parameters, each with its own structure of arguments on the stack
 * of main, where it also keeps the best it has found. Trials are long; improvements come in bursts
 * at the beginning.
 */
#include "shown.h"

enum { TRIALS = 420, TRIAL = 45 };

struct search {
    APART unsigned seed;
    unsigned tried;
    int best, at;
    int recent[3];
};

static ALONE int quality(unsigned parameter, int effort)
{
    unsigned x = parameter;
    for (int i = 0; i < effort; i++)
        x = (x ^ (x >> 9)) * 0x2c1b3c6du;
    return (int)(x >> 8 & 0xffff);
}

static void remember(struct search *s, int value, int at)
{
    s->best = value; /* shares: main() */
    s->at = at;      /* shares: main() */
}

static void *work(void *argument)
{
    struct search *s = (struct search *)argument;
    for (int i = 0; i < TRIALS; i++) {
        s->tried++; /* shares: main() */
        for (int k = 0; k < 3; k++) {
            int q = quality(s->seed + (unsigned)(i * 3 + k), TRIAL);
            s->recent[k] = q; /* shares: main() */
            if (q > s->best)
                remember(s, q, i);
            __asm__ volatile("" ::: "memory");
        }
    }
    return NULL;
}

static int verify(const struct search *s)
{
    int best = 0;
    for (int i = 0; i < TRIALS * 3; i++) {
        int q = quality(s->seed + (unsigned)i, TRIAL);
        if (q > best)
            best = q;
    }
    return s->tried != TRIALS || s->best != best;
}

int main(int argc, char **argv)
{
    OWN_LINE struct search searches[2] = {{.seed = 17}, {.seed = 90001}};
    pthread_t who[2];
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    shown("main()", searches, sizeof searches);
    for (int i = 0; i < 2; i++)
        pthread_create(&who[i], NULL, work, &searches[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(who[i], NULL);
    printf("%d, %d\n", searches[0].best, searches[1].best);
    return verify(&searches[0]) + verify(&searches[1]);
}
