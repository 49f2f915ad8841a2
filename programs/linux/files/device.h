/*
 * /dev/numachine/memory: the guest's door to the special functions of memory and network cache
 * (machine/special.def). docs/special-functions.md is the guest's view of it.
 */
#ifndef LX_DEVICE_H
#define LX_DEVICE_H

#include "programs/linux/process/call.h"

struct lx_device_command;

/** Commands of one open file. */
struct lx_device {
    unsigned out;   /**< under way or waiting */
    uint64_t done;  /**< ended and not yet read */
    uint64_t lines; /**< treated by those */
};

/** Opens the device. @return a descriptor or -errno */
int64_t lx_device_open(struct lx_prog *p, uint32_t flags, bool cloexec);

/** Records in; the first wrong one ends the call. @return bytes taken or -errno */
int64_t lx_device_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);

/** Waits for the end of a command. @return bytes, 0 when none is out, or -errno */
int64_t lx_device_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);

/** ioctl: a look at one line or place, docs/special-functions.md. Waits for the answer.
 *  @return 0 or -errno */
int64_t lx_device_look(struct lx_call *c, uint64_t va);

/** The machine says that a card's special function is done. */
void lx_device_interrupt(struct lx_prog *p, unsigned card);

/** Forgets every command; part of the program's end. */
void lx_device_free(struct lx_prog *p);

#endif
