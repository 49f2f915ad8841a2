/*
 * Threads on stacks of our own: the stacks lie in one static array, as in programs that must not
 * use the heap. Each thread computes checksums of blocks and says how far it is.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TASKS      6
#define STACK_SIZE (128 * 1024)
#define BLOCKS     200
#define BLOCK_SIZE 64

static struct {
    char stacks[TASKS][STACK_SIZE] __attribute__((aligned(4096)));
    volatile unsigned short progress[TASKS];
    unsigned checksum[TASKS];
} area;

static unsigned update(unsigned crc, unsigned char byte)
{
    crc ^= byte;
    for (int k = 0; k < 4; k++)
        crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    return crc;
}

static void *checksum(void *arg)
{
    int me = (int)(size_t)arg;
    unsigned char block[BLOCK_SIZE];
    unsigned crc = ~0u;

    for (int b = 0; b < BLOCKS; b++) {
        memset(block, b + me, sizeof block);
        for (int i = 0; i < BLOCK_SIZE; i++) {
            crc = update(crc, block[i]);
            area.progress[me]++;
        }
    }
    area.checksum[me] = crc;
    return NULL;
}

static void start(pthread_t *thread, int number)
{
    pthread_attr_t attributes;
    int error;

    pthread_attr_init(&attributes);
    error = pthread_attr_setstack(&attributes, area.stacks[number], STACK_SIZE);
    if (!error)
        error = pthread_create(thread, &attributes, checksum, (void *)(size_t)number);
    if (error) {
        fprintf(stderr, "task %d: %s\n", number, strerror(error));
        exit(1);
    }
    pthread_attr_destroy(&attributes);
}

int main(void)
{
    pthread_t threads[TASKS];
    unsigned all = 0;

    for (int t = 0; t < TASKS; t++)
        start(&threads[t], t);
    for (int t = 0; t < TASKS; t++) {
        pthread_join(threads[t], NULL);
        all ^= area.checksum[t];
        if (area.progress[t] != BLOCKS * BLOCK_SIZE)
            return 1;
    }
    printf("%08x\n", all);
    return 0;
}
