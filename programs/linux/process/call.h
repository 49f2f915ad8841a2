/* System calls: a call being handled, a row of the table, and what handlers share. */
#ifndef LX_CALL_H
#define LX_CALL_H

#include "programs/linux/memory/abi.h"
#include "programs/linux/process/process.h"

#include <errno.h>

enum { PATH_BYTES = 4096 };

struct lx_sys_row;

/** One system call being handled. Lives on its actor's stack. */
struct lx_call {
    struct lx_thread *t;
    struct lx_prog *p;
    const struct lx_sys_row *row;
    uint64_t number;
    uint64_t a[SYS_ARGS]; /**< decoded as the row says, see syscalls.def */
    struct lx_file *f;    /**< the 'f' argument */
    uint64_t second;      /**< result in v1 (pipe) */
    bool has_second;
    bool replaced;            /**< all registers were set by the handler (sigreturn) */
    sim_tick until;           /**< [ticks] of its clock: a time that it waits for; 0: none */
    uint32_t flags;           /**< of a System V ...get call */
    uint64_t size;            /**< what a System V ...get call asks for */
    char path[2][PATH_BYTES]; /**< the 's' arguments, or "". The last member */
};

/** @return the result, or a negative host errno, -ERESTART_SYS or -ERESTART_NOHAND */
typedef int64_t sys_fn(struct lx_call *c);

struct lx_sys_row {
    const char *name;
    int number[LX_KINDS]; /**< by lx_kind.column, without its base; -1: it has no such call */
    sys_fn *fn;
    const char *args;
    const char *sentence;
};

/** Reads the timespec argument `i` ('t': the ABI's own, 'T': 64-bit). @return 0, -EFAULT, -EINVAL
 */
int lx_call_time(const struct lx_call *c, unsigned i, uint64_t *ns);
/** The same, of one at an address, with members of `width` bytes. */
int lx_call_time_at(const struct lx_call *c, uint64_t va, unsigned width, uint64_t *ns);
/** [bytes] of each of its members. */
unsigned lx_call_time_width(const struct lx_call *c, unsigned i);
/** Writes one; 0 or -EFAULT. */
int lx_call_put_time(const struct lx_call *c, unsigned i, uint64_t ns);
/** Deadline a relative or absolute (clock) time means, in ticks. A call that begins again after it
 *  was woken in vain has the one that it had. */
sim_tick lx_call_deadline(struct lx_call *c, bool absolute, bool realtime, uint64_t ns);

/** [s] Longer times mean "for ever": ticks cannot count them. */
#define TIME_MAX_S INT64_C(4000000000)

/** A host call's result: the value, or -errno. */
static inline int64_t lx_host_result(int64_t r)
{
    return r < 0 ? -(int64_t)errno : r;
}

#define SYS(name, o32, n64, arm, handler, args, sentence) sys_fn handler;
#include "programs/linux/process/syscalls.def"
#undef SYS

#endif
