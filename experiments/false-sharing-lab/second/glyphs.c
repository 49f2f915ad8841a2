/*
 * A font that is made once, and then read by all threads; each draws into a strip of its own, of
 * whole lines.
 */
#include "shown.h"

#include <pthread.h>
#include <stdint.h>

enum { GLYPHS = 26, BYTES = 8, STRIP = 512, LINES_OF_TEXT = 40 };

static uint8_t font[GLYPHS][BYTES] LINE_ALIGNED;
static uint8_t strips[64][STRIP] LINE_ALIGNED;

static void *draw(void *arg)
{
    uint8_t *strip = arg;
    for (unsigned line = 0; line < LINES_OF_TEXT; line++)
        for (unsigned at = 0; at < STRIP; at++)
            strip[at] ^= font[(at / BYTES + line) % GLYPHS][at % BYTES];
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    pthread_t ids[64];
    int wrong = 0;
    for (unsigned g = 0; g < GLYPHS; g++)
        for (unsigned b = 0; b < BYTES; b++)
            font[g][b] = (uint8_t)(g * 37 + b * 11);
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, draw, strips[t]);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        for (int i = 0; i < STRIP; i++)
            wrong += strips[t][i] != strips[0][i];
    }
    printf("wrong %d\n", wrong);
    return wrong != 0;
}
