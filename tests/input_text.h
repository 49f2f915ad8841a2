/* Reads a text as if it were a file, and keeps the complaints. For the tests of input/. */
#ifndef TESTS_INPUT_TEXT_H
#define TESTS_INPUT_TEXT_H

#include "guest_elf.h"
#include "input/experiment.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** What came of a text. */
struct outcome {
    enum in_file_kind kind;
    struct in_experiment x; /**< to be freed with outcome_free, whatever the kind */
    char *complaints;       /**< as printed; the file is called t.yaml */
    unsigned errors;
};

/** A directory of its own for each test process; the current directory from then on. */
static inline void enter_scratch(void)
{
    static bool entered;
    if (!entered)
        make_scratch();
    entered = true;
}

static inline void leave_scratch(void)
{
    char *here = getcwd(NULL, 0);
    char *command = NULL;
    if (here && strstr(here, "/numachine-test-") && asprintf(&command, "rm -r '%s'", here) > 0)
        cr_expect(system(command) == 0);
    free(command);
    free(here);
}

static inline void write_file(const char *name, const char *text, size_t size)
{
    FILE *f = fopen(name, "w");
    cr_assert(f && fwrite(text, 1, size, f) == size && !fclose(f));
}

/** Writes the smallest executable the machine accepts. */
static inline void write_guest(const char *name)
{
    uint8_t elf[GUEST_ELF_SIZE];
    guest_elf(elf);
    write_file(name, (const char *)elf, sizeof elf);
}

static inline struct outcome read_file(const char *name, char *const *sets)
{
    struct outcome o = {0};
    size_t size;
    struct in_diag diag = {.out = open_memstream(&o.complaints, &size)};
    o.kind = in_any_load(&o.x, name, sets, &diag);
    fclose(diag.out);
    o.errors = diag.errors;
    return o;
}

static inline struct outcome read_bytes(const char *text, size_t size, char *const *sets)
{
    enter_scratch();
    write_file("t.yaml", text, size);
    return read_file("t.yaml", sets);
}

static inline struct outcome read_text(const char *text)
{
    return read_bytes(text, strlen(text), NULL);
}

static inline void outcome_free(struct outcome *o)
{
    in_experiment_free(&o->x);
    free(o->complaints);
}

#endif
