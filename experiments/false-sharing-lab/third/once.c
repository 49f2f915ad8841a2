/* Double-checked initialisation: the first that needs the tables makes them, under a lock; then all
 * only read. */
#include "shown.h"
#include <stdatomic.h>

enum { ENTRIES = 256, BLOCKS = 120, BLOCK = 32 };

struct tables {
    uint32_t crc[ENTRIES];
    unsigned char reverse[ENTRIES];
};

static OWN_LINE _Atomic(struct tables *) tables;
static OWN_LINE pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static OWN_LINE unsigned results[MOST][LINE / sizeof(unsigned)];
static OWN_LINE unsigned made;

static ALONE struct tables *tables_make(void)
{
    struct tables *t = (struct tables *)aligned_alloc(LINE, sizeof *t);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint32_t c = i, r = 0;
        for (int k = 0; k < 8; k++) {
            c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
            r |= (i >> k & 1) << (7 - k);
        }
        t->crc[i] = c;
        t->reverse[i] = (unsigned char)r;
    }
    made++;
    return t;
}

static const struct tables *tables_get(void)
{
    struct tables *t = atomic_load_explicit(&tables, memory_order_acquire);
    if (t)
        return t;
    pthread_mutex_lock(&making);
    t = atomic_load_explicit(&tables, memory_order_relaxed);
    if (!t) {
        t = tables_make();
        atomic_store_explicit(&tables, t, memory_order_release);
    }
    pthread_mutex_unlock(&making);
    return t;
}

static uint32_t check_sum(uint32_t seed)
{
    const struct tables *t = tables_get();
    uint32_t c = ~0u;
    for (uint32_t i = 0; i < BLOCK; i++)
        c = t->crc[(c ^ t->reverse[(seed + i) & 255]) & 255] ^ c >> 8;
    return ~c;
}

static void *work(void *argument)
{
    int me = number(argument);
    uint32_t all = 0;
    for (uint32_t b = 0; b < BLOCKS; b++)
        all ^= check_sum(b);
    results[me][0] = all;
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 8), wrong = 0;
    crew(n, work);
    shown("tables", &tables, sizeof tables);
    shown("tables_make()", atomic_load(&tables), sizeof(struct tables));
    for (int i = 1; i < n; i++)
        wrong += results[i][0] != results[0][0];
    printf("made %u, %d wrong\n", made, wrong);
    return wrong != 0 || made != 1;
}
