/* Texts of /proc (proc.c): each is written when its file is opened. */
#ifndef LX_PROC_H
#define LX_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct lx_prog;

/** Of the program, or of the thread that reads: /proc/self/. */
void lx_proc_auxv(struct lx_prog *p, FILE *f);
void lx_proc_cmdline(struct lx_prog *p, FILE *f);
/** Stands for the thread that reads: no number of a path is so large. */
#define PROC_READER UINT32_MAX
/** Of a thread, or the one that reads. */
bool lx_proc_name(struct lx_prog *p, unsigned tid, FILE *f);
bool lx_proc_thread_stat(struct lx_prog *p, unsigned tid, FILE *f);
bool lx_proc_thread_status(struct lx_prog *p, unsigned tid, FILE *f);
/** Where the links lead. */
void lx_proc_self(struct lx_prog *p, FILE *f);
void lx_proc_thread_self(struct lx_prog *p, FILE *f);
void lx_proc_cwd(struct lx_prog *p, FILE *f);
void lx_proc_root(struct lx_prog *p, FILE *f);
void lx_proc_environ(struct lx_prog *p, FILE *f);
void lx_proc_limits(struct lx_prog *p, FILE *f);
void lx_proc_stat(struct lx_prog *p, FILE *f);
void lx_proc_statm(struct lx_prog *p, FILE *f);
void lx_proc_status(struct lx_prog *p, FILE *f);

/** Of the machine: /proc/. */
void lx_proc_loadavg(struct lx_prog *p, FILE *f);
void lx_proc_meminfo(struct lx_prog *p, FILE *f);
void lx_proc_uptime(struct lx_prog *p, FILE *f);
void lx_proc_version(struct lx_prog *p, FILE *f);
void lx_proc_filesystems(struct lx_prog *p, FILE *f);
void lx_proc_mounts(struct lx_prog *p, FILE *f);
/** /proc/sys/kernel/ */
void lx_proc_build(struct lx_prog *p, FILE *f);
void lx_proc_ostype(struct lx_prog *p, FILE *f);
void lx_proc_sem(struct lx_prog *p, FILE *f);
void lx_proc_shmall(struct lx_prog *p, FILE *f);
void lx_proc_pid_max(struct lx_prog *p, FILE *f);
void lx_proc_release(struct lx_prog *p, FILE *f);
void lx_proc_threads_max(struct lx_prog *p, FILE *f);

/** [bytes] of the machine's memory that the program has not touched. */
uint64_t lx_memory_free(struct lx_prog *p);

#endif
