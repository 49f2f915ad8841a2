/*
 * A toy server: four kinds of threads (accept, parse, cache, send), each of which keeps the
 * statistic of its own kind, which a signal handler of the real thing would print.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS 40000

static volatile unsigned requests_served;
static volatile unsigned headers_parsed;
static volatile unsigned cache_hits;
static volatile unsigned bytes_sent;

static const char request[] = "GET /index.html HTTP/1.0\r\nHost: example\r\nAccept: */*\r\n\r\n";

static unsigned step(unsigned x)
{
    return x * 1664525u + 1013904223u;
}

static void *acceptor(void *unused)
{
    unsigned x = 1;

    (void)unused;
    for (int i = 0; i < EVENTS; i++) {
        x = step(x);
        if (x >> 29)
            requests_served++;
    }
    return NULL;
}

static void *parser(void *unused)
{
    const char *p = request;

    (void)unused;
    for (int i = 0; i < EVENTS; i++) {
        if (*p == ' ' || *p == ':' || *p == '/')
            headers_parsed++;
        else
            headers_parsed += 2;
        if (!*++p)
            p = request;
    }
    return NULL;
}

static void *cacher(void *unused)
{
    unsigned tags[16], x = 2;

    (void)unused;
    memset(tags, 0, sizeof tags);
    for (int i = 0; i < EVENTS; i++) {
        x = step(x);
        if (tags[x >> 28] == x >> 31)
            cache_hits++;
        tags[x >> 28] = x >> 31;
    }
    return NULL;
}

static void *sender(void *unused)
{
    unsigned x = 3;

    (void)unused;
    for (int i = 0; i < EVENTS; i++) {
        x = step(x);
        bytes_sent += x >> 21;
    }
    return NULL;
}

int main(void)
{
    void *(*const kinds[])(void *) = {acceptor, parser, cacher, sender};
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, kinds[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("served %u parsed %u hits %u sent %u\n", requests_served, headers_parsed, cache_hits,
           bytes_sent);
    return 0;
}
