/* Ends by SIGABRT, after a handler for it has returned. */
#include "guest.h"

#include <signal.h>

static void handler(int signal)
{
    (void)signal;
    printf("handler\n");
    fflush(stdout);
}

int main(void)
{
    signal(SIGABRT, handler);
    abort();
}
