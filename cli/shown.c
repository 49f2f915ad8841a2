/* What a profile and the truth of misses say, of a run that no directory keeps. */
#include "base/alloc.h"
#include "look/profile/write.h"
#include "look/sharing/sharing.h"
#include "run/observer.h"

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

const struct run_observer cli_shown_profile = {.wants = profile_wanted, .show = profile_show};

static bool truth_wanted(const struct run_live *live)
{
    return live->experiment->truth;
}

/* What is written of the lines and objects of a run that has just ended. */
typedef void truth_fn(const struct look_sharing *sharing, FILE *out);

static void truth_write(struct run_live *live, truth_fn *write, FILE *out)
{
    struct look_code code = {.names = run_names(live),
                             .directory = live->directory ? sim_strdup(live->directory) : NULL};
    struct look_finder *finder = look_finder_new(live->objects, live->profile, &code);
    struct look_sharing *sharing = look_sharing_new(live->truth, live->profile, finder, &code);
    write(sharing, out);
    look_sharing_free(sharing);
    look_finder_free(finder);
    code.names = NULL; /* the run's */
    look_code_close(&code);
}

static void truth_say(void *self, FILE *out)
{
    truth_write(self, look_sharing_say, out);
}

/* The objects, and the lines that lost most. */
static void truth_lines(const struct look_sharing *sharing, FILE *out)
{
    enum { LINES = 3 };
    putc('\n', out);
    look_sharing_text(sharing, LINES, out);
    fputs("# with -o DIR the truth stays: numachine c2c DIR, and mend DIR\n", out);
}

static void truth_show(void *self, FILE *out)
{
    const struct run_live *live = self;
    if (!live->kept)
        truth_write(self, truth_lines, out);
}

const struct run_observer cli_shown_truth = {
    .wants = truth_wanted, .say = truth_say, .show = truth_show};
