/* Matrix product in double and single precision, by four threads, each a band of rows. */
#include "guest.h"

#include <pthread.h>
#include <string.h>

enum { THREADS = 4, N = 24 };

static double a[N][N], b[N][N], c[N][N];
static float fa[N][N], fb[N][N], fc[N][N];

static void *band(void *arg)
{
    size_t first = (size_t)arg * N / THREADS;

    for (size_t i = first; i < first + N / THREADS; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t k = 0; k < N; k++) {
                c[i][j] += a[i][k] * b[k][j];
                fc[i][j] += fa[i][k] * fb[k][j];
            }
    return NULL;
}

static uint64_t hash(const void *data, size_t size)
{
    const uint8_t *byte = data;
    uint64_t h = 14695981039346656037u;
    while (size-- > 0)
        h = (h ^ *byte++) * 1099511628211u;
    return h;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            a[i][j] = 1.0 / (double)(i + j + 1);
            b[i][j] = (double)i - 0.3 * (double)j;
            fa[i][j] = (float)a[i][j];
            fb[i][j] = (float)b[i][j];
        }
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, band, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%.17g %.9g %016llx %016llx\n", c[3][5], fc[7][11],
           (unsigned long long)hash(c, sizeof c), (unsigned long long)hash(fc, sizeof fc));
    return guest_result();
}
