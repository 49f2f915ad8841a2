/* A web server: workers look at the configuration for each request, and count beside its pointer.
 */
#include "shown.h"

struct config {
    unsigned short port, limit;
    unsigned timeout;
    unsigned char types[64];
};

struct stats {
    APART unsigned requests;
    unsigned bytes, errors;
};

struct server {
    const struct config *config;
    APART struct stats stats[MOST];
};

enum { REQUESTS = 1500 };

static OWN_LINE struct server server;
static OWN_LINE struct config standard = {.port = 80, .limit = 900, .timeout = 30};

static unsigned parse(unsigned seed, unsigned char *head, unsigned n)
{
    unsigned h = seed * 2654435761u;
    for (unsigned i = 0; i < n; i++) {
        head[i] = (unsigned char)(h >> 24);
        h = h * 31 + head[i];
    }
    return h;
}

static void answer(struct stats *s, unsigned request)
{
    unsigned char head[24];
    const struct config *c = server.config;
    unsigned h = parse(request, head, sizeof head);
    unsigned size = h % 1000;
    s->requests++; /* shares: server */
    if (size > c->limit)
        s->errors++; /* shares: server */
    else
        s->bytes += size + c->types[h & 63]; /* shares: server */
}

static void *work(void *argument)
{
    int me = number(argument);
    for (unsigned i = 0; i < REQUESTS; i++)
        answer(&server.stats[me], (unsigned)me * REQUESTS + i);
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 4);
    unsigned all = 0, errors = 0;
    server.config = &standard;
    shown("server", &server, sizeof server);
    crew(n, work);
    for (int i = 0; i < n; i++) {
        all += server.stats[i].requests;
        errors += server.stats[i].errors;
    }
    printf("%u requests\n", all);
    return all != (unsigned)n * REQUESTS || errors > all / 5;
}
