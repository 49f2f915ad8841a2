/* What a profile and the truth of misses say, of a run that no directory keeps. */
#include "base/alloc.h"
#include "look/profile/write.h"
#include "look/trouble/trouble.h"
#include "run/observer.h"

/* What was inlined where is read by a process of its own, and a run that has begun may make none.
 */
static enum run_begun shown_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct prog_names *names = run_names(live);
    struct prog_frame frame;
    uint64_t at;
    (void)self, (void)why, (void)size;
    if (names && names->chain && names->function && names->function(names, "main", &at))
        names->chain(names, at, &frame, 1);
    return RUN_BEGUN;
}

static bool profile_wanted(const struct run_live *live)
{
    return live->experiment->profile && !live->kept;
}

/* The functions that took most. */
static void profile_show(void *self, FILE *out)
{
    enum { MOST = 20 };
    const struct look_show what = {.most = MOST};
    struct run_live *live = self;
    struct look_code code = {.names = run_names(live)};
    struct look_view view = {
        .profile = live->profile, .code = &code, .thread = -1, .measure = look_measure_total()};
    look_view_open(&view);
    putc('\n', out);
    look_profile_text(&view, &what, out);
    look_view_close(&view);
    fputs("# with -o DIR the profile stays: numachine profile DIR has lines, calls, threads ...\n",
          out);
    code.names = NULL; /* the run's */
    look_code_close(&code);
}

const struct run_observer cli_shown_profile = {
    .wants = profile_wanted, .begin = shown_begin, .show = profile_show};

static bool truth_wanted(const struct run_live *live)
{
    return live->experiment->truth;
}

/* What is written of a run that has just ended. */
typedef void truth_fn(struct run_live *live, const struct look_trouble *of, FILE *out);

static void truth_write(struct run_live *live, truth_fn *write, FILE *out)
{
    const enum prog_end end = live->run.outcome.end;
    struct look_code code = {.names = run_names(live),
                             .directory = live->directory ? sim_strdup(live->directory) : NULL,
                             .ended = end == PROG_EXITED || end == PROG_SIGNALED};
    struct look_finder *finder = look_finder_new(live->objects, live->profile, &code);
    struct look_sharing *sharing = look_sharing_new(live->truth, live->profile, finder, &code);
    write(live, &(struct look_trouble){.code = &code, .finder = finder, .sharing = sharing}, out);
    look_sharing_free(sharing);
    look_finder_free(finder);
    code.names = NULL; /* the run's */
    look_code_close(&code);
}

static void truth_sentence(struct run_live *live, const struct look_trouble *of, FILE *out)
{
    struct look_troubles all;
    look_troubles_open(&all, of, live->locks, live->experiment);
    char *text = look_trouble_sentence(&all.of);
    if (*text)
        fprintf(out, "%s\n\n", text);
    free(text);
    look_troubles_close(&all);
}

static void truth_say(void *self, FILE *out)
{
    truth_write(self, truth_sentence, out);
}

/* The objects, and the lines that lost most. */
static void truth_lines(struct run_live *live, const struct look_trouble *of, FILE *out)
{
    enum { LINES = 3 };
    (void)live;
    putc('\n', out);
    look_sharing_text(of->sharing, LINES, out);
    fputs("# with -o DIR the truth stays: numachine c2c DIR, and mend DIR\n", out);
}

static void truth_show(void *self, FILE *out)
{
    const struct run_live *live = self;
    if (!live->kept)
        truth_write(self, truth_lines, out);
}

const struct run_observer cli_shown_truth = {
    .wants = truth_wanted, .begin = shown_begin, .say = truth_say, .show = truth_show};
