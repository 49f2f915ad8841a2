/*
 * One thread polls whether it should stop; the other counts in the variable next to that flag.
 */
#include "shown.h"

#include <pthread.h>
#include <stdbool.h>

enum { FRAMES = 3000, PIXELS = 12 };

static struct {
    APART volatile bool stop;
    APART volatile unsigned frames;
} player LINE_ALIGNED;

static void *listen(void *arg)
{
    unsigned long polls = 0;
    while (!player.stop) {
        polls++;
        for (int i = 0; i < 10; i++)
            __asm__ volatile("");
    }
    *(unsigned long *)arg = polls;
    return NULL;
}

int main(void)
{
    pthread_t listener;
    unsigned long polls = 0, picture = 0;
    pthread_create(&listener, NULL, listen, &polls);
    for (unsigned f = 0; f < FRAMES; f++) {
        for (unsigned p = 0; p < PIXELS; p++)
            picture = picture * 31 + p;
        player.frames++; /* shares: player */
    }
    player.stop = true;
    pthread_join(listener, NULL);
    SHOW(player);
    printf("%u frames, picture %lu\n", player.frames, picture % 1000);
    return player.frames != FRAMES || polls == 0;
}
