/* A line's windows: when it was shared falsely, and when truly. */
#include "look/sharing/sharing.h"

#include "procard/windows.h"

#include <inttypes.h>

static int64_t windows_cost(const struct look_lost *lost)
{
    return doc_plus(lost->falsely, lost->truly);
}

const struct pc_missed_window *look_sharing_windows(const struct look_sharing *s,
                                                    const struct look_shared_line *line,
                                                    size_t *count)
{
    const struct doc_truth *truth = s->truth;
    size_t from = 0, to = truth->windows;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (truth->window[middle].copy < line->copy)
            from = middle + 1;
        else
            to = middle;
    }
    for (to = from; to < truth->windows && truth->window[to].copy < line->copy + line->copies;)
        to++;
    *count = to - from;
    return truth->window + from;
}

/* Whether windows that cost something are of different kinds. */
static bool windows_differ(const struct look_shared_line *line,
                           const struct pc_missed_window *window, size_t count)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < count; i++) {
        const struct look_lost lost = look_lost_of(window[i].v);
        if (windows_cost(&lost) >= windows_cost(&line->lost) / PC_WINDOWS_PART)
            kinds |= 1u << look_kind_of(&lost);
    }
    return kinds & (kinds - 1);
}

void look_sharing_put_windows(const struct look_sharing *s, const struct look_shared_line *line,
                              FILE *out)
{
    size_t count;
    const struct pc_missed_window *window = look_sharing_windows(s, line, &count);
    if (!windows_differ(line, window, count))
        return;
    fprintf(out, "    %26s %16s %13s  sharing\n", "from PCycle to PCycle", "PCycles: falsely",
            "truly");
    for (size_t i = 0; i < count; i++) {
        const struct look_lost lost = look_lost_of(window[i].v);
        fprintf(out, "    %11" PRIu64 " to %11" PRIu64 " %16" PRId64 " %13" PRId64 "  %s\n",
                window[i].begin, window[i].end, lost.falsely, lost.truly,
                look_verdict_name[look_kind_of(&lost)]);
    }
}
