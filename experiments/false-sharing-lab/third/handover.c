/*
 * One thread builds a table of words; when it is ready, all threads look words up in it, each from
 * its own part of the text.
 */
#include "shown.h"
#include <string.h>

enum { WORDS = 509, LOOKUPS = 500 };

struct word {
    unsigned hash, weight;
    char text[8];
};

struct dictionary {
    unsigned words;
    struct word word[WORDS];
};

static OWN_LINE struct dictionary *dictionary;
static OWN_LINE pthread_barrier_t ready;
static OWN_LINE unsigned weights[MOST][LINE / sizeof(unsigned)];

static void spell(char *text, unsigned n)
{
    for (int i = 0; i < 7; i++, n /= 26)
        text[i] = (char)('a' + n % 26);
    text[7] = 0;
}

static unsigned hash(const char *text)
{
    unsigned h = 2166136261u;
    while (*text)
        h = (h ^ (unsigned char)*text++) * 16777619u;
    return h;
}

static ALONE struct dictionary *dictionary_make(void)
{
    struct dictionary *d =
        (struct dictionary *)aligned_alloc(LINE, (sizeof *d + LINE - 1) / LINE * LINE);
    memset(d, 0, sizeof *d);
    for (unsigned n = 0; n < WORDS / 2; n++) {
        char text[8];
        spell(text, n * n + 7);
        unsigned at = hash(text) % WORDS;
        while (d->word[at].hash)
            at = (at + 1) % WORDS;
        memcpy(d->word[at].text, text, sizeof text);
        d->word[at].hash = hash(text) | 1;
        d->word[at].weight = n % 10;
        d->words++;
    }
    return d;
}

static unsigned weight(const struct dictionary *d, const char *text)
{
    unsigned h = hash(text);
    for (unsigned at = h % WORDS; d->word[at].hash; at = (at + 1) % WORDS)
        if (d->word[at].hash == (h | 1) && strcmp(d->word[at].text, text) == 0)
            return d->word[at].weight;
    return 0;
}

static void *work(void *argument)
{
    int me = number(argument);
    unsigned sum = 0;
    if (me == 0)
        dictionary = dictionary_make();
    pthread_barrier_wait(&ready);
    for (unsigned i = 0; i < LOOKUPS; i++) {
        char text[8];
        unsigned n = (i * 7 + (unsigned)me) % (WORDS / 2);
        spell(text, n * n + 7);
        sum += weight(dictionary, text);
    }
    weights[me][0] = sum;
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 6), wrong = 0;
    pthread_barrier_init(&ready, NULL, (unsigned)n);
    crew(n, work);
    shown("dictionary_make()", dictionary, sizeof *dictionary);
    for (int i = 0; i < n; i++)
        wrong += weights[i][0] < LOOKUPS * 4 || weights[i][0] > LOOKUPS * 5;
    printf("%u words, %d wrong\n", dictionary->words, wrong);
    return wrong != 0;
}
