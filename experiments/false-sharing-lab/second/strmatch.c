/*
 * Looks for four keys in a list of candidates, which are scrambled and compared as a password
 * checker does. Each thread has a record of what it tried and found, allocated as one array.
 */
#include "shown.h"

#include <pthread.h>
#include <string.h>

enum { LENGTH = 12, TRIES = 260 };

struct finding {
    APART char scrambled[LENGTH];
    unsigned tried;
    unsigned found;
};

struct job {
    LINE_ALIGNED struct finding *finding;
    unsigned seed;
};

static const char *const keys[] = {"swordfish", "numa", "harbour", "orange"};

static __attribute__((noipa)) void scramble(char *to, const char *from)
{
    size_t i = 0;
    for (; from[i] && i < LENGTH - 1; i++)
        to[i] = (char)(from[i] ^ 5); /* shares: main() */
    to[i] = 0;
}

static void *search(void *arg)
{
    const struct job *job = arg;
    struct finding *f = job->finding;
    for (unsigned i = 0; i < TRIES; i++) {
        const char *candidate = keys[(i * 7 + job->seed) % 4];
        scramble(f->scrambled, candidate);
        f->tried++; /* shares: main() */
        for (unsigned k = 0; k < 4; k++) {
            char key[LENGTH];
            scramble(key, keys[k]);
            if (strcmp(key, f->scrambled) == 0)
                f->found++; /* shares: main() */
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 2);
    pthread_t ids[64];
    struct job jobs[64];
    unsigned tried = 0, found = 0;
    const size_t bytes = (size_t)threads * sizeof(struct finding);
    struct finding *findings = aligned_alloc(64, (bytes + 63) / 64 * 64);
    memset(findings, 0, bytes);
    for (int t = 0; t < threads; t++) {
        jobs[t] = (struct job){&findings[t], (unsigned)t};
        pthread_create(&ids[t], NULL, search, &jobs[t]);
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        tried += findings[t].tried;
        found += findings[t].found;
    }
    show_object("main()", findings, bytes);
    printf("tried %u, found %u\n", tried, found);
    free(findings);
    return tried != found || tried != TRIES * (unsigned)threads;
}
