/*
 * A field of more than a thousand lines whose cells were dealt out to the threads one by one, like
 * cards: all threads meet in each line, a few times in each.
 */
#include "shown.h"

#include <pthread.h>

enum { LINES = 1040, CELLS_A_LINE = 16, SWEEPS = 4 };

#ifdef PADDED
#define CELL(thread, line) field[thread][line]
static volatile unsigned field[CELLS_A_LINE][(LINES + 15) / 16 * 16] LINE_ALIGNED;
#else
#define CELL(thread, line) field[line][thread]
static volatile unsigned field[LINES][CELLS_A_LINE] LINE_ALIGNED;
#endif

static pthread_barrier_t sweep LINE_ALIGNED;

static void *relax(void *arg)
{
    const size_t me = (size_t)arg;
    for (unsigned s = 0; s < SWEEPS; s++) {
        pthread_barrier_wait(&sweep);
        for (size_t line = 0; line < LINES; line++)
            CELL(me, line) = CELL(me, line) * 3 + s; /* shares: field */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int asked = thread_count(argc, argv, 16), threads = asked < 16 ? asked : 16;
    pthread_t ids[CELLS_A_LINE];
    int wrong = 0;
    pthread_barrier_init(&sweep, NULL, (unsigned)threads);
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, relax, (void *)t);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (size_t t = 0; t < (size_t)threads; t++)
        for (size_t line = 0; line < LINES; line++)
            wrong += CELL(t, line) != 18;
    SHOW(field);
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
