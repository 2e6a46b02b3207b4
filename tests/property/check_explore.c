/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy explore with unknown times: each kernel is tried on both types, and makespans stay
 * near those of heteroprio with the mean time of each kernel known.
 */
#include <stdio.h>
#include <stdlib.h>

#include <hybridsched/hybridsched.h>

#include "sample.h"
#include "suite.h"

enum { MOST_TASKS = 1000, CPUS = 20, GPUS = 4 };

/* Tasks of several kernels: actual times, means of their kernels, and no times. */
typedef struct workload {
    hs_instance *truth, *means, *unknown;
    size_t       kernels; /* task i is of kernel i modulo this number */
} workload;

/* Create the same tasks with unknown times. */
static hs_instance *forget_times(const hs_instance *of)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, CPUS, GPUS), HS_OK);
    for (size_t i = 0; i < hs_instance_rows(of); i++) {
        hs_task task;

        hs_instance_row(of, i, &task);
        task.cpu = task.gpu = HS_UNKNOWN;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void open_workload(workload *w, size_t tasks, size_t kernels, uint64_t seed)
{
    hs_similar spec = {.struct_size = sizeof spec, .kernels = kernels, .cv = 0.2};

    spec.means = (hs_gamma){sizeof spec.means, tasks, CPUS, GPUS, 15, 0.2, 1, 1, seed};
    w->kernels = kernels;
    ck_assert_int_eq(hs_generate_similar(&spec, &w->truth, NULL), HS_OK);
    spec.cv = 0;
    ck_assert_int_eq(hs_generate_similar(&spec, &w->means, NULL), HS_OK);
    w->unknown = forget_times(w->truth);
}

static void close_workload(workload *w)
{
    hs_instance_free(w->truth);
    hs_instance_free(w->means);
    hs_instance_free(w->unknown);
}

static hs_schedule *simulate(const char *policy, const hs_instance *estimates,
                             const workload *w, hs_cost *cost, hs_guess_use guesses)
{
    hs_policy_settings settings;
    hs_schedule       *s = NULL;

    hs_policy_settings_init(&settings);
    settings.cost = cost;
    settings.guesses = guesses;
    ck_assert_int_eq(
        hs_policy_simulate(hs_policy_find(policy), estimates, NULL, w->truth, &settings, &s, NULL),
        HS_OK);
    ck_assert_int_eq(hs_schedule_check(w->truth, s, NULL), HS_OK);
    return s;
}

/* Add the tasks of a schedule to the cost models, as a caller does between two runs. */
static void observe_schedule(const hs_schedule *s, const hs_instance *in, hs_cost *cost)
{
    hs_feature_index *index = NULL;
    hs_features       features;

    hs_features_init(&features);
    ck_assert_int_eq(hs_feature_index_create(in, &index), HS_OK);
    for (unsigned worker = 0; worker < CPUS + GPUS; worker++) {
        hs_type         type = worker < CPUS ? HS_CPU : HS_GPU;
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count; i++) {
            if (entry[i].state != HS_RUN)
                continue;
            hs_feature_index_get(index, entry[i].task, type, &features);
            ck_assert_int_eq(
                hs_cost_observe(cost, type, &features, entry[i].end - entry[i].start, 0), HS_OK);
        }
    }
    hs_feature_index_free(index);
}

static double makespan_and_free(hs_schedule *s)
{
    double makespan = hs_schedule_makespan(s);

    hs_schedule_free(s);
    return makespan;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Return the makespan of a first run of explore; *cost gets its executions. */
static double first_run(const workload *w, hs_cost *cost, hs_guess_use guesses)
{
    hs_instance *filled = NULL;
    hs_schedule *s;

    ck_assert_int_eq(hs_instance_fill(w->unknown, cost, &filled), HS_OK);
    s = simulate("explore", filled, w, cost, guesses);
    observe_schedule(s, w->unknown, cost);
    hs_instance_free(filled);
    return makespan_and_free(s);
}

typedef struct medians {
    double first, second, trusting, doubting;
} medians;

static double median(double *value, size_t count)
{
    qsort(value, count, sizeof *value, compare);
    return value[count / 2];
}

/* Return the median makespans of a first run, of a second run with the measurements of the first,
 * and of first runs that do not try classes, over that of heteroprio with known means. */
static medians compare_runs(size_t tasks, size_t kernels)
{
    enum { SEEDS = 60 };
    double  run[4][SEEDS];
    medians m;

    for (int seed = 0; seed < SEEDS; seed++) {
        workload     w;
        hs_instance *learned = NULL;
        hs_cost     *cost[3] = {NULL};
        double       known;

        open_workload(&w, tasks, kernels, (uint64_t)seed);
        known = makespan_and_free(simulate("heteroprio", w.means, &w, NULL, HS_GUESSES_TRIED));
        for (int use = HS_GUESSES_TRIED; use <= HS_GUESSES_DOUBTED; use++) {
            ck_assert_int_eq(hs_cost_create(&cost[use]), HS_OK);
            run[use][seed] = first_run(&w, cost[use], (hs_guess_use)use) / known;
        }
        ck_assert_int_eq(hs_instance_fill(w.unknown, cost[HS_GUESSES_TRIED], &learned), HS_OK);
        run[3][seed] = makespan_and_free(simulate("explore", learned, &w, cost[HS_GUESSES_TRIED],
                                                  HS_GUESSES_TRIED)) /
                       known;
        hs_instance_free(learned);
        for (int use = HS_GUESSES_TRIED; use <= HS_GUESSES_DOUBTED; use++)
            hs_cost_free(cost[use]);
        close_workload(&w);
    }
    m = (medians){median(run[HS_GUESSES_TRIED], SEEDS), median(run[3], SEEDS),
                  median(run[HS_GUESSES_TRUSTED], SEEDS), median(run[HS_GUESSES_DOUBTED], SEEDS)};
    printf("%zu tasks of %zu kernels: first run %.3f, second run %.3f, trusting %.3f, doubting "
           "%.3f\n",
           tasks, kernels, m.first, m.second, m.trusting, m.doubting);
    return m;
}

START_TEST(unknown_times_cost_little)
{
    medians m = compare_runs(300, 10);

    ck_assert_double_le(m.first, 1.12);
    ck_assert_double_le(m.second, 1.03);
    ck_assert_double_le(m.first, m.doubting);
    m = compare_runs(1000, 10);
    ck_assert_double_le(m.first, 1.05);
    ck_assert_double_le(m.second, 1.02);
    ck_assert_double_le(m.first, m.trusting);
    ck_assert_double_le(m.trusting + 0.1, m.doubting);
}
END_TEST

START_TEST(few_tasks_of_each_kernel_cost_more)
{
    medians m = compare_runs(300, 100);

    ck_assert_double_le(m.first, 1.2);
    ck_assert_double_le(m.second, 1.14);
    ck_assert_double_le(m.first, m.trusting);
}
END_TEST

START_TEST(an_unknown_use_of_guesses_is_refused)
{
    hs_policy_settings settings;
    workload           w;
    hs_schedule       *s = NULL;

    open_workload(&w, 10, 2, 1);
    hs_policy_settings_init(&settings);
    settings.guesses = (hs_guess_use)(HS_GUESSES_DOUBTED + 1);
    ck_assert_int_eq(hs_policy_simulate(hs_policy_find("explore"), w.means, NULL, w.truth,
                                        &settings, &s, NULL),
                     HS_EINVAL);
    ck_assert_ptr_null(s);
    close_workload(&w);
}
END_TEST

/* Without measurements of earlier runs and without cost models of the caller. */
START_TEST(every_kernel_is_tried_on_both_types)
{
    workload     w;
    hs_instance *filled = NULL;
    hs_schedule *s;
    bool         tried[2][10] = {{false}};

    open_workload(&w, MOST_TASKS, 10, 1);
    ck_assert_int_eq(hs_instance_fill(w.unknown, NULL, &filled), HS_OK);
    s = simulate("explore", filled, &w, NULL, HS_GUESSES_TRIED);
    for (unsigned worker = 0; worker < CPUS + GPUS; worker++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count; i++)
            tried[worker >= CPUS][entry[i].task % w.kernels] = true;
    }
    for (int k = 0; k < 10; k++)
        ck_assert(tried[HS_CPU][k] && tried[HS_GPU][k]);
    hs_schedule_free(s);
    hs_instance_free(filled);
    close_workload(&w);
}
END_TEST

/* A graph: the tasks of every tenth row come after those before it. */
START_TEST(graphs_are_explored)
{
    hs_builder        *b = NULL;
    hs_instance       *unknown = NULL, *filled = NULL, *truth = NULL;
    hs_schedule       *s = NULL;
    hs_policy_settings settings;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    for (int known = 0; known < 2; known++) {
        ck_assert_int_eq(hs_builder_set_workers(b, 3, 1), HS_OK);
        for (size_t row = 0; row < 100; row++) {
            hs_task task;

            hs_task_init(&task);
            task.cpu = known ? 2 + (double)(row % 7) : HS_UNKNOWN;
            task.gpu = known ? 1 + (double)(row % 3) : HS_UNKNOWN;
            task.kernel = row % 7 ? "a" : "b";
            task.count = 2;
            ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
            if (row >= 10)
                ck_assert_int_eq(hs_builder_add_predecessor(b, row, row - row % 10 - 1, 0, 0),
                                 HS_OK);
        }
        ck_assert_int_eq(hs_builder_finish(b, known ? &truth : &unknown, NULL), HS_OK);
    }
    hs_builder_free(b);
    ck_assert_int_eq(hs_instance_fill(unknown, NULL, &filled), HS_OK);
    hs_policy_settings_init(&settings);
    ck_assert_int_eq(
        hs_policy_simulate(hs_policy_find("explore"), filled, NULL, truth, &settings, &s, NULL),
        HS_OK);
    ck_assert_int_eq(hs_schedule_check(truth, s, NULL), HS_OK);
    hs_schedule_free(s);
    hs_instance_free(unknown);
    hs_instance_free(filled);
    hs_instance_free(truth);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("explore");
    TCase *cases = tcase_create("explore");

    tcase_add_test(cases, unknown_times_cost_little);
    tcase_add_test(cases, few_tasks_of_each_kernel_cost_more);
    tcase_add_test(cases, an_unknown_use_of_guesses_is_refused);
    tcase_add_test(cases, every_kernel_is_tried_on_both_types);
    tcase_add_test(cases, graphs_are_explored);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
