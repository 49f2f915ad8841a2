/*
 * Linear regression over points of two bytes. Each thread has a record with its arguments and five
 * running sums; the records are elements of one array, START bytes behind the border of a line.
 */
#include "shown.h"

#include <pthread.h>
#include <stdint.h>

enum { POINTS_EACH = 2400, THREADS_MAX = 64 };

struct point {
    int8_t x, y;
};

struct part {
    unsigned first; /* of its points */
    unsigned count;
#if RECORD == 64
    unsigned number, spare[3];
#else
    unsigned number;
#endif
    long long sx, sy, sxx, syy, sxy;
} __attribute__((packed, aligned(4)));

_Static_assert(sizeof(struct part) == RECORD, "a record has the length that its name says");

#ifdef PADDED
struct slot {
    LINE_ALIGNED struct part part;
};
#else
struct slot {
    struct part part;
};
#endif

static struct {
    char before[START];
    struct slot slots[THREADS_MAX];
} args LINE_ALIGNED;

static struct point points[POINTS_EACH] LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;

/* noipa: as if it stood in another file, so that the caller cannot keep the arguments in registers
 */
static __attribute__((noipa)) void add_point(struct part *part, int x, int y)
{
    part->sx += x; /* shares: args */
    part->sy += y;
    part->sxx += x * x;
    part->syy += y * y;
    part->sxy += x * y;
}

static void *regress(void *arg)
{
    struct part *part = &((struct slot *)arg)->part;
    pthread_barrier_wait(&begin);
    for (unsigned i = 0; i < part->count; i++)
        add_point(part, points[part->first + i].x, points[part->first + i].y);
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, DEFAULT);
    pthread_t ids[THREADS_MAX];
    long long sx = 0;
    int wrong = 0;
    for (int i = 0; i < POINTS_EACH; i++) {
        points[i] = (struct point){(int8_t)(i % 101 - 50), (int8_t)(i % 37)};
        sx += points[i].x;
    }
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        struct part *part = &args.slots[t].part;
        part->first = 0;
        part->count = POINTS_EACH;
        part->number = (unsigned)t;
        pthread_create(&ids[t], NULL, regress, &args.slots[t]);
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        wrong += args.slots[t].part.sx != sx || args.slots[t].part.number != (unsigned)t;
    }
    printf("parts wrong: %d\n", wrong);
    if (FALSELY)
        show_object("args", &args, sizeof(args.before) + (size_t)threads * sizeof(struct slot));
    return wrong != 0;
}
