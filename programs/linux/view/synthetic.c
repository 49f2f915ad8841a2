/*
 * Files that exist only in the view. The host's processors, processes and users are not the
 * simulated machine's, so the few files C libraries read about them are written here, when read.
 */
#include "programs/linux/view/synthetic.h"

#include "base/alloc.h"
#include "procard/procard.h"
#include "programs/linux/process/most.h"
#include "programs/linux/process/process.h"
#include "programs/linux/view/proc.h"
#include "programs/linux/view/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void cpu_list(struct lx_prog *p, FILE *f)
{
    if (p->processors > 1)
        fprintf(f, "0-%u\n", p->processors - 1);
    else
        fprintf(f, "0\n");
}

/* Each processor is a chip of its own, with one core and one thread. */

static bool cpu_itself(struct lx_prog *p, unsigned number, FILE *f)
{
    return number < p->processors && (!f || fprintf(f, "%u\n", number) > 0);
}

static bool cpu_first(struct lx_prog *p, unsigned number, FILE *f)
{
    return number < p->processors && (!f || fprintf(f, "0\n") > 0);
}

/** The processors, with their revision if their counters depend on it. */
static const char *cpu_model(const struct lx_prog *p, unsigned card)
{
    const struct nm_params *its = nm_card_params(p->m, card);
    const enum r10k_chip chip = pc_counters_of(its);

    return chip < R10K_CHIPS ? r10k_chip_name(chip) : pc_core_of(its)->title;
}

static void cpu_info(struct lx_prog *p, FILE *f)
{
    fprintf(f, "system type\t\t: NUMAchine\n");
    for (unsigned i = 0; i < p->processors; i++)
        fprintf(f, "\nprocessor\t\t: %u\ncpu model\t\t: %s\ncpu MHz\t\t\t: %.3f\n", i,
                cpu_model(p, i), (double)nm_value_cpu_clock(p->par) / 1e6);
}

/** /proc/stat: enough for those who count its cpu lines. */
static void cpu_stat(struct lx_prog *p, FILE *f)
{
    fprintf(f, "cpu  0 0 0 0 0 0 0 0 0 0\n");
    for (unsigned i = 0; i < p->processors; i++)
        fprintf(f, "cpu%u 0 0 0 0 0 0 0 0 0 0\n", i);
}

static void zero_line(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "0\n");
}

/** What the row says. */
static bool number_line(struct lx_prog *p, unsigned number, FILE *f)
{
    (void)p;
    return !f || fprintf(f, "%u\n", number) > 0;
}

/** /proc/self/maps: pthread_getattr_np looks for the first thread's stack in it. */
static void map_lines(struct lx_prog *p, FILE *f)
{
    uint64_t stack = lx_vm_end(&p->vm) - 0x20000;

    for (size_t i = 0; i < p->vm.count; i++) {
        const struct lx_vm_area *a = &p->vm.areas[i];
        fprintf(f, "%08" PRIx64 "-%08" PRIx64 " %c%c%c%c %08" PRIx64 " 00:00 0%s\n", a->start,
                a->end, a->rights & LX_R ? 'r' : '-', a->rights & LX_W ? 'w' : '-',
                a->rights & LX_X ? 'x' : '-', a->shared ? 's' : 'p', a->offset,
                a->start <= stack && stack < a->end ? "                          [stack]" : "");
    }
}

static void user_lines(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "root:x:0:0:root:/:/bin/sh\nguest:x:1000:1000:guest:" VIEW_HOME ":/bin/sh\n");
}

static void group_lines(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "root:x:0:\nguest:x:1000:\n");
}

static void host_name(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "numachine\n");
}

static void host_lines(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "127.0.0.1\tlocalhost\n127.0.1.1\tnumachine\n");
}

/** Where a C library looks for users and hosts: in the files above, not in a network. */
static void source_lines(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "passwd: files\ngroup: files\nhosts: files\n");
}

static const struct lx_synthetic synthetic_rows[] = {
#define SYNTHETIC(path, kind, number, write) {path, kind, number, write, NULL},
#define NUMBERED(path, kind, number, of)     {path, kind, number, NULL, of},
#include "programs/linux/view/synthetic.def"
#undef SYNTHETIC
#undef NUMBERED
};

enum {
    ROWS = sizeof synthetic_rows / sizeof *synthetic_rows,
    DIGITS = 9 /**< of a number in a path, at most */
};

/** Follows a path along a row's. @return what is left of the row's; NULL: they differ */
static const char *row_follow(const struct lx_synthetic *row, const char *path, unsigned *number)
{
    const char *at = row->path;

    for (; *path; at++) {
        const size_t digits = strspn(path, "0123456789");
        if (*at != '#') {
            if (*at != *path++)
                return NULL;
            continue;
        }
        if (!digits || digits > DIGITS || (*path == '0' && digits > 1 && row->kind != SYN_PROCESS))
            return NULL;
        *number = (unsigned)strtoul(path, NULL, 10);
        path += digits;
    }
    return at;
}

/** A path by the name that rows have for the program's directory. Allocated. */
static char *path_of_rows(const char *path)
{
    static const char thread[] = "/proc/thread-self", self[] = "/proc/self";
    char own[sizeof thread];

    snprintf(own, sizeof own, "/proc/%u", FIRST_TID);
    for (int i = 0; i < 2; i++) {
        const char *other = i ? own : thread;
        const size_t n = strlen(other);
        if (strncmp(path, other, n) == 0 && (!path[n] || path[n] == '/'))
            return sim_format("%s%s", self, path + n);
    }
    return sim_strdup(path);
}

static const struct lx_synthetic *row_of(const char *path, unsigned *number)
{
    for (size_t i = 0; i < ROWS; i++) {
        const char *rest;
        *number = synthetic_rows[i].number;
        rest = row_follow(&synthetic_rows[i], path, number);
        if (rest && !*rest)
            return &synthetic_rows[i];
    }
    return NULL;
}

const struct lx_synthetic *lx_synthetic_find(const char *path, unsigned *number)
{
    const struct lx_synthetic *row = row_of(path, number);
    char *own = row ? NULL : path_of_rows(path);

    if (own)
        row = row_of(own, number);
    free(own);
    return row;
}

bool lx_synthetic_above(const char *path)
{
    for (size_t i = 0; i < ROWS; i++)
        if (lx_synthetic_beneath(i, path))
            return true;
    return false;
}

const struct lx_synthetic *lx_synthetic_row(size_t i)
{
    return i < ROWS ? &synthetic_rows[i] : NULL;
}

const char *lx_synthetic_beneath(size_t i, const char *dir)
{
    char *path = path_of_rows(strcmp(dir, "/") == 0 ? "" : dir);
    unsigned number;
    const char *rest = row_follow(&synthetic_rows[i], path, &number);

    free(path);
    return rest && *rest == '/' ? rest : NULL;
}

const struct lx_synthetic *lx_synthetic_within(const char *dir, unsigned *number)
{
    char *path = path_of_rows(dir);
    const struct lx_synthetic *found = NULL;

    for (size_t i = 0; i < ROWS && !found; i++) {
        const char *rest = row_follow(&synthetic_rows[i], path, number);
        if (rest && *rest == '/' && strchr(synthetic_rows[i].path, '#') && !strchr(rest, '#'))
            found = &synthetic_rows[i];
    }
    free(path);
    return found;
}
