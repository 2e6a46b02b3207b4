/* SPDX-License-Identifier: BSD-3-Clause */

/* Policies with wrong estimates: makespans stay within the documented ratios, and unlucky cases end
 * well. */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy_sample.h"
#include "suite.h"

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static double makespan_of(const sample *s, const char *name, const hs_schedule *plan,
                          const hs_instance *truth)
{
    hs_schedule *found = simulate(s, name, plan, truth, 0.02);
    double       makespan = hs_schedule_makespan(found);

    hs_schedule_free(found);
    return makespan;
}

static double solved_makespan(const sample *s, const char *name, const hs_instance *in)
{
    hs_schedule *found = NULL;
    double       makespan;

    REQUIRE(s, hs_solve(hs_algorithm_find(name), in, NULL, &found) == HS_OK, "hs_solve");
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    return makespan;
}

enum { SEEDS = 20 };

typedef struct wrong_ratios {
    double live[SEEDS], plan[SEEDS], steal[SEEDS];
} wrong_ratios;

/* Measure policies with estimates off by up to 30 %, relative to list scheduling with actual times.
 * */
static void measure_ratios(uint64_t seed, wrong_ratios *ratios, size_t at)
{
    dice         d = {seed};
    sample       s;
    hs_instance *truth;
    hs_schedule *plan = NULL;
    double       reference;

    sample_make_family(&s, SAMPLE_GAMMA, seed, 300, 20, 4, 0);
    truth = random_true_times(&s, &d, 0.3);
    reference = solved_makespan(&s, "heteroprio-ns", truth);
    REQUIRE(&s, hs_solve(hs_algorithm_find("heteroprio"), s.in, NULL, &plan) == HS_OK, "plan");
    ratios->live[at] = makespan_of(&s, "heteroprio", NULL, truth) / reference;
    ratios->plan[at] = makespan_of(&s, "plan", plan, truth) / reference;
    ratios->steal[at] = makespan_of(&s, "plan+steal", plan, truth) / reference;
    hs_schedule_free(plan);
    hs_instance_free(truth);
    sample_free(&s);
}

START_TEST(wrong_estimates)
{
    wrong_ratios ratios;
    double       live, plan, steal;
    size_t       i;

    for (i = 0; i < SEEDS; i++)
        measure_ratios(45000000 + i, &ratios, i);
    live = median(ratios.live, SEEDS);
    plan = median(ratios.plan, SEEDS);
    steal = median(ratios.steal, SEEDS);
    printf("estimates off by up to 30%%, makespan over that of heteroprio-ns on the true times,\n"
           "median (least, most) of %d: heteroprio %.4f (%.4f, %.4f), plan %.4f (%.4f, %.4f),\n"
           "plan+steal %.4f (%.4f, %.4f)\n",
           SEEDS, live, ratios.live[0], ratios.live[SEEDS - 1], plan, ratios.plan[0],
           ratios.plan[SEEDS - 1], steal, ratios.steal[0], ratios.steal[SEEDS - 1]);
    ck_assert_double_le(live, 1.05);
    ck_assert_double_lt(live, plan);
    ck_assert_double_lt(steal, plan);
}
END_TEST

typedef struct estimated_case {
    size_t   n;
    unsigned m, k;
    double   cpu[8], gpu[8], true_cpu[8], true_gpu[8];
} estimated_case;

/* Return the policy's makespan with a plan of the given algorithm; policies without a plan ignore
 * the plan. */
static double makespan_by(const char *planner, const estimated_case *l, const char *name,
                          double tolerance)
{
    hs_instance *in = NULL, *truth = NULL;
    hs_schedule *plan = NULL, *found = NULL;
    double       makespan;

    ck_assert_int_eq(hs_instance_wrap(l->n, l->cpu, l->gpu, NULL, l->m, l->k, &in), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(l->n, l->true_cpu, l->true_gpu, NULL, l->m, l->k, &truth),
                     HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find(planner), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of(name), in, plan, truth,
                                        settings_with_tolerance(tolerance), &found, NULL),
                     HS_OK);
    ck_assert_int_eq(hs_schedule_check(truth, found, NULL), HS_OK);
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    hs_schedule_free(plan);
    hs_instance_free(truth);
    hs_instance_free(in);
    return makespan;
}

static double lucky_makespan(const estimated_case *l, const char *name, double tolerance)
{
    return makespan_by("lpt", l, name, tolerance);
}

/* Check that the GPU spoliates a CPU task that would last a hundred times its estimate, once the
 * task exceeds the tolerance. */
START_TEST(a_task_that_does_not_end)
{
    static const estimated_case l = {2, 1, 1, {8, 8}, {7, 2}, {800, 800}, {4, 2}};
    static const char *const    names[] = {"heteroprio", "plan+steal"};
    double                      late = nextafter(8 * (1 + 0.25), INFINITY);
    int                         i;

    ck_assert_double_eq(makespan_by("heteroprio", &l, "plan", 0.25), 800);
    for (i = 0; i < 2; i++)
        ck_assert_double_eq(makespan_by("heteroprio", &l, names[i], 0.25), late + 4);
}
END_TEST

/* Check that no spoliation happens if a task lasts six times its estimate on both types, where
 * spoliation gains nothing. */
START_TEST(a_long_task_is_left_where_it_is_as_fast)
{
    static const estimated_case l = {2, 1, 1, {8, 8}, {8, 2}, {48, 48}, {48, 2}};
    static const char *const    names[] = {"heteroprio", "plan+steal"};
    int                         i;

    for (i = 0; i < 2; i++)
        ck_assert_double_eq(lucky_makespan(&l, names[i], 0.25), 48);
}
END_TEST

/* Check that the GPU spoliates a task after 256 times its estimate: the task may be stuck on the
 * CPU. */
START_TEST(a_stuck_task_is_taken)
{
    static const estimated_case l = {2, 1, 1, {8, 8}, {8, 2}, {1e6, 1e6}, {8, 2}};
    static const char *const    names[] = {"heteroprio", "plan+steal"};
    int                         i;

    for (i = 0; i < 2; i++)
        ck_assert_double_eq_tol(lucky_makespan(&l, names[i], 0.25), 256 * 8 + 8, 1e-6);
}
END_TEST

static double simulated_makespan(const char *name, const hs_instance *in, const hs_schedule *plan,
                                 const hs_instance *truth)
{
    hs_schedule *found = NULL;
    double       makespan;

    ck_assert_int_eq(hs_policy_simulate(kind_of(name), in, plan, truth,
                                        settings_with_tolerance(0.02), &found, NULL),
                     HS_OK);
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    return makespan;
}

enum { STRAGGLED = 40, STRAGGLER = 8, TIMES = 6 }; /* one task of 8 takes six times the estimate */

/* Set the ratio of makespans with and without spoliation for heteroprio and for a plan. Both types
 * are equally fast. */
static void with_stragglers(uint64_t seed, double *live, double *steal)
{
    dice         d = {seed};
    double       times[STRAGGLED], true_times[STRAGGLED];
    hs_instance *in = NULL, *truth = NULL;
    hs_schedule *plan = NULL;

    for (int i = 0; i < STRAGGLED; i++) {
        times[i] = 0.5 + dice_unit(&d);
        true_times[i] = times[i] * (dice_below(&d, STRAGGLER) ? 1 : TIMES);
    }
    ck_assert_int_eq(hs_instance_wrap(STRAGGLED, times, times, NULL, 4, 1, &in), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(STRAGGLED, true_times, true_times, NULL, 4, 1, &truth),
                     HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heteroprio"), in, NULL, &plan), HS_OK);
    *live = simulated_makespan("heteroprio", in, NULL, truth) /
            simulated_makespan("heteroprio-ns", in, NULL, truth);
    *steal = simulated_makespan("plan+steal", in, plan, truth) /
             simulated_makespan("plan", in, plan, truth);
    hs_schedule_free(plan);
    hs_instance_free(truth);
    hs_instance_free(in);
}

/* Check that spoliation costs next to nothing if stragglers are equally slow on both types. */
START_TEST(stragglers_stay_where_they_are)
{
    enum { ROUNDS = 200 };
    double live[ROUNDS], steal[ROUNDS], median_live, median_steal;

    for (int i = 0; i < ROUNDS; i++)
        with_stragglers(49000000 + (uint64_t)i, &live[i], &steal[i]);
    median_live = median(live, ROUNDS); /* median() also sorts */
    median_steal = median(steal, ROUNDS);
    printf("stragglers, makespan over that without spoliation, median (9 of 10 are below): "
           "heteroprio %.4f (%.4f), plan+steal %.4f (%.4f)\n",
           median_live, live[ROUNDS * 9 / 10], median_steal, steal[ROUNDS * 9 / 10]);
    ck_assert_double_le(median_live, 1.02);
    ck_assert_double_le(live[ROUNDS * 9 / 10], 1.2);
    ck_assert_double_le(median_steal, 0.9);
    ck_assert_double_le(steal[ROUNDS * 9 / 10], 1.05);
}
END_TEST

/* Check that an idle GPU spoliates the tasks of three slow CPUs one after another. */
START_TEST(all_cpus_are_slow)
{
    static const estimated_case l = {
        4, 3, 1, {5, 5, 5, 5}, {4, 4, 4, 1}, {500, 500, 500, 500}, {1, 1, 1, 1}};
    double late = nextafter(5, INFINITY);

    ck_assert_double_eq(lucky_makespan(&l, "heteroprio", 0), late + 1 + 1 + 1);
}
END_TEST

/* Check that no spoliation happens if estimates are equally wrong on both types. */
START_TEST(a_task_is_not_taken_to_and_fro)
{
    static const estimated_case l = {1, 1, 1, {400}, {570}, {790}, {1160}};
    static const char *const    names[] = {"plan", "heteroprio", "plan+steal"};
    int                         i;

    for (i = 0; i < 3; i++)
        ck_assert_double_eq(lucky_makespan(&l, names[i], 0.02), 790);
}
END_TEST

/*
 * Check that the GPU does not spoliate a task back. The GPU was right three times and four times
 * too slow once, so a task that is late on the GPU is expected to take four times its estimate, and
 * the CPU spoliates it at once. Past ratios alone would favour the GPU again.
 */
START_TEST(a_late_task_is_not_taken_back)
{
    static const estimated_case l = {6,
                                     1,
                                     1,
                                     {INFINITY, INFINITY, INFINITY, INFINITY, 8, 29},
                                     {1, 1, 1, 1, INFINITY, 10},
                                     {INFINITY, INFINITY, INFINITY, INFINITY, 8, 29},
                                     {4, 1, 1, 1, INFINITY, 40}};

    ck_assert_double_eq_tol(lucky_makespan(&l, "heteroprio", 0), 17 + 29, 1e-9);
}
END_TEST

/*
 * Return the GPU's decision about the third task, which has the given kernel and runs on the CPU.
 * The CPU ran a task of kernel "right" in its estimated time and a task of kernel "half" in half
 * its estimate.
 */
static hs_decision_kind decision_after_history(const char *kernel)
{
    static const double cpu[] = {10, 10, 12}, gpu[] = {INFINITY, INFINITY, 9};
    const char         *kernels[] = {"right", "half", kernel};
    hs_builder         *b = NULL;
    hs_instance        *in = NULL;
    hs_policy          *policy = NULL;
    hs_decision         d;
    double              now = 0;
    int                 i;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    for (i = 0; i < 3; i++) {
        hs_task t;

        hs_task_init(&t);
        t.cpu = cpu[i];
        t.gpu = gpu[i];
        t.kernel = kernels[i];
        ck_assert_int_eq(hs_builder_add_row(b, &t), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_policy_create(kind_of("heteroprio"), in, NULL, 0, &policy), HS_OK);
    for (i = 0; i < 2; i++) {
        hs_policy_next(policy, 0, now, &d, NULL);
        ck_assert_int_eq(d.kind, HS_DECIDE_START);
        now += d.task == 0 ? 10 : 5;
        hs_policy_ended(policy, 0, d.task, HS_ENDING_DONE, now, NULL);
    }
    hs_policy_next(policy, 0, now, &d, NULL);
    ck_assert_uint_eq(d.task, 2);
    hs_policy_next(policy, 1, now + 1, &d, NULL);
    hs_policy_free(policy);
    hs_instance_free(in);
    return d.kind;
}

START_TEST(each_kernel_teaches_for_itself)
{
    ck_assert_int_eq(decision_after_history("right"), HS_DECIDE_SPOLIATE);
    ck_assert_int_eq(decision_after_history("half"), HS_DECIDE_WAIT);
    ck_assert_int_eq(decision_after_history("new"), HS_DECIDE_WAIT);
}
END_TEST

/* Check that a task far longer than estimated on both types is not spoliated back and forth
 * forever. */
START_TEST(a_task_that_is_long_everywhere)
{
    static const estimated_case l = {1, 1, 1, {1}, {1}, {1000}, {1000}};

    ck_assert_double_le(lucky_makespan(&l, "heteroprio", 0), 3000);
    ck_assert_double_le(lucky_makespan(&l, "plan+steal", 0), 3000);
    ck_assert_double_ge(lucky_makespan(&l, "heteroprio", 0), 1000);
}
END_TEST

/* Check that plan+steal moves tasks from the list of a worker with a slow task to an idle worker,
 * and that the policy `plan` does not. */
START_TEST(waiting_behind_a_slow_task)
{
    static const estimated_case l = {4,           2, 0, {6, 5, 4, 4}, {1, 1, 1, 1}, {60, 5, 4, 4},
                                     {1, 1, 1, 1}};

    ck_assert_double_eq(lucky_makespan(&l, "plan", 0), 64);
    ck_assert_double_eq(lucky_makespan(&l, "plan+steal", 0), 60);
}
END_TEST

/*
 * Check that plan+steal, which examines the last 64 tasks of a list, examines the task before them
 * after a steal from the list, and steals it for the idle CPU.
 */
START_TEST(a_task_comes_within_sight)
{
    enum { TASKS = 67, FIRST = 0, ANYBODY = 1, OTHER = 2 };
    static double       cpu[TASKS], gpu[TASKS];
    static hs_placement at[TASKS];
    hs_instance        *in = NULL;
    hs_schedule        *plan = NULL, *found = NULL;
    const hs_entry     *entry;
    uint32_t            i;
    size_t              count;

    for (i = 0; i < TASKS; i++) {
        cpu[i] = i == ANYBODY ? 1 : INFINITY;
        gpu[i] = i == FIRST ? 10 : 1;
        at[i] = (hs_placement){i, i, i, i == OTHER ? 2 : 1, HS_RUN};
    }
    ck_assert_int_eq(hs_instance_wrap(TASKS, cpu, gpu, NULL, 1, 2, &in), HS_OK);
    ck_assert_int_eq(hs_schedule_build(1, 2, TASKS, at, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of("plan+steal"), in, plan, in, NULL, &found, NULL),
                     HS_OK);
    entry = hs_schedule_entries(found, 0, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_uint_eq(entry->task, ANYBODY);
    ck_assert_double_eq(entry->start, 1);
    hs_schedule_free(found);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

START_TEST(what_is_not_restartable_is_left_alone)
{
    static const double times[] = {8, 2}, slow[] = {800, 800};
    hs_instance        *in = NULL, *truth = NULL;
    hs_builder         *builder = NULL;
    hs_schedule        *found = NULL;
    hs_task             task = {.struct_size = sizeof task, .cpu = 8, .restartable = HS_RESTART_NO};
    int                 i;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 1, 1), HS_OK);
    for (i = 0; i < 2; i++) {
        task.gpu = times[i];
        ck_assert_int_eq(hs_builder_add_row(builder, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(2, slow, times, NULL, 1, 1, &truth), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of("heteroprio"), in, NULL, truth, NULL, &found, NULL),
                     HS_OK);
    ck_assert_double_eq(hs_schedule_makespan(found), 800);
    hs_schedule_free(found);
    hs_instance_free(truth);
    hs_instance_free(in);
    hs_builder_free(builder);
}
END_TEST

START_TEST(bad_arguments)
{
    static const double times[] = {1, 2}, none[] = {1, INFINITY};
    hs_instance        *in = NULL, *other = NULL, *bare = NULL;
    hs_schedule        *plan = NULL, *out = NULL;
    hs_policy          *policy = NULL;
    hs_placement        once = {0, 1, 0, 0, HS_RUN};
    size_t              i;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(2, none, times, NULL, 1, 1, &bare), HS_OK);
    ck_assert_int_eq(hs_instance_with_workers(in, 2, 1, &other), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), other, NULL, &plan), HS_OK);
    ck_assert_ptr_null(hs_policy_at(hs_policy_count()));
    ck_assert_ptr_null(hs_policy_find("plans"));
    for (i = 0; i < hs_policy_count(); i++) {
        const hs_policy_kind *kind = hs_policy_at(i);

        ck_assert_ptr_eq(hs_policy_find(hs_policy_name(kind)), kind);
        ck_assert_int_gt((int)strlen(hs_policy_summary(kind)), 0);
        ck_assert_int_eq(hs_policy_create(kind, NULL, plan, NULL, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, NULL, NULL), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, settings_with_tolerance(-1), &policy),
                         HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, other, plan, settings_with_tolerance(NAN), &policy),
                         HS_EINVAL);
        ck_assert_int_eq(
            hs_policy_create(kind, other, plan, settings_with_tolerance(INFINITY), &policy),
            HS_EINVAL);
        ck_assert_int_eq(hs_policy_simulate(kind, other, plan, in, NULL, &out, NULL), HS_EINVAL);
        ck_assert_int_eq(hs_policy_simulate(kind, in, NULL, bare, NULL, &out, NULL), HS_EINVAL);
        if (!hs_policy_needs_plan(kind))
            continue;
        ck_assert_int_eq(hs_policy_create(kind, other, NULL, NULL, &policy), HS_EINVAL);
        ck_assert_int_eq(hs_policy_create(kind, in, plan, NULL, &policy), HS_EINVAL);
    }
    hs_schedule_free(plan);
    plan = NULL;
    ck_assert_int_eq(hs_schedule_build(2, 1, 1, &once, &plan),
                     HS_OK); /* this schedule lacks a task */
    ck_assert_int_eq(hs_policy_create(kind_of("plan"), other, plan, NULL, &policy), HS_ESCHEDULE);
    ck_assert_int_eq(hs_policy_create(kind_of("plan+steal"), other, plan, NULL, &policy),
                     HS_ESCHEDULE);
    hs_schedule_free(plan);
    hs_instance_free(other);
    hs_instance_free(bare);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy wrong estimates");
    TCase *cases = tcase_create("under the virtual clock");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, wrong_estimates);
    tcase_add_test(cases, a_task_that_does_not_end);
    tcase_add_test(cases, a_long_task_is_left_where_it_is_as_fast);
    tcase_add_test(cases, a_stuck_task_is_taken);
    tcase_add_test(cases, stragglers_stay_where_they_are);
    tcase_add_test(cases, all_cpus_are_slow);
    tcase_add_test(cases, a_task_is_not_taken_to_and_fro);
    tcase_add_test(cases, a_late_task_is_not_taken_back);
    tcase_add_test(cases, each_kernel_teaches_for_itself);
    tcase_add_test(cases, a_task_that_is_long_everywhere);
    tcase_add_test(cases, waiting_behind_a_slow_task);
    tcase_add_test(cases, a_task_comes_within_sight);
    tcase_add_test(cases, what_is_not_restartable_is_left_alone);
    tcase_add_test(cases, bad_arguments);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
