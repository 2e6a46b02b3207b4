/* SPDX-License-Identifier: BSD-3-Clause */
/* Plans and policies on the fake: GPUs among CPU workers, and GPUs that break. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec_fixture.h"
#include "suite.h"
#include "trial.h"

enum { STREAMS, GRAPH, STREAMS_RESIDENT, GRAPH_RESIDENT, WAYS };

static const script_row mixture[] = {
    {1, 1, "dgemm:60", 9, 0},  {1, 1, "dsyrk:50", 5, 0},  {1, 1, "dpotrf:130", 5, 0},
    {1, 1, "dgetrf:40", 5, 0}, {1, 1, "sgemm:40", 5, 0},  {1, 1, "dormqr:40", 3, 0},
    {1, 1, "dtrsm:60", 5, 0},  {1, 1, "dgeqrf:40", 3, 0}, END_ROW};

enum { TASKS = 40 };

static void setup(void)
{
    scripted_reset();
    fake_reset(&FAKE_SETTINGS);
}

static hs_exec_settings settings_for(const char *policy, int way)
{
    hs_exec_settings s;

    hs_exec_settings_init(&s);
    s.decide.policy = hs_policy_find(policy);
    ck_assert_ptr_nonnull(s.decide.policy);
    s.place.oversubscribe = 1;
    s.gpu.module = MODULE;
    s.gpu.mode = way == GRAPH || way == GRAPH_RESIDENT ? HS_GPU_GRAPH : HS_GPU_STREAMS;
    s.gpu.resident = way >= STREAMS_RESIDENT;
    return s;
}

/* Return a plan that assigns tasks in turn to every worker from `first` on. */
static hs_schedule *by_turns(const hs_instance *in, unsigned first)
{
    unsigned worker[SCRIPTED_TASKS], workers = hs_instance_cpus(in) + hs_instance_gpus(in);
    size_t   i;

    for (i = 0; i < hs_instance_tasks(in); i++)
        worker[i] = first + (unsigned)i % (workers - first);
    return lists(in, worker);
}

static finished_run run_mixture(unsigned cpus, unsigned gpus, unsigned first,
                                const hs_exec_settings *s)
{
    hs_instance *in = instance_of(mixture, cpus, gpus, HS_MILLISECONDS);
    hs_schedule *plan = by_turns(in, first);

    return run_plan(in, plan, s);
}

START_TEST(a_plan_on_both)
{
    hs_exec_settings s = settings_for("plan", _i);
    fake_settings    settings = FAKE_SETTINGS;
    finished_run     p;
    size_t           count;

    settings.devices = 2;
    fake_reset(&settings);
    p = run_mixture(2, 2, 0, &s);
    assert_all_done_once(&p);
    hs_exec_records(p.exec, 2, &count);
    ck_assert_uint_eq(count, TASKS / 4);
    ck_assert_uint_gt(fake_memory_peak(0), 0);
    ck_assert_uint_gt(fake_memory_peak(1), 0);
    ck_assert_uint_eq(p.report.verifiable, TASKS);
    ck_assert_uint_ge(p.report.verified, TASKS / 2); /* every task on CPUs, and the first tasks on
                                                       GPUs */
    ck_assert_uint_lt(p.report.verified, TASKS);
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 0, HS_GPU), "cuda");
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 0, HS_CPU), "cpu");
    end_run(&p);
    trial_assert_clean();
}
END_TEST

START_TEST(a_plan_on_one_gpu_alone)
{
    hs_exec_settings s = settings_for("plan", _i);
    finished_run     p = run_mixture(1, 1, 1, &s);

    assert_all_done_once(&p);
    ck_assert_uint_eq(fake_pageable_copies(), 0);
    ck_assert_uint_eq(fake_default_workspaces(), 0);
    end_run(&p);
    trial_assert_clean();
}
END_TEST

/* Check live policies with spoliation between workers. */
START_TEST(a_policy_that_decides)
{
    static const char *const policies[] = {"heteroprio", "plan+steal"};
    fake_settings            settings = FAKE_SETTINGS;
    hs_instance             *in = instance_of(mixture, 2, 2, HS_MILLISECONDS);
    hs_exec_settings         s = settings_for(policies[_i], STREAMS);
    finished_run             p;

    settings.devices = 2;
    settings.kernel = 0.0005;
    fake_reset(&settings);
    p = run_plan(in, _i ? by_turns(in, 2) : NULL, &s);
    assert_all_done_once(&p);
    end_run(&p);
    trial_assert_clean();
}
END_TEST

typedef struct tally {
    unsigned from_gpu, to_gpu, by_gpu;
} tally;

static void count_records(const finished_run *p, tally *t)
{
    unsigned gpu = hs_instance_cpus(p->in), w;

    for (w = 0; w <= gpu; w++) {
        size_t                count;
        const hs_exec_record *r = hs_exec_records(p->exec, w, &count);

        for (; count > 0; count--, r++)
            if (r->outcome == HS_OUTCOME_ABORTED)
                *(w == gpu ? &t->from_gpu : &t->to_gpu) += 1;
            else
                t->by_gpu += w == gpu;
    }
}

/*
 * Check spoliation in both directions. Each estimate is far below the task's time, so the opposite
 * type promises an earlier end: tasks are aborted on the GPU between panels, and on CPUs, until
 * measured times correct the estimates. A round has two tasks for three workers, so a worker is
 * idle before any time is measured. Every result is verified.
 */
START_TEST(taken_over_both_ways)
{
    enum { ROUNDS_MOST = 1000, WANTED = 10 };
    static const script_row large[] = {{1e-3, 1e-3, "dgemm:320", 1, HS_RESTART_YES},
                                       {1e-3, 1e-3, "dpotrf:320", 1, HS_RESTART_YES},
                                       {1e-3, 1e-3, "dgetrf:320", 1, HS_RESTART_YES},
                                       {1e-3, 1e-3, "dtrsm:320", 1, HS_RESTART_YES},
                                       {1e-3, 1e-3, "dormqr:320", 1, HS_RESTART_YES}};
    enum { KERNELS = sizeof large / sizeof *large };
    hs_exec_settings s = settings_for("heteroprio", _i ? STREAMS_RESIDENT : STREAMS);
    fake_settings    settings = FAKE_SETTINGS;
    tally            t = {0, 0, 0};
    int              files = 0, threads = 0, round;

    settings.kernel = 0.0005;
    fake_reset(&settings);
    for (round = 0; round < 2 || t.from_gpu < WANTED || t.to_gpu < WANTED || !t.by_gpu; round++) {
        const script_row rows[] = {large[round % KERNELS], large[(round + 1) % KERNELS], END_ROW};
        finished_run     p = run_plan(instance_of(rows, 2, 1, HS_MILLISECONDS), NULL, &s);

        ck_assert_int_lt(round, ROUNDS_MOST);
        assert_all_done_once(&p);
        ck_assert_uint_eq(p.report.lost_workers, 0);
        count_records(&p, &t);
        end_run(&p);
        trial_assert_clean();
        if (round == 0) { /* OpenBLAS keeps its threads */
            files = open_files();
            threads = live_threads();
        }
    }
    ck_assert_int_eq(live_threads(), threads);
    ck_assert_int_eq(open_files(), files);
}
END_TEST

/* Check that plugin tasks get a stream on the GPUs that the module's kernels use. */
START_TEST(plugins_get_a_stream)
{
    static const script_row plugins[] = {
        {1, 1, "plugin:tests/fakecuda/.libs/plugin.so:fill", 12, 0},
        {1, 1, "dgemm:60", 8, 0},
        {1, 1, "plugin:tests/fakecuda/.libs/plugin.so:fill", 12, 0},
        {1, 1, "dpotrf:60", 8, 0},
        END_ROW};
    hs_exec_settings s = settings_for("plan", _i);
    fake_settings    settings = FAKE_SETTINGS;
    hs_instance     *in = instance_of(plugins, 1, 2, HS_MILLISECONDS);
    unsigned         device[2] = {0, 0};
    finished_run     p;
    size_t           i;

    settings.devices = 2;
    fake_reset(&settings);
    s.run.allow_plugins = 1;
    p = run_plan(in, by_turns(in, 0), &s);
    assert_all_done_once(&p);
    for (i = 0; i < fake_record_count(); i++)
        device[fake_record_at(i).device] +=
            fake_record_at(i).kind == FAKE_COPY_OUT && fake_record_at(i).bytes == 4096;
    ck_assert_uint_eq(device[0], 8);
    ck_assert_uint_eq(device[1], 8);
    end_run(&p);
    trial_assert_clean();
}
END_TEST

/* Check that the module's worker provides a stream even if every task is a plugin. */
START_TEST(plugins_alone_get_a_stream)
{
    static const script_row plugins[] = {
        {1, 1, "plugin:tests/fakecuda/.libs/plugin.so:fill", 12, 0}, END_ROW};
    hs_exec_settings s = settings_for(_i ? "heteroprio" : "plan", STREAMS);
    hs_instance     *in = instance_of(plugins, 0, 1, HS_MILLISECONDS);
    finished_run     p;

    s.run.allow_plugins = 1;
    p = run_plan(in, _i ? NULL : by_turns(in, 0), &s);
    assert_all_done_once(&p);
    end_run(&p);
    trial_assert_clean();
}
END_TEST

/* Check that a device is described once if two modules of a list have it. */
START_TEST(devices_are_listed_once)
{
    fake_settings  settings = FAKE_SETTINGS;
    hs_exec_device device;
    unsigned       count = 0;

    settings.devices = 2;
    fake_reset(&settings);
    hs_exec_device_init(&device);
    ck_assert_int_eq(hs_exec_device_at(MODULE ",emulated:memory=5e6,memory=7e6," MODULE, 2, &device,
                                       &count, NULL),
                     HS_OK);
    ck_assert_uint_eq(count, 3);
    ck_assert_str_eq(device.name, "emulated device 0");
    ck_assert_uint_eq(device.memory, 7000000);
    ck_assert_int_eq(hs_exec_device_at(MODULE ":0", 0, NULL, &count, NULL), HS_EINVAL);
}
END_TEST

static int needs_stream(void *argument, const hs_plugin_task *task)
{
    (void)argument;
    return task->stream && task->device ? HS_PLUGIN_DONE : HS_PLUGIN_FAILED;
}

static int needs_no_stream(void *argument, const hs_plugin_task *task)
{
    (void)argument;
    return !task->stream && !task->device ? HS_PLUGIN_DONE : HS_PLUGIN_FAILED;
}

/* Check that functions of the program get a device and a stream on GPUs if the module is given, and
 * that they need no module. */
START_TEST(functions_get_a_stream)
{
    static const script_row tasks[] = {{1, 1, NULL, 12, 0}, END_ROW};
    hs_exec_settings        s = settings_for("plan", STREAMS);
    hs_exec_call            calls[12];
    hs_instance            *in = instance_of(tasks, 1, 1, HS_MILLISECONDS);
    finished_run            p;

    for (int i = 0; i < 12; i++)
        calls[i] = (hs_exec_call){{needs_no_stream, _i ? needs_stream : needs_no_stream}, NULL};
    s.run.calls = calls;
    if (_i == 0)
        s.gpu.module = NULL;
    p = run_plan(in, by_turns(in, 0), &s);
    assert_all_done_once(&p);
    end_run(&p);
    trial_assert_clean();
}
END_TEST

static unsigned lost_said(const finished_run *p, const char *call)
{
    hs_exec_failure failure;
    unsigned        found = 0;
    size_t          i;

    hs_exec_failure_init(&failure);
    for (i = 0; hs_exec_failure_at(p->exec, i, &failure); i++)
        found += trial_message_names_call(failure.why, call, 1) != 0;
    return found;
}

/* Check that a GPU broken by any call is retired and its tasks run on the remaining workers. Only a
 * failure while the run is prepared fails the run. */
START_TEST(a_gpu_that_is_lost)
{
    fake_settings    settings = FAKE_SETTINGS;
    hs_exec_settings s = settings_for("plan", _i);
    unsigned         lost = 0, refused = 0;
    finished_run     p;

    settings.devices = 2;
    settings.sticky = 1;
    s.fail.retries = 1;
    for (settings.fail_call = 1;;
         settings.fail_call += trial_call_stride() + settings.fail_call / 40) {
        char call[64] = "";
        int  failed;

        fake_reset(&settings);
        p = (finished_run){.in = instance_of(mixture, 1, 2, HS_MILLISECONDS)};
        p.plan = by_turns(p.in, 0);
        hs_exec_report_init(&p.report);
        p.status = hs_exec_create(p.in, p.plan, &s, &p.exec, &p.error);
        if (p.status == HS_OK)
            p.status = hs_exec_run(p.exec, &p.report, &p.error);
        failed = fake_name_of_failed_call() != NULL;
        snprintf(call, sizeof call, "%s", failed ? fake_name_of_failed_call() : "");
        if (p.status == HS_ERESOURCE) {
            ck_assert_msg(trial_message_names_call(p.error.why, call, 1), "'%s' does not name %s",
                          p.error.why, call);
            refused++;
        } else {
            assert_all_done_once(&p);
            ck_assert_uint_le(p.report.lost_workers, 1);
            if (p.report.lost_workers)
                ck_assert_uint_ge(lost_said(&p, call), 1);
            lost += p.report.lost_workers;
        }
        end_run(&p);
        trial_assert_clean();
        if (!failed)
            break;
    }
    ck_assert_uint_gt(lost, 0);
    ck_assert_uint_gt(refused, 0);
}
END_TEST

/* Check that a task that fails by a temporary lack of memory is retried. */
START_TEST(a_task_that_fails)
{
    hs_exec_settings s = settings_for("plan", STREAMS);
    finished_run     p;
    unsigned         calls;

    p = run_mixture(1, 1, 1, &s);
    assert_all_done_once(&p);
    calls = fake_call_count();
    end_run(&p);
    for (; calls > 0; calls -= calls / 30 + 1) {
        fake_settings settings = FAKE_SETTINGS;

        settings.fail_call = calls;
        settings.error = 2; /* cudaErrorMemoryAllocation */
        fake_reset(&settings);
        s.fail.retries = 1;
        p = (finished_run){.in = instance_of(mixture, 1, 1, HS_MILLISECONDS)};
        p.plan = by_turns(p.in, 1);
        hs_exec_report_init(&p.report);
        p.status = hs_exec_create(p.in, p.plan, &s, &p.exec, &p.error);
        if (p.status == HS_OK)
            p.status = hs_exec_run(p.exec, &p.report, &p.error);
        if (p.status != HS_ERESOURCE)
            assert_all_done_once(&p);
        end_run(&p);
        trial_assert_clean();
    }
}
END_TEST

static hs_status try_plan(const hs_exec_settings *s, hs_error *error)
{
    hs_instance *in = instance_of(mixture, 1, 1, HS_MILLISECONDS);
    hs_schedule *plan = by_turns(in, 0);
    hs_exec     *exec = NULL;
    hs_status    st = hs_exec_create(in, plan, s, &exec, error);

    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
    return st;
}

START_TEST(refused)
{
    static const char *const said[] = {"cudaErrorInsufficientDriver", "cudaErrorNoDevice", "memory",
                                       "cannot be opened"};
    hs_exec_settings         s = settings_for("plan", STREAMS);
    fake_settings            settings = FAKE_SETTINGS;
    hs_error                 error = {0};

    settings.devices = _i < 2 ? _i - 1 : 1;
    settings.memory = _i == 2 ? 50000 : settings.memory;
    s.gpu.module = _i == 3 ? "tests/fakecuda/.libs/nothing.so" : MODULE;
    fake_reset(&settings);
    ck_assert_int_eq(try_plan(&s, &error), HS_ERESOURCE);
    ck_assert_msg(strstr(error.why, said[_i]) != NULL, "%s", error.why);
    if (_i != 2)
        ck_assert_msg(strncmp(error.why, "no GPU: ", 8) == 0 &&
                          strstr(error.why, "use settings.run.emulate[HS_GPU]"),
                      "%s", error.why);
    trial_assert_clean();
}
END_TEST

/* Check that a core is reserved for the GPU's thread unless no_reserve is set. */
START_TEST(a_core_is_kept)
{
    const unsigned   cores = hs_exec_core_count();
    hs_exec_settings s = settings_for("plan", STREAMS);
    hs_instance     *in = instance_of(mixture, cores, 1, HS_MILLISECONDS);
    hs_schedule     *plan = by_turns(in, 0);
    hs_exec         *exec = NULL;
    hs_error         error;

    s.place.oversubscribe = 0;
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, &error), HS_ERESOURCE);
    ck_assert_msg(strstr(error.why, "1 more to drive its GPUs") &&
                      strstr(error.why, "use settings.place.share_gpu_cores"),
                  "%s", error.why);
    s.place.share_gpu_cores = 1;
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, &error), HS_OK);
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
    if (cores < 2)
        return;
    in = instance_of(mixture, cores - 1, 1, HS_MILLISECONDS);
    plan = by_turns(in, 0);
    s.place.share_gpu_cores = 0;
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &exec, &error), HS_OK);
    for (unsigned i = 0; i < cores; i++)
        for (unsigned j = 0; j < i; j++) {
            hs_exec_worker_info a, b;

            hs_exec_worker_info_init(&a);
            hs_exec_worker_info_init(&b);
            hs_exec_describe_worker(exec, i, &a);
            hs_exec_describe_worker(exec, j, &b);
            ck_assert_int_ge(a.os_cpu, 0);
            ck_assert_int_ne(a.os_cpu, b.os_cpu);
            ck_assert(i < cores - 1 ? !a.device : !strncmp(a.device, "GPU-", 4));
        }
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
    trial_assert_clean();
}
END_TEST

START_TEST(devices_are_listed)
{
    fake_settings  settings = FAKE_SETTINGS;
    hs_exec_device first, second;
    unsigned       count = 0;
    hs_error       error;

    settings.devices = 2;
    fake_reset(&settings);
    hs_exec_device_init(&first);
    hs_exec_device_init(&second);
    ck_assert_int_eq(hs_exec_device_at(MODULE, 0, &first, &count, &error), HS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_int_eq(hs_exec_device_at(MODULE, 1, &second, NULL, &error), HS_OK);
    ck_assert_uint_gt(first.memory, 0);
    ck_assert_int_eq(strncmp(first.uuid, "GPU-", 4), 0);
    ck_assert_str_ne(first.uuid, second.uuid);
    ck_assert_str_ne(first.pci, second.pci);
    ck_assert_int_eq(hs_exec_device_at(MODULE, 2, &second, NULL, &error), HS_EINVAL);
    settings.devices = 0;
    fake_reset(&settings);
    ck_assert_int_eq(hs_exec_device_at(MODULE, 0, NULL, &count, &error), HS_ERESOURCE);
    ck_assert_uint_eq(count, 0);
    ck_assert_msg(strstr(error.why, "no GPU: ") == error.why, "%s", error.why);
    trial_assert_clean();
}
END_TEST

extern int              fake_nvml_works;
extern _Atomic unsigned fake_nvml_users;

/* Check that the report has energy and clocks of the run's GPUs if NVML works, and zeros if not. */
START_TEST(energy_and_clocks)
{
    hs_exec_settings s = settings_for("plan", STREAMS);
    fake_settings    settings = FAKE_SETTINGS;
    finished_run     p;

    settings.devices = 3;
    fake_reset(&settings);
    fake_nvml_works = _i;
    p = run_mixture(1, 2, 0, &s);
    ck_assert_double_eq_tol(p.report.gpu_joules, _i ? 1.5 + 3 : 0, 1e-9);
    ck_assert_uint_eq(p.report.gpu_clock, _i ? 1400 : 0);
    ck_assert_uint_eq(p.report.gpu_clock_max, _i ? 1981 : 0);
    ck_assert_uint_eq(fake_nvml_users, 0);
    end_run(&p);
    p = run_mixture(3, 0, 0, &s);
    ck_assert_double_eq(p.report.gpu_joules, 0);
    end_run(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cuda_exec");
    TCase *tcase = tcase_create("cuda_exec");

    setenv("HWLOC_COMPONENTS", "-opencl,-gl", 0); /* leaky components, no device */
    tcase_set_timeout(tcase, 600);
    tcase_add_checked_fixture(tcase, setup, NULL);
    tcase_add_loop_test(tcase, a_plan_on_both, 0, WAYS);
    tcase_add_loop_test(tcase, a_plan_on_one_gpu_alone, 0, WAYS);
    tcase_add_loop_test(tcase, a_policy_that_decides, 0, 2);
    tcase_add_loop_test(tcase, taken_over_both_ways, 0, 2);
    tcase_add_loop_test(tcase, plugins_get_a_stream, 0, WAYS);
    tcase_add_loop_test(tcase, plugins_alone_get_a_stream, 0, 2);
    tcase_add_loop_test(tcase, functions_get_a_stream, 0, 2);
    tcase_add_test(tcase, devices_are_listed_once);
    tcase_add_loop_test(tcase, a_gpu_that_is_lost, 0, WAYS);
    tcase_add_test(tcase, a_task_that_fails);
    tcase_add_loop_test(tcase, refused, 0, 4);
    tcase_add_test(tcase, a_core_is_kept);
    tcase_add_test(tcase, devices_are_listed);
    tcase_add_loop_test(tcase, energy_and_clocks, 0, 2);
    suite_add_tcase(suite, tcase);
    return run_suite(suite);
}
