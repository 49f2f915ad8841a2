/*
 * Kernels on the host: what numachine_kernel.h is where the simulator runs the kernel itself. Only
 * that header includes this one.
 *
 * A reference is 16 bytes in a batch; the simulator takes them when the batch is full, or when the
 * thread needs to know something. Calls go through a table, so a kernel links against nothing.
 */
#ifndef NUMACHINE_KERNEL_HOST_H
#define NUMACHINE_KERNEL_HOST_H

/** Of the structs below: a kernel of another version is refused. */
#define KN_VERSION 1

/** A reference as the simulator takes it: address in the low 48 bits, logarithm of the size, kind.
 */
struct kn_packed {
    uint64_t what;
    uint32_t ticks, value;
};
enum { KN_KIND_COMPUTE_ = 1, KN_KIND_LOAD_ = 2, KN_KIND_STORE_ = 3 };

/** What a thread asks the simulator for. */
enum kn_act { KN_GET_, KN_ADD_, KN_SWAP_, KN_COMPARE_, KN_WAIT_, KN_BEGIN_, KN_END_ };

/** The simulator's functions. */
struct kn_calls {
    void (*flush)(kn_thread *t); /**< the batch is full */
    uint32_t (*act)(kn_thread *t, enum kn_act act, const volatile void *word, uint32_t value,
                    uint32_t expected, const char *name);
    unsigned (*threads)(const kn_program *p);
    uint64_t (*number)(kn_program *p, const char *name, uint64_t standard, uint64_t least,
                       uint64_t most);
    void *(*alloc)(kn_program *p, size_t bytes);
    void (*print)(kn_program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
};

struct kn_program {
    const struct kn_calls *calls;
};

struct kn_thread {
    struct kn_packed *last, *end; /**< the batch's last reference, and where it must not come */
    uintptr_t base; /**< of the memory that kn_alloc gives, less its simulated address */
    kn_program *program;
    unsigned number;
    uint64_t phase; /**< simulated address of the register with the PhaseID; 0: there is none */
    enum kn_relation relation; /**< of KN_WAIT_ */
    const char *what, *file;   /**< where it is in its source */
    unsigned line;
};

/** What a kernel is. */
struct kn_kernel {
    unsigned version; /**< KN_VERSION */
    void *(*setup)(kn_program *p);
    void (*work)(kn_thread *t, void *data);
    int (*check)(kn_program *p, void *data);
};

#define KN_KERNEL(setup, work, check)               \
    extern const struct kn_kernel numachine_kernel; \
    const struct kn_kernel numachine_kernel         \
        __attribute__((visibility("default"))) = {KN_VERSION, (setup), (work), (check)};

#define KN_HERE_(t, name) ((void)((t)->what = (name), (t)->file = __FILE__, (t)->line = __LINE__))

#define KN_SIZE_(x)                                                                      \
    _Static_assert(sizeof(x) == 1 || sizeof(x) == 2 || sizeof(x) == 4 || sizeof(x) == 8, \
                   "a reference is to 1, 2, 4 or 8 bytes")
#define KN_SHIFT_(x) (sizeof(x) == 1 ? 0u : sizeof(x) == 2 ? 1u : sizeof(x) == 4 ? 2u : 3u)

#define KN_PRINT_(p, ...) (p)->calls->print((p), __VA_ARGS__)

static inline void kn_refer_(kn_thread *t, unsigned kind, uint64_t address, unsigned shift,
                             uint32_t value)
{
    struct kn_packed *r = ++t->last;
    r->what = address | (uint64_t)shift << 48 | (uint64_t)kind << 56;
    r->ticks = 1;
    r->value = value;
    if (r + 1 == t->end)
        t->program->calls->flush(t);
}

/** Of what is not memory of kn_alloc: an address that is nobody's. */
static inline uint64_t kn_address_(const kn_thread *t, const volatile void *p)
{
    return ((uintptr_t)p - t->base) & 0xffffffffffff;
}

#define KN_LOAD(t, x)                                                          \
    __extension__({                                                            \
        __typeof__(x) *const at_ = &(x);                                       \
        KN_SIZE_(x);                                                           \
        kn_refer_((t), KN_KIND_LOAD_, kn_address_((t), at_), KN_SHIFT_(x), 0); \
        *at_;                                                                  \
    })

#define KN_STORE(t, x, v)                                                       \
    __extension__({                                                             \
        __typeof__(x) *const to_ = &(x);                                        \
        KN_SIZE_(x);                                                            \
        *to_ = (v);                                                             \
        kn_refer_((t), KN_KIND_STORE_, kn_address_((t), to_), KN_SHIFT_(x), 0); \
    })

#define KN_COMPUTE(t, n) kn_compute_((t), (n))

/** Work is added to the last reference's, as far as that can hold it. */
static inline void kn_compute_(kn_thread *t, uint64_t n)
{
    const uint32_t most = UINT32_MAX;
    while (n > most - t->last->ticks) {
        n -= most - t->last->ticks;
        t->last->ticks = most;
        if (n)
            kn_refer_(t, KN_KIND_COMPUTE_, 0, 0, 0); /* takes one itself */
        n -= n > 0;
    }
    t->last->ticks += (uint32_t)n;
}

static inline unsigned kn_threads(const kn_program *p)
{
    return p->calls->threads(p);
}

static inline uint64_t kn_number(kn_program *p, const char *name, uint64_t standard, uint64_t least,
                                 uint64_t most)
{
    return p->calls->number(p, name, standard, least, most);
}

static inline void *kn_alloc(kn_program *p, size_t bytes)
{
    return p->calls->alloc(p, bytes);
}

static inline unsigned kn_self(const kn_thread *t)
{
    return t->number;
}

static inline kn_program *kn_program_of(const kn_thread *t)
{
    return t->program;
}

static inline uint32_t kn_act_(kn_thread *t, enum kn_act act, kn_word *w, uint32_t value,
                               uint32_t expected)
{
    return t->program->calls->act(t, act, w, value, expected, NULL);
}

static inline uint32_t kn_get_(kn_thread *t, kn_word *w)
{
    return kn_act_(t, KN_GET_, w, 0, 0);
}

static inline void kn_set_(kn_thread *t, kn_word *w, uint32_t value)
{
    kn_refer_(t, KN_KIND_STORE_, kn_address_(t, w), 2, value);
}

static inline uint32_t kn_add_(kn_thread *t, kn_word *w, uint32_t value)
{
    return kn_act_(t, KN_ADD_, w, value, 0);
}

static inline uint32_t kn_swap_(kn_thread *t, kn_word *w, uint32_t value)
{
    return kn_act_(t, KN_SWAP_, w, value, 0);
}

static inline uint32_t kn_compare_(kn_thread *t, kn_word *w, uint32_t expected, uint32_t value)
{
    return kn_act_(t, KN_COMPARE_, w, value, expected);
}

static inline void kn_wait_(kn_thread *t, kn_word *w, enum kn_relation relation, uint32_t value)
{
    t->relation = relation;
    (void)kn_act_(t, KN_WAIT_, w, value, 0);
}

static inline void kn_begin_(kn_thread *t, const char *name)
{
    (void)t->program->calls->act(t, KN_BEGIN_, NULL, 0, 0, name);
}

static inline void kn_end_(kn_thread *t, const char *name)
{
    (void)t->program->calls->act(t, KN_END_, NULL, 0, 0, name);
}

static inline void kn_phase_(kn_thread *t, unsigned id)
{
    if (t->phase)
        kn_refer_(t, KN_KIND_STORE_, t->phase, 2, id & 15);
}

#endif
