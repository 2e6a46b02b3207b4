/* SPDX-License-Identifier: BSD-3-Clause */
/* Instances with unknown times: predictions and guesses replace them, and nothing computes with them. */
#include <math.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "cost_fixture.h"
#include "suite.h"

/* Create an instance of rows with every combination of given, unknown and no times. */
static hs_instance *partly_unknown(void)
{
    static const double times[] = {2, INFINITY, NAN};
    hs_builder         *b = NULL;
    hs_instance        *in = NULL;
    hs_task             task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MILLISECONDS), HS_OK);
    ck_assert_int_eq(hs_builder_add_note(b, "note", "kept"), HS_OK);
    for (int i = 0; i < 9; i++) {
        if (i == 4)
            continue;
        hs_task_init(&task);
        task.cpu = times[i / 3];
        task.gpu = times[i % 3];
        task.kernel = "k:3";
        task.count = 1 + (uint32_t)i % 2;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 10), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(filling_replaces_unknown_times_alone)
{
    hs_instance *in = partly_unknown(), *filled = NULL;
    hs_cost     *cost = new_cost();
    const char  *value;

    ck_assert_uint_eq(hs_instance_unknown(in), 5);
    observe(cost, HS_GPU, features_of("k", 1, 3, 0), 0.25);
    ck_assert_int_eq(hs_instance_fill(in, cost, &filled), HS_OK);
    ck_assert_uint_eq(hs_instance_unknown(filled), 0);
    ck_assert_uint_eq(hs_instance_tasks(filled), hs_instance_tasks(in));
    ck_assert_str_eq(hs_instance_note(filled, 0, &value), "note");
    ck_assert(hs_instance_has_graph(filled));
    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        for (hs_type type = HS_CPU; type <= HS_GPU; type++) {
            double was = hs_instance_time(in, i, type), is = hs_instance_time(filled, i, type);

            ck_assert_int_eq(hs_instance_source(in, i, type), HS_COST_GIVEN);
            if (!isnan(was)) {
                ck_assert(was == is);
                ck_assert_int_eq(hs_instance_source(filled, i, type), HS_COST_GIVEN);
            } else {
                ck_assert_double_eq_tol(is, type == HS_GPU ? 250 : 1000, 1e-9);
                ck_assert_int_eq(hs_instance_source(filled, i, type),
                                 type == HS_GPU ? HS_COST_HISTORY : HS_COST_NONE);
            }
        }
    hs_instance_free(in);
    hs_instance_free(filled);
    hs_cost_free(cost);
}
END_TEST

/* Copy the rows alone, as a file does; an absent time cannot be a guess, whatever the column says. */
static hs_instance *copy_rows(const hs_instance *in)
{
    hs_builder  *b = NULL;
    hs_instance *out = NULL;
    hs_task      task;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 2, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MILLISECONDS), HS_OK);
    for (size_t row = 0; row < hs_instance_rows(in); row++) {
        hs_instance_row(in, row, &task);
        task.guess |= (unsigned)isinf(task.cpu) << HS_CPU | (unsigned)isinf(task.gpu) << HS_GPU;
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &out, NULL), HS_OK);
    hs_builder_free(b);
    return out;
}

/* The rows say which times are guesses. A prediction replaces a guess, another guess does not. */
START_TEST(guesses_stay_guesses_in_a_copy)
{
    hs_instance *in = partly_unknown(), *filled = NULL, *copy, *again = NULL;
    hs_cost     *cost = new_cost();

    ck_assert_int_eq(hs_instance_fill(in, NULL, &filled), HS_OK);
    copy = copy_rows(filled);
    observe(cost, HS_GPU, features_of("k", 1, 3, 0), 0.25);
    observe(cost, HS_CPU, features_of("other", 1, 3, 0), 0.5);
    ck_assert_int_eq(hs_instance_fill(copy, cost, &again), HS_OK);
    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        for (hs_type type = HS_CPU; type <= HS_GPU; type++) {
            bool   was_unknown = isnan(hs_instance_time(in, i, type));
            double is = hs_instance_time(again, i, type);

            ck_assert_int_eq(hs_instance_source(copy, i, type),
                             was_unknown ? HS_COST_NONE : HS_COST_GIVEN);
            ck_assert_int_eq(hs_instance_source(again, i, type),
                             !was_unknown     ? HS_COST_GIVEN
                             : type == HS_GPU ? HS_COST_HISTORY
                                              : HS_COST_NONE);
            if (was_unknown)
                ck_assert_double_eq_tol(is, type == HS_GPU ? 250 : 1000, 1e-9);
            else
                ck_assert(is == hs_instance_time(in, i, type));
        }
    hs_instance_free(in);
    hs_instance_free(filled);
    hs_instance_free(copy);
    hs_instance_free(again);
    hs_cost_free(cost);
}
END_TEST

/* Given times become predictions from history, but not guesses, and never run where they could not. */
START_TEST(retiming_replaces_given_times_too)
{
    hs_instance *in = partly_unknown(), *retimed = NULL;
    hs_cost     *cost = new_cost();

    observe(cost, HS_GPU, features_of("k", 1, 3, 0), 0.25);
    observe(cost, HS_CPU, features_of("other", 1, 3, 0), 0.5);
    ck_assert_int_eq(hs_instance_retime(in, cost, &retimed), HS_OK);
    ck_assert_uint_eq(hs_instance_unknown(retimed), 0);
    for (size_t i = 0; i < hs_instance_tasks(in); i++)
        for (hs_type type = HS_CPU; type <= HS_GPU; type++) {
            double was = hs_instance_time(in, i, type), is = hs_instance_time(retimed, i, type);
            bool   has_bytes = hs_instance_row_of(in, i) == 0; /* unlike the execution */
            bool   given = isinf(was) || ((type == HS_CPU || has_bytes) && !isnan(was));

            ck_assert_int_eq(hs_instance_source(retimed, i, type),
                             given             ? HS_COST_GIVEN
                             : type == HS_GPU  ? HS_COST_HISTORY
                                               : HS_COST_LEAST);
            ck_assert(isinf(was) ? isinf(is) : fabs(is - (given ? was : type ? 250 : 500)) < 1e-9);
        }
    hs_instance_free(in);
    hs_instance_free(retimed);
    hs_cost_free(cost);
}
END_TEST

START_TEST(nothing_computes_with_unknown_times)
{
    hs_instance *in = partly_unknown();
    hs_schedule *s = NULL;
    hs_policy   *policy = NULL;
    double       value;
    int          fd = dup(2);

    for (size_t i = 0; i < hs_algorithm_count(); i++)
        ck_assert_int_eq(hs_solve(hs_algorithm_at(i), in, NULL, &s),
                         hs_algorithm_supports_graphs(hs_algorithm_at(i)) ? HS_EUNKNOWN
                                                                          : HS_EDEPENDENT);
    for (size_t i = 0; i < hs_bound_count(); i++)
        ck_assert_int_eq(hs_bound_compute(hs_bound_at(i), in, NULL, &value), HS_EUNKNOWN);
    for (size_t i = 0; i < hs_policy_count(); i++)
        if (hs_policy_supports_graphs(hs_policy_at(i)) && !hs_policy_needs_plan(hs_policy_at(i)))
            ck_assert_int_eq(hs_policy_create(hs_policy_at(i), in, NULL, NULL, &policy),
                             HS_EUNKNOWN);
    ck_assert_int_eq(hs_dot_write(fd, in), HS_EUNKNOWN);
    close(fd);
    hs_instance_free(in);
}
END_TEST

START_TEST(wrapped_arrays_hold_no_unknown_time)
{
    double       times[] = {1, NAN};
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 1, 1, &in), HS_ETIME);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unknown times");
    TCase *cases = tcase_create("unknown times");

    tcase_add_test(cases, filling_replaces_unknown_times_alone);
    tcase_add_test(cases, guesses_stay_guesses_in_a_copy);
    tcase_add_test(cases, retiming_replaces_given_times_too);
    tcase_add_test(cases, nothing_computes_with_unknown_times);
    tcase_add_test(cases, wrapped_arrays_hold_no_unknown_time);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
