/*
 * Counts words, letters and lines of a text that is cut into equal parts. The counts of the threads
 * are records of an array that is global because the printer wants it.
 */
#include "shown.h"

#include <ctype.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { TEXT = 24000 };

static struct counts {
    APART volatile unsigned words;
    volatile unsigned letters;
    volatile unsigned lines;
} counts[64] LINE_ALIGNED;

static char text[TEXT + 1] LINE_ALIGNED;
static int threads;

static void write_text(void)
{
    static const char *const some[] = {"of", "lines", "that", "a", "cache", "holds", "apart"};
    size_t at = 0;
    for (unsigned i = 0; at + 8 < TEXT; i++) {
        const char *word = some[i * i % 7];
        memcpy(text + at, word, strlen(word));
        at += strlen(word);
        text[at++] = i % 9 == 8 ? '\n' : ' ';
    }
}

static void *count(void *arg)
{
    const int me = (int)(size_t)arg;
    const int from = TEXT / threads * me, to = me == threads - 1 ? TEXT : TEXT / threads * (me + 1);
    bool within = from > 0 && isalpha((unsigned char)text[from - 1]);
    for (int i = from; i < to; i++) {
        const bool letter = isalpha((unsigned char)text[i]);
        if (letter)
            counts[me].letters++; /* shares: counts */
        if (letter && !within)
            counts[me].words++; /* shares: counts */
        if (text[i] == '\n')
            counts[me].lines++; /* shares: counts */
        within = letter;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    unsigned words = 0, letters = 0, lines = 0;
    threads = thread_count(argc, argv, 2);
    write_text();
    for (size_t t = 0; t < (size_t)threads; t++)
        pthread_create(&ids[t], NULL, count, (void *)t);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        words += counts[t].words;
        letters += counts[t].letters;
        lines += counts[t].lines;
    }
    show_object("counts", counts, (size_t)threads * sizeof *counts);
    printf("%u words, %u letters, %u lines\n", words, letters, lines);
    return words < lines || letters < words || lines != words / 9;
}
