/*
 * What a debugger sends, or whoever says to be one: any bytes, over a socket that is then closed.
 * The idea: whatever comes, the stub answers or refuses, and lets go when the other side has gone.
 * The program behind it is made up: two threads, one of them on a card, and a page of memory.
 */
#include "debug/rsp.h"
#include "procard/mips/mips.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MEMORY = 0x400000, BYTES = 4096 };

const char *const fuzz_words[] = {"$",
                                  "#00",
                                  "qSupported:swbreak+",
                                  "qXfer:features:read:target.xml:0,fff",
                                  "qXfer:threads:read::",
                                  "qXfer:auxv:read::",
                                  "qXfer:exec-file:read:3e8:0,20",
                                  "qThreadExtraInfo,3e8",
                                  "qRcmd,",
                                  "QStartNoAckMode",
                                  "QPassSignals:e;10",
                                  "QCatchSyscalls:1;fa4;1",
                                  "vCont;r400000,400010:3e8;c",
                                  "vCont;C0b;s:-1",
                                  "vFile:open:2f,0,0",
                                  "vFile:pread:3,ffff,0",
                                  "m400000,ffffffffffffffff",
                                  "M400000,4:01020304",
                                  "X400000,4:",
                                  "G",
                                  "P25=00400000",
                                  "p44",
                                  "Z0,400000,4;X3,220127",
                                  "Z4,400000,ffffffffffffffff",
                                  "z2,400000,4",
                                  "Hg-1",
                                  "}",
                                  "*",
                                  "\x03",
                                  NULL};

/* Whole packets; sums are put right (packets_right). */
static const char *const seeds[] = {
    "qSupported:multiprocess+;swbreak+;hwbreak+",
    "QStartNoAckMode",
    "g",
    "p25",
    "P2=00000001",
    "m400000,10",
    "M400000,2:abcd",
    "X400000,2:ab",
    "qRcmd,68656c70",
    "qRcmd,756e74696c206d69737320307834303030303020310a",
    "qRcmd,6c696e652030783430303030302b34",
    "Z0,400000,4",
    "Z0,400000,4;X7,26002022012714;X3,220127",
    "Z2,400000,8",
    "vCont;c",
    "vCont;s:3e8;c",
    "vCont;r400000,400020:3e8",
    "qXfer:features:read:target.xml:0,ffb",
    "qXfer:threads:read::0,100",
    "qfThreadInfo",
    "qThreadExtraInfo,3e9",
    "QCatchSyscalls:1;4;fa4",
    "vFile:pread:3,1000,0",
    "vFile:fstat:3",
    "D",
    "k",
};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    char text[512];
    uint8_t sum = 0;
    if (number >= sizeof seeds / sizeof *seeds)
        return 0;
    for (const char *c = seeds[number]; *c; c++)
        sum = (uint8_t)(sum + (uint8_t)*c);
    snprintf(text, sizeof text, "+$%s#%02x$?#3f", seeds[number], sum);
    return fuzz_text_seed(text, out, room);
}

/* ---- a program ------------------------------------------------------------------------------- */

static struct made {
    struct mips_regs regs[2];
    uint8_t memory[BYTES];
} made;

static void made_binary(void *self, struct prog_binary *out)
{
    (void)self;
    *out = (struct prog_binary){.abi = "o32", .word = 4, .path = "/dev/null", .process = 1000};
}

static bool made_thread(void *self, uint32_t number, struct prog_inspected *out)
{
    (void)self;
    *out = (struct prog_inspected){.number = number, .name = "<made & up>", .doing = "\"waits\""};
    return number == 1000 || number == 1001;
}

static bool made_next(void *self, uint32_t after, struct prog_inspected *out)
{
    return made_thread(self, after < 1000 ? 1000 : after + 1, out);
}

static bool made_registers(void *self, uint32_t number, void *regs)
{
    (void)self;
    if (number == 1000 || number == 1001)
        memcpy(regs, &made.regs[number - 1000], sizeof *made.regs);
    return number == 1000 || number == 1001;
}

static bool made_settles(void *self, uint32_t number)
{
    (void)self, (void)number;
    return false;
}

static bool made_set_registers(void *self, uint32_t number, const void *regs)
{
    (void)self;
    if (number == 1000 || number == 1001)
        memcpy(&made.regs[number - 1000], regs, sizeof *made.regs);
    return number == 1000 || number == 1001;
}

static size_t made_part(uint64_t va, size_t count)
{
    const bool in = va >= MEMORY && va < MEMORY + BYTES;
    const size_t left = in ? MEMORY + BYTES - (size_t)va : 0;
    return count < left ? count : left;
}

static size_t made_read(void *self, uint64_t va, void *bytes, size_t count)
{
    const size_t n = made_part(va, count);
    (void)self;
    if (n)
        memcpy(bytes, made.memory + (va - MEMORY), n);
    return n;
}

static size_t made_write(void *self, unsigned card, uint64_t va, const void *bytes, size_t count)
{
    const size_t n = made_part(va, count);
    (void)self, (void)card;
    if (n)
        memcpy(made.memory + (va - MEMORY), bytes, n);
    return n;
}

static bool made_physical(void *self, uint64_t va, uint64_t *pa)
{
    (void)self, (void)va, (void)pa;
    return false;
}

static void made_describe(void *self, FILE *out)
{
    (void)self;
    fputs("  thread 1000\n", out);
}

static const struct prog_inspect inspect = {.binary = made_binary,
                                            .next = made_next,
                                            .thread = made_thread,
                                            .registers = made_registers,
                                            .settles = made_settles,
                                            .set_registers = made_set_registers,
                                            .read = made_read,
                                            .write = made_write,
                                            .physical = made_physical};

static const struct prog_workload workload = {
    .name = "made", .describe = made_describe, .inspect = &inspect};

/* ---- a conversation -------------------------------------------------------------------------- */

static const char *made_connect(void *ctx, struct dbg *d)
{
    (void)ctx, (void)d;
    return NULL;
}

/* Serves until the other side has gone, as if the run stopped again and again. */
static void converse(struct dbg *d, bool over)
{
    static const enum dbg_stopped why[] = {DBG_STOP_FIRST, DBG_STOP_HIT, DBG_STOP_SIGNAL,
                                           DBG_STOP_CALL, DBG_STOP_ASKED};
    struct dbg_session *x = d->session;
    for (unsigned n = 0; n < 64 && x->going != DBG_DETACHED && x->going != DBG_KILLED; n++) {
        x->why = over && n ? DBG_STOP_OVER : why[n % (sizeof why / sizeof *why)];
        x->hit = (struct dbg_hit){.what = (enum dbg_what)(n % DBG_AT_LINE), .thread = 1000};
        x->thread = 1000 + n % 2;
        x->going = DBG_STANDS;
        dbg_forget(d);
        d->front->serve(d);
        d->front->asks(d);
    }
    FUZZ_CHECK(x->conditions.breaks <= DBG_BREAKS && x->conditions.watches <= DBG_WATCHES &&
                   x->conditions.code_used <= DBG_CODE,
               "%u breakpoints", x->conditions.breaks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct prog_outcome out = {.end = PROG_DEADLOCK, .message = "deadlock"};
    struct prog_run run = {.out = &out};
    struct run_live live = {.workload = &workload};
    struct dbg *d = dbg_new(&dbg_gdb, made_connect, NULL);
    int pair[2];
    signal(SIGPIPE, SIG_IGN);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        abort();
    d->live = &live;
    d->run = &run;
    d->inspect = &inspect;
    inspect.binary(NULL, &d->binary);
    d->session->fd = pair[0];
    d->session->no_ack = size && data[0] & 1; /* of most, sums do not matter */
    d->session->to = open("/dev/null", O_WRONLY);
    if (write(pair[1], data, size) != (ssize_t)size)
        abort();
    close(pair[1]);
    converse(d, size && data[size - 1] & 1);
    if (d->session->fd >= 0)
        close(d->session->fd);
    close(d->session->to);
    dbg_free(d);
    return 0;
}
