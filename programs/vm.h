/*
 * The guest's address space: areas with rights, pages that appear on first touch, copying in and
 * out.
 *
 * Virtual addresses are 64-bit; o32 programs live below 2 GB, n64 programs below 2^40. All lengths
 * are bytes. Errors are negative host errno values.
 */
#ifndef PROG_VM_H
#define PROG_VM_H

#include "machine/machine.h"
#include "procard/r4400/r4400.h"
#include "programs/elf.h"

struct vm_file; /* vm_file.h */

/** What the pages of an area are. */
enum vm_kind {
    VM_COHERENT,
    VM_UNCACHED,
    VM_NONCOHERENT,
    VM_REGISTERS /**< of cards: uncached, no memory behind them */
};

/** One area [start, end), page aligned, with equal rights throughout. */
struct vm_area {
    uint64_t start, end;
    unsigned rights; /**< enum prog_rights; 0: no access */
    enum vm_kind kind;
    bool shared;          /**< written back to `file` */
    bool read_only;       /**< shared, and the file was opened for reading only */
    struct vm_file *file; /**< NULL: zero pages */
    uint64_t offset; /**< file offset of `start`; VM_REGISTERS: its distance from NM_REGISTERS */
    uint64_t limit;  /**< file bytes at or beyond this offset read as zero */
};

struct vm {
    struct nm_machine *m;
    struct pc_code *code;
    uint64_t page; /**< page size, a power of two */
    unsigned shift;
    bool n64;
    unsigned toucher;      /**< card whose system call is being handled: it touches pages first */
    bool full;             /**< the machine's memory ran out: the run must end */
    int unreadable;        /**< errno: the host did not give what a file holds: the run must end */
    struct vm_area *areas; /**< sorted by start */
    size_t count, room;
    struct vm_file *files; /**< those behind areas */
    /** Bytes of a mapped file went back to the host; may be NULL. */
    void (*wrote)(void *ctx, uint64_t dev, uint64_t ino);
    void *wrote_ctx;
    /** A page has got memory, perhaps that of its file; may be NULL. */
    void (*paged)(void *ctx, uint64_t va, uint64_t pa);
    void *paged_ctx;
    uint64_t **leaves; /**< [top index] -> page entries, see vm.c */
    size_t tops;
    uint64_t floor, top; /**< lowest and one past the highest address mmap may choose */
    uint64_t brk_start, brk;
};

/** Makes an empty space and gives it to the machine. `mips3` restricts the decoder. */
void vm_init(struct vm *vm, struct nm_machine *m, bool n64);
void vm_free(struct vm *vm);

/** Guest address where the signal trampolines lie, and one past the top of the stack. */
uint64_t vm_trampoline(const struct vm *vm);

/** What mmap needs to know. */
struct vm_request {
    uint64_t addr, len;
    unsigned rights;
    bool fixed;     /**< exactly there, replacing what was */
    bool noreplace; /**< exactly there, but fail if something is */
    bool shared;
    enum vm_kind kind;
    int fd;                 /**< host file, or -1; duplicated */
    bool writable;          /**< the descriptor can be written to */
    uint64_t offset, limit; /**< in the file; limit UINT64_MAX: to its end. See struct vm_area */
};

/** @return the address, or -EINVAL, -ENOMEM, -EEXIST; -ENFILE: the host's limit of open files. */
int64_t vm_map(struct vm *vm, const struct vm_request *rq);
int64_t vm_unmap(struct vm *vm, uint64_t addr, uint64_t len);
/** -EACCES: a shared mapping of a file that was opened for reading cannot become writable. */
int64_t vm_protect(struct vm *vm, uint64_t addr, uint64_t len, unsigned rights);
/** Moves or resizes; @param fixed  new address, or 0 @param may_move  MREMAP_MAYMOVE */
int64_t vm_remap(struct vm *vm, uint64_t addr, uint64_t old_len, uint64_t new_len, bool may_move,
                 uint64_t fixed);
/** Sets the program break; returns the break in force. */
uint64_t vm_brk(struct vm *vm, uint64_t want);
/** Throws private pages away; they read as zero (or the file) again. */
int64_t vm_discard(struct vm *vm, uint64_t addr, uint64_t len);
/** Writes changed shared pages back to their files. Always 0. */
int64_t vm_sync(struct vm *vm, uint64_t addr, uint64_t len);
/** -ENOMEM unless [addr, addr+len) is mapped throughout. */
int64_t vm_mapped(const struct vm *vm, uint64_t addr, uint64_t len);
/** Whether any part of it is a card's registers. */
bool vm_has_registers(const struct vm *vm, uint64_t addr, uint64_t len);

/** Area holding `va`, or NULL. */
const struct vm_area *vm_find(const struct vm *vm, uint64_t va);

/** The processors' question: see struct nm_space. */
enum nm_xlate vm_translate(void *vm, unsigned card, uint64_t va, enum nm_access access,
                           uint64_t *pa);
/** Gives the page of `va` memory, on behalf of `card`, if it is mapped and has none; vm->full:
 * there was none left. */
void vm_bring_in(struct vm *vm, unsigned card, uint64_t va);
/** Whether the page of `va` lies beyond the end of its file: touching it is a bus error. */
bool vm_beyond(const struct vm *vm, uint64_t va);

/* What read, write and truncate of a file have to do with its shared pages (vm_file.c). */

/** Puts what shared pages have of [at, at + len) into `buf`. */
void vm_file_overlay(const struct vm *vm, uint64_t dev, uint64_t ino, uint64_t at, uint8_t *buf,
                     size_t len);
/** Bytes have been written to the file: its shared pages follow. */
void vm_file_wrote(struct vm *vm, uint64_t dev, uint64_t ino, uint64_t at, const uint8_t *buf,
                   size_t len);
/** Whether memory that can be written, or could be made so, is the file itself. */
bool vm_file_written_by_memory(struct vm *vm, uint64_t dev, uint64_t ino);
/** It has another size: pages beyond are gone. */
void vm_file_resized(struct vm *vm, uint64_t dev, uint64_t ino, uint64_t size);
/** The same question from the operating system, on behalf of `card`: a page without memory gets
 * some, unless there is none left (vm->full). */
enum nm_xlate vm_touch(struct vm *vm, unsigned card, uint64_t va, enum nm_access access,
                       uint64_t *pa);

/* Copying between guest memory and the host; 0 or -EFAULT. A failed write may have copied a part.
 */
int vm_read(struct vm *vm, uint64_t va, void *buf, size_t len);
int vm_write(struct vm *vm, uint64_t va, const void *buf, size_t len);
int vm_zero(struct vm *vm, uint64_t va, size_t len);
/** Reads a string. @return its length, -EFAULT or -ENAMETOOLONG. */
int64_t vm_string(struct vm *vm, uint64_t va, char *buf, size_t size);
int vm_read32(struct vm *vm, uint64_t va, uint32_t *v);
int vm_write32(struct vm *vm, uint64_t va, uint32_t v);
/** A number of `width` bytes (1, 2, 4 or 8), big-endian. */
int vm_read_word(struct vm *vm, uint64_t va, unsigned width, uint64_t *v);
int vm_write_word(struct vm *vm, uint64_t va, unsigned width, uint64_t v);

#endif
