/*
 * A slab allocator: objects of one size from a chunk of memory, free ones in a list, guarded by a
 * spin lock. Threads allocate small messages, fill them, and give them back.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
    struct object *next;
};

struct slab {
    int lock;
    size_t object_size;
    struct object *free;
    unsigned in_use, most;
    char *chunk;
};

static void slab_lock(struct slab *slab)
{
    int expected = 0;

    while (!__atomic_compare_exchange_n(&slab->lock, &expected, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
        expected = 0;
}

static void slab_unlock(struct slab *slab)
{
    __atomic_store_n(&slab->lock, 0, __ATOMIC_RELEASE);
}

static struct slab *slab_create(size_t object_size, unsigned objects)
{
    struct slab *slab = calloc(1, sizeof *slab);

    slab->object_size = (object_size + 63) / 64 * 64;
    slab->chunk = aligned_alloc(64, slab->object_size * objects);
    for (unsigned i = 0; i < objects; i++) {
        struct object *object = (struct object *)(slab->chunk + i * slab->object_size);
        object->next = slab->free;
        slab->free = object;
    }
    return slab;
}

static void *slab_alloc(struct slab *slab)
{
    struct object *object;

    slab_lock(slab);
    object = slab->free;
    if (object) {
        slab->free = object->next;
        if (++slab->in_use > slab->most)
            slab->most = slab->in_use;
    }
    slab_unlock(slab);
    return object;
}

static void slab_free(struct slab *slab, void *memory)
{
    struct object *object = memory;

    slab_lock(slab);
    object->next = slab->free;
    slab->free = object;
    slab->in_use--;
    slab_unlock(slab);
}

enum { WORKERS = 6, ROUNDS = 1200, MESSAGE = 48 };

static struct slab *messages;

static void *worker(void *arg)
{
    size_t sum = 0;

    for (int i = 0; i < ROUNDS; i++) {
        unsigned char *message = slab_alloc(messages);
        if (!message)
            return NULL;
        memset(message, (int)((size_t)arg + (size_t)i), MESSAGE);
        sum += message[MESSAGE - 1];
        slab_free(messages, message);
    }
    return (void *)sum;
}

int main(void)
{
    pthread_t threads[WORKERS];
    size_t sum = 0;

    messages = slab_create(MESSAGE, 64);
    for (size_t t = 0; t < WORKERS; t++)
        pthread_create(&threads[t], NULL, worker, (void *)t);
    for (int t = 0; t < WORKERS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        sum += (size_t)result;
    }
    printf("%zu, in use %u\n", sum, messages->in_use);
    free(messages->chunk);
    free(messages);
    return 0;
}
