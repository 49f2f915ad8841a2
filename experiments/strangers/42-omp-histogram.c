/* Histogram of the grey values of an image in a few coarse classes, with OpenMP. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define PIXELS  (192 * 192)
#define CLASSES 5
#define MAX     16

static unsigned char image[PIXELS];

static void draw(void)
{
    unsigned x = 5;

    for (int i = 0; i < PIXELS; i++) {
        x = x * 1103515245u + 12345u;
        image[i] = (unsigned char)(x >> 24);
    }
}

static int class_of(unsigned char grey)
{
    return grey < 32 ? 0 : grey < 96 ? 1 : grey < 160 ? 2 : grey < 224 ? 3 : 4;
}

int main(void)
{
    static int hist[MAX][CLASSES];
    int total[CLASSES] = {0};
    int threads = 1;

    draw();
#pragma omp parallel
    {
        int me = omp_get_thread_num();

#pragma omp single
        threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < PIXELS; i++)
            hist[me][class_of(image[i])]++;
    }
    for (int t = 0; t < threads; t++)
        for (int c = 0; c < CLASSES; c++)
            total[c] += hist[t][c];
    for (int c = 0; c < CLASSES; c++)
        printf("%d%c", total[c], c == CLASSES - 1 ? '\n' : ' ');
    return 0;
}
