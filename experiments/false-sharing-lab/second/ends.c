/*
 * The two ends of an open file: how far it was read, and how far it was written, by two threads.
 */
#include "shown.h"

#include <pthread.h>

enum { BYTES = 4000 };

static struct {
    APART volatile unsigned read_position;
    APART volatile unsigned written_position;
} file LINE_ALIGNED;

static volatile unsigned char source[BYTES] LINE_ALIGNED;
static volatile unsigned char target[BYTES] LINE_ALIGNED;

static void *read_all(void *arg)
{
    size_t sum = 0;
    while (file.read_position < BYTES) {
        sum += source[file.read_position];
        file.read_position++; /* shares: file */
    }
    *(size_t *)arg = sum;
    return NULL;
}

static void *write_all(void *arg)
{
    while (file.written_position < BYTES) {
        target[file.written_position] = (unsigned char)file.written_position;
        file.written_position++; /* shares: file */
    }
    return arg;
}

int main(void)
{
    pthread_t reader, writer;
    size_t sum = 0;
    for (unsigned i = 0; i < BYTES; i++)
        source[i] = 1;
    pthread_create(&reader, NULL, read_all, &sum);
    pthread_create(&writer, NULL, write_all, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    SHOW(file);
    printf("read %zu, written %u\n", sum, file.written_position);
    return sum != BYTES || target[77] != 77;
}
