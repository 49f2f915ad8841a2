/*
 * From a system call's instruction to a handler and back. Where number, arguments and result stand
 * the instruction set knows (isa.h).
 *
 * The hard idea: arguments are decoded by the table, so that one handler serves all ABIs. Those of
 * 32 bits pass a 64-bit argument in an even-odd pair of words; n64 in one register.
 */
#include "programs/linux/syscalls.h"

#include "programs/linux/files/file.h"
#include "programs/linux/files/irix.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/signals/signal.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct lx_sys_row rows[] = {
#define SYS(name, o32, n64, arm, handler, args, sentence) \
    {#name, {o32, n64, arm}, handler, args, sentence},
#include "programs/linux/process/syscalls.def"
#undef SYS
};

const struct lx_sys_row *lx_sys_rows(size_t *count)
{
    *count = sizeof rows / sizeof *rows;
    return rows;
}

static const struct lx_sys_difference differences[] = {
#define DIFFERS(name, sentence) {#name, sentence},
#include "programs/linux/differences.def"
#undef DIFFERS
};

const struct lx_sys_difference *lx_sys_differences(size_t *count)
{
    *count = sizeof differences / sizeof *differences;
    return differences;
}

const char *lx_sys_differs(const struct lx_sys_row *row)
{
    if (row->fn == lx_sys_unprovided || row->fn == lx_sys_quietly_unprovided)
        return "ENOSYS";
    for (size_t i = 0; i < sizeof differences / sizeof *differences; i++)
        if (strcmp(differences[i].name, row->name) == 0)
            return differences[i].sentence;
    return "";
}

static const struct lx_sys_row *find_row(const struct lx_prog *p, uint64_t number)
{
    const struct lx_kind *k = p->kind;

    if (number < k->base || number - k->base > INT32_MAX) /* -1 marks what is not in this ABI */
        return NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number[k->column] == (int)(number - k->base))
            return &rows[i];
    return NULL;
}

/** The name of a call that is not provided; NULL: Linux has none of that number. */
static const char *unprovided_name(const struct lx_kind *k, uint64_t number)
{
    static const struct {
        const char *name;
        int number[LX_KINDS];
    } names[] = {
#define NAMED(name, o32, n64, arm) {#name, {o32, n64, arm}},
#include "programs/linux/unprovided.def"
#undef NAMED
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number[k->column] >= 0 &&
            k->base + (uint64_t)names[i].number[k->column] == number)
            return names[i].name;
    return NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/** Decodes one argument by its letter. @return 0 or -errno */
static int syscall_decode(struct lx_call *c, char letter, unsigned i, unsigned *strings)
{
    int64_t r = 0;

    switch (letter) {
    case 'i':
    case 'd':
        c->a[i] = (uint64_t)(int64_t)(int32_t)c->a[i];
        break;
    case 'u':
        c->a[i] = (uint32_t)c->a[i];
        break;
    case 'l':
        if (!c->p->n64)
            c->a[i] = (uint64_t)(int64_t)(int32_t)c->a[i];
        break;
    case 'h':
        c->a[i] = (uint16_t)c->a[i] == UINT16_MAX ? UINT32_MAX : (uint16_t)c->a[i];
        break;
    case 'o':
        c->a[i] = (uint32_t)lx_flags_in(c->p->kind, LX_OPEN, (uint32_t)c->a[i]);
        break;
    case 'm':
        c->a[i] = (uint32_t)lx_flags_in(c->p->kind, LX_MAP, (uint32_t)c->a[i]);
        break;
    case 's':
        r = lx_vm_string(&c->p->vm, c->a[i], c->path[*strings], PATH_BYTES);
        ++*strings;
        break;
    case 'f':
        c->f = lx_file_get(c->p, (int32_t)c->a[i]);
        c->a[i] = (uint32_t)c->a[i];
        r = c->f ? 0 : -EBADF;
        if (c->f)
            lx_file_hold(c->t, c->f);
        break;
    default:
        break;
    }
    return r < 0 ? (int)r : 0;
}

/** 64 bits of two words, which stand as they would in memory. */
static uint64_t syscall_pair(const struct lx_kind *k, const uint64_t raw[2])
{
    return raw[!k->little] | raw[k->little] << 32;
}

static int decode_args(struct lx_call *c, unsigned skip)
{
    uint64_t raw[LX_RAW_ARGS];
    unsigned from = 0, strings = 0;
    int err = 0;

    lx_isa_of(c->t)->arguments(c->t, skip, raw);
    for (unsigned i = 0; !err && c->row->args[i]; i++) {
        char letter = c->row->args[i];
        if (letter == 'L' && !c->p->n64) {
            from += from & 1;
            c->a[i] = from + 1 < LX_RAW_ARGS ? syscall_pair(c->p->kind, raw + from) : 0;
            from += 2;
        } else {
            c->a[i] = raw[from++];
        }
        err = syscall_decode(c, letter, i, &strings);
    }
    return err;
}

/* ---- the call -------------------------------------------------------------------------------- */

/** Says once per run which call the program wanted. */
static void name_once(struct lx_call *c)
{
    struct lx_prog *p = c->p;
    unsigned bit = c->number < 8 * sizeof p->named ? (unsigned)c->number : 0;
    const char *name = c->row ? c->row->name : unprovided_name(p->kind, c->number);
    char where[160];

    if (p->named[bit / 8] >> (bit % 8) & 1)
        return;
    p->named[bit / 8] |= (unsigned char)(1 << (bit % 8));
    lx_symbols_tell(&p->told, p->elf_fd, &p->image, c->t->call.pc, where, sizeof where);
    fprintf(stderr,
            "numachine: the program called %s%s%" PRIu64 "%s at pc 0x%" PRIx64
            "%s%s%s, which is not provided: it gets ENOSYS\n",
            name ? name : "system call ", name ? " (" : "", c->number, name ? ")" : "",
            c->t->call.pc, *where ? " (" : "", where, *where ? ")" : "");
}

int64_t lx_sys_unprovided(struct lx_call *c)
{
    name_once(c);
    return -ENOSYS;
}

int64_t lx_sys_quietly_unprovided(struct lx_call *c)
{
    (void)c;
    return -ENOSYS;
}

int64_t lx_sys_nothing(struct lx_call *c)
{
    (void)c;
    return 0;
}

/** Finds the row, follows the indirect call, decodes and runs. */
static int64_t syscall_perform(struct lx_call *c)
{
    unsigned skip = 0; /* of an indirect call */
    int err;

    if (c->p->kind == &lx_kinds[LX_O32] && c->number == c->p->kind->base) {
        uint64_t raw[LX_RAW_ARGS];
        lx_isa_of(c->t)->arguments(c->t, 0, raw);
        c->number = raw[0];
        skip = 1;
    }
    c->row = find_row(c->p, c->number);
    if (!c->row)
        return lx_sys_unprovided(c);
    c->t->waits_in = c->row->name;
    err = decode_args(c, skip);
    return err < 0 ? err : c->row->fn(c);
}

static void syscall_set_result(struct lx_call *c, int64_t result)
{
    const struct lx_isa *isa = lx_isa_of(c->t);
    const int e = result < 0 ? (int)-result : 0;

    if (e)
        isa->result(c->t, (uint64_t)(e >= ERESTART_SYS ? e : lx_abi_errno(c->p->kind, e)), true);
    else
        isa->result(c->t, (uint64_t)result, false);
    if (!e && c->has_second && isa->second)
        isa->second(c->t, c->second);
}

static void syscall_tell(const struct lx_call *c, bool over)
{
    const struct prog_hooks *hooks = c->p->run->hooks;

    if (hooks && hooks->called)
        hooks->called(hooks->ctx, c->t->tid, c->number, over);
}

/** Whether a signal has cut a wait for some time short that the thread need not hear of: another
 *  has taken it, or nobody does anything about it. Such a call begins again here, where it is known
 *  when its time is over: from the program it would wait for all of it once more. */
static bool cut_in_vain(struct lx_call *c, int64_t result)
{
    const bool cut = result >= -ERESTART_NOHAND && result <= -ERESTART_SYS;

    if (!cut || !c->until || c->p->run->over || lx_signal_comes(c->t))
        return false;
    lx_signal_deliver(c->t); /* what does nothing goes, and the mask comes back */
    return true;
}

void lx_syscall_trap(struct lx_thread *t)
{
    struct lx_call c;
    int64_t result;

    memset(&c, 0, offsetof(struct lx_call, path)); /* few calls have one, and it is long */
    c.path[0][0] = c.path[1][0] = '\0';
    c.t = t;
    c.p = t->p;
    c.number = lx_isa_of(t)->number(t);
    t->turn = 0;
    syscall_tell(&c, false);
    result = syscall_perform(&c);
    while (cut_in_vain(&c, result))
        result = c.row->fn(&c);
    lx_files_let_go(t);
    if (t->state == TH_DEAD || t->p->run->over)
        return;
    lx_irix_called(&c, result);
    if (!c.replaced)
        syscall_set_result(&c, result);
    syscall_tell(&c, true);
    t->restart = result >= -ERESTART_NOHAND && result <= -ERESTART_SYS ? (int)-result : 0;
    lx_signal_deliver(t);
}
