/*
 * For programs that run on the simulated NUMAchine: markers, pages that are uncached or not
 * coherent, and the special functions of memory and network cache.
 *
 * Markers name the part you want counted:
 *
 *     NUMACHINE_BEGIN("sort");
 *     ...
 *     NUMACHINE_END("sort");
 *
 * Each marker is one write to /dev/numachine/mark ("+sort", "-sort"); it costs one system call. All
 * cards' counters are read at the same cycle, shortly after the marker. Names are literals of at
 * most 60 characters. Anywhere else the device does not exist and the markers do nothing; built
 * with -DNUMACHINE_OFF they leave no trace in the program.
 */
#ifndef NUMACHINE_H
#define NUMACHINE_H

#if defined(__STRICT_ANSI__) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
#error "numachine.h needs more than ISO C: compile with -D_GNU_SOURCE, or with -std=gnu11"
#endif

#include <fcntl.h>
#include <unistd.h>

#ifdef NUMACHINE_OFF

#define NUMACHINE_BEGIN(name) ((void)0)
#define NUMACHINE_END(name)   ((void)0)

#else

/** Writes one marker. The device is opened at the first; two threads that both find it closed open
 * it twice, which does no harm. */
static inline void numachine_mark(const char *text, unsigned long length)
{
    static int device = -2; /* not tried yet; -1: not on the simulator */

    if (device == -2)
        device = open("/dev/numachine/mark", O_WRONLY);
    if (device >= 0 && write(device, text, length) < 0)
        device = -1;
}

#define NUMACHINE_BEGIN(name) numachine_mark("+" name, sizeof("+" name) - 1)
#define NUMACHINE_END(name)   numachine_mark("-" name, sizeof("-" name) - 1)

#endif

/*
 * Pages with an attribute of their own (docs/special-functions.md): zeroed memory whose loads and
 * stores all go to its home, or which is cached without coherence. Give it back with munmap. LL/SC,
 * and so atomic operations and locks, are bus errors there. Anywhere else it is ordinary memory.
 */
#include <sys/mman.h>

static inline void *numachine_pages(const char *device, unsigned long bytes)
{
    void *at = MAP_FAILED;
    int fd = -1;

#ifndef NUMACHINE_OFF
    fd = open(device, O_RDWR);
#else
    (void)device;
#endif
    if (fd >= 0) {
        at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    } else {
        at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    return at == MAP_FAILED ? 0 : at;
}

/** @return the memory, or NULL when there is none */
static inline void *numachine_uncached(unsigned long bytes)
{
    return numachine_pages("/dev/numachine/uncached", bytes);
}

static inline void *numachine_noncoherent(unsigned long bytes)
{
    return numachine_pages("/dev/numachine/noncoherent", bytes);
}

/*
 * The monitoring card of a processor (docs/special-functions.md): its registers, to be read and
 * written as volatile 32-bit words.
 *
 *     volatile unsigned *card = numachine_card(-1);
 *     NUMACHINE_COUNT(card, 0, CACHE_STALLS);
 *     work();
 *     stalls = NUMACHINE_COUNTER(card, 0);
 *
 * Where there is no such card, or with -DNUMACHINE_OFF, the pointer is NULL, nothing is written and
 * every register reads 0.
 */
#include "numachine_card.h"

/** @param card  machine-wide number, or -1: that of the processor this thread runs on now
 *  @return its registers, or NULL. They stay mapped to that card wherever the thread goes. */
static inline volatile unsigned *numachine_card(int card)
{
    void *at = MAP_FAILED;
#ifndef NUMACHINE_OFF
    char path[32] = "/dev/numachine/card";
    char digits[12];
    unsigned count = 0, end = sizeof "/dev/numachine/card" - 1;
    int fd;

    for (int left = card; card >= 0 && (left > 0 || count == 0); left /= 10)
        digits[count++] = (char)('0' + left % 10);
    while (count > 0)
        path[end++] = digits[--count];
    path[end] = '\0';
    fd = open(path, O_RDWR);
    if (fd >= 0) {
        at = mmap(0, NUMACHINE_REGISTERS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        close(fd);
    }
#else
    (void)card;
#endif
    return at == MAP_FAILED ? 0 : (volatile unsigned *)at;
}

static inline void numachine_card_write(volatile unsigned *card, unsigned offset, unsigned value)
{
    if (card)
        card[offset / 4] = value;
}

static inline unsigned numachine_card_read(volatile unsigned *card, unsigned offset)
{
    return card ? card[offset / 4] : 0;
}

/* A register by its name (numachine_card.h). */
#define NUMACHINE_READ(card, name)         numachine_card_read(card, NUMACHINE_REG_##name)
#define NUMACHINE_WRITE(card, name, value) numachine_card_write(card, NUMACHINE_REG_##name, value)

/* Counter k, 0 to 3. COUNT lets it count an event, without mask and interrupt; LOAD sets it. */
#define NUMACHINE_COUNTER(card, k) numachine_card_read(card, NUMACHINE_REG_COUNTER0 + 4 * (k))
#define NUMACHINE_LOAD(card, k, value) \
    numachine_card_write(card, NUMACHINE_REG_COUNTER0 + 4 * (k), value)
#define NUMACHINE_CONTROL(card, k, value) \
    numachine_card_write(card, NUMACHINE_REG_CONTROL0 + 4 * (k), value)
#define NUMACHINE_COUNT(card, k, event) NUMACHINE_CONTROL(card, k, NUMACHINE_EV_##event)

/* ExtendedPhaseID of the card's processor, 0 to 2047; packets carry its low 4 bits. The write waits
 * in the uncached store buffer, where cached accesses overtake it; SYNC lets none of them. */
#define NUMACHINE_PHASE(card, phase) (NUMACHINE_WRITE(card, PHASE, phase), __sync_synchronize())

/*
 * Interrupts and barriers between processors (docs/special-functions.md): registers of the same
 * space. A store into window w, 0 to 3, of the own card goes to a register of every card that the
 * window names. Cards that are not named take no notice.
 *
 *     volatile unsigned *card = numachine_card(-1);
 *
 *     numachine_window(card, 0, ~0u, ~0u, ~0u, ~0u);         everybody
 *     numachine_barrier_expect(card, 3, threads);            barrier 3, 0 to 7; each thread, then
 *     pthread_barrier_wait(&begun);                          once by other means
 *     ...
 *     for (unsigned round = 1;; round++)
 *         numachine_barrier(card, 0, 3, round);
 *
 * Where there are no cards (in functional mode, with a fast-forward or samples, elsewhere), a
 * barrier is memory of the program: one barrier 3 for all threads, with any card. A program whose
 * threads use one barrier through windows that name different cards is ended with a message there;
 * interrupts are nothing. One that looks itself whether there is a card may define
 * NUMACHINE_CARDS_CHECKED before it includes this: then nothing of that is in it, and a barrier
 * without a card does not wait.
 */
#define NUMACHINE_FIELD(word, field) \
    ((word) >> NUMACHINE_BIT_##field & (unsigned)NUMACHINE_MAX_##field)

#ifdef NUMACHINE_CARDS_CHECKED
#define NUMACHINE_NO_CARD_(card) 0
#else
#define NUMACHINE_NO_CARD_(card) __builtin_expect(!(card), 0)
#endif

/* Without cards: what was said of windows, and barriers. */
struct numachine_without_cards {
    struct {
        unsigned mask[4], known, differ; /* differ: it has named other cards before */
        unsigned pad[2];
    } window[4];
    struct {
        volatile unsigned expected, arrived, round;
        unsigned window; /* that it is used by, and 1; 0: none yet */
        unsigned pad[12];
    } barrier[8];
};

/** It is one for all files of a program, and there only if one uses it. */
static inline struct numachine_without_cards *numachine_without_cards(void)
{
    extern char numachine_without_cards_[1024]; /* and somewhat more than is needed */
    __asm__ volatile(".comm numachine_without_cards_,1024,64");
    return (struct numachine_without_cards *)(void *)numachine_without_cards_;
}

/* These functions call none that comes back, so that they cost nothing where there are cards. */

static inline void numachine_window_without_(unsigned w, unsigned cards, unsigned stations,
                                             unsigned locals, unsigned groups)
{
    struct numachine_without_cards *all = numachine_without_cards();
    const unsigned mask[4] = {cards, stations, locals, groups};
    for (unsigned i = 0; i < 4; i++) {
        all->window[w].differ |= all->window[w].known & (all->window[w].mask[i] ^ mask[i]);
        all->window[w].mask[i] = mask[i];
    }
    all->window[w].known = ~0u;
}

static inline void numachine_expect_without_(unsigned k, unsigned arrivals)
{
    struct numachine_without_cards *all = numachine_without_cards();
    all->barrier[k].arrived = all->barrier[k].round = all->barrier[k].window = 0;
    all->barrier[k].expected = arrivals;
}

static __attribute__((noinline, noreturn, cold, unused)) void numachine_barrier_refuse_(void)
{
    static const char says[] = "numachine_barrier: threads use it through windows that name "
                               "different cards. That needs the cards, and there are none in "
                               "functional mode, with a fast-forward or with samples\n";
    (void)!write(2, says, sizeof says - 1);
    _exit(1);
}

static inline void numachine_arrive_without_(unsigned w, unsigned k)
{
    struct numachine_without_cards *all = numachine_without_cards();
    const unsigned other = all->barrier[k].window ? all->barrier[k].window - 1 : w;
    unsigned differ = all->window[w].differ;

    for (unsigned i = 0; i < 4; i++)
        differ |= all->window[w].mask[i] ^ all->window[other].mask[i];
    if (differ)
        numachine_barrier_refuse_();
    all->barrier[k].window = w + 1;
    if (all->barrier[k].expected &&
        __sync_add_and_fetch(&all->barrier[k].arrived, 1) % all->barrier[k].expected == 0)
        __sync_fetch_and_add(&all->barrier[k].round, 1);
}

static inline void numachine_await_without_(unsigned k, unsigned round)
{
    struct numachine_without_cards *all = numachine_without_cards();
    while ((int)(all->barrier[k].round - round) < 0)
        ;
    __sync_synchronize();
}

/** Window `w` goes to these cards, a bit for each position on a station's bus, of all stations
 * whose positions on their local ring, that ring's on the ring above and that one's on the central
 * ring have a bit. What the machine has not is left out. */
static inline void numachine_window(volatile unsigned *card, unsigned w, unsigned cards,
                                    unsigned stations, unsigned locals, unsigned groups)
{
    if (NUMACHINE_NO_CARD_(card))
        numachine_window_without_(w, cards, stations, locals, groups);
    numachine_card_write(card, NUMACHINE_REG_TO_CARDS0 + 16 * w, cards);
    numachine_card_write(card, NUMACHINE_REG_TO_STATIONS0 + 16 * w, stations);
    numachine_card_write(card, NUMACHINE_REG_TO_LOCALS0 + 16 * w, locals);
    numachine_card_write(card, NUMACHINE_REG_TO_GROUPS0 + 16 * w, groups);
}

/** Writes the register at `offset` of every card that window `w` names. */
static inline void numachine_cast(volatile unsigned *card, unsigned w, unsigned offset,
                                  unsigned value)
{
    numachine_card_write(card, NUMACHINE_WINDOW + w * NUMACHINE_WINDOW_SPAN + offset, value);
}

/** Prepares barrier `k` of this card for rounds of so many arrivals; the first is round 1. */
static inline void numachine_barrier_expect(volatile unsigned *card, unsigned k, unsigned arrivals)
{
    if (NUMACHINE_NO_CARD_(card))
        numachine_expect_without_(k, arrivals);
    numachine_card_write(card, NUMACHINE_REG_EXPECTED0 + 16 * k, 0);
    numachine_card_write(card, NUMACHINE_REG_ARRIVED0 + 16 * k, 0);
    numachine_card_write(card, NUMACHINE_REG_ROUND0 + 16 * k, 0);
    numachine_card_write(card, NUMACHINE_REG_EXPECTED0 + 16 * k, arrivals);
    __sync_synchronize();
}

/** Arrives, on all cards of window `w`. A thread that has noticed it sees all earlier stores of
 * this thread: they are complete before the message leaves, and it overtakes no invalidation. */
static inline void numachine_barrier_arrive(volatile unsigned *card, unsigned w, unsigned k)
{
    __asm__ volatile("" ::: "memory");
    if (NUMACHINE_NO_CARD_(card))
        numachine_arrive_without_(w, k);
    numachine_cast(card, w, NUMACHINE_REG_ARRIVE0 + 16 * k, 1);
}

/** Waits until round `round` is complete on this card. */
static inline void numachine_barrier_await(volatile unsigned *card, unsigned k, unsigned round)
{
    if (NUMACHINE_NO_CARD_(card))
        numachine_await_without_(k, round);
    while (card && (int)(card[NUMACHINE_REG_ROUND0 / 4 + 4 * k] - round) < 0)
        ;
    __asm__ volatile("" ::: "memory");
}

static inline void numachine_barrier(volatile unsigned *card, unsigned w, unsigned k,
                                     unsigned round)
{
    numachine_barrier_arrive(card, w, k);
    numachine_barrier_await(card, k, round);
}

/* Word of the SRAM, 0 to 65535. */
#define NUMACHINE_SRAM(card, word) numachine_card_read(card, NUMACHINE_REG_SRAM + 4 * (word))

/*
 * Invalidates that failed. With agent.failed_upgrade: bus_error a store whose line another card
 * takes while its upgrade waits ends with a bus error, which the monitoring card leaves to software
 * to count: SIGBUS, with BUS_OBJERR as its si_code. Call numachine_count_failed() once, before
 * there are threads that share anything; each failure is then counted for its thread, and the store
 * executed again. Failures while a thread blocks SIGBUS, as the C library does when a thread begins
 * and ends, are not counted. Any other bus error still ends the program.
 */
#include <signal.h>
#include <string.h>

/** @return where those of this thread are counted */
static inline volatile unsigned long *numachine_failed_here(void)
{
    static __thread volatile unsigned long failed;
    return &failed;
}

#define numachine_failed (*numachine_failed_here())

static inline void numachine_on_failed(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code == BUS_OBJERR)
        numachine_failed++;
    else
        signal(number, SIG_DFL);
}

/** @return 0, or -1 with errno */
static inline int numachine_count_failed(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_sigaction = numachine_on_failed;
    action.sa_flags = SA_SIGINFO;
    return sigaction(SIGBUS, &action, 0);
}

/*
 * Special functions (docs/special-functions.md). Open /dev/numachine/memory, write one or more
 * struct numachine_command; a write returns when the commands are taken, not when they are done. A
 * read gives a struct numachine_report as soon as a command of this descriptor has ended.
 */
enum numachine_function {
    NUMACHINE_INVALIDATE = 1, /* invalidate shared copies */
    NUMACHINE_EXCLUSIVE = 2,  /* a clean exclusive copy at memory */
    NUMACHINE_KILL = 3,       /* take dirty copies from their owners */
    NUMACHINE_WRITE_BACK = 4, /* write dirty lines back, their owners keep shared copies */
    NUMACHINE_PREFETCH = 5,   /* into this station's network cache */
    NUMACHINE_CLAIM = 6       /* create lines in this card's secondary cache, to be overwritten */
};

enum { NUMACHINE_SIGNAL = 1 /* SIGIO for the issuing thread at the end */ };

struct numachine_command {
    unsigned function, flags;
    unsigned long long address, length; /* [bytes] every line the range overlaps is meant */
};

struct numachine_report {
    unsigned long long commands; /* ended since the last read */
    unsigned long long lines;    /* treated by them */
};

/*
 * A look at what is known of a line: ioctl(device, NUMACHINE_LOOK, &line), device being
 * /dev/numachine/memory. `address` is the program's, or with NUMACHINE_BY_INDEX the number of a
 * place. The answer replaces it by the physical address of the line there, ~0: none.
 */
enum numachine_where {
    NUMACHINE_MEMORY = 0,  /* directory of the line's home; by index, of `station` */
    NUMACHINE_NETWORK = 1, /* network cache of `station` */
    NUMACHINE_CACHE = 2    /* secondary cache of this thread's card, its half for data */
};

enum { NUMACHINE_LOOK = 0x4e01, NUMACHINE_BY_INDEX = 1 };

struct numachine_line {
    unsigned where, flags, station;
    unsigned cards; /* processor mask; of a card: 1 when the line is here */
    unsigned long long address;
    unsigned long long stations; /* routing mask: bit field of 16 per ring level */
    char state[8];               /* as `numachine protocol` names it */
};

/*
 * In-cache zero and copy: the lines of `to` are created in the secondary cache of this thread's
 * card, without data, and then overwritten there. Both ends must be at multiples of l2.line (64
 * bytes unless changed); otherwise, or without the device, it is an ordinary memset or memcpy.
 * `device` is the thread's own descriptor of /dev/numachine/memory with no command out, or -1.
 */
static inline void numachine_claim(int device, void *to, unsigned long bytes)
{
    const struct numachine_command c = {NUMACHINE_CLAIM, 0, (unsigned long)to, bytes};
    struct numachine_report r;

    if (device >= 0 && write(device, &c, sizeof c) == sizeof c)
        while (read(device, &r, sizeof r) < 0)
            ;
}

static inline void numachine_zero(int device, void *to, unsigned long bytes)
{
    numachine_claim(device, to, bytes);
    __builtin_memset(to, 0, bytes);
}

static inline void numachine_copy(int device, void *to, const void *from, unsigned long bytes)
{
    numachine_claim(device, to, bytes);
    __builtin_memcpy(to, from, bytes);
}

#endif
