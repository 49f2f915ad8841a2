/*
 * Conway's game of life on a torus. Rows are dealt to threads in bands; a barrier separates
 * generations. The game stops early when a generation changes nothing.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH       64
#define HEIGHT      64
#define GENERATIONS 24
#define NTHREADS    8

static unsigned char board[2][HEIGHT][WIDTH];
static pthread_barrier_t barrier;

/* What each thread has seen in this generation. */
static unsigned short alive[NTHREADS];
static unsigned short changed[NTHREADS];

static int neighbours(unsigned char (*b)[WIDTH], int y, int x)
{
    int up = (y + HEIGHT - 1) % HEIGHT, down = (y + 1) % HEIGHT;
    int left = (x + WIDTH - 1) % WIDTH, right = (x + 1) % WIDTH;

    return b[up][left] + b[up][x] + b[up][right] + b[y][left] + b[y][right] + b[down][left] +
           b[down][x] + b[down][right];
}

static void step_cell(unsigned char (*from)[WIDTH], unsigned char (*to)[WIDTH], int y, int x, int me)
{
    int n = neighbours(from, y, x);
    unsigned char next = n == 3 || (n == 2 && from[y][x]);

    to[y][x] = next;
    if (next)
        alive[me]++;
    if (next != from[y][x])
        changed[me]++;
}

static void *play(void *arg)
{
    int me = (int)(long)arg;
    int first = me * HEIGHT / NTHREADS, last = (me + 1) * HEIGHT / NTHREADS;

    for (int g = 0; g < GENERATIONS; g++) {
        int sum = 0;

        alive[me] = changed[me] = 0;
        for (int y = first; y < last; y++)
            for (int x = 0; x < WIDTH; x++)
                step_cell(board[g % 2], board[1 - g % 2], y, x, me);
        pthread_barrier_wait(&barrier);
        for (int t = 0; t < NTHREADS; t++)
            sum += changed[t];
        pthread_barrier_wait(&barrier);
        if (sum == 0)
            break;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    unsigned seed = 42;
    int total = 0;

    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            seed = seed * 69069u + 1u;
            board[0][y][x] = seed >> 30 != 0;
        }
    pthread_barrier_init(&barrier, NULL, NTHREADS);
    for (long t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, play, (void *)t);
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(threads[t], NULL);
    for (int t = 0; t < NTHREADS; t++)
        total += alive[t];
    printf("%d cells alive\n", total);
    return 0;
}
