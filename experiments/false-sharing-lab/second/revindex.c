/*
 * A reverse index: who links to a page. Each thread has a list of the pages that it met; the
 * entries of all threads come from one small allocator, which hands out 16 bytes after the other.
 */
#include "shown.h"

#include <pthread.h>
#include <string.h>

enum { PAGES = 24, LINKS = 1500 };

struct entry {
    APART struct entry *next;
    unsigned page;
    unsigned links;
    unsigned last_from;
};

static struct {
    pthread_mutex_t lock;
    char *at;
} arena LINE_ALIGNED = {PTHREAD_MUTEX_INITIALIZER, NULL};
static pthread_barrier_t begin LINE_ALIGNED;

static void arena_new(size_t bytes)
{
    arena.at = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(arena.at, 0, bytes);
    show_object("arena_new()", arena.at, bytes);
}

static struct entry *entry_new(unsigned page)
{
    pthread_mutex_lock(&arena.lock);
    struct entry *e = (struct entry *)arena.at;
    arena.at += sizeof *e;
    pthread_mutex_unlock(&arena.lock);
    e->page = page; /* shares: arena_new() */
    return e;
}

static struct entry *list_find(struct entry **list, unsigned page)
{
    struct entry **at = list;
    while (*at && (*at)->page != page)
        at = &(*at)->next;
    if (!*at)
        *at = entry_new(page); /* shares: arena_new() */
    return *at;
}

static void *index_links(void *arg)
{
    struct entry **list = arg;
    unsigned x = 77;
    pthread_barrier_wait(&begin);
    for (unsigned i = 0; i < LINKS; i++) {
        x = x * 1664525u + 1013904223u;
        struct entry *e = list_find(list, (x >> 20) % PAGES);
        e->links++;       /* shares: arena_new() */
        e->last_from = i; /* shares: arena_new() */
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 4);
    static struct {
        LINE_ALIGNED struct entry *head;
    } lists[64];
    pthread_t ids[64];
    unsigned links = 0;
    arena_new((size_t)threads * PAGES * sizeof(struct entry));
    pthread_barrier_init(&begin, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, index_links, &lists[t].head);
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        for (struct entry *e = lists[t].head; e; e = e->next)
            links += e->links;
    }
    SHOW(arena);
    printf("links %u\n", links);
    return links != LINKS * (unsigned)threads;
}
