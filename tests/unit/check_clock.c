/* SPDX-License-Identifier: BSD-3-Clause */

/* The virtual clock under scripted policies: schedules that result from their decisions, and
 * decisions that are refused. */

#include <check.h>
#include <hybridsched/hybridsched.h>
#include <math.h>
#include <stddef.h>

#include "suite.h"

enum { CPU, GPU, WORKERS, DECISIONS = 4 };

#define START(task)                                                                                \
    {                                                                                              \
        HS_DECIDE_START, task, 0, 0, 0                                                             \
    }
#define TAKE(task, victim)                                                                         \
    {                                                                                              \
        HS_DECIDE_SPOLIATE, task, victim, 0, 0                                                     \
    }
#define WAIT(until)                                                                                \
    {                                                                                              \
        HS_DECIDE_WAIT, 0, 0, until, 0                                                             \
    }

/* scripted decisions of each worker, in order */
typedef struct script {
    hs_decision says[WORKERS][DECISIONS];
} script;

typedef struct script_state {
    const script *script;
    unsigned      at[WORKERS];
} script_state;

static script_state state;

static hs_status create_script(void *data, hs_policy *policy, const hs_instance *estimates,
                               const hs_schedule *plan, const hs_policy_settings *settings,
                               void **out)
{
    (void)data;
    (void)policy;
    (void)estimates;
    (void)plan;
    (void)settings;
    state.at[CPU] = state.at[GPU] = 0;
    *out = &state;
    return HS_OK;
}

static void free_script(void *s)
{
    (void)s;
}

static void next_answer(void *own, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    script_state *s = own;

    (void)now;
    (void)wake;
    *out = s->script->says[worker][s->at[worker]++ % DECISIONS];
}

static void ignore_end(void *s, unsigned worker, uint32_t task, hs_ending how, double now,
                       hs_wake *wake)
{
    (void)s;
    (void)worker;
    (void)task;
    (void)how;
    (void)now;
    (void)wake;
}

static void ignore_done_task(void *s, uint32_t task)
{
    (void)s;
    (void)task;
}

static const hs_policy_kind scripted = {.struct_size = sizeof scripted,
                                        .name = "scripted",
                                        .summary = "as it is told",
                                        .create = create_script,
                                        .free = free_script,
                                        .next = next_answer,
                                        .ended = ignore_end,
                                        .mark_done = ignore_done_task};

static hs_instance *tasks_on(unsigned cpus, unsigned gpus)
{
    static const double cpu[] = {4, 2, INFINITY}, gpu[] = {4, 5, 1};
    hs_instance        *in = NULL;

    ck_assert_int_eq(hs_instance_wrap(3, cpu, gpu, NULL, cpus, gpus, &in), HS_OK);
    return in;
}

/* The thief aborts the victim's task just before its end, and the victim then starts another
 * task. */
START_TEST(aborted_task_ends_at_once)
{
    static const script as_told = {{[CPU] = {START(0), WAIT(4), START(1), WAIT(INFINITY)},
                                    [GPU] = {START(2), TAKE(0, CPU), START(0), WAIT(INFINITY)}}};
    hs_instance        *in = tasks_on(1, 1);
    hs_schedule        *plan = NULL;
    const hs_entry     *entry;
    size_t              count;

    state.script = &as_told;
    ck_assert_int_eq(hs_policy_simulate(&scripted, in, NULL, in, NULL, &plan, NULL), HS_OK);
    ck_assert_int_eq(hs_schedule_check(in, plan, NULL), HS_OK);
    entry = hs_schedule_entries(plan, CPU, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert(entry[0].state == HS_ABORTED && entry[0].end == 1);
    ck_assert(entry[1].task == 1 && entry[1].start == 4 && entry[1].end == 6);
    entry = hs_schedule_entries(plan, GPU, &count);
    ck_assert_uint_eq(count, 2);
    ck_assert(entry[1].task == 0 && entry[1].start == 1 && entry[1].end == 5);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

static const struct {
    script      told;
    const char *fault;
} impossible[] = {
    {{{[CPU] = {WAIT(0), START(1), WAIT(INFINITY)}, /* until now */
       [GPU] = {START(2), START(0), WAIT(INFINITY)}}},
     "at 0 the policy lets cpu0 wait until 0, but that is not later"},
    {{{[CPU] = {WAIT(NAN), START(1), WAIT(INFINITY)},
       [GPU] = {START(2), START(0), WAIT(INFINITY)}}},
     "at 0 the policy lets cpu0 wait until nan, but that is not later"},
    {{{[CPU] = {START(0)}, [GPU] = {START(0)}}},
     "at 0 the policy starts task 't0' on cpu0, but the task is done, or another decision has "
     "started it"},
    {{{[CPU] = {WAIT(9)}, [GPU] = {START(0), START(0)}}},
     "at 4 the policy starts task 't0' on gpu0, but the task is done, or another decision has "
     "started it"},
    {{{[CPU] = {START(2)}, [GPU] = {START(0)}}},
     "at 0 the policy starts task 't2' on cpu0, but the task cannot run on this worker"},
    {{{[CPU] = {WAIT(9)}, [GPU] = {START(3)}}},
     "at 0 the policy starts task number 3 on gpu0, but there is no such task"},
    {{{[CPU] = {START(0)}, [GPU] = {START(2), TAKE(0, 2)}}},
     "at 1 the policy lets gpu0 spoliate task 't0' on gpu1, but the task does not run there"},
    {{{[CPU] = {START(0), WAIT(4), START(1), WAIT(INFINITY)},
       [GPU] = {START(2), TAKE(1, CPU), START(0), WAIT(INFINITY)}}},
     "at 1 the policy lets gpu0 spoliate task 't1' on cpu0, but the task does not run there"},
    {{{[CPU] = {WAIT(INFINITY)}, [GPU] = {TAKE(9, CPU)}}},
     "at 0 the policy lets gpu0 spoliate task number 9 on cpu0, but there is no such task"},
    {{{[CPU] = {{.kind = 7}}, [GPU] = {START(0)}}},
     "at 0 the policy decides 7 for cpu0, but there is no such kind of decision"},
    {{{[CPU] = {START(0), WAIT(INFINITY)}, [GPU] = {START(2), WAIT(INFINITY)}}},
     "at 4 the policy lets every worker wait, but task 't1' has not run"},
};

START_TEST(impossible_decisions_are_refused)
{
    hs_instance *in = tasks_on(1, 1);
    hs_schedule *plan = NULL;
    hs_error     error;

    state.script = &impossible[_i].told;
    ck_assert_int_eq(hs_policy_simulate(&scripted, in, NULL, in, NULL, &plan, NULL), HS_ESCHEDULE);
    ck_assert_int_eq(hs_policy_simulate(&scripted, in, NULL, in, NULL, &plan, &error),
                     HS_ESCHEDULE);
    ck_assert_int_eq(error.status, HS_ESCHEDULE);
    ck_assert_str_eq(error.why, impossible[_i].fault);
    ck_assert_ptr_null(plan);
    hs_instance_free(in);
}
END_TEST

START_TEST(estimates_with_other_workers_are_refused)
{
    static const unsigned other[][2] = {{1, 2}, {2, 1}};
    hs_instance          *in = tasks_on(1, 1), *truth = tasks_on(other[_i][0], other[_i][1]);
    hs_schedule          *plan = NULL;

    state.script = &impossible[0].told;
    ck_assert_int_eq(hs_policy_simulate(&scripted, in, NULL, truth, NULL, &plan, NULL), HS_EINVAL);
    hs_instance_free(truth);
    hs_instance_free(in);
}
END_TEST

/* A policy kind with a smaller struct_size is read only up to this size; bytes behind it are
 * ignored. */
START_TEST(policy_kind_is_read_up_to_its_size)
{
    hs_instance   *in = tasks_on(1, 1);
    hs_policy_kind mine = scripted;
    hs_policy     *policy = NULL;

    mine.needs_plan = true;
    ck_assert_int_eq(hs_policy_needs_plan(&mine), 1);
    mine.struct_size = offsetof(hs_policy_kind, needs_plan);
    ck_assert_int_eq(hs_policy_needs_plan(&mine), 0);
    ck_assert_str_eq(hs_policy_summary(&mine), "as it is told");
    mine.struct_size = offsetof(hs_policy_kind, keeps_plan);
    mine.keeps_plan = true;
    ck_assert_int_eq(hs_policy_keeps_plan(&mine), 0);
    mine.struct_size = sizeof mine;
    ck_assert_int_eq(hs_policy_keeps_plan(&mine), 1);
    mine.needs_plan = false;
    ck_assert_int_eq(hs_policy_keeps_plan(&mine), 0);
    mine.struct_size = offsetof(hs_policy_kind, summary);
    ck_assert_str_eq(hs_policy_summary(&mine), "");
    ck_assert_str_eq(hs_policy_name(&mine), "scripted");
    mine.struct_size = offsetof(hs_policy_kind, mark_done);
    mine.needs_plan = false;
    ck_assert_int_eq(hs_policy_create(&mine, in, NULL, NULL, &policy), HS_EINVAL);
    mine.struct_size = 0;
    ck_assert_ptr_null(hs_policy_name(&mine));
    ck_assert_int_eq(hs_policy_create(&mine, in, NULL, NULL, &policy), HS_EINVAL);
    ck_assert_ptr_null(policy);
    hs_instance_free(in);
}
END_TEST

/* Check that hs_policy_keeps_plan() is true for `plan` alone. */
START_TEST(plan_alone_keeps_the_plan)
{
    for (size_t i = 0; i < hs_policy_count(); i++) {
        const hs_policy_kind *kind = hs_policy_at(i);

        ck_assert_int_eq(hs_policy_keeps_plan(kind), kind == hs_policy_find("plan"));
    }
}
END_TEST

/* Tasks done before the start appear in no schedule, and a decision to start one is refused. */
START_TEST(done_tasks_are_not_started)
{
    static const script one = {{[CPU] = {START(1), WAIT(INFINITY)}, [GPU] = {WAIT(INFINITY)}}};
    static const script all = {
        {[CPU] = {START(1), START(0), WAIT(INFINITY)}, [GPU] = {START(2), WAIT(INFINITY)}}};
    unsigned char      all_but_one[] = {1, 0, 1}, only_one[] = {0, 1, 0};
    hs_policy_settings settings;
    hs_instance       *in = tasks_on(1, 1);
    hs_schedule       *plan = NULL;

    hs_policy_settings_init(&settings);
    state.script = &all;
    settings.skip = only_one;
    ck_assert_int_eq(hs_policy_simulate(&scripted, in, NULL, in, &settings, &plan, NULL),
                     HS_ESCHEDULE);
    state.script = &one;
    settings.skip = all_but_one;
    ck_assert_int_eq(hs_policy_simulate(&scripted, in, NULL, in, &settings, &plan, NULL), HS_OK);
    ck_assert_uint_eq(hs_schedule_entry_count(plan), 1);
    ck_assert_double_eq(hs_schedule_makespan(plan), 2);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* Prefetch t1 on the GPU. The GPU never starts t1. */
static void prefetch_second(void *own, unsigned worker, double now, hs_decision *out, hs_wake *wake)
{
    (void)own;
    (void)worker;
    (void)now;
    (void)wake;
    hs_decide_start(out, 1);
}

static void ignore_ready(void *own, const uint32_t *tasks, size_t count, double now, hs_wake *wake)
{
    (void)own;
    (void)tasks;
    (void)count;
    (void)now;
    (void)wake;
}

static hs_instance *two_tasks_with_data(void)
{
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    hs_task      task;
    size_t       handle;

    hs_task_init(&task);
    task.cpu = task.gpu = 4;
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, 1, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, 0, 1), HS_OK);
    ck_assert_int_eq(hs_builder_add_handle(b, "x", &handle), HS_OK);
    for (size_t row = 0; row < 2; row++) {
        ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, row, handle, HS_READ), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

START_TEST(prefetched_task_is_not_left)
{
    static const script told = {{[CPU] = {WAIT(INFINITY), WAIT(INFINITY)},
                                 [GPU] = {START(0), WAIT(INFINITY), WAIT(INFINITY)}}};
    hs_instance        *in = two_tasks_with_data();
    hs_policy_kind      mine = scripted;
    hs_schedule        *plan = NULL;
    hs_error            error;

    mine.supports_graphs = mine.groups_endings = true;
    mine.add_ready = ignore_ready;
    mine.prefetch = prefetch_second;
    state.script = &told;
    ck_assert_int_eq(hs_policy_simulate(&mine, in, NULL, in, NULL, &plan, &error), HS_ESCHEDULE);
    ck_assert_str_eq(error.why,
                     "at 4 the policy lets every worker wait, but task 't1' has not run");
    ck_assert_ptr_null(plan);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("clock");
    TCase *tests = tcase_create("scripts");

    tcase_add_test(tests, aborted_task_ends_at_once);
    tcase_add_loop_test(tests, impossible_decisions_are_refused, 0,
                        (int)(sizeof impossible / sizeof *impossible));
    tcase_add_test(tests, done_tasks_are_not_started);
    tcase_add_test(tests, prefetched_task_is_not_left);
    tcase_add_test(tests, policy_kind_is_read_up_to_its_size);
    tcase_add_test(tests, plan_alone_keeps_the_plan);
    tcase_add_loop_test(tests, estimates_with_other_workers_are_refused, 0, 2);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
