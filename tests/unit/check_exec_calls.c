/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Functions of the program as tasks: settings.run.calls. The outcomes depend on the order of
 * events, never on durations.
 */

#include "config.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "failing_memory.h"
#include "suite.h"

enum { MOST = 600 };

/* The argument of a task. */
typedef struct job {
    uint32_t task;
    int      begun[2]; /* number of calls, by the type of the worker */
    int      fails;    /* number of attempts that fail */
    int      wrong;    /* number of calls with a wrong description */
} job;

static job          jobs[MOST];
static hs_exec_call calls[MOST];
static hs_exec     *running; /* stopped by the function stop() */

static void check_description(job *j, const hs_plugin_task *task, hs_type type)
{
    char worker[16];

    snprintf(worker, sizeof worker, "%s%u", type == HS_CPU ? "cpu" : "gpu", task->index);
    j->wrong += task->id != NULL || task->task != j->task || task->type != (uint32_t)type ||
                strcmp(task->worker, worker) != 0 || task->device || task->stream ||
                task->message_size != HS_WHY || task->message[0] != '\0' || !(task->seconds > 0) ||
                task->struct_size != sizeof *task || task->log ||
                (int)task->attempt != j->begun[HS_CPU] + j->begun[HS_GPU];
}

static int begin(job *j, const hs_plugin_task *task, hs_type type)
{
    __atomic_add_fetch(&j->begun[type], 1, __ATOMIC_SEQ_CST);
    check_description(j, task, type);
    if ((int)task->attempt > j->fails)
        return HS_PLUGIN_DONE;
    snprintf(task->message, task->message_size, "attempt %u of job %u", task->attempt, j->task);
    return HS_PLUGIN_FAILED;
}

static int on_cpu(void *argument, const hs_plugin_task *task)
{
    return begin(argument, task, HS_CPU);
}

static int on_gpu(void *argument, const hs_plugin_task *task)
{
    return begin(argument, task, HS_GPU);
}

/* Wait until the attempt is cancelled. */
static int hang(void *argument, const hs_plugin_task *task)
{
    struct pollfd wake = {.fd = task->wake_fd, .events = POLLIN};

    begin(argument, task, (hs_type)task->type);
    poll(&wake, 1, -1);
    return hs_plugin_cancelled(task) ? HS_PLUGIN_ABORTED : HS_PLUGIN_DONE;
}

/* Return 7, and HS_PLUGIN_ABORTED without a cancellation. */
static int return_7(void *argument, const hs_plugin_task *task)
{
    begin(argument, task, (hs_type)task->type);
    return 7;
}

static int give_up(void *argument, const hs_plugin_task *task)
{
    begin(argument, task, (hs_type)task->type);
    return HS_PLUGIN_ABORTED;
}

static int stop(void *argument, const hs_plugin_task *task)
{
    hs_exec_stop(running, HS_STOP_NOW);
    return hang(argument, task);
}

/* Wait until a call on a CPU has begun. */
static int after_cpu(void *argument, const hs_plugin_task *task)
{
    while (!__atomic_load_n(&jobs[0].begun[HS_CPU], __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&jobs[1].begun[HS_CPU], __ATOMIC_SEQ_CST))
        usleep(100);
    return begin(argument, task, HS_GPU);
}

static void use(hs_exec_function *cpu, hs_exec_function *gpu)
{
    scripted_reset();
    memset(jobs, 0, sizeof jobs);
    for (uint32_t i = 0; i < MOST; i++) {
        jobs[i].task = i;
        calls[i] = (hs_exec_call){{cpu, gpu}, &jobs[i]};
    }
}

static void set_up(void)
{
    use(on_cpu, on_gpu);
}

static hs_exec_settings settings_of(const char *policy)
{
    hs_exec_settings s = scripted_settings(policy);

    s.run.backends = NULL;
    s.run.backend_count = 0;
    s.run.calls = calls;
    return s;
}

static hs_instance *equal_tasks(uint32_t count, unsigned cpus, unsigned gpus)
{
    const script_row rows[] = {{1, 1, NULL, count, HS_RESTART_YES}, END_ROW};

    return instance_of(rows, cpus, gpus, HS_MICROSECONDS);
}

static void expect_refusal(hs_instance *in, hs_schedule *plan, const hs_exec_settings *s,
                           hs_status status, const char *why)
{
    hs_exec  *exec = NULL;
    hs_error  error;
    hs_status st = hs_exec_create(in, plan, s, &exec, &error);

    ck_assert_int_eq(st, status);
    ck_assert_str_eq(error.why, why);
    ck_assert_ptr_null(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
}

/* Check that each of the first `count` tasks was called once, with a right description. */
static void expect_called_once(uint32_t count)
{
    for (uint32_t i = 0; i < MOST; i++) {
        ck_assert_int_eq(jobs[i].begun[HS_CPU] + jobs[i].begun[HS_GPU], i < count);
        ck_assert_int_eq(jobs[i].wrong, 0);
    }
}

START_TEST(each_task_is_called_once)
{
    hs_instance     *in = equal_tasks(500, 2, 2);
    hs_exec_settings s = settings_of(all_policies[_i]);
    hs_schedule     *plan = solved(in, "heteroprio");
    finished_run     p = run_plan(in, plan, &s);
    size_t           on_gpus[2] = {0, 0}, count;
    int              called = 0;

    assert_all_done_once(&p);
    expect_called_once(500);
    for (unsigned w = 0; w < 2; w++) {
        hs_exec_records(p.exec, 2 + w, &count);
        on_gpus[0] += count;
    }
    for (uint32_t i = 0; i < 500; i++)
        called += jobs[i].begun[HS_GPU];
    ck_assert_uint_eq((size_t)called, on_gpus[0]);
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 0, HS_CPU), "call");
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 0, HS_GPU), "call");
    end_run(&p);
}
END_TEST

START_TEST(handle_runs_twice)
{
    hs_exec_settings s = settings_of("heteroprio");
    finished_run     p = run_plan(equal_tasks(20, 1, 1), NULL, &s);

    set_up();
    ck_assert_int_eq(hs_exec_run(p.exec, &p.report, &p.error), HS_OK);
    assert_all_done_once(&p);
    expect_called_once(20);
    end_run(&p);
}
END_TEST

START_TEST(graph_is_kept)
{
    hs_instance     *in = NULL;
    hs_tiled         spec = {.struct_size = sizeof spec, .kind = HS_CHOLESKY, .tiles = 6};
    hs_exec_settings s;
    finished_run     p;

    spec.cpus = spec.gpus = 2;
    spec.graph = 1;
    spec.table = hs_kernel_table_find("k40m-960");
    ck_assert_int_eq(hs_generate_tiled(&spec, &in, NULL), HS_OK);
    s = settings_of("dynamic");
    p = run_plan(in, NULL, &s);
    assert_all_done_once(&p); /* checks the order of the records */
    ck_assert_int_eq(hs_exec_describe_factorisation(p.exec, NULL), 0);
    end_run(&p);
}
END_TEST

static int is_unused(const finished_run *p, unsigned worker)
{
    hs_exec_worker_info info;

    hs_exec_worker_info_init(&info);
    hs_exec_describe_worker(p->exec, worker, &info);
    return info.unused;
}

/* A NULL function excludes a type of workers, and functions replace kernels. */
START_TEST(type_without_function_is_not_used)
{
    const script_row rows[] = {{1, 1e-3, "plugin:missing.so:f", 300, 0}, END_ROW};
    const int        type = _i % 2;
    hs_instance     *in = instance_of(rows, 2, 2, HS_MICROSECONDS);
    hs_exec_settings s = settings_of("heteroprio");
    finished_run     p;

    use(type == HS_CPU ? on_cpu : NULL, type == HS_GPU ? on_gpu : NULL);
    p = run_plan(in, NULL, &s);
    assert_all_done_once(&p);
    expect_called_once(300);
    ck_assert_ptr_null(hs_exec_backend_name(p.exec, 0, (hs_type)!type));
    for (unsigned w = 0; w < 4; w++)
        ck_assert_int_eq(is_unused(&p, w), (w >= 2) != type);
    end_run(&p);
}
END_TEST

START_TEST(plan_needs_the_function)
{
    static const unsigned worker[] = {0, 1};
    hs_exec_settings      s = settings_of("plan");
    hs_instance          *in = equal_tasks(2, 1, 1);

    use(on_cpu, NULL);
    expect_refusal(
        in, lists(in, worker), &s, HS_ERESOURCE,
        "settings.run.calls[0] has no function for GPUs: set the task's GPU time to inf, "
        "or use another plan");
}
END_TEST

START_TEST(tasks_of_a_row_have_equal_types)
{
    const script_row rows[] = {{1, 1, NULL, 2, 0}, {1, 1, NULL, 3, 0}, END_ROW};
    hs_exec_settings s = settings_of("heteroprio");

    use(on_cpu, on_gpu);
    calls[4].function[HS_GPU] = NULL;
    expect_refusal(instance_of(rows, 1, 1, HS_SECONDS), NULL, &s, HS_EINVAL,
                   "settings.run.calls[2] and [4]: only one of them has a function for GPUs, but "
                   "both tasks belong to one row: use the same types");
}
END_TEST

/* A task without function runs its kernel; a task without both is refused. */
START_TEST(kernel_runs_without_function)
{
    const script_row rows[] = {{1, INFINITY, "spin:1", 3, 0}, {1, INFINITY, NULL, 3, 0}, END_ROW};
    hs_exec_settings s = settings_of("heteroprio");
    finished_run     p;

    memset(calls, 0, 3 * sizeof *calls);
    p = run_plan(instance_of(rows, 1, 0, HS_MICROSECONDS), NULL, &s);
    assert_all_done_once(&p);
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 2, HS_CPU), "cpu");
    ck_assert_str_eq(hs_exec_backend_name(p.exec, 3, HS_CPU), "call");
    ck_assert_int_eq(jobs[0].begun[HS_CPU] + jobs[3].begun[HS_CPU], 1);
    end_run(&p);

    memset(calls, 0, sizeof calls);
    expect_refusal(instance_of(rows, 1, 0, HS_MICROSECONDS), NULL, &s, HS_EINVAL,
                   "settings.run.calls[3] has no function, and the task has no command or kernel: "
                   "set one of them");
}
END_TEST

START_TEST(emulated_type_calls_nothing)
{
    const script_row rows[] = {{INFINITY, 1, NULL, 10, 0}, {1, INFINITY, NULL, 10, 0}, END_ROW};
    hs_exec_settings s = settings_of("heteroprio");
    finished_run     p;

    s.run.emulate[_i] = 1;
    for (int i = 0; i < 20; i++)
        calls[i].function[_i] = NULL; /* not needed for timers */
    p = run_plan(instance_of(rows, 1, 1, HS_MICROSECONDS), NULL, &s);
    assert_all_done_once(&p);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(jobs[i].begun[HS_GPU], i < 10 && _i == HS_CPU);
        ck_assert_int_eq(jobs[i].begun[HS_CPU], i >= 10 && _i == HS_GPU);
    }
    ck_assert_int_eq(is_unused(&p, 0) + is_unused(&p, 1), 0);
    end_run(&p);
}
END_TEST

START_TEST(failures_are_retried)
{
    hs_exec_settings s = settings_of(all_policies[_i]);
    hs_instance     *in = equal_tasks(30, 1, 1);
    hs_exec_failure  f;
    finished_run     p;

    for (int i = 0; i < 30; i += 3)
        jobs[i].fails = 2;
    jobs[5].fails = 9;
    s.fail.retries = 2;
    s.fail.halt = HS_HALT_NEVER;
    s.fail.retire_after = 100;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    ck_assert_uint_eq(p.report.done, 29);
    ck_assert_uint_eq(p.report.failed, 1);
    ck_assert_uint_eq(p.report.retried, 22);
    hs_exec_failure_init(&f);
    for (size_t i = 0; i < 23; i++) {
        char why[64];

        ck_assert(hs_exec_failure_at(p.exec, i, &f));
        snprintf(why, sizeof why, "attempt %u of job %u", f.number, f.task);
        ck_assert_str_eq(f.why, why);
        ck_assert_int_eq(f.final, f.number == 3);
    }
    ck_assert(!hs_exec_failure_at(p.exec, 23, &f));
    for (int i = 0; i < 30; i++)
        ck_assert_int_eq(jobs[i].wrong, 0);
    end_run(&p);
}
END_TEST

START_TEST(other_results_are_failures)
{
    static const struct {
        hs_exec_function *function;
        const char       *why;
    } wrong[] = {{return_7, "the function returned 7"},
                 {give_up, "the function returned HS_PLUGIN_ABORTED, but was not cancelled"}};
    hs_exec_settings s = settings_of("heteroprio");
    hs_exec_failure  f;
    finished_run     p;

    use(wrong[_i].function, NULL);
    p = run_plan(equal_tasks(1, 1, 0), NULL, &s);
    ck_assert_int_eq(p.status, HS_EFAILED);
    hs_exec_failure_init(&f);
    ck_assert(hs_exec_failure_at(p.exec, 0, &f));
    ck_assert_str_eq(f.why, wrong[_i].why);
    end_run(&p);
}
END_TEST

static void count_timed_out(void *data, const hs_exec_attempt *attempt)
{
    *(unsigned *)data += attempt->timed_out;
}

START_TEST(timeout_cancels_a_function)
{
    hs_exec_settings s = settings_of(all_policies[_i]);
    hs_instance     *in = equal_tasks(3, 1, 1);
    unsigned         timed_out = 0;
    finished_run     p;

    use(hang, hang);
    s.fail.timeout = 0.002;
    s.fail.retries = 1;
    s.fail.halt = HS_HALT_NEVER;
    s.report.data = &timed_out;
    s.report.attempt = count_timed_out;
    p = run_plan(in, solved(in, "heteroprio"), &s);
    ck_assert_uint_eq(p.report.failed, 3);
    ck_assert_uint_eq(timed_out, 6);
    end_run(&p);
}
END_TEST

START_TEST(stop_cancels_a_function)
{
    hs_exec_settings s = settings_of(all_policies[_i]);
    hs_instance     *in = equal_tasks(40, 1, 0);
    hs_schedule     *plan = solved(in, "heteroprio");
    hs_exec_report   report;

    use(stop, NULL);
    hs_exec_report_init(&report);
    ck_assert_int_eq(hs_exec_create(in, plan, &s, &running, NULL), HS_OK);
    ck_assert_int_eq(hs_exec_run(running, &report, NULL), HS_ECANCELED);
    ck_assert(report.stopped);
    ck_assert_uint_eq(report.done, 0);
    ck_assert_uint_eq(report.not_run, 40);
    hs_exec_free(running);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* The function on the CPU ends only by its spoliation. */
START_TEST(function_is_spoliated)
{
    const script_row rows[] = {{1000, 1, NULL, 2, HS_RESTART_YES}, END_ROW};
    hs_exec_settings s = settings_of("heteroprio");
    finished_run     p;

    use(hang, after_cpu);
    p = run_plan(instance_of(rows, 1, 1, HS_MILLISECONDS), NULL, &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.aborted, 1);
    ck_assert_int_eq(jobs[0].begun[HS_CPU] + jobs[1].begun[HS_CPU], 1);
    ck_assert_int_eq(jobs[0].begun[HS_GPU] + jobs[1].begun[HS_GPU], 2);
    end_run(&p);
}
END_TEST

START_TEST(unknown_times_are_measured)
{
    const script_row rows[] = {{HS_UNKNOWN, HS_UNKNOWN, NULL, 100, 0},
                               {HS_UNKNOWN, HS_UNKNOWN, "named", 100, 0},
                               {HS_UNKNOWN, INFINITY, "named", 100, 0},
                               END_ROW};
    hs_exec_settings s = settings_of("explore");
    hs_instance     *unknown = instance_of(rows, 1, 1, HS_SECONDS), *in = NULL;
    finished_run     p;

    ck_assert_int_eq(hs_instance_fill(unknown, NULL, &in), HS_OK);
    hs_instance_free(unknown);
    p = run_plan(in, NULL, &s);
    assert_all_done_once(&p);
    for (int i = 0; i < 300; i++)
        ck_assert_int_eq(jobs[i].begun[HS_CPU] + jobs[i].begun[HS_GPU], 1);
    end_run(&p);
}
END_TEST

/* Run with the journal; return the number of tasks that were done before. */
static uint64_t run_with_journal(const char *kernel, hs_exec_settings s, uint64_t done)
{
    const script_row rows[] = {{1, 1, kernel, 10, HS_RESTART_YES}, END_ROW};
    finished_run     p;

    s.keep.resume = HS_RESUME_REST;
    s.fail.halt = HS_HALT_NEVER;
    s.fail.retire_after = 100;
    p = run_plan(instance_of(rows, 1, 1, HS_MICROSECONDS), NULL, &s);
    ck_assert_uint_eq(p.report.done, done);
    end_run(&p);
    return p.report.resumed;
}

START_TEST(journal_knows_finished_functions)
{
    char             file[] = "check_exec_calls.XXXXXX";
    hs_exec_settings s = settings_of("heteroprio"), emulated;

    close(mkstemp(file));
    s.keep.journal = file;
    jobs[3].fails = 1;
    ck_assert_uint_eq(run_with_journal(NULL, s, 9), 0);
    jobs[3].fails = 0;
    ck_assert_uint_eq(run_with_journal(NULL, s, 10), 9);
    ck_assert_int_eq(jobs[2].begun[HS_CPU] + jobs[2].begun[HS_GPU], 1);
    ck_assert_int_eq(jobs[3].begun[HS_CPU] + jobs[3].begun[HS_GPU], 2);
    ck_assert_uint_eq(run_with_journal("other", s, 10), 0); /* another kernel: all have changed */
    ck_assert_uint_eq(run_with_journal("other", s, 10), 10);

    unlink(file); /* an emulated task has called no function */
    emulated = s;
    emulated.run.emulate[HS_CPU] = emulated.run.emulate[HS_GPU] = 1;
    ck_assert_uint_eq(run_with_journal(NULL, emulated, 10), 0);
    ck_assert_uint_eq(run_with_journal(NULL, s, 10), 0);
    ck_assert_uint_eq(run_with_journal(NULL, s, 10), 10);
    emulated = scripted_settings("heteroprio"); /* and a function is no backend's task */
    emulated.keep.journal = file;
    ck_assert_uint_eq(run_with_journal(NULL, emulated, 10), 0);
    unlink(file);
}
END_TEST

START_TEST(allocations_fail)
{
    hs_instance     *in = equal_tasks(20, 1, 1);
    hs_exec_settings s = settings_of("heteroprio");
    long             first = 0, failed;

    do {
        hs_exec  *exec = NULL;
        hs_status st;

        set_up();
        memory_fail_after(first++, 0);
        st = hs_exec_create(in, NULL, &s, &exec, NULL);
        if (st == HS_OK)
            st = hs_exec_run(exec, NULL, NULL);
        failed = memory_stop_failing();
        ck_assert_msg(st == HS_ENOMEM || st == HS_OK, "without allocation %ld: %s", first,
                      hs_status_text(st));
        if (st == HS_OK)
            expect_called_once(20);
        hs_exec_free(exec);
    } while (failed);
    ck_assert_int_gt(first, 20);
    hs_instance_free(in);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("functions of the program");
    TCase *tc = tcase_create("calls");

    tcase_add_checked_fixture(tc, set_up, NULL);
    tcase_add_loop_test(tc, each_task_is_called_once, 0, POLICIES);
    tcase_add_test(tc, handle_runs_twice);
    tcase_add_test(tc, graph_is_kept);
    tcase_add_loop_test(tc, type_without_function_is_not_used, 0, 2);
    tcase_add_test(tc, plan_needs_the_function);
    tcase_add_test(tc, tasks_of_a_row_have_equal_types);
    tcase_add_test(tc, kernel_runs_without_function);
    tcase_add_loop_test(tc, emulated_type_calls_nothing, 0, 2);
    tcase_add_loop_test(tc, failures_are_retried, 0, POLICIES);
    tcase_add_loop_test(tc, other_results_are_failures, 0, 2);
    tcase_add_loop_test(tc, timeout_cancels_a_function, 0, POLICIES);
    tcase_add_loop_test(tc, stop_cancels_a_function, 0, POLICIES);
    tcase_add_test(tc, function_is_spoliated);
    tcase_add_test(tc, unknown_times_are_measured);
    tcase_add_test(tc, journal_knows_finished_functions);
    tcase_add_test(tc, allocations_fail);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
