/* SPDX-License-Identifier: BSD-3-Clause */

/* Each allocation fails in algorithms and bounds. A second call in a workspace allocates no
 * memory. */

#include <check.h>
#include <string.h>

#include "alloc_scenario.h"
#include "failing_memory.h"
#include "plan_digest.h"
#include "suite.h"

#include "property/sample.h"

typedef struct solve_context {
    const hs_instance  *in;
    const hs_algorithm *algorithm;
    const hs_bound     *bound;
    hs_settings         settings;
} solve_context;

static hs_status solve_instance(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    hs_schedule         *plan = NULL;
    hs_status            st = hs_solve(c->algorithm, c->in, &c->settings, &plan);

    if (st == HS_OK)
        *result = digest_plan(plan);
    else if (plan) /* ck_assert() allocates */
        st = HS_EINVAL;
    hs_schedule_free(plan);
    return st;
}

static hs_status compute_bound(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    double               value = 0;
    hs_status            st = hs_bound_compute(c->bound, c->in, &c->settings, &value);

    *result = digest_double(0, value);
    return st;
}

static void check_instance(const hs_instance *in)
{
    static const hs_affinity wishes[] = {{0, 1, 2}, {3, 0, 1}, {2, 1, 1}};
    solve_context            context = {.in = in};
    size_t                   i;

    hs_settings_init(&context.settings);
    context.settings.parameters.alpha = 0.5;
    context.settings.affinities = wishes;
    context.settings.affinity_count = 3;
    for (i = 0; i < hs_algorithm_count(); i++) {
        context.algorithm = hs_algorithm_at(i);
        if (algorithm_takes_seconds(context.algorithm) ||
            algorithm_refuses_instance(in, context.algorithm))
            continue;
        check_single_and_lasting_failures(hs_algorithm_name(context.algorithm), solve_instance,
                                          &context);
    }
}

START_TEST(algorithms_survive_failed_allocations)
{
    hs_instance *in = NULL, *other = NULL;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    check_instance(in);
    ck_assert_int_eq(hs_instance_with_workers(in, 2, 0, &other), HS_OK);
    check_instance(other);
    hs_instance_free(other);
    hs_instance_free(in);
}
END_TEST

START_TEST(algorithms_without_cpus_survive_failed_allocations)
{
    enum { TASKS = 1100 }; /* number of tasks, large enough for the radix sort */
    static double times[TASKS];
    hs_instance  *in = NULL;
    size_t        i;

    for (i = 0; i < TASKS; i++)
        times[i] = 1 + (double)(i * 37 % 101);
    ck_assert_int_eq(hs_instance_wrap(TASKS, times, times, NULL, 0, 3, &in), HS_OK);
    check_instance(in);
    hs_instance_free(in);
}
END_TEST

static hs_instance *build_linked(void)
{
    const hs_task   task = {.struct_size = sizeof task, .cpu = 3, .gpu = 1, .count = 3};
    const hs_graph *g = NULL;
    hs_builder     *b = NULL;
    hs_instance    *in = NULL;
    size_t          data;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 2, 2);
    hs_builder_set_link(b, HS_H2D, 0.5, 1e3);
    hs_builder_set_link(b, HS_D2H, 0.5, 1e3);
    ck_assert_int_eq(hs_builder_add_handle(b, "X", &data), HS_OK);
    hs_builder_set_handle_bytes(b, data, 100);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        hs_builder_add_access(b, i, data, HS_READ);
        if (i > 0)
            hs_builder_add_predecessor(b, i, i - 1, 0, 50);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_instance_graph(in, &g), HS_OK); /* it keeps that */
    return in;
}

static hs_status solve_with_transfers(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    hs_schedule         *plan = NULL;
    size_t               count = 0;
    hs_status            st = hs_solve(c->algorithm, c->in, &c->settings, &plan);

    if (st == HS_OK && !hs_schedule_transfers(plan, &count))
        st = HS_EINVAL;
    *result = count;
    hs_schedule_free(plan);
    return st;
}

START_TEST(algorithms_with_transfers_survive_failed_allocations)
{
    static const char *const names[] = {"heft", "heteroprio", "dynamic"};
    hs_instance             *in = build_linked();
    solve_context            context = {.in = in};

    hs_settings_init(&context.settings);
    context.settings.transfers = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        context.algorithm = hs_algorithm_find(names[i]);
        check_single_and_lasting_failures(names[i], solve_with_transfers, &context);
    }
    hs_instance_free(in);
}
END_TEST

/* Test every algorithm and bound that supports workers that become available late, except
 * searches. */
START_TEST(late_workers_survive_failed_allocations)
{
    static const double available[] = {0, 3, 1, 2};
    hs_instance        *in = NULL, *other = NULL;
    solve_context       context;
    size_t              i;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    ck_assert_int_eq(hs_instance_with_workers(in, 2, 2, &other), HS_OK);
    context = (solve_context){.in = other};
    hs_settings_init(&context.settings);
    context.settings.available = available;
    context.settings.available_count = 4;
    for (i = 0; i < hs_algorithm_count(); i++) {
        context.algorithm = hs_algorithm_at(i);
        if (hs_algorithm_supports_available(context.algorithm) &&
            !algorithm_takes_seconds(context.algorithm) &&
            !algorithm_refuses_instance(other, context.algorithm))
            check_single_and_lasting_failures(hs_algorithm_name(context.algorithm), solve_instance,
                                              &context);
    }
    for (i = 0; i < hs_bound_count(); i++) {
        context.bound = hs_bound_at(i);
        if (hs_bound_supports_available(context.bound) &&
            strcmp(hs_bound_name(context.bound), "min-time") != 0)
            check_single_and_lasting_failures(hs_bound_name(context.bound), compute_bound,
                                              &context);
    }
    hs_instance_free(other);
    hs_instance_free(in);
}
END_TEST

/* The bound min-time allocates no memory if each task can run on both types: it has nothing to
 * check. */
START_TEST(bounds_survive_failed_allocations)
{
    hs_instance *in = NULL, *other = NULL;
    size_t       i;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    ck_assert_int_eq(hs_instance_with_workers(in, 2, 0, &other), HS_OK);
    for (i = 0; i < hs_bound_count(); i++) {
        solve_context context = {.in = other, .bound = hs_bound_at(i)};

        hs_settings_init(&context.settings);
        if (bound_takes_seconds(context.bound))
            continue;
        check_single_and_lasting_failures(hs_bound_name(context.bound), compute_bound, &context);
    }
    hs_instance_free(other);
    hs_instance_free(in);
}
END_TEST

/* Build a graph with everything that rows may have: counts, bytes of edges, data and links. */
static hs_instance *build_graph(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;
    size_t       data;

    hs_task_init(&task);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 2), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0.1, 10), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0.1, 10), HS_OK);
    ck_assert_int_eq(hs_builder_add_handle(b, "tile", &data), HS_OK);
    ck_assert_int_eq(hs_builder_set_handle_bytes(b, data, 3), HS_OK);
    for (size_t row = 0; row < 5; row++) {
        task.cpu = 1 + (double)row;
        task.gpu = 3 - (double)row / 2;
        task.count = row % 2 ? 3 : 1;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        if (row > 0)
            ck_assert_int_eq(hs_builder_add_predecessor(b, row, row - 1, 0, 2), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, row, data, HS_READ), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(graphs_survive_failed_allocations)
{
    hs_instance    *in = build_graph();
    const hs_graph *g;
    solve_context   context = {.in = in};
    const unsigned char done[9] = {1, 1, 1}; /* the first row, and two copies of the second */
    const uint32_t      worker[9] = {2, 3, 0};

    ck_assert_int_eq(hs_instance_graph(in, &g), HS_OK); /* build the graph of the instance, which
                                                           is built only once */
    hs_settings_init(&context.settings);
    for (size_t i = 0; i < hs_algorithm_count(); i++) {
        context.algorithm = hs_algorithm_at(i);
        if (hs_algorithm_supports_graphs(context.algorithm) &&
            !algorithm_takes_seconds(context.algorithm))
            check_single_and_lasting_failures(hs_algorithm_name(context.algorithm), solve_instance,
                                              &context);
    }
    context.settings.skip = done;
    context.settings.skip_worker = worker;
    context.algorithm = hs_algorithm_find("heft");
    check_single_and_lasting_failures("the rest by heft", solve_instance, &context);
    hs_instance_free(in);
}
END_TEST

static hs_status solve_in_workspace(const void *context, uint64_t *result)
{
    const solve_context *c = context;
    hs_workspace        *ws = NULL;
    const hs_schedule   *plan = NULL;
    double               makespan = 0;
    hs_status            st = hs_workspace_create(&ws);

    if (st == HS_OK)
        st = hs_solve_in(ws, c->algorithm, c->in, &c->settings, &plan, NULL);
    if (st == HS_OK)
        *result = digest_plan(plan);
    if (st == HS_OK)
        st = hs_solve_makespan(ws, c->algorithm, c->in, &c->settings, &makespan, NULL);
    if (st == HS_OK)
        *result = digest_double(*result, makespan);
    hs_workspace_free(ws);
    return st;
}

/* Return the number of allocations that a second call in a workspace tries; each would fail. */
static long allocations_of_second_call(hs_workspace *ws, const hs_algorithm *alg,
                                       const hs_instance *in)
{
    const hs_schedule *plan;
    double             makespan;
    hs_status          st, st_alone;
    long               failed;

    st = hs_solve_in(ws, alg, in, NULL, &plan, NULL);
    if (st == HS_OK)
        st = hs_solve_makespan(ws, alg, in, NULL, &makespan, NULL);
    ck_assert_int_eq(st, HS_OK);
    memory_fail_after(0, 1);
    st = hs_solve_in(ws, alg, in, NULL, &plan, NULL);
    st_alone = hs_solve_makespan(ws, alg, in, NULL, &makespan, NULL);
    failed = memory_stop_failing();
    ck_assert_int_eq(st, HS_OK);
    ck_assert_int_eq(st_alone, HS_OK);
    return failed;
}

START_TEST(second_call_in_workspace_allocates_nothing)
{
    hs_instance  *in = NULL;
    solve_context context;
    sample        s;
    size_t        i;

    ck_assert_int_eq(build(&in, 1), HS_OK);
    sample_make_family(&s, SAMPLE_GAMMA, 7, 3000, 20, 4, 0);
    for (i = 0; i < hs_algorithm_count(); i++) {
        hs_workspace *ws = NULL;

        context = (solve_context){.in = in, .algorithm = hs_algorithm_at(i)};
        hs_settings_init(&context.settings);
        if (algorithm_takes_seconds(context.algorithm) ||
            algorithm_refuses_instance(in, context.algorithm))
            continue;
        check_single_and_lasting_failures(hs_algorithm_name(context.algorithm), solve_in_workspace,
                                          &context);
        if (algorithm_runs_policy(context.algorithm))
            continue;
        ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
        ck_assert_int_eq(allocations_of_second_call(ws, context.algorithm, in), 0);
        ck_assert_int_eq(allocations_of_second_call(ws, context.algorithm, s.in), 0);
        hs_workspace_free(ws);
    }
    sample_free(&s);
    hs_instance_free(in);
}
END_TEST

/* Solve ten million copies of two kinds: the memory does not grow with the number of copies. */
START_TEST(memory_does_not_grow_with_copies)
{
    static const char *const by_rows[] = {"heteroprio", "heteroprio-ns", "clb2c",
                                          "lpt",        "heft",          "heft-min"};
    hs_task                  tasks[2];
    hs_builder              *builder = NULL;
    hs_instance             *in = NULL;
    double                   makespan;
    size_t                   i;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    hs_builder_set_workers(builder, 3, 1);
    for (i = 0; i < 2; i++) {
        hs_task_init(&tasks[i]);
        tasks[i].cpu = i ? 2 : 3;
        tasks[i].gpu = i ? 3 : 1;
        tasks[i].count = i ? 1000000 : 9000000;
        ck_assert_int_eq(hs_builder_add_row(builder, &tasks[i]), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    memory_largest_request();
    for (i = 0; i < sizeof by_rows / sizeof *by_rows; i++)
        ck_assert_int_eq(
            hs_solve_makespan(NULL, hs_algorithm_find(by_rows[i]), in, NULL, &makespan, NULL),
            HS_OK);
    ck_assert_uint_lt(memory_largest_request(), 100000);
    hs_instance_free(in);
    hs_builder_free(builder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("alloc solve");
    TCase *cases = tcase_create("failing allocations");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, algorithms_survive_failed_allocations);
    tcase_add_test(cases, algorithms_without_cpus_survive_failed_allocations);
    tcase_add_test(cases, algorithms_with_transfers_survive_failed_allocations);
    tcase_add_test(cases, late_workers_survive_failed_allocations);
    tcase_add_test(cases, graphs_survive_failed_allocations);
    tcase_add_test(cases, bounds_survive_failed_allocations);
    tcase_add_test(cases, second_call_in_workspace_allocates_nothing);
    tcase_add_test(cases, memory_does_not_grow_with_copies);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
