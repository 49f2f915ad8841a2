/*
 * The guest's address space: areas with rights, pages that appear on first touch, copying in and
 * out.
 *
 * Virtual addresses are 64-bit; o32 programs live below 2 GB, armel programs below 3 GB, n64
 * programs below 2^40. All lengths are bytes. Errors are negative host errno values.
 */
#ifndef LX_VM_H
#define LX_VM_H

#include "machine/machine.h"
#include "programs/linux/binary/elf.h"
#include "programs/linux/binary/kind.h"
#include "programs/linux/processor/processor.h"

struct lx_vm_file; /* vm_file.h */
struct lx_vm_leaf; /* vm.c */

/** As Linux has it: more are refused (ENOMEM). */
enum { LX_VM_AREAS_MAX = 65530 };

/** What the pages of an area are. */
enum lx_vm_kind {
    VM_COHERENT,
    VM_UNCACHED,
    VM_NONCOHERENT,
    VM_REGISTERS /**< of cards: uncached, no memory behind them */
};

/** One area [start, end), page aligned, with equal rights throughout. */
struct lx_vm_area {
    uint64_t start, end;
    unsigned rights; /**< enum lx_rights; 0: no access */
    enum lx_vm_kind kind;
    bool shared;             /**< written back to `file` */
    bool read_only;          /**< shared, and the file was opened for reading only */
    bool locked;             /**< by mlock: kept in memory, as all are that have some */
    struct lx_vm_file *file; /**< NULL: zero pages */
    uint64_t offset; /**< file offset of `start`; VM_REGISTERS: its distance from NM_REGISTERS */
    uint64_t limit;  /**< file bytes at or beyond this offset read as zero */
};

/** [bytes] What may be mapped, be data (written and private), and be locked; UINT64_MAX: any. */
struct lx_vm_most {
    uint64_t all, data, locked;
};

struct lx_vm {
    struct nm_machine *m;
    struct lx_processors *cpus;
    uint64_t page; /**< page size, a power of two */
    unsigned shift;
    const struct lx_kind *kind;
    unsigned toucher; /**< card whose system call is being handled: it touches pages first */
    bool full;        /**< the machine's memory ran out: the run must end */
    int unreadable;   /**< errno: the host did not give what a file holds: the run must end */
    struct lx_vm_area *areas; /**< sorted by start */
    size_t count, room;
    struct lx_vm_file *files; /**< those behind areas */
    uint64_t unnamed;         /**< files without a name so far */
    /** Bytes of a mapped file went back to the host; may be NULL. */
    void (*wrote)(void *ctx, uint64_t dev, uint64_t ino);
    /** The last mapping of a file is gone; may be NULL. */
    void (*left)(void *ctx, uint64_t dev, uint64_t ino);
    void *wrote_ctx; /**< of both */
    /** A page has got memory, perhaps that of its file; may be NULL. */
    void (*paged)(void *ctx, uint64_t va, uint64_t pa);
    void *paged_ctx;
    struct lx_vm_leaf **leaves; /**< [top index] -> page entries, see vm.c */
    size_t tops;
    uint64_t floor, top; /**< lowest and one past the highest address mmap may choose */
    uint64_t limit;      /**< one past all that may be mapped or unmapped */
    uint64_t brk_start, brk;
    uint64_t stack_end; /**< one past the first thread's stack; 0: there is none yet */
    struct lx_vm_most most;
    uint64_t resident, resident_peak; /**< [bytes] have memory; had at most */
    uint64_t mapped_peak; /**< [bytes] at most, before something was unmapped; without the stack */
    bool lock_all;        /**< what is mapped from now on is locked (MCL_FUTURE) */
    bool lock_on_touch;   /**< and has memory when it is touched, not at once (MCL_ONFAULT) */
};

/** Makes an empty space for such a program and gives it to the machine. */
void lx_vm_init(struct lx_vm *vm, struct nm_machine *m, const struct lx_kind *kind);
void lx_vm_free(struct lx_vm *vm);

/** [bytes] Whole pages that hold `bytes`. */
static inline uint64_t lx_vm_whole_pages(const struct lx_vm *vm, uint64_t bytes)
{
    return (bytes + vm->page - 1) & ~(vm->page - 1);
}

/** One past the top of the stack, and of all that the program may map. */
uint64_t lx_vm_end(const struct lx_vm *vm);

/** Maps the operating system's page (lx_kind.os), which programs may read and execute, and fills
 * its beginning. @return 0 or -errno */
int lx_vm_os_page(struct lx_vm *vm, const void *code, size_t len);

/** What mmap needs to know. */
struct lx_vm_request {
    uint64_t addr, len;
    unsigned rights;
    bool fixed;     /**< exactly there, replacing what was */
    bool noreplace; /**< exactly there, but fail if something is */
    bool locked;
    bool shared;
    enum lx_vm_kind kind;
    int fd;                 /**< host file, or -1; duplicated */
    bool writable;          /**< the descriptor can be written to */
    uint64_t offset, limit; /**< in the file; limit UINT64_MAX: to its end. See struct lx_vm_area */
};

/** What is wrong with the size of a mapping, or with the place that it must have. @return 0,
 * -EINVAL, -ENOMEM, -EEXIST */
int lx_vm_may_place(const struct lx_vm *vm, const struct lx_vm_request *rq);
/** @return the address, or -EINVAL, -ENOMEM, -EEXIST; -EAGAIN: too much would be locked; -ENFILE:
 * the host's limit of open files. */
int64_t lx_vm_map(struct lx_vm *vm, const struct lx_vm_request *rq);
int64_t lx_vm_unmap(struct lx_vm *vm, uint64_t addr, uint64_t len);
/** Up to the first hole, -ENOMEM, or the first shared mapping of a file that was opened for
 * reading, which cannot become writable, -EACCES. */
int64_t lx_vm_protect(struct lx_vm *vm, uint64_t addr, uint64_t len, unsigned rights);
/** Moves or resizes; of nothing (old_len 0), maps what is shared at `addr` a second time.
 *  @param fixed  new address, or 0 @param may_move  MREMAP_MAYMOVE
 *  @return the address; -EFAULT: no mapping; -EINVAL, -ENOMEM, -EAGAIN */
int64_t lx_vm_remap(struct lx_vm *vm, uint64_t addr, uint64_t old_len, uint64_t new_len,
                    bool may_move, uint64_t fixed);
/** Sets the program break; returns the break in force. */
uint64_t lx_vm_brk(struct lx_vm *vm, uint64_t want);
/** Throws private pages away, on both sides of holes; they read as zero (or the file) again.
 *  @param locked  those that are locked too; else -EINVAL @return -ENOMEM: there was a hole */
int64_t lx_vm_discard(struct lx_vm *vm, uint64_t addr, uint64_t len, bool locked);
/** Whether all that is mapped of [addr, addr+len) is no file's, and not shared. */
bool lx_vm_is_own(const struct lx_vm *vm, uint64_t addr, uint64_t len);
/** Writes changed shared pages back to their files. Always 0. */
int64_t lx_vm_sync(struct lx_vm *vm, uint64_t addr, uint64_t len);
/** The first address in [addr, addr+len) where nothing is mapped; its end: there is none. */
uint64_t lx_vm_hole(const struct lx_vm *vm, uint64_t addr, uint64_t len);
/** -ENOMEM unless [addr, addr+len) is mapped throughout. */
int64_t lx_vm_mapped(const struct lx_vm *vm, uint64_t addr, uint64_t len);
/** Locks pages, or no longer, up to the first hole. @return -ENOMEM unless all are mapped and may
 * be locked */
int64_t lx_vm_lock(struct lx_vm *vm, uint64_t addr, uint64_t len, bool locked);
/** Locks all there is, or no longer. */
void lx_vm_lock_areas(struct lx_vm *vm, bool locked);
/** Whether any part of it is locked. */
bool lx_vm_has_locked(const struct lx_vm *vm, uint64_t addr, uint64_t len);
/** [bytes] that have memory in [start, end). @param[out] first  the lowest of them; end: none */
uint64_t lx_vm_present(struct lx_vm *vm, uint64_t start, uint64_t end, uint64_t *first);
/** Whether any part of it is a card's registers. */
bool lx_vm_has_registers(const struct lx_vm *vm, uint64_t addr, uint64_t len);

/** Area holding `va`, or NULL. */
const struct lx_vm_area *lx_vm_find(const struct lx_vm *vm, uint64_t va);

/* vm_limit.c: what is mapped, and what may be. */

/** [bytes] */
struct lx_vm_usage {
    uint64_t all, data, code, stack, locked;
    uint64_t resident; /**< has memory */
    uint64_t all_peak; /**< of the whole, ever */
};

/** Adds up what is mapped in [from, to), without the operating system's page and registers. */
void lx_vm_usage_of(struct lx_vm *vm, uint64_t from, uint64_t to, struct lx_vm_usage *u);
/** Something is about to be unmapped: remembers how much there was. */
void lx_vm_note_mapped(struct lx_vm *vm);
/** Whether the limits let [at, at + len) be mapped, instead of what is there; let it be written;
 * let it be locked. */
bool lx_vm_may_map(struct lx_vm *vm, uint64_t at, uint64_t len, unsigned rights, bool shared);
bool lx_vm_may_write(struct lx_vm *vm, uint64_t at, uint64_t len);
bool lx_vm_may_lock(struct lx_vm *vm, uint64_t at, uint64_t len);
/** Lets the first stack have so many bytes: more as far as nothing else is there, less as far as it
 *  has not been used. */
void lx_vm_stack(struct lx_vm *vm, uint64_t bytes);

/** The processors' question: see struct nm_space. @param ctx  a struct lx_vm */
enum nm_xlate lx_vm_translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                              uint64_t *pa);
/** Gives the page of `va` memory, on behalf of `card`, if it is mapped and has none; vm->full:
 * there was none left. */
void lx_vm_bring_in(struct lx_vm *vm, unsigned card, uint64_t va);
/** Gives pages of [addr, addr + len) memory as if the caller of the system call touched them, up to
 *  the first that cannot have any. @param rights  which a page must have; 0: any at all
 *  @return 0; -EACCES: it has not these rights; -EFAULT: it lies beyond its file's end; -ENOMEM:
 *  nothing is mapped there, or the machine's memory is full */
int64_t lx_vm_populate(struct lx_vm *vm, uint64_t addr, uint64_t len, unsigned rights);
/** Whether the page of `va` lies beyond the end of its file: touching it is a bus error. */
bool lx_vm_beyond(const struct lx_vm *vm, uint64_t va);

/* What read, write and truncate of a file have to do with its shared pages (vm_file.c). */

/** Puts what shared pages have of [at, at + len) into `buf`. */
void lx_vm_file_overlay(const struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t at,
                        uint8_t *buf, size_t len);
/** Bytes have been written to the file: its shared pages follow. */
void lx_vm_file_wrote(struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t at, const uint8_t *buf,
                      size_t len);
/** Whether memory that can be written, or could be made so, is the file itself. */
bool lx_vm_file_written_by_memory(struct lx_vm *vm, uint64_t dev, uint64_t ino);
/** Whether any area is of the file. */
bool lx_vm_file_mapped(const struct lx_vm *vm, uint64_t dev, uint64_t ino);
/** It has more bytes than it had: what memory had behind its end, on the last page, is zeros. */
void lx_vm_file_grew(struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t was);
/** It has another size: pages beyond are gone. */
void lx_vm_file_resized(struct lx_vm *vm, uint64_t dev, uint64_t ino, uint64_t size);
/** The same question from the operating system, on behalf of `card`: a page without memory gets
 * some, unless there is none left (vm->full). */
enum nm_xlate lx_vm_touch(struct lx_vm *vm, unsigned card, uint64_t va, enum nm_access access,
                          uint64_t *pa);

/** Copying between guest memory and the host; 0 or -EFAULT. A failed write may have copied a part.
 */
int lx_vm_read(struct lx_vm *vm, uint64_t va, void *buf, size_t len);
int lx_vm_write(struct lx_vm *vm, uint64_t va, const void *buf, size_t len);
int lx_vm_zero(struct lx_vm *vm, uint64_t va, size_t len);
/** Reads a string. @return its length, -EFAULT or -ENAMETOOLONG. */
int64_t lx_vm_string(struct lx_vm *vm, uint64_t va, char *buf, size_t size);
int lx_vm_read32(struct lx_vm *vm, uint64_t va, uint32_t *v);
int lx_vm_write32(struct lx_vm *vm, uint64_t va, uint32_t v);
/** A number of `width` bytes (1, 2, 4 or 8), in the kind's order. */
int lx_vm_read_word(struct lx_vm *vm, uint64_t va, unsigned width, uint64_t *v);
int lx_vm_write_word(struct lx_vm *vm, uint64_t va, unsigned width, uint64_t v);

#endif
