/*
 * Numbers by numbers, hashed.
 */
#include "programs/traces/table.h"
#include "base/alloc.h"

#include <uthash.h>

struct tr_entry {
    uint64_t key, value;
    UT_hash_handle hh;
};

static struct tr_entry *table_find(const struct tr_table *table, uint64_t key)
{
    struct tr_entry *entry;
    HASH_FIND(hh, table->first, &key, sizeof key, entry);
    return entry;
}

uint64_t *tr_table_find(const struct tr_table *table, uint64_t key)
{
    struct tr_entry *entry = table_find(table, key);
    return entry ? &entry->value : NULL;
}

uint64_t *tr_table_at(struct tr_table *table, uint64_t key)
{
    struct tr_entry *entry = table_find(table, key);
    if (!entry) {
        entry = sim_alloc(1, sizeof *entry);
        entry->key = key;
        HASH_ADD(hh, table->first, key, sizeof entry->key, entry);
    }
    return &entry->value;
}

void tr_table_free(struct tr_table *table)
{
    struct tr_entry *entry, *next;
    HASH_ITER(hh, table->first, entry, next) {
        HASH_DEL(table->first, entry);
        free(entry);
    }
}
