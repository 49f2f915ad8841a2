/*
 * The futex call that takes the C library's own struct timespec. Where time has 64 bits and a
 * register 32 (o32 and armel of Debian 13), it is a call of its own.
 */
#ifndef GUEST_FUTEX_H
#define GUEST_FUTEX_H

#include <sys/syscall.h>
#include <time.h>

#ifdef SYS_futex_time64
#define GUEST_FUTEX (sizeof(time_t) > sizeof(long) ? SYS_futex_time64 : SYS_futex)
#else
#define GUEST_FUTEX SYS_futex
#endif

#endif
