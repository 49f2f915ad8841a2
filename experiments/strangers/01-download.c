/*
 * A download manager without a network: each thread "downloads" one file (makes up its bytes and
 * checks them), and the job records on the main thread's stack say how far it is.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FILES 8
#define FILE_SIZE 24000

struct download {
    const char *name;
    uint32_t received;
    uint32_t checksum;
    int done;
};

struct source {
    uint32_t state;
    uint8_t (*read)(struct source *source);
};

static uint8_t read_made_up(struct source *source)
{
    source->state = source->state * 1664525u + 1013904223u;
    return (uint8_t)(source->state >> 24);
}

static void add_byte(struct download *download, uint8_t byte, uint8_t *sink)
{
    *sink = byte;
    download->checksum = (download->checksum << 1 | download->checksum >> 31) ^ byte;
    download->received++;
}

static void *download_file(void *arg)
{
    struct download *download = arg;
    struct source *source = malloc(sizeof *source);
    uint8_t buffer[256];

    source->state = (uint32_t)strlen(download->name);
    source->read = read_made_up;

    for (uint32_t at = 0; at < FILE_SIZE; at++)
        add_byte(download, source->read(source), &buffer[at % sizeof buffer]);
    download->done = 1 + (buffer[7] == buffer[8]);
    free(source);
    return NULL;
}

static int download_all(const char *const *names, int count)
{
    struct download downloads[MAX_FILES];
    pthread_t threads[MAX_FILES];
    uint32_t bytes = 0, check = 0;
    int failed = 0;

    memset(downloads, 0, sizeof downloads);
    for (int i = 0; i < count; i++) {
        downloads[i].name = names[i];
        if (pthread_create(&threads[i], NULL, download_file, &downloads[i]) != 0)
            exit(1);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        bytes += downloads[i].received;
        check ^= downloads[i].checksum + (uint32_t)i;
        failed += !downloads[i].done;
    }
    printf("%u bytes, check %08x\n", (unsigned)bytes, (unsigned)check);
    return failed;
}

int main(void)
{
    static const char *const names[MAX_FILES] = {
        "kernel.tar.gz", "readme", "photo.jpg", "song.ogg", "paper.pdf", "x.c", "data.csv", "movie.mkv",
    };

    return download_all(names, MAX_FILES);
}
