/*
 * A dictionary behind a lock for readers and writers. Nearly all calls look words up, a few add
 * one. Words are numbers here; the dictionary is a sorted array.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NTHREADS 8
#define LOOKUPS  1200
#define START    64
#define MOST     512

typedef struct dictionary {
    pthread_rwlock_t lock;
    int used;
    unsigned *words;
} dictionary;

static dictionary *dict;

static int position(const dictionary *d, unsigned word)
{
    int low = 0, high = d->used;

    while (low < high) {
        int middle = (low + high) / 2;
        if (d->words[middle] < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int lookup(dictionary *d, unsigned word)
{
    int found, at;

    pthread_rwlock_rdlock(&d->lock);
    at = position(d, word);
    found = at < d->used && d->words[at] == word;
    pthread_rwlock_unlock(&d->lock);
    return found;
}

static void insert(dictionary *d, unsigned word)
{
    int at;

    pthread_rwlock_wrlock(&d->lock);
    at = position(d, word);
    if (d->used < MOST && (at == d->used || d->words[at] != word)) {
        memmove(&d->words[at + 1], &d->words[at], (size_t)(d->used - at) * sizeof *d->words);
        d->words[at] = word;
        d->used++;
    }
    pthread_rwlock_unlock(&d->lock);
}

static dictionary *dictionary_new(void)
{
    dictionary *d = malloc(sizeof *d);

    pthread_rwlock_init(&d->lock, NULL);
    d->words = malloc(MOST * sizeof *d->words);
    d->used = 0;
    for (unsigned i = 0; i < START; i++)
        insert(d, i * 16);
    return d;
}

static void *reader(void *arg)
{
    unsigned x = 1 + (unsigned)(size_t)arg, me = x;
    size_t found = 0;

    for (int i = 0; i < LOOKUPS; i++) {
        x = x * 69069u + 1u;
        found += (size_t)lookup(dict, (x >> 20) % (START * 16) / 16 * 16);
        if (i % 400 == 399)
            insert(dict, me * 1000 + (unsigned)i);
    }
    return (void *)found;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    size_t found = 0;

    dict = dictionary_new();
    for (size_t t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, reader, (void *)t);
    for (int t = 0; t < NTHREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        found += (size_t)result;
    }
    printf("%zu found, %d words\n", found, dict->used);
    return 0;
}
