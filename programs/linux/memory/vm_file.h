/*
 * Files behind memory (vm_file.c). A file has one record however often it is mapped, with one
 * descriptor of the host; areas count in `refs`, shared ones in `shared` too. Shared memory without
 * a file has a record too, as Linux gives it a file without a name: its parts, mapped twice or
 * moved apart, stay one.
 */
#ifndef LX_VM_FILE_H
#define LX_VM_FILE_H

#include "programs/linux/memory/vm.h"

struct lx_vm_cached;

struct lx_vm_file {
    struct lx_vm_file *prev, *next;
    uint64_t dev, ino;
    uint64_t bytes; /**< of one without a name, which the host does not know */
    int fd;         /**< own, closed with the last area; -1: it has no name */
    bool writable;  /**< pages can be written back */
    unsigned refs, shared;
    struct lx_vm_cached *pages; /**< of shared mappings; theirs while there is one */
};

/** The record of an open file, one use more. @return NULL when the host has no descriptor left */
struct lx_vm_file *lx_vm_file_open(struct lx_vm *vm, int fd, bool writable);
/** One without a name, of zeros, one use: its pages are all there is of it. */
struct lx_vm_file *lx_vm_file_unnamed(struct lx_vm *vm, uint64_t bytes);
void lx_vm_file_release(struct lx_vm *vm, struct lx_vm_file *f);
/** One shared area more or less; the last one takes the pages along, written back. */
void lx_vm_file_share(struct lx_vm_file *f);
void lx_vm_file_unshare(struct lx_vm *vm, struct lx_vm_file *f);

uint64_t lx_vm_file_size(const struct lx_vm_file *f);
/** Writes back what differs of the pages that overlap [at, end). */
void lx_vm_file_flush(struct lx_vm *vm, struct lx_vm_file *f, uint64_t at, uint64_t end);
/** Physical address of a page by its number in the file, or NULL. */
uint64_t *lx_vm_file_page(struct lx_vm_file *f, uint64_t index);
void lx_vm_file_add_page(struct lx_vm_file *f, uint64_t index, uint64_t pa);
/** Reads the file as it is now; what is beyond its end stays as it was. vm->unreadable: the host
 *  could not, and the run must end. */
void lx_vm_file_fill(struct lx_vm *vm, const struct lx_vm_file *f, uint64_t at, uint8_t *to,
                     size_t n);

/** vm.c: takes pages of the file from `size` on away from all areas. */
void lx_vm_drop_beyond(struct lx_vm *vm, const struct lx_vm_file *f, uint64_t size);

#endif
