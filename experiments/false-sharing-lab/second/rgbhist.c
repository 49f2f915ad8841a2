/*
 * A histogram of the three colours of a picture. Each thread counts into three arrays of its own,
 * of ten bins each, and the arrays of all threads follow each other: 120 bytes a thread.
 */
#include "shown.h"

#include <pthread.h>
#include <stdint.h>

enum { BINS = 10, PIXELS = 1500 };

struct pixel {
    uint8_t red, green, blue;
};

static struct histogram {
    APART unsigned red[BINS];
    unsigned green[BINS];
    unsigned blue[BINS];
} histograms[64] LINE_ALIGNED;

static struct pixel picture[PIXELS] LINE_ALIGNED;
static pthread_barrier_t begin LINE_ALIGNED;

static void *count_colours(void *arg)
{
    struct histogram *h = arg;
    pthread_barrier_wait(&begin);
    for (int i = 0; i < PIXELS; i++) {
        h->red[picture[i].red * BINS / 256]++; /* shares: histograms */
        h->green[picture[i].green * BINS / 256]++;
        h->blue[picture[i].blue * BINS / 256]++; /* shares: histograms */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    pthread_t ids[64];
    unsigned all = 0, x = 12345;
    for (int i = 0; i < PIXELS; i++) {
        x = x * 1103515245u + 12345u;
        picture[i] = (struct pixel){(uint8_t)(x >> 8), (uint8_t)(x >> 16), (uint8_t)(x >> 24)};
    }
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, count_colours, &histograms[t]);
    for (int t = 0; t < threads; t++)
        pthread_join(ids[t], NULL);
    for (int t = 0; t < threads; t++)
        for (int b = 0; b < BINS; b++)
            all += histograms[t].red[b] + histograms[t].green[b] + histograms[t].blue[b];
    show_object("histograms", histograms, (size_t)threads * sizeof *histograms);
    printf("counted %u\n", all);
    return all != 3u * PIXELS * (unsigned)threads;
}
