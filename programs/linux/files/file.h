/* Open files, and what their handlers share. */
#ifndef LX_FILE_H
#define LX_FILE_H

#include "programs/linux/process/call.h"
#include "programs/linux/process/most.h"
#include "programs/linux/view/synthetic.h"
#include "programs/linux/view/view.h"

enum lx_file_kind {
    FILE_HOST,   /**< a regular file, or a standard stream */
    FILE_FOLDER, /**< a directory */
    FILE_PATH,   /**< opened with O_PATH: a name, not its bytes */
    FILE_NULL,
    FILE_ZERO,
    FILE_FULL, /**< reads as zeros, and has no room */
    FILE_PIPE_IN,
    FILE_PIPE_OUT,
    FILE_PIPE_BOTH, /**< a FIFO opened for both */
    FILE_MARK,
    FILE_RANDOM,
    FILE_DEVICE,
    FILE_OBJECT,      /**< a timer, a counter, a queue ... (object.h) */
    FILE_UNCACHED,    /**< to be mapped (mapped.h) */
    FILE_NONCOHERENT, /**< to be mapped */
    FILE_CARD         /**< a card's registers, to be mapped, and its interrupts */
};

enum { STREAMS = 3 /**< standard ones, which look like the first pipes */ };

struct lx_pipe {
    unsigned readers, writers;
    unsigned opened[2];     /**< how often for reading and for writing, ever */
    struct lx_inode *inode; /**< its FIFO, or NULL */
    uint64_t number;        /**< as an inode's, of one without a name */
    size_t head, count;
    uint8_t data[PIPE_BYTES];
};

/** An open file; descriptors made by dup share it. */
struct lx_file {
    enum lx_file_kind kind;
    int host;      /**< host descriptor, or -1. Of a FIFO and of FILE_PATH it is a name (O_PATH) */
    bool standard; /**< behind the guest's first 0, 1, 2: the host's closes it */
    int stream;    /**< the guest's first 1 or 2, or 0 */
    unsigned refs; /**< descriptors, commands and calls under way */
    struct lx_file *prev, *next;
    uint32_t flags;                   /**< guest's O_ flags */
    uint64_t at;                      /**< position in a regular file */
    struct lx_inode *inode;           /**< of a file of the host; not owned */
    bool writable;                    /**< the view lets it be changed ... */
    bool guarded;                     /**< ... but for rights to execute it (guard.h) */
    const struct lx_synthetic *synth; /**< what it is a made-up form of, or NULL */
    bool text;                        /**< written by that, of ... */
    unsigned number;                  /**< ... the thread, process or other with this number */
    struct lx_place place;            /**< FILE_FOLDER; of others only the path it was opened by */
    struct lx_pipe *pipe;
    unsigned writers_before;       /**< that had opened its FIFO before a reader that found none */
    const struct lx_file_ops *ops; /**< FILE_OBJECT: what it does (object.h) */
    void *object;                  /**< FILE_OBJECT: what it is */
    struct lx_device *device;      /**< FILE_DEVICE: its commands (device.h) */
    unsigned card;                 /**< FILE_CARD */
    uint32_t interrupts;           /**< FILE_CARD: of the card, when last read */
    int32_t owner;                 /**< F_SETOWN: the thread or process told of them; 0: nobody */
    uint8_t owner_kind;            /**< F_SETOWN_EX's type; changes nothing */
    uint8_t signal;                /**< F_SETSIG; 0: SIGIO */
    struct directory *directory;   /**< listing being read, or NULL */
    uint64_t kept;                 /**< [bytes] put aside for that, or for its text */
};

/** MIPS Linux open flags. */
enum {
    G_O_APPEND = 0x8,
    G_O_NONBLOCK = 0x80,
    G_O_CREAT = 0x100,
    G_O_TRUNC = 0x200,
    G_O_EXCL = 0x400,
    G_O_NOCTTY = 0x800,
    G_O_ASYNC = 0x1000,
    G_O_DIRECTORY = 0x10000,
    G_O_NOFOLLOW = 0x20000,
    G_O_CLOEXEC = 0x80000,
    G_O_PATH = 0x200000,
    G_O_TMPFILE = 0x400000,
};

/** An open file without a descriptor yet. `host` becomes its own unless `standard` is set. */
struct lx_file *lx_file_new(struct lx_prog *p, enum lx_file_kind kind, int host, uint32_t flags);
/** One descriptor less; the last one closes. */
void lx_file_release(struct lx_prog *p, struct lx_file *f);
/** Gives it the lowest free descriptor from `from` on; releases a new file on -EMFILE. */
int64_t lx_file_install(struct lx_prog *p, struct lx_file *f, unsigned from, bool cloexec);
int64_t lx_file_close(struct lx_prog *p, uint64_t fd);
/** The lowest free descriptor from `from` on, or -EMFILE: for calls that must not begin without
 * one.
 */
int64_t lx_descriptor_free(const struct lx_prog *p, unsigned from);
/** Makes it one of the file. */
void lx_descriptor_set(struct lx_prog *p, uint64_t fd, struct lx_file *f, bool cloexec);
/** What has no name has seals. @param sealable  more can be added */
void lx_seals_born(struct lx_inode *n, bool sealable);
/** F_ADD_SEALS and F_GET_SEALS. @return -EINVAL: not such a file; -EPERM, -EBUSY */
int64_t lx_seal_fcntl(struct lx_call *c, bool add, uint64_t seals);
/** Whether a file of `size` bytes may be written up to `end`. @return 0, -EPERM */
int64_t lx_seals_on_write(const struct lx_file *f, uint64_t size, uint64_t end);
/** Whether its size may change. @return 0, -EPERM */
int64_t lx_seals_on_resize(const struct lx_file *f, uint64_t from, uint64_t to);
/** Whether it may be mapped shared. @param stores  to be written at once
 *  @param storable  in: by the descriptor, it could be written later; out: also by its seals
 *  @return 0, -EPERM */
int64_t lx_seals_on_map(const struct lx_file *f, bool stores, bool *storable);
/** Sets the size of a regular file that is open for writing. */
int64_t lx_file_resize(struct lx_call *c, struct lx_file *f, uint64_t size);

/** The guest's AT_FDCWD. */
enum { PATH_CWD = -100 };

/** Follows a path as the call's program would. @param dir  descriptor a relative one starts at, or
 *  PATH_CWD. As lx_view_find, and -EBADF, -ENOTDIR for `dir` */
int64_t lx_path_find(struct lx_call *c, int64_t dir, const char *path, enum lx_ending ending,
                     struct lx_spot *s);
/** Whether a link at a path's end is followed, as calls have it. */
static inline enum lx_ending lx_ending_of(bool follow)
{
    return follow ? END_FOLLOWED : END_LINK;
}

/** lx_path_find; with AT_EMPTY_PATH among `flags` no path means the descriptor itself. */
int64_t lx_path_find_at(struct lx_call *c, int64_t dir, const char *path, uint64_t flags,
                        enum lx_ending ending, struct lx_spot *s);
/** What the host said, but its own limits end the run: a guest must not see them. */
int64_t lx_host_says(struct lx_prog *p, int64_t err);

/** A made-up text is written anew whenever it is read from its beginning, as by Linux; other files
 *  stay. @param at  where it is read @return 0; -ESRCH: the thread it tells of has ended; -ENOMEM
 */
int64_t lx_text_renew(struct lx_prog *p, struct lx_file *f, uint64_t at);

/** Opens the FIFO of a spot; waits for its other end. @return a descriptor or -errno */
int64_t lx_fifo_open(struct lx_call *c, const struct lx_spot *s, uint32_t flags);
/** One end less of a pipe. */
void lx_pipe_end(struct lx_prog *p, struct lx_file *f);

/** Position in a directory that has been listed; 0 reads it anew. */
int64_t lx_directory_seek(struct lx_prog *p, struct lx_file *f, int64_t offset, uint64_t whence);
void lx_directory_free(struct lx_prog *p, struct lx_file *f);

/** Whether the file can be read from, or written to, by its flags. */
static inline bool lx_may_read(const struct lx_file *f)
{
    return (f->flags & 3) != 1;
}

static inline bool lx_may_write(const struct lx_file *f)
{
    return (f->flags & 3) != 0;
}

/** Whether it was opened with O_PATH. */
static inline bool lx_file_is_name(const struct lx_file *f)
{
    return f->kind == FILE_PATH || f->flags & G_O_PATH;
}

/** [bytes] A pipe takes so many at once, or none of them. */
enum { PIPE_ATOMIC = 4096 };

int64_t lx_pipe_read(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
int64_t lx_pipe_write(struct lx_call *c, struct lx_file *f, uint64_t va, uint64_t len);
/** The same from the host's memory. */
int64_t lx_pipe_put(struct lx_call *c, struct lx_file *f, const uint8_t *buf, size_t len);

/** A timer or, for &p->watchers, a signal has come: tells the epolls (lx_steps). */
void lx_epoll_came(struct lx_prog *p, const void *queue);

void lx_files_init(struct lx_prog *p);
void lx_files_free(struct lx_prog *p);
struct lx_file *lx_file_get(struct lx_prog *p, int64_t fd);
/** Keeps a file until the thread's call ends, even if another thread closes it. */
void lx_file_hold(struct lx_thread *t, struct lx_file *f);
/** The call has ended. */
void lx_files_let_go(struct lx_thread *t);

#endif
