/*
 * Scans a table of records for the best offers. The table is read ("loaded") by the main thread;
 * then the threads scan their parts of it again and again, once for each query.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    unsigned id;
    int price;
    int weight;
    int region;
} record_t;

typedef struct {
    int region;
    int limit;
} query_t;

#define RECORDS  40000
#define NTHREADS 16

static record_t *table;
static const query_t queries[] = {{1, 500}, {3, 200}, {5, 50}, {2, 900}, {0, 100}};

static void load_table(void)
{
    unsigned x = 1;

    table = malloc(RECORDS * sizeof *table);
    for (unsigned i = 0; i < RECORDS; i++) {
        x = x * 69069u + 1u;
        table[i].id = i;
        table[i].price = (int)(x >> 22);
        table[i].weight = (int)(x >> 28);
        table[i].region = (int)(x >> 8) % 7;
    }
}

static int matches(const record_t *record, const query_t *query)
{
    return record->region == query->region && record->price < query->limit;
}

static void *scan(void *arg)
{
    size_t me = (size_t)arg, found = 0;
    const record_t *from = table + me * RECORDS / NTHREADS;
    const record_t *to = table + (me + 1) * RECORDS / NTHREADS;

    for (size_t q = 0; q < sizeof queries / sizeof *queries; q++)
        for (const record_t *record = from; record < to; record++)
            if (matches(record, &queries[q]))
                found++;
    return (void *)found;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    size_t found = 0;

    load_table();
    for (size_t t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, scan, (void *)t);
    for (int t = 0; t < NTHREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        found += (size_t)result;
    }
    printf("%zu offers\n", found);
    free(table);
    return 0;
}
