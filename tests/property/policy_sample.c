/* SPDX-License-Identifier: BSD-3-Clause */

#include "policy_sample.h"

#include "suite.h"

enum { MOST_TASKS = 60, MOST_WORKERS = 5 };

const hs_policy_kind *kind_of(const char *name)
{
    const hs_policy_kind *kind = hs_policy_find(name);

    ck_assert_msg(kind != NULL, "there is no policy %s", name);
    return kind;
}

const hs_policy_settings *settings_with_tolerance(double tolerance)
{
    static hs_policy_settings settings;

    hs_policy_settings_init(&settings);
    settings.tolerance = tolerance;
    return &settings;
}

hs_schedule *simulate(const sample *s, const char *name, const hs_schedule *plan,
                             const hs_instance *truth, double tolerance)
{
    hs_schedule *out = NULL;
    hs_error     v;
    hs_status    st;

    st = hs_policy_simulate(kind_of(name), s->in, plan, truth, settings_with_tolerance(tolerance),
                            &out, NULL);
    REQUIRE(s, st == HS_OK, "simulating %s: %s", name, hs_status_text(st));
    if (hs_schedule_check(truth, out, &v) != HS_OK)
        sample_fail(s, "%s: %s", name, v.why);
    return out;
}

void require_same_schedule(const sample *s, const char *name, const hs_schedule *expected,
                           const hs_schedule *found)
{
    unsigned w;
    size_t   i, count, other;

    for (w = 0; w < s->m + s->k; w++) {
        const hs_entry *a = hs_schedule_entries(expected, w, &count);
        const hs_entry *b = hs_schedule_entries(found, w, &other);

        REQUIRE(s, count == other, "%s: worker %u has %zu entries, not %zu", name, w, other, count);
        for (i = 0; i < count; i++)
            REQUIRE(s,
                    a[i].start == b[i].start && a[i].end == b[i].end && a[i].task == b[i].task &&
                        a[i].state == b[i].state,
                    "%s: worker %u, entry %zu: task %u from %.17g to %.17g, not %u, %.17g, %.17g",
                    name, w, i, b[i].task, b[i].start, b[i].end, a[i].task, a[i].start, a[i].end);
    }
}

hs_schedule *random_plan(const sample *s, dice *d)
{
    const hs_algorithm *algorithm;
    hs_schedule        *plan = NULL;

    do
        algorithm = hs_algorithm_at(dice_below(d, (unsigned)hs_algorithm_count()));
    while (algorithm_takes_seconds(algorithm) || algorithm_refuses_instance(s->in, algorithm));
    REQUIRE(s, hs_solve(algorithm, s->in, NULL, &plan) == HS_OK, "no plan");
    return plan;
}

/* Draw a factor: 1 - error .. 1 + error, or if error > 1 a whole number in 1 .. error. */
static double draw_factor(dice *d, double error)
{
    return error > 1 ? dice_between(d, 1, (unsigned)error) : 1 + error * (2 * dice_unit(d) - 1);
}

hs_instance *random_true_times(const sample *s, dice *d, double error)
{
    hs_builder  *builder = NULL;
    hs_instance *truth = NULL;
    size_t       i;

    REQUIRE(s, hs_builder_create(&builder) == HS_OK, "hs_builder_create");
    REQUIRE(s, hs_builder_set_workers(builder, s->m, s->k) == HS_OK, "hs_builder_set_workers");
    for (i = 0; i < s->n; i++) {
        hs_task task = {.struct_size = sizeof task, .cpu = s->cpu[i] * draw_factor(d, error),
                        .gpu = s->gpu[i] * draw_factor(d, error)};

        task.cpu = task.cpu > 0 ? task.cpu : s->cpu[i]; /* the product underflowed */
        task.gpu = task.gpu > 0 ? task.gpu : s->gpu[i];
        REQUIRE(s, hs_builder_add_row(builder, &task) == HS_OK, "hs_builder_add_row");
    }
    REQUIRE(s, hs_builder_finish(builder, &truth, NULL) == HS_OK, "hs_builder_finish");
    hs_builder_free(builder);
    return truth;
}

void draw(sample *s, uint64_t seed)
{
    sample_make(s, seed, MOST_TASKS, MOST_WORKERS);
    if (seed % 2)
        sample_make_some_not_restartable(s);
}
