/* SPDX-License-Identifier: BSD-3-Clause */

/* Decisions of policies in single situations with a known answer. */

#include <check.h>
#include <math.h>

#include <hybridsched/hybridsched.h>

#include "suite.h"

/* Check that policies ignore numbers of workers and tasks that do not exist. */
START_TEST(foreign_numbers)
{
    static const double times[] = {1, 2};
    hs_instance        *in = NULL;
    hs_schedule        *plan = NULL;
    hs_policy          *policy = NULL;
    hs_decision         decision;
    uint32_t            task;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_at((size_t)_i), in, plan, NULL, &policy), HS_OK);
    hs_policy_next(policy, 2, 0, &decision, NULL);
    ck_assert_int_eq(decision.kind, HS_DECIDE_WAIT);
    ck_assert_int_eq(hs_policy_take_own(policy, 2, &task), 0);
    hs_policy_ended(policy, 0, 2, HS_ENDING_RETURNED, 0, NULL);
    hs_policy_ended(policy, 2, 0, HS_ENDING_RETURNED, 0, NULL);
    hs_policy_mark_done(policy, 2, HS_NONE);
    hs_policy_retire(policy, 2, NULL);
    ck_assert_int_eq(hs_policy_take_stranded(policy, &task), 0);
    hs_policy_free(policy);
    hs_policy_free(NULL);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* Check that dualhp counts a running task that is late, within the tolerance, as no remaining time
 * rather than a negative amount. */
START_TEST(late_tasks_are_no_credit)
{
    static const hs_task rows[] = {{.struct_size = sizeof *rows, .cpu = 1, .gpu = INFINITY},
                                   {.struct_size = sizeof *rows, .cpu = INFINITY, .gpu = 1.05},
                                   {.struct_size = sizeof *rows, .cpu = 0.01, .gpu = 0.01}};
    hs_policy_settings   settings;
    hs_builder          *builder;
    hs_instance         *in;
    hs_policy           *policy;
    hs_decision          decision;
    size_t               row;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 1, 1), HS_OK);
    for (row = 0; row < 3; row++)
        ck_assert_int_eq(hs_builder_add_row(builder, &rows[row]), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(builder, 2, 1, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    hs_builder_free(builder);
    hs_policy_settings_init(&settings);
    settings.tolerance = 0.1;
    ck_assert_int_eq(hs_policy_create(hs_policy_find("dualhp"), in, NULL, &settings, &policy),
                     HS_OK);
    hs_policy_next(policy, 0, 0, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 0);
    hs_policy_next(policy, 1, 0, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 1);
    hs_policy_ended(policy, 1, 1, HS_ENDING_DONE, 1.05, NULL);
    hs_policy_next(policy, 1, 1.05, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 2);
    hs_policy_free(policy);
    hs_instance_free(in);
}
END_TEST

/* Check that a policy ignores an ending reported by a worker that does not run the task. */
START_TEST(foreign_endings)
{
    static const double times[] = {1, 2};
    static const char  *names[] = {"heteroprio", "plan+steal"};
    hs_instance        *in = NULL;
    hs_schedule        *plan = NULL;
    hs_policy          *policy = NULL;
    hs_decision         first, second;

    ck_assert_int_eq(hs_instance_wrap(2, times, times, NULL, 2, 0, &in), HS_OK);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("lpt"), in, NULL, &plan), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find(names[_i]), in, plan, NULL, &policy), HS_OK);
    hs_policy_next(policy, 0, 0, &first, NULL);
    ck_assert_int_eq(first.kind, HS_DECIDE_START);
    hs_policy_ended(policy, 1, first.task, HS_ENDING_RETURNED, 0.5, NULL);
    hs_policy_next(policy, 1, 0.5, &second, NULL);
    ck_assert_int_eq(second.kind, HS_DECIDE_START);
    ck_assert_uint_ne(second.task, first.task);
    hs_policy_ended(policy, 1, second.task, HS_ENDING_DONE, 0.6, NULL);
    hs_policy_next(policy, 1, 0.6, &second, NULL);
    ck_assert_int_eq(second.kind, HS_DECIDE_WAIT);
    hs_policy_free(policy);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* Return a plan with two tasks on worker 0 and one task on each further worker. */
static hs_schedule *by_hand(const uint32_t task[4])
{
    static const uint32_t worker[] = {0, 0, 1, 2};
    hs_placement          entry[4];
    hs_schedule          *plan = NULL;

    for (unsigned i = 0; i < 4; i++)
        entry[i] = (hs_placement){i == 1, i == 1 ? 2 : 1, task[i], worker[i], HS_RUN};
    ck_assert_int_eq(hs_schedule_build(3, 0, 4, entry, &plan), HS_OK);
    return plan;
}

/* Check that a worker runs the tasks of its list before tasks released by a retired worker. */
START_TEST(lists_come_first)
{
    static const double   times[] = {1, 1, 1, 1}, longer[] = {9, 3, 2, 5};
    static const uint32_t task[] = {0, 1, 2, 3};
    static const char    *names[] = {"plan", "plan+steal"};
    hs_instance          *in = NULL;
    hs_schedule          *plan = by_hand(task);
    hs_policy            *policy = NULL;
    hs_decision           decision;

    ck_assert_int_eq(hs_instance_wrap(4, times, longer, NULL, 3, 0, &in), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find(names[_i]), in, plan, NULL, &policy), HS_OK);
    hs_policy_retire(policy, 0, NULL);
    for (unsigned w = 1; w < 3; w++) {
        hs_policy_next(policy, w, 0, &decision, NULL);
        ck_assert_int_eq(decision.kind, HS_DECIDE_START);
        ck_assert_uint_eq(decision.task, w + 1);
    }
    hs_policy_free(policy);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* Check that a prefetched task starts on its worker, even if another worker calls between two tasks
 * of that worker. */
START_TEST(what_waits_is_its_own)
{
    static const double cpu[] = {9, 9}, gpu[] = {1, 1};
    const unsigned      on_gpu = 1, on_cpu = 0;
    hs_instance        *in = NULL;
    hs_policy          *policy = NULL;
    hs_decision         first, second, other;
    uint32_t            task;

    ck_assert_int_eq(hs_instance_wrap(2, cpu, gpu, NULL, 1, 1, &in), HS_OK);
    if (hs_policy_create(hs_policy_at((size_t)_i), in, NULL, NULL, &policy) == HS_OK) {
        hs_policy_next(policy, on_gpu, 0, &first, NULL);
        ck_assert_int_eq(first.kind, HS_DECIDE_START);
        hs_policy_prefetch(policy, on_gpu, 0, &second, NULL);
        if (second.kind == HS_DECIDE_START) {
            ck_assert_int_eq(hs_policy_peek(policy, on_gpu, &task), 1);
            ck_assert_uint_eq(task, second.task);
        }
        ck_assert_int_eq(hs_policy_peek(policy, on_cpu, &task), 0);
        ck_assert_int_eq(hs_policy_peek(policy, 2, &task), 0);
        hs_policy_ended(policy, on_gpu, first.task, HS_ENDING_DONE, 1, NULL);
        hs_policy_next(policy, on_cpu, 1, &other, NULL);
        if (second.kind == HS_DECIDE_START) {
            ck_assert_int_eq(other.kind, HS_DECIDE_WAIT);
            hs_policy_next(policy, on_gpu, 1, &other, NULL);
            ck_assert_int_eq(other.kind, HS_DECIDE_START);
            ck_assert_uint_eq(other.task, second.task);
            ck_assert_int_eq(hs_policy_peek(policy, on_gpu, &task), 0);
        }
    }
    hs_policy_free(policy);
    hs_instance_free(in);
}
END_TEST

/* Check that hs_policy_peek() returns the first task of a worker's queue. */
START_TEST(queues_wait)
{
    static const char *const names[] = {"dynamic", "h-ratio", "d-rank", "dmda", "dmdas"};
    static const double      cpu[] = {9, 9, 9}, gpu[] = {1, 1, 1};
    hs_instance             *in = NULL;
    hs_policy               *policy = NULL;
    hs_decision              d;
    uint32_t                 task;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, 1, 1, &in), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find(names[_i]), in, NULL, NULL, &policy), HS_OK);
    hs_policy_next(policy, 1, 0, &d, NULL);
    ck_assert_uint_eq(d.task, 0);
    ck_assert_int_eq(hs_policy_peek(policy, 1, &task), 1);
    ck_assert_uint_eq(task, 1);
    hs_policy_free(policy);
    hs_instance_free(in);
}
END_TEST

/* Return a graph with links: task 0 before tasks 1 and 2, which GPUs can run; CPUs can run task 2
 * only. */
static hs_instance *graph_with_links(void)
{
    static const double cpu[] = {INFINITY, INFINITY, 5}, gpu[] = {1, 10, 10};
    hs_builder         *builder = NULL;
    hs_instance        *in = NULL;
    size_t              row;

    ck_assert_int_eq(hs_builder_create(&builder), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(builder, 2, 1), HS_OK);
    for (row = 0; row < 3; row++) {
        hs_task task = {.struct_size = sizeof task, .cpu = cpu[row], .gpu = gpu[row]};

        ck_assert_int_eq(hs_builder_add_row(builder, &task), HS_OK);
        if (row)
            ck_assert_int_eq(hs_builder_add_predecessor(builder, row, 0, 0, 0), HS_OK);
    }
    ck_assert_int_eq(hs_builder_set_link(builder, HS_H2D, 0, 1e9), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(builder, HS_D2H, 0, 1e9), HS_OK);
    ck_assert_int_eq(hs_builder_finish(builder, &in, NULL), HS_OK);
    hs_builder_free(builder);
    return in;
}

/* Check that an aborted task goes to another worker if its thief retires after requesting it. */
START_TEST(retired_thief_of_a_prefetched_task)
{
    hs_instance *in = graph_with_links();
    hs_policy   *policy = NULL;
    hs_decision  decision;

    ck_assert_int_eq(hs_policy_create(hs_policy_find("heteroprio"), in, NULL, NULL, &policy), HS_OK);
    hs_policy_next(policy, 2, 0, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 0);
    hs_policy_ended(policy, 2, 0, HS_ENDING_DONE, 1, NULL);
    hs_policy_next(policy, 2, 1, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 1);
    hs_policy_prefetch(policy, 2, 1, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 2);
    hs_policy_next(policy, 0, 1, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_SPOLIATE && decision.task == 2 && decision.victim == 2);
    hs_policy_retire(policy, 0, NULL);
    hs_policy_ended(policy, 2, 2, HS_ENDING_ABORTED, 1, NULL);
    hs_policy_next(policy, 1, 1, &decision, NULL);
    ck_assert(decision.kind == HS_DECIDE_START && decision.task == 2);
    hs_policy_free(policy);
    hs_instance_free(in);
}
END_TEST

/* Check that policies refuse a plan that lacks a task, repeats a task or has an unknown task. */
START_TEST(plans_of_something_else)
{
    static const double   times[] = {1, 1, 1, 1};
    static const uint32_t twice[] = {0, 1, 1, 3}, unknown[] = {0, 1, 2, 4};
    static const char    *names[] = {"plan", "plan+steal"};
    hs_instance          *in = NULL;
    hs_schedule          *plan = by_hand(_i < 2 ? twice : unknown);
    hs_policy            *policy = NULL;

    ck_assert_int_eq(hs_instance_wrap(4, times, times, NULL, 3, 0, &in), HS_OK);
    ck_assert_int_eq(hs_policy_create(hs_policy_find(names[_i % 2]), in, plan, NULL, &policy),
                     HS_ESCHEDULE);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy answers");
    TCase *cases = tcase_create("single questions");

    tcase_set_timeout(cases, 600);
    tcase_add_loop_test(cases, foreign_numbers, 0, (int)hs_policy_count());
    tcase_add_test(cases, late_tasks_are_no_credit);
    tcase_add_loop_test(cases, foreign_endings, 0, 2);
    tcase_add_loop_test(cases, lists_come_first, 0, 2);
    tcase_add_loop_test(cases, what_waits_is_its_own, 0, (int)hs_policy_count());
    tcase_add_loop_test(cases, queues_wait, 0, 5);
    tcase_add_test(cases, retired_thief_of_a_prefetched_task);
    tcase_add_loop_test(cases, plans_of_something_else, 0, 4);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
