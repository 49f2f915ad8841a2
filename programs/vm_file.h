/*
 * Files behind memory (vm_file.c). A file has one record however often it is mapped, with one
 * descriptor of the host; areas count in `refs`, shared ones in `shared` too.
 */
#ifndef PROG_VM_FILE_H
#define PROG_VM_FILE_H

#include "programs/vm.h"

struct vm_cached;

struct vm_file {
    struct vm_file *prev, *next;
    uint64_t dev, ino;
    int fd;        /**< own, closed with the last area */
    bool writable; /**< pages can be written back */
    unsigned refs, shared;
    struct vm_cached *pages; /**< of shared mappings; theirs while there is one */
};

/** The record of an open file, one use more. @return NULL when the host has no descriptor left */
struct vm_file *vm_file_open(struct vm *vm, int fd, bool writable);
void vm_file_release(struct vm *vm, struct vm_file *f);
/** One shared area more or less; the last one takes the pages along, written back. */
void vm_file_share(struct vm_file *f);
void vm_file_unshare(struct vm *vm, struct vm_file *f);

uint64_t vm_file_size(const struct vm_file *f);
/** Writes back what differs of the pages that overlap [at, end). */
void vm_file_flush(struct vm *vm, struct vm_file *f, uint64_t at, uint64_t end);
/** Physical address of a page by its number in the file, or NULL. */
uint64_t *vm_file_page(struct vm_file *f, uint64_t index);
void vm_file_add_page(struct vm_file *f, uint64_t index, uint64_t pa);
/** Reads the file as it is now; what is beyond its end stays as it was.
 *  @return 0, or the host's errno: not all could be read */
int vm_file_fill(const struct vm *vm, const struct vm_file *f, uint64_t at, uint8_t *to, size_t n);

/** vm.c: takes pages of the file from `size` on away from all areas. */
void vm_drop_beyond(struct vm *vm, const struct vm_file *f, uint64_t size);

#endif
