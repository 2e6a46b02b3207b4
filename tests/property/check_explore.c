/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The policy explore with unknown times: each kernel is tried on both types, and makespans stay
 * near those of heteroprio with the mean time of each kernel known.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "sample.h"
#include "suite.h"
#include "support/random.h"

enum { MOST_TASKS = 1000, MOST_KERNELS = 100, CPUS = 20, GPUS = 4 };

static hsi_random random_state;

/* Return a gamma variate: the sum of exponentials for whole shapes, else by Marsaglia and Tsang. */
static double gamma_variate(double shape)
{
    double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);

    for (;;) {
        double x = hsi_random_normal(&random_state), v = pow(1 + c * x, 3);

        if (v > 0 && log(hsi_random_unit(&random_state)) < x * x / 2 + d - d * v + d * log(v))
            return d * v;
    }
}

static double draw(double mean, double variation)
{
    double shape = 1 / (variation * variation);

    return mean / shape * gamma_variate(shape);
}

/* Tasks of several kernels: actual times, means of their kernels, and no times. */
typedef struct workload {
    hs_instance *truth, *means, *unknown;
    size_t       tasks;
    int          kernel[MOST_TASKS];
} workload;

static hs_instance *build(const workload *w, const double *cpu, const double *gpu)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, CPUS, GPUS), HS_OK);
    for (size_t i = 0; i < w->tasks; i++) {
        hs_task task;
        char    name[16];

        hs_task_init(&task);
        snprintf(name, sizeof name, "k%d", w->kernel[i]);
        task.kernel = name;
        task.cpu = cpu ? cpu[i] : HS_UNKNOWN;
        task.gpu = gpu ? gpu[i] : HS_UNKNOWN;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void open_workload(workload *w, size_t tasks, int kernels)
{
    static double mean[2][MOST_KERNELS], time[2][MOST_TASKS], known[2][MOST_TASKS];

    w->tasks = tasks;
    for (int k = 0; k < kernels; k++) {
        mean[HS_CPU][k] = draw(15, 0.2);
        mean[HS_GPU][k] = draw(1, 0.9);
    }
    for (size_t i = 0; i < tasks; i++) {
        w->kernel[i] = (int)hsi_random_below(&random_state, (uint64_t)kernels);
        for (int type = HS_CPU; type <= HS_GPU; type++) {
            known[type][i] = mean[type][w->kernel[i]];
            time[type][i] = draw(known[type][i], 0.2);
        }
    }
    w->truth = build(w, time[HS_CPU], time[HS_GPU]);
    w->means = build(w, known[HS_CPU], known[HS_GPU]);
    w->unknown = build(w, NULL, NULL);
}

static void close_workload(workload *w)
{
    hs_instance_free(w->truth);
    hs_instance_free(w->means);
    hs_instance_free(w->unknown);
}

static hs_schedule *simulate(const char *policy, const hs_instance *estimates,
                             const workload *w, hs_cost *cost)
{
    hs_policy_settings settings;
    hs_schedule       *s = NULL;

    hs_policy_settings_init(&settings);
    settings.cost = cost;
    ck_assert_int_eq(
        hs_policy_simulate(hs_policy_find(policy), estimates, NULL, w->truth, &settings, &s), HS_OK);
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

/* Print and check the makespans of a first run and of a second run with the measurements of the
 * first, over that of heteroprio with known means. */
static void compare_runs(size_t tasks, int kernels, double most_first, double most_second)
{
    enum { SEEDS = 20 };
    double first[SEEDS], second[SEEDS];

    for (int seed = 0; seed < SEEDS; seed++) {
        workload     w;
        hs_instance *filled = NULL, *learned = NULL;
        hs_cost     *cost = NULL;
        hs_schedule *s;
        double       known;

        hsi_random_seed(&random_state, (uint64_t)seed, 0);
        open_workload(&w, tasks, kernels);
        ck_assert_int_eq(hs_cost_create(&cost), HS_OK);
        ck_assert_int_eq(hs_instance_fill(w.unknown, cost, &filled), HS_OK);
        known = makespan_and_free(simulate("heteroprio", w.means, &w, NULL));
        s = simulate("explore", filled, &w, cost);
        observe_schedule(s, w.unknown, cost);
        first[seed] = makespan_and_free(s) / known;
        ck_assert_int_eq(hs_instance_fill(w.unknown, cost, &learned), HS_OK);
        second[seed] = makespan_and_free(simulate("explore", learned, &w, cost)) / known;
        hs_instance_free(filled);
        hs_instance_free(learned);
        hs_cost_free(cost);
        close_workload(&w);
    }
    qsort(first, SEEDS, sizeof *first, compare);
    qsort(second, SEEDS, sizeof *second, compare);
    printf("%zu tasks of %d kernels: first run %.3f (90%%: %.3f), second run %.3f\n", tasks, kernels,
           first[SEEDS / 2], first[SEEDS * 9 / 10], second[SEEDS / 2]);
    ck_assert_double_le(first[SEEDS / 2], most_first);
    ck_assert_double_le(second[SEEDS / 2], most_second);
}

START_TEST(unknown_times_cost_little)
{
    compare_runs(300, 10, 1.15, 1.06);
    compare_runs(1000, 10, 1.06, 1.03);
    compare_runs(300, 100, 1.25, 1.25);
}
END_TEST

/* Without measurements of earlier runs and without cost models of the caller. */
START_TEST(every_kernel_is_tried_on_both_types)
{
    workload     w;
    hs_instance *filled = NULL;
    hs_schedule *s;
    bool         tried[2][10] = {{false}};

    hsi_random_seed(&random_state, 1, 0);
    open_workload(&w, MOST_TASKS, 10);
    ck_assert_int_eq(hs_instance_fill(w.unknown, NULL, &filled), HS_OK);
    s = simulate("explore", filled, &w, NULL);
    for (unsigned worker = 0; worker < CPUS + GPUS; worker++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(s, worker, &count);

        for (size_t i = 0; i < count; i++)
            tried[worker >= CPUS][w.kernel[entry[i].task]] = true;
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
        hs_policy_simulate(hs_policy_find("explore"), filled, NULL, truth, &settings, &s), HS_OK);
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
    tcase_add_test(cases, every_kernel_is_tried_on_both_types);
    tcase_add_test(cases, graphs_are_explored);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
