/*
 * The driver of the special functions: a command of the guest names a range of virtual addresses,
 * the hardware knows runs of lines in one physical page.
 *
 * The one idea: a card has one special function under way. A command is a walk over pages, one
 * hardware command each, that goes on at every interrupt; behind it the card's other commands wait.
 * A page that is not there ends the walk early, and the guest sees it in the number of lines.
 */
#include "programs/linux/files/device.h"
#include "base/alloc.h"
#include "programs/linux/files/file.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

enum {
    RECORD = 24, /* [bytes] of a command: function, flags, address, length */
    REPORT = 16, /* [bytes] of what a read gives: commands, lines */
    FLAG_SIGNAL = 1,
    OUT_MAX = 64 /* commands of one file */
};

struct lx_device_command {
    struct lx_device_command *prev, *next;
    struct lx_file *file; /* held */
    unsigned card, function;
    uint32_t signal; /* thread to be told, or 0 */
    uint64_t va, end;
    uint64_t lines; /* done */
    unsigned asked; /* lines the hardware has in hand */
    bool looks;     /* it is no special function but a look, which its thread waits for: */
    bool looked;
    struct nm_look look;
};

/** [bytes] What is put aside for a command: itself, and its file, which nobody else may have open
 * any more. */
enum {
    COMMAND_BYTES =
        sizeof(struct lx_device_command) + sizeof(struct lx_file) + sizeof(struct lx_device)
};

int64_t lx_device_open(struct lx_prog *p, uint32_t flags, bool cloexec)
{
    struct lx_file *f = lx_file_new(p, FILE_DEVICE, -1, flags);

    f->device = sim_alloc(1, sizeof *f->device);
    return lx_file_install(p, f, 0, cloexec);
}

/* ---- the walk -------------------------------------------------------------------------------- */

/** Lines of the present page that the command still wants. */
static unsigned lines_here(const struct lx_prog *p, const struct lx_device_command *d)
{
    uint64_t page_end = (d->va & ~(p->vm.page - 1)) + p->vm.page;
    uint64_t end = d->end < page_end ? d->end : page_end;
    uint64_t line = nm_value_l2_line(p->par);
    uint64_t lines = (end - (d->va & ~(line - 1)) + line - 1) / line;

    return lines < NM_SPECIAL_LINES ? (unsigned)lines : NM_SPECIAL_LINES;
}

static void device_count(const struct lx_prog *p, struct lx_device_command *d)
{
    d->va = (d->va & ~(nm_value_l2_line(p->par) - 1)) + d->asked * nm_value_l2_line(p->par);
    d->lines += d->asked;
    d->asked = 0;
}

/** Asks the hardware for the next run of lines. @return false at the end of the range */
static bool device_ask(struct lx_prog *p, struct lx_device_command *d, sim_tick at)
{
    uint64_t pa;

    if (d->looks) {
        if (!d->looked)
            nm_card_look(p->m, d->card, &d->look, at);
        return !d->looked;
    }
    while (d->va < d->end) {
        if (!nm_xlate_found(lx_vm_touch(&p->vm, d->card, d->va, NM_LOAD, &pa)) ||
            pa >= NM_REGISTERS)
            return false;
        d->asked = lines_here(p, d);
        if (nm_card_special(p->m, d->card, d->function, pa, d->asked, at))
            return true;
        device_count(p, d);
    }
    return false;
}

static void device_tell(struct lx_prog *p, const struct lx_device_command *d)
{
    const struct lx_siginfo info = {.signo = lx_signo(p, SIG_IO), .code = SI_KERNEL_};
    struct lx_thread *t = d->signal ? lx_thread_find(p, d->signal) : NULL;

    if (t)
        lx_signal_post(p, t, &info);
}

static void device_end(struct lx_prog *p, struct lx_device_command *d)
{
    struct lx_device *device;

    if (d->looks) { /* it is lx_device_look's */
        DL_DELETE(p->commands, d);
        lx_thread_wake_all(p, p->fds);
        return;
    }
    device = d->file->device;
    device->out--;
    device->done++;
    device->lines += d->lines;
    DL_DELETE(p->commands, d);
    device_tell(p, d);
    lx_file_release(p, d->file);
    free(d);
    lx_give_back(p, COMMAND_BYTES);
    lx_thread_wake_all(p, p->fds);
}

/** The card's oldest command, or NULL. */
static struct lx_device_command *device_first_of(const struct lx_prog *p, unsigned card)
{
    struct lx_device_command *d;

    DL_FOREACH(p->commands, d)
        if (d->card == card)
            return d;
    return NULL;
}

/** Lets the card's commands go on until the hardware is busy with one. */
static void go_on(struct lx_prog *p, unsigned card, sim_tick at)
{
    struct lx_device_command *d;

    while ((d = device_first_of(p, card)) && !device_ask(p, d, at))
        device_end(p, d);
}

void lx_device_interrupt(struct lx_prog *p, unsigned card)
{
    struct lx_device_command *d = device_first_of(p, card);

    if (!d)
        return;
    if (d->looks) {
        d->look = *nm_card_looked(p->m, card);
        d->looked = true;
    } else
        device_count(p, d);
    go_on(p, card, lx_now(p));
}

void lx_device_free(struct lx_prog *p)
{
    struct lx_device_command *d, *tmp;

    DL_FOREACH_SAFE(p->commands, d, tmp) {
        DL_DELETE(p->commands, d);
        if (d->file)
            lx_file_release(p, d->file);
        free(d);
    }
}

/* ---- the guest's calls ----------------------------------------------------------------------- */

/** Whether all pages of [va, end) are there and have lines: registers have none. */
static bool has_lines(const struct lx_vm *vm, uint64_t va, uint64_t end)
{
    const uint64_t first = va & ~(vm->page - 1);

    return lx_vm_mapped(vm, first, end - first) == 0 &&
           !lx_vm_has_registers(vm, first, end - first);
}

/** Checks a record and puts its command behind the card's others. */
static int64_t device_accept(struct lx_call *c, struct lx_file *f, uint64_t record)
{
    struct lx_vm *vm = &c->p->vm;
    uint64_t function, flags, va, len;
    struct lx_device_command *d;

    if (lx_vm_read_word(vm, record, 4, &function) < 0 ||
        lx_vm_read_word(vm, record + 4, 4, &flags) < 0 ||
        lx_vm_read_word(vm, record + 8, 8, &va) < 0 ||
        lx_vm_read_word(vm, record + 16, 8, &len) < 0)
        return -EFAULT;
    if (!nm_special_name((unsigned)function) || flags & ~(uint64_t)FLAG_SIGNAL || len == 0 ||
        va + len < va)
        return -EINVAL;
    if (nm_special_overwrites((unsigned)function) && (va | len) & (nm_value_l2_line(c->p->par) - 1))
        return -EINVAL;
    if (!has_lines(vm, va, va + len))
        return -EFAULT;
    if (f->device->out == OUT_MAX)
        return -EAGAIN;
    if (!lx_keep(c->p, COMMAND_BYTES))
        return -ENOMEM;
    d = sim_alloc(1, sizeof *d);
    *d = (struct lx_device_command){.file = f,
                                    .card = c->t->card,
                                    .function = (unsigned)function,
                                    .signal = flags & FLAG_SIGNAL ? c->t->tid : 0,
                                    .va = va,
                                    .end = va + len};
    f->refs++;
    f->device->out++;
    DL_APPEND(c->p->commands, d);
    if (device_first_of(c->p, d->card) == d)
        go_on(c->p, d->card, lx_now(c->p));
    return 0;
}

int64_t lx_device_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    uint64_t done = 0;

    if (len == 0 || len % RECORD)
        return -EINVAL;
    while (done < len) {
        int64_t err = device_accept(c, f, va + done);
        if (err < 0)
            return done > 0 ? (int64_t)done : err;
        done += RECORD;
    }
    return (int64_t)done;
}

int64_t lx_device_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len)
{
    struct lx_device *device = f->device;
    struct lx_vm *vm = &c->p->vm;

    if (len < REPORT)
        return -EINVAL;
    while (device->out > 0 && device->done == 0) {
        if (f->flags & G_O_NONBLOCK)
            return -EAGAIN;
        if (lx_thread_block(c->t, SIM_NEVER, true, c->p->fds) == WAKE_SIGNAL)
            return -ERESTART_SYS;
    }
    if (device->done == 0)
        return 0;
    if (lx_vm_write_word(vm, va, 8, device->done) < 0 ||
        lx_vm_write_word(vm, va + 8, 8, device->lines) < 0)
        return -EFAULT;
    device->done = device->lines = 0;
    return REPORT;
}

/* ---- looks ----------------------------------------------------------------------------------- */

/* struct numachine_line: where, flags, station, cards, address, stations, state. */
enum { LOOK_BY_INDEX = 1, LOOK_CARDS = 12, LOOK_ADDRESS = 16, LOOK_STATIONS = 24, LOOK_STATE = 32 };
enum { STATE_NAME = 8 /* [bytes] */ };

/** Reads the question. @return 0 or -errno */
static int64_t device_question(struct lx_call *c, uint64_t va, struct nm_look *look)
{
    struct lx_vm *vm = &c->p->vm;
    uint64_t where, flags, station, address, pa;

    if (lx_vm_read_word(vm, va, 4, &where) < 0 || lx_vm_read_word(vm, va + 4, 4, &flags) < 0 ||
        lx_vm_read_word(vm, va + 8, 4, &station) < 0 ||
        lx_vm_read_word(vm, va + LOOK_ADDRESS, 8, &address) < 0)
        return -EFAULT;
    if (where > NM_LOOK_CARD || flags & ~(uint64_t)LOOK_BY_INDEX ||
        station >= nm_params_stations(c->p->par))
        return -EINVAL;
    *look = (struct nm_look){.where = (enum nm_look_where)where,
                             .by_index = flags & LOOK_BY_INDEX,
                             .station = (uint16_t)station,
                             .address = address};
    if (!lx_has_cards(c->p) || /* nobody there to look into anything */
        (where == NM_LOOK_NETWORK && nm_params_stations(c->p->par) == 1))
        return -ENODEV;
    if (look->by_index)
        return address < nm_look_places(c->p->m, c->t->card, look->where) ? 0 : -EINVAL;
    if (!nm_xlate_found(lx_vm_touch(vm, c->t->card, address, NM_LOAD, &pa)) || pa >= NM_REGISTERS)
        return -EFAULT;
    look->address = pa;
    return where == NM_LOOK_NETWORK && pa / nm_value_memory_size(c->p->par) == station ? -EINVAL
                                                                                       : 0;
}

/** Tells the guest what its card found. */
static int64_t tell_look(struct lx_vm *vm, uint64_t va, const struct nm_look *look)
{
    char state[STATE_NAME] = "";

    strncpy(state, look->state, sizeof state - 1);
    if (lx_vm_write_word(vm, va + LOOK_CARDS, 4, look->cards) < 0 ||
        lx_vm_write_word(vm, va + LOOK_ADDRESS, 8, look->tag) < 0 ||
        lx_vm_write_word(vm, va + LOOK_STATIONS, 8, look->stations) < 0 ||
        lx_vm_write(vm, va + LOOK_STATE, state, sizeof state) < 0)
        return -EFAULT;
    return 0;
}

int64_t lx_device_look(struct lx_call *c, uint64_t va)
{
    struct lx_device_command *d;
    struct nm_look look;
    int64_t err = device_question(c, va, &look);

    if (err < 0)
        return err;
    d = sim_alloc(1, sizeof *d);
    *d = (struct lx_device_command){.card = c->t->card, .looks = true, .look = look};
    DL_APPEND(c->p->commands, d);
    if (device_first_of(c->p, d->card) == d)
        go_on(c->p, d->card, lx_now(c->p));
    while (!d->looked)
        lx_thread_block(c->t, SIM_NEVER, false, c->p->fds);
    err = tell_look(&c->p->vm, va, &d->look);
    free(d);
    return err;
}
