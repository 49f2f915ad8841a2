/* A log for each thread: the texts lie apart, their lengths side by side. */
#include "shown.h"
#include <string.h>

enum { ROOM = 4096, RECORDS = 700 };

struct logs {
    char *text[MOST];
    APART struct {
        APART unsigned length;
        unsigned dropped;
    } state[MOST];
};

static OWN_LINE struct logs logs;

static ALONE char *log_room(void)
{
    char *room = (char *)aligned_alloc(LINE, ROOM);
    memset(room, 0, ROOM);
    return room;
}

static char *format(char *at, unsigned number)
{
    *at++ = 'r';
    for (int shift = 12; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[number >> shift & 15];
    *at++ = ';';
    return at;
}

static void log_put(int me, const char *record, unsigned bytes)
{
    if (logs.state[me].length + bytes > ROOM) {
        logs.state[me].dropped++;  /* shares: logs */
        logs.state[me].length = 0; /* shares: logs */
    }
    char *to = logs.text[me];
    for (unsigned i = 0; i < bytes; i++) {
        to[logs.state[me].length] = record[i];
        logs.state[me].length++; /* shares: logs */
    }
}

static void *work(void *argument)
{
    int me = number(argument);
    char record[8];
    for (unsigned i = 0; i < RECORDS; i++) {
        const char *end = format(record, i);
        log_put(me, record, (unsigned)(end - record));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 3), wrong = 0;
    for (int i = 0; i < n; i++)
        logs.text[i] = log_room();
    shown("logs", &logs, sizeof logs);
    crew(n, work);
    for (int i = 0; i < n; i++) {
        wrong += logs.state[i].length + logs.state[i].dropped * (ROOM / 6 * 6) != RECORDS * 6;
        wrong += memcmp(logs.text[i], "r", 1) != 0;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
