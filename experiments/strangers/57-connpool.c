/*
 * A pool of connection objects for a server: all objects come from one chunk, and free ones are
 * linked through themselves. Connections are opened by the main thread and then each served by a
 * thread of its own, which keeps the connection's counts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct conn {
    union {
        struct conn *next_free;
        int fd;
    };
    unsigned bytes_in, bytes_out;
    unsigned short errors;
    unsigned char state, flags;
} conn_t;

typedef struct {
    conn_t *chunk;
    conn_t *free;
    int size;
} pool_t;

enum { CLOSED, OPEN };
enum { CONNECTIONS = 8, PACKETS = 14000 };

static pool_t pool;
static conn_t *conns[CONNECTIONS];

static void pool_init(pool_t *p, int size)
{
    p->chunk = malloc((size_t)size * sizeof *p->chunk);
    p->size = size;
    p->free = NULL;
    for (int i = size - 1; i >= 0; i--) {
        p->chunk[i].next_free = p->free;
        p->free = &p->chunk[i];
    }
}

static conn_t *pool_take(pool_t *p)
{
    conn_t *c = p->free;

    if (c) {
        p->free = c->next_free;
        memset(c, 0, sizeof *c);
    }
    return c;
}

static void pool_give(pool_t *p, conn_t *c)
{
    c->next_free = p->free;
    p->free = c;
}

static conn_t *conn_open(int fd)
{
    conn_t *c = pool_take(&pool);

    if (!c) {
        fputs("no more connections\n", stderr);
        exit(1);
    }
    c->fd = fd;
    c->state = OPEN;
    return c;
}

static void handle_packet(conn_t *c, unsigned char *packet, unsigned length)
{
    packet[length & 63] ^= (unsigned char)length;
    c->bytes_in += length;
    if (length % 32 == 0)
        c->errors++;
    else
        c->bytes_out += length / 2;
}

static void *serve(void *arg)
{
    conn_t *c = arg;
    unsigned char packet[64];
    unsigned x = (unsigned)c->fd;

    memset(packet, 0, sizeof packet);
    for (int i = 0; i < PACKETS; i++) {
        x = x * 1103515245u + 12345u;
        handle_packet(c, packet, x >> 22);
    }
    c->state = CLOSED;
    return NULL;
}

int main(void)
{
    pthread_t threads[CONNECTIONS];
    unsigned in = 0, out = 0, errors = 0;

    pool_init(&pool, 32);
    for (int i = 0; i < CONNECTIONS; i++)
        conns[i] = conn_open(100 + i);
    for (int i = 0; i < CONNECTIONS; i++)
        pthread_create(&threads[i], NULL, serve, conns[i]);
    for (int i = 0; i < CONNECTIONS; i++) {
        pthread_join(threads[i], NULL);
        in += conns[i]->bytes_in;
        out += conns[i]->bytes_out;
        errors += conns[i]->errors;
        pool_give(&pool, conns[i]);
    }
    printf("in %u, out %u, errors %u\n", in, out, errors);
    free(pool.chunk);
    return 0;
}
