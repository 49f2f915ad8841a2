/* Ends by SIGSEGV in a second thread, with everything printed before it delivered. */
#include "guest.h"

#include <pthread.h>

static void *thread(void *arg)
{
    *(volatile int *)arg = 1;
    return NULL;
}

int main(void)
{
    pthread_t other;

    printf("before\n");
    fflush(stdout);
    pthread_create(&other, NULL, thread, (void *)16);
    pthread_join(other, NULL);
    printf("never\n");
    return guest_result();
}
