/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Solving in a workspace, and solving for the makespan alone, give the result of hs_solve(),
 * regardless of earlier uses of the workspace.
 */

#include <check.h>
#include "plan_digest.h"
#include "suite.h"
#include "property/dice.h"
#include "property/sample.h"

static void check_one(const sample *s, hs_workspace *ws, const hs_algorithm *alg,
                      const hs_instance *in)
{
    const char        *name = hs_algorithm_name(alg);
    hs_schedule       *plan = NULL;
    const hs_schedule *in_place = NULL;
    hs_report          expected, report;
    double             makespan = -1;

    hs_report_init(&expected);
    hs_report_init(&report);
    REQUIRE(s, hs_solve_reported(alg, in, NULL, &plan, &expected) == HS_OK, "%s", name);
    REQUIRE(s, hs_solve_in(ws, alg, in, NULL, &in_place, &report) == HS_OK, "%s", name);
    REQUIRE(s, digest_plan(plan) == digest_plan(in_place), "%s: another plan in a workspace", name);
    REQUIRE(s, hs_schedule_check(in, in_place, NULL) == HS_OK, "%s: not a schedule", name);
    REQUIRE(s,
            report.certified == expected.certified && report.aborted == expected.aborted &&
                report.aborted == hs_schedule_entry_count(plan) - hs_instance_tasks(in),
            "%s: another report", name);

    hs_report_init(&report);
    REQUIRE(s, hs_solve_makespan(ws, alg, in, NULL, &makespan, &report) == HS_OK, "%s", name);
    REQUIRE(s, makespan == hs_schedule_makespan(plan), "%s: makespan %.17g alone, %.17g of a plan",
            name, makespan, hs_schedule_makespan(plan));
    REQUIRE(s, report.certified == expected.certified && report.aborted == expected.aborted,
            "%s: another report of the makespan alone", name);
    makespan = -1;
    REQUIRE(s, hs_solve_makespan(NULL, alg, in, NULL, &makespan, NULL) == HS_OK, "%s", name);
    REQUIRE(s, makespan == hs_schedule_makespan(plan), "%s without a workspace", name);
    hs_schedule_free(plan);
}

static void check_refusal(const sample *s, hs_workspace *ws, const hs_algorithm *alg,
                          const hs_instance *in)
{
    const char        *name = hs_algorithm_name(alg);
    const hs_schedule *in_place = NULL;
    double             makespan = -1;

    REQUIRE(s, hs_solve_in(ws, alg, in, NULL, &in_place, NULL) == HS_EWORKER, "%s", name);
    REQUIRE(s, hs_solve_makespan(ws, alg, in, NULL, &makespan, NULL) == HS_EWORKER, "%s", name);
    REQUIRE(s, !in_place && makespan == -1, "%s: something came of it", name);
}

static void check_all(const sample *s, hs_workspace *ws, const hs_instance *in)
{
    size_t i;

    for (i = 0; i < hs_algorithm_count(); i++)
        if (algorithm_refuses_instance(in, hs_algorithm_at(i)))
            check_refusal(s, ws, hs_algorithm_at(i), in);
        else if (!algorithm_takes_seconds(hs_algorithm_at(i)))
            check_one(s, ws, hs_algorithm_at(i), in);
}

START_TEST(workspace_does_not_change_results)
{
    size_t        rounds = rounds_scaled(600), i;
    hs_workspace *ws = NULL;
    sample        s;

    ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
    for (i = 0; i < rounds; i++) {
        sample_make(&s, 61000000 + i, 200, 9);
        if (i % 3 == 0)
            sample_make_some_not_restartable(&s);
        check_all(&s, ws, s.in);
        sample_free(&s);
    }
    hs_workspace_free(ws);
}
END_TEST

/* Return an instance with the sample's tasks as rows with random counts, some of them not
 * restartable. */
static hs_instance *with_counts(const sample *s, dice *d)
{
    hs_builder  *builder = NULL;
    hs_instance *in = NULL;
    size_t       i;

    REQUIRE(s, hs_builder_create(&builder) == HS_OK, "hs_builder_create");
    hs_builder_set_workers(builder, s->m, s->k);
    for (i = 0; i < s->n; i++) {
        hs_task task = {.struct_size = sizeof task, .cpu = s->cpu[i],
                        .gpu = s->gpu[i],
                        .priority = s->priority[i],
                        .count = dice_between(d, 0, 30),
                        .restartable = dice_between(d, 0, 5) ? HS_RESTART_YES : HS_RESTART_NO};

        REQUIRE(s, hs_builder_add_row(builder, &task) == HS_OK, "hs_builder_add_row");
    }
    REQUIRE(s, hs_builder_finish(builder, &in, NULL) == HS_OK, "hs_builder_finish");
    hs_builder_free(builder);
    return in;
}

START_TEST(counts_are_solved_by_rows)
{
    size_t        rounds = rounds_scaled(400), i;
    hs_workspace *ws = NULL;
    sample        s;

    ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
    for (i = 0; i < rounds; i++) {
        dice         d = {62000000 + i};
        hs_instance *in;

        sample_make(&s, 62000000 + i, 12, 6);
        in = with_counts(&s, &d);
        check_all(&s, ws, in);
        hs_instance_free(in);
        sample_free(&s);
    }
    hs_workspace_free(ws);
}
END_TEST

/* Return an instance with a task for the CPU and a task for the GPU, which reads 8 bytes from the
 * first. */
static hs_instance *build_linked(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    for (int i = 0; i < 2; i++) {
        hs_task task = {
            .struct_size = sizeof task, .cpu = i ? INFINITY : 1, .gpu = i ? 1 : INFINITY};

        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 8), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(transfers_are_freed_with_their_schedule)
{
    const double       time[] = {1};
    const hs_schedule *s = NULL;
    hs_workspace      *ws = NULL;
    hs_instance       *in = NULL, *graph = build_linked();
    hs_settings        settings;
    size_t             count;

    hs_settings_init(&settings);
    settings.transfers = 1;
    ck_assert_int_eq(hs_instance_wrap(1, time, time, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
    ck_assert_int_eq(hs_solve_in(ws, hs_algorithm_find("heft"), graph, &settings, &s, NULL), HS_OK);
    hs_schedule_transfers(s, &count);
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(hs_solve_in(ws, hs_algorithm_find("lpt"), in, NULL, &s, NULL), HS_OK);
    hs_schedule_transfers(s, &count);
    ck_assert_uint_eq(count, 0);
    hs_workspace_free(ws);
    hs_instance_free(graph);
    hs_instance_free(in);
}
END_TEST

START_TEST(invalid_arguments_are_refused)
{
    const double        time[] = {1};
    const hs_algorithm *alg = hs_algorithm_find("lpt");
    const hs_schedule  *s = NULL;
    hs_workspace       *ws = NULL;
    hs_instance        *in = NULL;
    double              makespan;

    ck_assert_int_eq(hs_instance_wrap(1, time, time, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_workspace_create(NULL), HS_EINVAL);
    ck_assert_int_eq(hs_workspace_create(&ws), HS_OK);
    ck_assert_int_eq(hs_solve_in(NULL, alg, in, NULL, &s, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_solve_in(ws, NULL, in, NULL, &s, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_solve_in(ws, alg, NULL, NULL, &s, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_solve_in(ws, alg, in, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_solve_makespan(ws, alg, in, NULL, NULL, NULL), HS_EINVAL);
    ck_assert_int_eq(hs_solve_makespan(ws, NULL, in, NULL, &makespan, NULL), HS_EINVAL);
    ck_assert_ptr_null(s);
    hs_workspace_free(ws);
    hs_workspace_free(NULL);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("workspace");
    TCase *cases = tcase_create("solving");

    tcase_set_timeout(cases, 600);
    tcase_add_test(cases, workspace_does_not_change_results);
    tcase_add_test(cases, counts_are_solved_by_rows);
    tcase_add_test(cases, transfers_are_freed_with_their_schedule);
    tcase_add_test(cases, invalid_arguments_are_refused);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
