/*
 * wordcount: counts lines, words and characters of a text that is made up at the start,
 * like wc(1), with one slice of the text for each thread.
 */
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_SIZE (96 * 1024)
#define MAX_THREADS 16

struct counts {
    unsigned lines;
    unsigned words;
    unsigned chars;
};

struct slice {
    const char *from, *to;
    int in_word;
    struct counts *result;
};

static const char *const vocabulary[] = {
    "the", "machine", "has", "a", "ring", "and", "sixteen", "stations", "each", "with",
    "four", "processors", "memory", "is", "shared", "by", "all", "of", "them",
};

static char *make_text(size_t size)
{
    char *text = malloc(size + 32);
    size_t at = 0;
    unsigned seed = 12345;

    if (!text) {
        perror("malloc");
        exit(1);
    }
    while (at < size) {
        seed = seed * 1103515245u + 12345u;
        const char *word = vocabulary[(seed >> 16) % (sizeof vocabulary / sizeof *vocabulary)];
        size_t length = strlen(word);
        memcpy(text + at, word, length);
        at += length;
        text[at++] = (seed >> 8) % 11 == 0 ? '\n' : ' ';
    }
    text[size] = '\0';
    return text;
}

static void count_char(struct slice *slice, int c)
{
    slice->result->chars++;
    if (c == '\n')
        slice->result->lines++;
    if (isspace(c)) {
        slice->in_word = 0;
    } else if (!slice->in_word) {
        slice->in_word = 1;
        slice->result->words++;
    }
}

static void *count_slice(void *arg)
{
    struct slice *slice = arg;
    struct slice mine = *slice;

    for (const char *p = mine.from; p < mine.to; p++)
        count_char(&mine, (unsigned char)*p);
    return NULL;
}

int main(int argc, char **argv)
{
    int nthreads = argc > 1 ? atoi(argv[1]) : 8;
    pthread_t threads[MAX_THREADS];
    struct slice slices[MAX_THREADS];
    struct counts total = {0, 0, 0};

    if (nthreads < 1 || nthreads > MAX_THREADS) {
        fprintf(stderr, "usage: %s [1..%d]\n", argv[0], MAX_THREADS);
        return 2;
    }

    char *text = make_text(TEXT_SIZE);
    struct counts *results = calloc(nthreads, sizeof *results);
    size_t step = TEXT_SIZE / nthreads;

    for (int t = 0; t < nthreads; t++) {
        slices[t].from = text + t * step;
        slices[t].to = t == nthreads - 1 ? text + TEXT_SIZE : text + (t + 1) * step;
        slices[t].in_word = t > 0 && !isspace((unsigned char)slices[t].from[-1]);
        slices[t].result = &results[t];
        if (pthread_create(&threads[t], NULL, count_slice, &slices[t]) != 0) {
            perror("pthread_create");
            return 1;
        }
    }
    for (int t = 0; t < nthreads; t++) {
        pthread_join(threads[t], NULL);
        total.lines += results[t].lines;
        total.words += results[t].words;
        total.chars += results[t].chars;
    }
    printf("%7u %7u %7u\n", total.lines, total.words, total.chars);
    free(results);
    free(text);
    return 0;
}
