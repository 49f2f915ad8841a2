/* One page at two addresses, of different colours in a virtually indexed cache: threads count in it
 * through both, with LL and SC and with plain loads and stores under a lock that lies in it. */
#include "guest.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 40 };

struct shared {
    unsigned lock, counts[2];
};

static volatile struct shared *view[2];

static void count(unsigned turn)
{
    while (__atomic_exchange_n(&view[turn & 1]->lock, 1, __ATOMIC_SEQ_CST))
        ;
    view[!(turn & 1)]->counts[0]++;
    __atomic_store_n(&view[turn & 1]->lock, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&view[!(turn & 1)]->counts[1], 1, __ATOMIC_SEQ_CST);
}

static void *thread(void *arg)
{
    for (unsigned i = 0; i < TURNS; i++)
        count((unsigned)(size_t)arg + i / 2);
    return NULL;
}

int main(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    const int fd = memfd_create("alias", 0);
    char *room = mmap(NULL, 4 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_t threads[THREADS];

    CHECK(ftruncate(fd, page) == 0);
    for (int i = 0; i < 2; i++)
        view[i] =
            mmap(room + i * page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%u %u\n", view[0]->counts[0], view[1]->counts[1]);
    return guest_result();
}
