/*
 * Calls to the host, and the log of what it said.
 *
 * The hard idea: a run depends on nothing but its input, and all input that is not there at its
 * first cycle comes by these calls. So a copy of the simulator that gets the same answers in the
 * same order does the same again, to the cycle. That it asks the same is looked at for every
 * answer: a difference is a bug of the simulator, and ends the copy.
 *
 * The log is a ring of whole answers. Only the process whose run goes on writes it; copies read it
 * while that one sleeps. One process has one host, so it has one log.
 */
#include "programs/host.h"

#include "base/alloc.h"
#include "base/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <xxhash.h>

enum host_call {
#define HOST(type, name, ...) HOST_##name,
#include "programs/host.def"
#undef HOST
    HOST_list,
};

/** An answer; `bytes` follow it. */
struct host_answer {
    uint16_t call, error; /**< enum host_call; errno */
    uint32_t asked;       /**< hash of the question */
    int64_t result;
    uint64_t bytes;
};

/** What processes share of the log; `room` bytes follow it. */
struct host_log {
    uint64_t end; /**< [bytes] ever written */
};

static struct {
    struct host_log *shared; /**< NULL: there is no log */
    size_t room;             /**< [bytes] */
    uint64_t at;             /**< [bytes] this process has come to here */
    bool past;               /**< it answers from there */
    prog_host_end_fn *end;
    void *ctx;
} host;

/* ---- the log --------------------------------------------------------------------------------- */

void prog_host_log_begin(size_t room)
{
    host.shared = sim_beside_memory(sizeof *host.shared + room);
    host.room = room;
    host.at = 0;
    host.past = false;
}

void prog_host_log_end(void)
{
    if (host.shared)
        sim_beside_release(host.shared, sizeof *host.shared + host.room);
    memset(&host, 0, sizeof host);
}

void prog_host_log_replay(prog_host_end_fn *end, void *ctx)
{
    host.past = true;
    host.end = end;
    host.ctx = ctx;
}

bool prog_host_past(void)
{
    return host.past;
}

uint64_t prog_host_log_at(void)
{
    return host.at;
}

uint64_t prog_host_log_forgotten(void)
{
    return host.shared && host.shared->end > host.room ? host.shared->end - host.room : 0;
}

/** The piece of the ring at `at`, as long as it does not go round. */
static uint8_t *log_piece(uint64_t at, size_t *count)
{
    const size_t from = at % host.room;

    if (*count > host.room - from)
        *count = host.room - from;
    return (uint8_t *)(host.shared + 1) + from;
}

static void log_put(const void *bytes, size_t count)
{
    for (const uint8_t *from = bytes; count;) {
        size_t n = count;
        memcpy(log_piece(host.at, &n), from, n);
        from += n;
        host.at += n;
        count -= n;
    }
}

static void log_get(void *bytes, size_t count)
{
    for (uint8_t *to = bytes; count;) {
        size_t n = count;
        memcpy(to, log_piece(host.at, &n), n);
        to += n;
        host.at += n;
        count -= n;
    }
}

static uint32_t asked_of(uint64_t which, const void *said, size_t said_bytes)
{
    return (uint32_t)XXH3_64bits_withSeed(said_bytes ? said : "", said_bytes, which);
}

/** Keeps an answer, and errno. */
static void answer_keep(const struct host_answer *answer, const void *told)
{
    log_put(answer, sizeof *answer);
    log_put(told, answer->bytes);
    host.shared->end = host.at;
    errno = answer->error;
}

static _Noreturn void answer_differs(const char *why)
{
    fprintf(stderr,
            "numachine: error: the past is not what it was: %s. This is a bug of the simulator\n",
            why);
    _exit(EXIT_FAILURE);
}

/** The next answer of the log, if that is where the question belongs. */
static struct host_answer answer_next(enum host_call call, uint32_t asked)
{
    struct host_answer answer;

    if (host.at == host.shared->end)
        host.end(host.ctx);
    if (host.at < prog_host_log_forgotten())
        answer_differs("the log has forgotten it");
    log_get(&answer, sizeof answer);
    if (answer.call != call || answer.asked != asked)
        answer_differs("the run has asked the host for something else");
    errno = answer.error;
    return answer;
}

/* ---- calls that the host has by other names -------------------------------------------------- */

/** Opens a name in a directory without following it. */
static int open_step(int dir, const char *name)
{
    struct open_how how = {.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    const int fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof how);

    if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EINVAL && errno != EAGAIN))
        return fd;
    return openat(dir, name, (int)how.flags);
}

static int copy_descriptor(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

/** The path without links. @return 0, or -1: there is nothing */
static int path_is_there(const char *path, char text[PATH_MAX])
{
    return realpath(path, text) ? 0 : -1;
}

#define HOST(type, name, real, parameters, arguments, which, ...)   \
    type prog_host_##name parameters                                \
    {                                                               \
        if (!host.shared)                                           \
            return real arguments;                                  \
        HOST_LOGGED(type, name, real arguments, which, __VA_ARGS__) \
    }
#define HOST_LOGGED(type, name, really, which, said, said_bytes, told, told_bytes)       \
    const uint32_t asked = asked_of(which, said, said_bytes);                            \
    type r;                                                                              \
    if (host.past) {                                                                     \
        const struct host_answer past = answer_next(HOST_##name, asked);                 \
        r = (type)past.result;                                                           \
        log_get((void *)(uintptr_t)(told), past.bytes);                                  \
        return r;                                                                        \
    }                                                                                    \
    r = really;                                                                          \
    const struct host_answer now = {HOST_##name, (uint16_t)errno, asked, r, told_bytes}; \
    answer_keep(&now, told);                                                             \
    return r;
#include "programs/host.def"
#undef HOST
#undef HOST_LOGGED

void prog_host_close(int fd)
{
    if (fd >= 0 && !host.past)
        close(fd);
}

/* ---- directories ----------------------------------------------------------------------------- */

/** [bytes] Of an entry, as far as it says something. */
static size_t entry_bytes(const struct dirent *e)
{
    return offsetof(struct dirent, d_name) + strlen(e->d_name) + 1;
}

/** The entries one behind the other; to be freed. */
static uint8_t *list_pack(struct dirent *const *list, int count, uint64_t *bytes)
{
    size_t room = 1, at = 0;

    for (int i = 0; i < count; i++)
        room += entry_bytes(list[i]);
    uint8_t *const packed = sim_alloc(room, 1);
    for (int i = 0; i < count; i++) {
        memcpy(packed + at, list[i], entry_bytes(list[i]));
        at += entry_bytes(list[i]);
    }
    *bytes = at;
    return packed;
}

static struct dirent **list_unpack(const uint8_t *packed, int64_t count)
{
    struct dirent **list = sim_alloc((size_t)count + 1, sizeof *list);

    for (int64_t i = 0; i < count; i++) {
        const char *name = (const char *)packed + offsetof(struct dirent, d_name);
        const size_t bytes = (size_t)(name - (const char *)packed) + strlen(name) + 1;
        list[i] = sim_alloc(1, sizeof **list);
        memcpy(list[i], packed, bytes);
        packed += bytes;
    }
    return list;
}

static int list_of_log(uint32_t asked, struct dirent ***list)
{
    const struct host_answer answer = answer_next(HOST_list, asked);
    uint8_t *const packed = sim_alloc(answer.bytes + 1, 1);

    log_get(packed, answer.bytes);
    if (answer.result >= 0)
        *list = list_unpack(packed, answer.result);
    free(packed);
    errno = answer.error;
    return (int)answer.result;
}

int prog_host_list(int dir, struct dirent ***list)
{
    const uint32_t asked = asked_of((uint64_t)dir, NULL, 0);

    if (host.past)
        return list_of_log(asked, list);
    const int count = scandirat(dir, ".", list, NULL, NULL);
    if (host.shared) {
        struct host_answer now = {HOST_list, (uint16_t)errno, asked, count, 0};
        uint8_t *const packed = list_pack(*list, count, &now.bytes);
        answer_keep(&now, packed);
        free(packed);
        errno = now.error;
    }
    return count;
}
