/*
 * The program behind a profile. Addresses mean something only in the very file that ran, so it is
 * held against the hash that the manifest has of it.
 */
#include "look/code.h"

#include "base/alloc.h"
#include "base/shell.h"
#include "documents/run.h"
#include "documents/statistics/finished.h"
#include "input/workload.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <jansson.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <uthash.h>
#include <xxhash.h>

/** An address that has been looked up. */
struct look_code_place {
    uint64_t va;
    struct prog_place place;
    struct look_chain chain;
    struct prog_frame *frame; /* [chain.frames] */
    UT_hash_handle hh;
};

/** A file by the name that the program has for it, and where it is today. */
struct look_moved {
    const char *name;
    char *now; /* NULL: there */
    UT_hash_handle hh;
};

enum { FILE_MAX = 1 << 30 /**< [bytes] as programs may be */ };

#define REFUSE(...)                       \
    do {                                  \
        snprintf(why, size, __VA_ARGS__); \
        return false;                     \
    } while (0)

/* ---- files ----------------------------------------------------------------------------------- */

/* A regular file's bytes: the caller's. */
static bool code_read_file(const char *path, uint8_t **bytes, size_t *length, char *why,
                           size_t size)
{
    struct stat st;
    if (stat(path, &st))
        REFUSE("%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
        REFUSE("%s: not a regular file of at most 1 GB", path);
    FILE *in = fopen(path, "re");
    if (!in)
        REFUSE("%s: %s", path, strerror(errno));
    *bytes = sim_alloc((size_t)st.st_size, 1);
    *length = fread(*bytes, 1, (size_t)st.st_size, in);
    const bool good = !ferror(in);
    fclose(in);
    if (!good)
        REFUSE("%s: cannot be read", path);
    return true;
}

/* ---- the manifest ---------------------------------------------------------------------------- */

/* "program argument ...", the caller's. */
static char *code_command_of(const char *program, const json_t *argv)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    for (size_t i = 0; i < json_array_size(argv); i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        fprintf(out, "%s%s", i ? " " : "", word ? word : "?");
    }
    if (!json_array_size(argv))
        fputs(program, out);
    sim_text_close(out, &text);
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' '; /* it stands in lines of text */
    return text;
}

/* The hash of the program among the manifest's inputs; NULL: it has none. */
static const char *hash_of(const json_t *root, const char *program)
{
    const json_t *inputs = json_object_get(root, "inputs");
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i);
        const char *path = json_string_value(json_object_get(input, "path"));
        if (path && !strcmp(path, program))
            return json_string_value(json_object_get(input, "hash"));
    }
    return NULL;
}

/* @return the caller's; NULL: the run's results are of the whole program */
static char *code_unfinished_of(const json_t *root)
{
    char *why = doc_finished_unfinished(root);
    char *sentence =
        why ? sim_format("the run is %s; what follows is of the time until then", why) : NULL;
    free(why);
    return sentence;
}

/* Takes what is wanted of a manifest. @param hash  of the program: "xxh64:..." */
static bool take_manifest(struct look_code *code, const json_t *root, char hash[32])
{
    const json_t *experiment = json_object_get(root, "experiment");
    const char *program = json_string_value(json_object_get(experiment, "program"));
    const char *found = program ? hash_of(root, program) : NULL;
    const json_t *end = json_object_get(root, "end");
    const char *reason = json_string_value(json_object_get(end, "reason"));
    const json_int_t ticks = json_integer_value(json_object_get(end, "ticks"));
    if (!found)
        return false;
    snprintf(hash, 32, "%s", found);
    code->program = sim_strdup(program);
    code->command = code_command_of(program, json_object_get(experiment, "argv"));
    const char *called = json_string_value(json_array_get(json_object_get(experiment, "argv"), 0));
    code->called = called ? sim_strdup(called) : NULL;
    code->ticks = (uint64_t)ticks;
    code->signaled = reason && !strcmp(reason, doc_end_word(PROG_SIGNALED));
    code->status = (int)json_integer_value(json_object_get(end, "status"));
    code->ended =
        ticks > 0 && reason && (!strcmp(reason, doc_end_word(PROG_EXITED)) || code->signaled);
    code->unfinished = code_unfinished_of(root);
    return true;
}

static bool read_manifest(struct look_code *code, const char *directory, char hash[32], char *why,
                          size_t size)
{
    uint8_t *bytes = NULL;
    size_t length = 0;
    char *path = sim_format("%s/manifest.json", directory);
    bool good = code_read_file(path, &bytes, &length, why, size);
    if (good) {
        json_t *root = json_loadb((char *)bytes, length, JSON_REJECT_DUPLICATES, NULL);
        good = root && take_manifest(code, root, hash);
        if (!good)
            snprintf(why, size, "%s: not the manifest of a run with a program", path);
        json_decref(root);
    }
    free(bytes);
    free(path);
    return good;
}

/* ---- the program ----------------------------------------------------------------------------- */

static bool check_hash(const struct look_code *code, const char *path, const char *wanted,
                       char *why, size_t size)
{
    char hash[32];
    snprintf(hash, sizeof hash, "xxh64:%016" PRIx64, (uint64_t)XXH64(code->bytes, code->size, 0));
    if (strcmp(hash, wanted))
        REFUSE("%s: not the program that ran, or only a part of it: its hash is %s, the "
               "manifest's %s",
               path, hash, wanted);
    return true;
}

/* How far from the file's own addresses the program ran: that of its first instruction tells. */
static uint64_t bias_of(Elf *elf, const char *path)
{
    char why[256];
    uint64_t from, to;
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header) || header.e_type != ET_DYN ||
        !in_symbol(path, "__start", &from, &to, why, sizeof why))
        return 0;
    return from - header.e_entry;
}

static void add_piece(struct look_code *code, const GElf_Phdr *ph, uint64_t bias)
{
    if (ph->p_type != PT_LOAD || ph->p_offset > code->size ||
        ph->p_filesz > code->size - ph->p_offset)
        return;
    code->piece = sim_grow(code->piece, code->pieces + 1, sizeof *code->piece);
    code->piece[code->pieces++] =
        (struct look_code_piece){ph->p_vaddr + bias, ph->p_filesz, code->bytes + ph->p_offset};
}

static void find_pieces(struct look_code *code, const char *path)
{
    size_t count = 0;
    GElf_Phdr ph;
    Elf *elf = elf_version(EV_CURRENT) ? elf_memory((char *)code->bytes, code->size) : NULL;
    if (elf && !elf_getphdrnum(elf, &count)) {
        const uint64_t bias = bias_of(elf, path);
        for (size_t i = 0; i < count; i++)
            if (gelf_getphdr(elf, (int)i, &ph))
                add_piece(code, &ph, bias);
        look_insns_open(&code->insns, elf);
    }
    elf_end(elf);
}

static void find_names(struct look_code *code, const char *path)
{
    char why[256];
    const struct prog_workload *w = in_workload_for(path, why, sizeof why);
    const struct prog_search search = {.program = code->called ? code->called : code->program,
                                       .directories = code->files ? code->files->debug : NULL};
    if (w && w->names)
        code->names = w->names(path, &search, why, sizeof why);
    if (code->names && code->names->missing)
        code->lacks = code->names->missing;
    else if (!code->names || !code->names->symbols)
        code->lacks = "the program has no symbols: there are addresses instead of functions";
    else if (!code->names->lines)
        code->lacks = "the program was compiled without -g: there are no source files and lines";
}

static void note_time(struct look_code *code, const char *path)
{
    struct stat st;
    if (!stat(path, &st))
        code->ran = st.st_mtim;
}

bool look_code_read(struct look_code *code, const char *path, char *why, size_t size)
{
    if (!code_read_file(path, &code->bytes, &code->size, why, size))
        return false;
    find_pieces(code, path);
    return true;
}

bool look_code_open(struct look_code *code, const char *directory, const struct look_files *files,
                    char *why, size_t size)
{
    char hash[32];
    char *path = sim_format("%s/guest.elf", directory);
    *code = (struct look_code){.files = files, .directory = sim_strdup(directory)};
    const bool good = read_manifest(code, directory, hash, why, size) &&
                      code_read_file(path, &code->bytes, &code->size, why, size) &&
                      check_hash(code, path, hash, why, size);
    if (good) {
        find_pieces(code, path);
        find_names(code, path);
        note_time(code, path);
    }
    free(path);
    return good;
}

void look_code_close(struct look_code *code)
{
    struct look_code_place *place, *next;
    HASH_ITER(hh, code->places, place, next) {
        HASH_DEL(code->places, place);
        free(place->frame);
        free(place);
    }
    struct look_moved *moved, *after;
    HASH_ITER(hh, code->moved, moved, after) {
        HASH_DEL(code->moved, moved);
        free(moved->now);
        free(moved);
    }
    if (code->names)
        code->names->free(code->names);
    free(code->directory);
    free(code->program);
    free(code->called);
    free(code->command);
    free(code->unfinished);
    free(code->bytes);
    free(code->piece);
    look_insns_close(&code->insns);
    *code = (struct look_code){0};
}

/* ---- what lies where ------------------------------------------------------------------------- */

const char *look_code_moved(struct look_code *code, const char *name)
{
    struct look_moved *moved;
    if (!name || !code->files || !code->files->moved)
        return name;
    HASH_FIND_PTR(code->moved, &name, moved);
    if (!moved) {
        moved = sim_alloc(1, sizeof *moved);
        moved->name = name;
        moved->now = look_files_moved(code->files, name);
        HASH_ADD_PTR(code->moved, name, moved);
    }
    return moved->now ? moved->now : name;
}

bool look_code_others(const struct look_code *code, const struct prog_frame *frame)
{
    return frame->made || look_files_system(code->files, frame->file);
}

/* The innermost frame of the program's own. */
static unsigned code_shown(const struct look_code *code, const struct look_chain *chain)
{
    for (unsigned i = 0; i < chain->frames; i++)
        if (!look_code_others(code, &chain->frame[i]))
            return i;
    return chain->frames ? chain->frames - 1 : 0;
}

static void code_find_chain(struct look_code *code, struct look_code_place *at)
{
    struct prog_frame frame[PROG_FRAMES_MAX];
    struct prog_place *p = &at->place;
    unsigned frames = 0;
    if (code->names->chain)
        frames = code->names->chain(code->names, at->va, frame, PROG_FRAMES_MAX);
    else
        frame[frames++] = (struct prog_frame){p->function, p->file, p->line, p->from, 0, false};
    at->frame = sim_alloc(frames, sizeof *at->frame);
    memcpy(at->frame, frame, frames * sizeof *frame);
    at->chain = (struct look_chain){.frame = at->frame, .frames = frames};
    for (unsigned i = 0; i < frames; i++)
        at->frame[i].file = look_code_moved(code, frame[i].file);
    at->chain.shown = code_shown(code, &at->chain);
    if (frames) {
        p->file = at->frame[at->chain.shown].file;
        p->line = at->frame[at->chain.shown].line;
    }
}

static const struct look_code_place *code_place(struct look_code *code, uint64_t va)
{
    struct look_code_place *place;
    HASH_FIND(hh, code->places, &va, sizeof va, place);
    if (!place) {
        place = sim_alloc(1, sizeof *place);
        place->va = va;
        if (code->names && code->names->at(code->names, va, &place->place))
            code_find_chain(code, place);
        else
            place->place = (struct prog_place){0};
        HASH_ADD(hh, code->places, va, sizeof va, place);
    }
    return place;
}

const struct prog_place *look_code_at(struct look_code *code, uint64_t va)
{
    return &code_place(code, va)->place;
}

const struct prog_place *look_code_own(struct look_code *code, uint64_t va)
{
    const struct look_code_place *at = code_place(code, va);
    const bool own =
        at->place.file && at->chain.frames && !look_code_others(code, &at->frame[at->chain.shown]);
    return own ? &at->place : NULL;
}

const struct look_chain *look_code_chain(struct look_code *code, uint64_t va)
{
    return &code_place(code, va)->chain;
}

const uint8_t *look_code_bytes(const struct look_code *code, uint64_t va, size_t count)
{
    for (size_t i = 0; i < code->pieces; i++) {
        const struct look_code_piece *p = &code->piece[i];
        if (va >= p->va && va - p->va < p->size && p->size - (va - p->va) >= count)
            return p->bytes + (va - p->va);
    }
    return NULL;
}

void look_code_put(const struct look_code *code, FILE *out)
{
    if (code->command)
        fprintf(out, "# program: %s\n", code->command);
    if (code->unfinished)
        fprintf(out, "# %s\n", code->unfinished);
}

char *look_code_directory(const struct look_code *code)
{
    const char *directory = code->directory ? code->directory : "RUN_DIR";
    char *path = sim_format("%s%s", *directory == '-' ? "./" : "", directory); /* it is no option */
    char *word = sim_shell_word(path);
    free(path);
    return word;
}
