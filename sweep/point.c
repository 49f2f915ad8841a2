/* One point of a sweep: what it assigns, and the experiment that it is. */
#include "sweep/sweep.h"

#include "sweep/expect.h"

#include <stdlib.h>
#include <string.h>

const char *swp_text(const struct swp_sweep *sweep, const struct swp_point *point, size_t k)
{
    return sweep->key[k].value[point->value[k]].text;
}

const struct swp_point *swp_find(const struct swp_sweep *sweep, const char *id)
{
    for (size_t i = 0; i < sweep->points; i++)
        if (!strcmp(sweep->point[i].id, id))
            return &sweep->point[i];
    return NULL;
}

bool swp_point_load(struct in_experiment *x, const struct swp_sweep *sweep,
                    const struct swp_point *point, const char *path, char *const *sets,
                    struct in_diag *diag)
{
    struct in_swept *swept = sim_alloc(sweep->keys, sizeof *swept);
    for (size_t k = 0; k < sweep->keys; k++) {
        const struct swp_value *v = &sweep->key[k].value[point->value[k]];
        swept[k] = (struct in_swept){v->set, v->line, v->column};
    }
    const bool good = in_experiment_load_point(x, path, sets, point->id, swept, sweep->keys, diag);
    free(swept);
    return good;
}

bool swp_check(const struct swp_sweep *sweep, const char *path, char *const *sets,
               swp_good_fn *good, void *ctx, struct in_diag *diag)
{
    bool all = true;
    for (size_t i = 0; all && i < sweep->points; i++) {
        struct in_experiment x;
        if (!swp_point_load(&x, sweep, &sweep->point[i], path, sets, diag))
            return false;
        all = (i || swp_expect_check(sweep, &x, diag->out)) && good(ctx, &x);
        in_experiment_free(&x);
    }
    return all;
}
