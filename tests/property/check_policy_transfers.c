/* SPDX-License-Identifier: BSD-3-Clause */

/* Steals and spoliations on graphs: due times, and transfers of inputs to the thief. */

#include <check.h>
#include <math.h>

#include "policy/prefetched_transfers.h"
#include "policy_sample.h"
#include "suite.h"

static void add_row(hs_builder *b, double cpu, double gpu)
{
    hs_task task;

    hs_task_init(&task);
    task.cpu = cpu;
    task.gpu = gpu;
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
}

/* Return the end of the third task under plan+steal, with tasks planned in order on the workers
 * on[]. Frees the builder. */
static double end_of_third(hs_builder *b, unsigned cpus, unsigned gpus, const unsigned *on,
                           const double *true_cpu, const double *true_gpu,
                           const unsigned char *skip)
{
    hs_policy_settings settings;
    hs_placement       at[3];
    hs_instance       *in = NULL, *truth = NULL;
    hs_schedule       *plan = NULL, *found = NULL;
    double             end = 0;

    for (unsigned i = 0; i < 3; i++)
        at[i] = (hs_placement){i, i, i, on[i], HS_RUN};
    hs_policy_settings_init(&settings);
    settings.skip = skip;
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, gpus), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    ck_assert_int_eq(hs_instance_wrap(3, true_cpu, true_gpu, NULL, cpus, gpus, &truth), HS_OK);
    ck_assert_int_eq(hs_schedule_build(cpus, gpus, 3, at, &plan), HS_OK);
    ck_assert_int_eq(
        hs_policy_simulate(kind_of("plan+steal"), in, plan, truth, &settings, &found, NULL), HS_OK);
    for (unsigned w = 0; w < cpus + gpus; w++) {
        size_t          count;
        const hs_entry *entry = hs_schedule_entries(found, w, &count);

        for (size_t i = 0; i < count; i++)
            if (entry[i].task == 2)
                end = entry[i].end;
    }
    hs_schedule_free(found);
    hs_schedule_free(plan);
    hs_instance_free(truth);
    hs_instance_free(in);
    hs_builder_free(b);
    return end;
}

/* Check that due times ignore skipped tasks: task 0 is done, so task 2 is due earlier. */
START_TEST(due_times_ignore_skipped_tasks)
{
    static const unsigned      on[] = {0, 1, 1};
    static const double        truth[] = {1, 30, 10}, none[] = {1, 1, 1};
    static const unsigned char skip[] = {1, 0, 0};
    hs_builder                *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    add_row(b, 1, INFINITY);
    add_row(b, 10, INFINITY);
    add_row(b, 10, INFINITY);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 0), HS_OK);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 0, 0, 0), HS_OK);
    ck_assert_double_eq_tol(end_of_third(b, 2, 0, on, truth, none, skip), 20, 1e-4);
}
END_TEST

/* Check that a thief's transfers start at the steal, although the plan transferred the input to the
 * planned worker as soon as it was produced. */
START_TEST(transfers_of_a_steal_start_at_the_steal)
{
    static const unsigned on[] = {0, 1, 1};
    static const double   cpu[] = {1, INFINITY, INFINITY}, gpu[] = {INFINITY, 30, 10};
    hs_builder           *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    add_row(b, 1, INFINITY);
    add_row(b, INFINITY, 10);
    add_row(b, INFINITY, 10);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 0, 0, 2), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_double_eq_tol(end_of_third(b, 1, 2, on, cpu, gpu, NULL), 22, 1e-4);
}
END_TEST

/* Return the makespan under heteroprio of a task that runs from 1 to 101 on the CPU with an
 * estimate of 10. The GPU is idle from 2 on, and the transfer of the task's input takes 3. */
static double makespan_behind_a_link(double gpu)
{
    const double       true_cpu[] = {1, INFINITY, 100}, true_gpu[] = {INFINITY, 2, gpu};
    hs_policy_settings settings;
    hs_builder        *b = NULL;
    hs_instance       *in = NULL, *truth = NULL;
    hs_schedule       *found = NULL;
    double             makespan;

    hs_policy_settings_init(&settings);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    add_row(b, 1, INFINITY);
    add_row(b, INFINITY, 2);
    add_row(b, 10, gpu);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 2, 0, 0, 3), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_instance_wrap(3, true_cpu, true_gpu, NULL, 1, 1, &truth), HS_OK);
    ck_assert_int_eq(hs_policy_simulate(kind_of("heteroprio"), in, NULL, truth, &settings, &found,
                                        NULL),
                     HS_OK);
    makespan = hs_schedule_makespan(found);
    hs_schedule_free(found);
    hs_instance_free(truth);
    hs_instance_free(in);
    return makespan;
}

/* Check that spoliation starts when the gain outweighs a transfer of 3: a tenth (or a fifth) of the
 * elapsed time is 3 at time 31 (or 16). A GPU as slow as the CPU never spoliates the task. */
START_TEST(spoliation_starts_when_it_pays_for_the_transfer)
{
    ck_assert_double_eq_tol(makespan_behind_a_link(9), 1 + 30 + 3 + 9, 1e-6);
    ck_assert_double_eq_tol(makespan_behind_a_link(8), 1 + 15 + 3 + 8, 1e-6);
    ck_assert_double_eq_tol(makespan_behind_a_link(10), 1 + 100, 1e-6);
}
END_TEST

/* Check that transfers are predicted to where a task was completed, not to where it was aborted: both
 * tasks are completed on the CPU, the first after an attempt on the GPU. */
START_TEST(aborted_runs_cause_no_transfer)
{
    const hs_placement at[] = {
        {0, 1, 0, 1, HS_ABORTED}, {1, 4, 0, 0, HS_RUN}, {4, 6, 1, 0, HS_RUN}};
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_schedule *s = NULL;
    size_t       count = 7;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    add_row(b, 3, 9);
    add_row(b, 2, 9);
    ck_assert_int_eq(hs_builder_add_predecessor(b, 1, 0, 0, 3), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_schedule_build(1, 1, 3, at, &s), HS_OK);
    ck_assert_int_eq(hsi_add_prefetched_transfers(in, s, NULL), HS_OK);
    hs_schedule_transfers(s, &count);
    ck_assert_uint_eq(count, 0);
    hs_schedule_free(s);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("policy transfers");
    TCase *cases = tcase_create("under the virtual clock");

    tcase_add_test(cases, due_times_ignore_skipped_tasks);
    tcase_add_test(cases, transfers_of_a_steal_start_at_the_steal);
    tcase_add_test(cases, spoliation_starts_when_it_pays_for_the_transfer);
    tcase_add_test(cases, aborted_runs_cause_no_transfer);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
