/*
 * Reference-counted strings. A table of strings is made once; each thread then takes and drops
 * references to the one that belongs to it, as a session of a server does with its user's name.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSIONS 8
#define REQUESTS 5000

typedef struct str {
    int refs;
    char text[1];
} str_t;

static str_t *str_new(const char *text)
{
    str_t *s = malloc(sizeof(int) + strlen(text) + 1);

    s->refs = 1;
    strcpy(s->text, text);
    return s;
}

static str_t *str_get(str_t *s)
{
    __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
    return s;
}

static void str_put(str_t *s)
{
    if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0)
        free(s);
}

struct session {
    pthread_t thread;
    str_t *user;
    unsigned checksum;
};

static __attribute__((noinline)) unsigned handle_request(str_t *user, unsigned number)
{
    unsigned sum = number;

    for (const char *c = user->text; *c; c++)
        sum = sum * 31u + (unsigned char)*c;
    return sum;
}

static void *session_run(void *arg)
{
    struct session *session = arg;
    unsigned checksum = 0;

    for (unsigned i = 0; i < REQUESTS; i++) {
        str_t *user = str_get(session->user);
        checksum ^= handle_request(user, i);
        str_put(user);
    }
    session->checksum = checksum;
    return NULL;
}

int main(void)
{
    static const char *const names[SESSIONS] = {"ada", "bob", "cyd", "dan", "eve", "fay", "gus", "hal"};
    struct session *sessions[SESSIONS];
    str_t *users[SESSIONS];
    unsigned checksum = 0;

    for (int i = 0; i < SESSIONS; i++)
        users[i] = str_new(names[i]);
    for (int i = 0; i < SESSIONS; i++) {
        sessions[i] = aligned_alloc(64, (sizeof **sessions + 63) / 64 * 64);
        sessions[i]->user = users[i];
        pthread_create(&sessions[i]->thread, NULL, session_run, sessions[i]);
    }
    for (int i = 0; i < SESSIONS; i++) {
        pthread_join(sessions[i]->thread, NULL);
        checksum += sessions[i]->checksum;
        free(sessions[i]);
        str_put(users[i]);
    }
    printf("%08x\n", checksum);
    return 0;
}
