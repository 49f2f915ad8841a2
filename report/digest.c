#include "report/digest.h"

#include "base/alloc.h"
#include "input/write.h"
#include "report/version.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* A file's contents; what is no regular file may have no end, and counts as empty. */
static void add_file(XXH64_state_t *state, const char *path)
{
    char block[65536];
    struct stat st;
    const int fd = path && !stat(path, &st) && S_ISREG(st.st_mode)
                       ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                       : -1;
    ssize_t n;
    uint64_t bytes = 0;
    while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0) {
        XXH64_update(state, block, (size_t)n);
        bytes += (uint64_t)n;
    }
    if (fd >= 0)
        close(fd);
    XXH64_update(state, &bytes, sizeof bytes);
}

/* Values without where they come from; files go by what is in them. */
static void add_values(XXH64_state_t *state, const struct in_experiment *x)
{
    struct in_experiment plain = *x;
    char *text = NULL;
    size_t size;
    plain.origins = NULL;
    plain.machine.origins = NULL;
    plain.machine.name = "";
    plain.source = x->source ? "" : NULL;
    plain.program = x->program ? "" : NULL;
    plain.stdin_path = NULL;
    FILE *out = sim_text_open(&text, &size);
    in_experiment_write_resolved(out, &plain, "");
    sim_text_close(out, &text);
    XXH64_update(state, text, size);
    free(text);
}

uint64_t rep_digest(const struct in_experiment *x)
{
    XXH64_state_t *state = XXH64_createState();
    if (!state)
        sim_no_memory();
    XXH64_reset(state, 0);
    XXH64_update(state, NM_VERSION " " REP_GIT, sizeof NM_VERSION " " REP_GIT);
    add_values(state, x);
    add_file(state, x->program);
    add_file(state, x->source);
    add_file(state, x->stdin_path);
    for (unsigned i = 0; i < x->group_count; i++)
        add_file(state, x->group[i].path);
    const uint64_t digest = XXH64_digest(state);
    XXH64_freeState(state);
    return digest;
}

char *rep_digest_text(const struct in_experiment *x)
{
    return sim_format("xxh64:%016llx", (unsigned long long)rep_digest(x));
}
