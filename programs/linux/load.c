/*
 * What execve leaves behind: the program's segments, its heap's start, and the first stack.
 *
 * The stack's contents depend on nothing but argv, the environment and the seed, so that a run does
 * not change with the directory the program lies in.
 */
#include "programs/linux/load.h"

#include "base/alloc.h"
#include "programs/linux/process/isa.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_TOP_GAP = 0x10000, STREAM_AUXV = 1 };

/** Maps the segments; each keeps its own pages. */
static int64_t map_segments(struct lx_prog *p)
{
    uint64_t page = p->vm.page;

    for (unsigned i = 0; i < p->image.segments; i++) {
        const struct lx_elf_segment *s = &p->image.segment[i];
        uint64_t start = s->va & ~(page - 1), lead = s->va - start;
        struct lx_vm_request rq = {.addr = start,
                                   .len = s->memsz + lead,
                                   .rights = s->rights,
                                   .noreplace = true,
                                   .fd = -1};
        int64_t r;
        if (s->filesz > 0 && s->offset >= lead) {
            rq.fd = p->elf_fd;
            rq.offset = s->offset - lead;
            rq.limit = s->offset + s->filesz;
        }
        /* Linkers align segments so that memory and file offsets agree within a page. */
        if (rq.fd >= 0 && (rq.offset & (page - 1)))
            return -ENOEXEC;
        r = lx_vm_map(&p->vm, &rq);
        if (r < 0)
            return r == -EEXIST ? -EINVAL : r;
    }
    p->vm.brk_start = p->vm.brk = (p->image.end + page - 1) & ~(page - 1);
    return 0;
}

/* ---- the first stack ------------------------------------------------------------------------- */

/** Strings at the top, then the table of words below them. */
struct stack {
    struct lx_vm *vm;
    uint64_t sp;
    uint64_t *words;
    size_t count;
    int err;
};

static uint64_t push_bytes(struct stack *s, const void *bytes, size_t len)
{
    s->sp -= len;
    if (lx_vm_write(s->vm, s->sp, bytes, len) < 0)
        s->err = -E2BIG;
    return s->sp;
}

static void add_word(struct stack *s, uint64_t v)
{
    s->words = sim_grow(s->words, s->count + 1, sizeof *s->words);
    s->words[s->count++] = v;
}

static void add_strings(struct stack *s, char *const *strings)
{
    for (; strings && *strings; strings++)
        add_word(s, push_bytes(s, *strings, strlen(*strings) + 1));
    add_word(s, 0);
}

static void add_auxv(struct lx_prog *p, struct stack *s, uint64_t random, uint64_t execfn)
{
    const uint64_t pairs[][2] = {
        {AT_PHDR, p->image.phdr},
        {AT_PHENT, p->image.phentsize},
        {AT_PHNUM, p->image.phnum},
        {AT_PAGESZ, p->vm.page},
        {AT_BASE, 0},
        {AT_FLAGS, 0},
        {AT_ENTRY, p->image.entry},
        {AT_UID, p->uid},
        {AT_EUID, p->uid},
        {AT_GID, p->gid},
        {AT_EGID, p->gid},
        {AT_HWCAP, p->kind->features},
        {AT_CLKTCK, 100},
        {AT_SECURE, 0},
        {AT_RANDOM, random},
        {AT_EXECFN, execfn},
        {AT_NULL, 0},
    };

    _Static_assert(sizeof pairs <= sizeof p->auxv, "raise AUXV_MAX");
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        for (int word = 0; word < 2; word++) {
            add_word(s, pairs[i][word]);
            p->auxv[p->auxv_count++] = pairs[i][word];
        }
    }
}

static size_t count_strings(char *const *strings)
{
    size_t n = 0;

    while (strings && strings[n])
        n++;
    return n;
}

static int build_stack(struct lx_prog *p, struct lx_thread *t)
{
    struct stack s = {.vm = &p->vm, .sp = lx_vm_end(&p->vm) - STACK_TOP_GAP};
    struct lx_vm_request rq = {.addr = s.sp - STACK_BYTES,
                               .len = STACK_BYTES,
                               .fd = -1,
                               .rights = LX_R | LX_W,
                               .fixed = true};
    unsigned width = p->kind->word;
    const char *name = p->program->argv && p->program->argv[0] ? p->program->argv[0] : "";
    uint8_t seed[16];
    uint64_t execfn, random;

    lx_vm_map(&p->vm, &rq);
    p->vm.stack_end = s.sp;
    snprintf(t->name, sizeof t->name, "%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
    lx_random(p, STREAM_AUXV, 0, seed, sizeof seed);
    execfn = push_bytes(&s, name, strlen(name) + 1);
    random = push_bytes(&s, seed, sizeof seed);
    add_word(&s, count_strings(p->program->argv));
    add_strings(&s, p->program->argv);
    add_strings(&s, p->program->envp);
    add_auxv(p, &s, random, execfn);
    s.sp = (s.sp - s.count * width) & ~UINT64_C(15);
    for (size_t i = 0; i < s.count && !s.err; i++)
        if (lx_vm_write_word(&p->vm, s.sp + i * width, width, s.words[i]) < 0)
            s.err = -E2BIG;
    free(s.words);
    p->kind->isa->set_sp(&t->regs, s.sp);
    return s.err;
}

int lx_load(struct lx_prog *p, struct lx_thread *first)
{
    int64_t err = map_segments(p);

    if (err < 0)
        return (int)err;
    err = p->kind->isa->page(p);
    if (err < 0)
        return (int)err;
    return build_stack(p, first);
}
