/*
 * What happens between an access and what comes of it: the operating system writes to a word that
 * is linked, a store meets additions, and a page is opened when a thread is on its way to it.
 */
#include "guest.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ADDERS = 3, WRITES = 300, PAGES = 100, PAGE = 0x10000 };

/* Each in a page of its own. */
static _Alignas(PAGE) _Atomic uint32_t word;
static _Alignas(PAGE) _Atomic int stop;
static _Alignas(PAGE) struct {
    _Atomic int open, contended;
} flag;
static _Alignas(PAGE) _Atomic int wanted;
static char *pages;

static void *adds(void *to)
{
    while (!atomic_load(&stop))
        atomic_fetch_add_explicit((_Atomic uint32_t *)to, 1, memory_order_relaxed);
    return NULL;
}

static void start(pthread_t *thread, void *(*work)(void *), void *arg)
{
    atomic_store(&stop, 0);
    for (int i = 0; i < ADDERS; i++)
        CHECK(pthread_create(&thread[i], NULL, work, arg) == 0);
}

static void end(const pthread_t *thread)
{
    atomic_store(&stop, 1);
    for (int i = 0; i < ADDERS; i++)
        CHECK(pthread_join(thread[i], NULL) == 0);
}

static void wait_a_little(int turns)
{
    for (volatile int i = 0; i < turns; i++)
        ;
}

/* Makes processors let go of what they have begun. */
static void *changes_mappings(void *page)
{
    while (!atomic_load(&stop))
        CHECK(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
    return NULL;
}

/* Puts ever larger numbers into the word, to which others add little. Each must stay.
 * @param page  whose mapping changes meanwhile; NULL: none */
static int lost(void (*put)(uint32_t), char *page)
{
    pthread_t thread[ADDERS], other;
    int count = 0;

    start(thread, adds, &word);
    CHECK(!page || pthread_create(&other, NULL, changes_mappings, page) == 0);
    for (uint32_t k = 1; k <= WRITES; k++) {
        put(k << 20);
        wait_a_little(k % 37);
        count += atomic_load(&word) < k << 20;
    }
    end(thread);
    CHECK(!page || pthread_join(other, NULL) == 0);
    atomic_store(&word, 0);
    return count;
}

static int ends[2];

static void read_into(uint32_t number)
{
    CHECK(write(ends[1], &number, sizeof number) == sizeof number);
    CHECK(read(ends[0], (void *)&word, sizeof word) == sizeof word);
}

static void store(uint32_t number)
{
    atomic_store_explicit(&word, number, memory_order_relaxed);
}

static void *contends(void *unused)
{
    while (!atomic_load(&stop))
        atomic_fetch_add(&flag.contended, 1);
    return unused;
}

static int open_for(int page)
{
    return atomic_load_explicit(&flag.open, memory_order_acquire) == page ? pages[page * PAGE] + 1
                                                                          : 0;
}

static void *reads(void *sum)
{
    for (int page = 1; page < PAGES; page++) {
        int got;
        atomic_store(&wanted, page);
        while (!(got = open_for(page)))
            ;
        *(int *)sum += got;
    }
    return NULL;
}

static void on_fault(int signal)
{
    static const char words[] = "a fault in a page that is open\n";
    (void)!write(1, words, sizeof words - 1);
    _exit(signal);
}

/* Opens page after page, each for a reader who looks at it only when it has been told. */
static int opened(int rights, void (*open_page)(char *))
{
    pthread_t thread[ADDERS], reader;
    int sum = 0;

    pages = mmap(NULL, PAGES * PAGE, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(pages != MAP_FAILED);
    CHECK(pthread_create(&reader, NULL, reads, &sum) == 0);
    start(thread, contends, NULL);
    for (int page = 1; page < PAGES; page++) {
        while (atomic_load(&wanted) != page)
            ;
        wait_a_little(page % 64);
        open_page(pages + page * PAGE);
        atomic_store_explicit(&flag.open, page, memory_order_release);
    }
    CHECK(pthread_join(reader, NULL) == 0);
    end(thread);
    atomic_store(&flag.open, 0);
    CHECK(munmap(pages, PAGES * PAGE) == 0);
    return sum;
}

static void allow(char *page)
{
    CHECK(mprotect(page, PAGE, PROT_READ | PROT_WRITE) == 0);
}

/* The page is gone for a moment, when nobody knows that it is there. */
static void map_again(char *page)
{
    CHECK(munmap(page, PAGE) == 0);
    wait_a_little(10);
    CHECK(mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1,
               0) == page);
}

int main(void)
{
    signal(SIGSEGV, on_fault);
    CHECK(pipe(ends) == 0);
    printf("lost of what was read into a word: %d\n", lost(read_into, NULL));
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    page[0] = 1;
    printf("lost of what was stored: %d\n", lost(store, page));
    printf("pages allowed: %d\n", opened(PROT_NONE, allow));
    printf("pages mapped: %d\n", opened(PROT_NONE, map_again));
    return guest_result();
}
