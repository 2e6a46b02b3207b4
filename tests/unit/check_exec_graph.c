/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Runs of dependent tasks under every policy that supports graphs. No task starts before its
 * predecessors are done, even if tasks fail, are retried, spoliated or stopped; the scripted
 * backend checks the order at each start. Every task without a failed predecessor runs.
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hybridsched/hybridsched.h>

#include "exec_fixture.h"
#include "rounds.h"
#include "suite.h"

/* Policies that support dependent tasks. */
static const hs_policy_kind *kinds[32];
static int                   kind_count;

static void find_kinds(void)
{
    for (size_t i = 0; i < hs_policy_count(); i++)
        if (hs_policy_supports_graphs(hs_policy_at(i)))
            kinds[kind_count++] = hs_policy_at(i);
}

static uint64_t dice;

static unsigned roll(unsigned sides)
{
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(dice >> 33) % sides;
}

static void add(hs_builder *b, double cpu, double gpu, const char *kernel, uint32_t count,
                hs_restartable restartable)
{
    hs_task task = {.struct_size = sizeof task,
                    .cpu = cpu,
                    .gpu = gpu,
                    .kernel = kernel,
                    .count = count,
                    .restartable = restartable};

    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
}

static hs_builder *begin(unsigned cpus, unsigned gpus)
{
    hs_builder *b = NULL;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    ck_assert_int_eq(hs_builder_set_workers(b, cpus, gpus), HS_OK);
    ck_assert_int_eq(hs_builder_set_unit(b, HS_MICROSECONDS), HS_OK);
    return b;
}

static hs_instance *finish(hs_builder *b)
{
    hs_instance *in = NULL;

    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void after(hs_builder *b, size_t row, size_t earlier)
{
    ck_assert_int_eq(hs_builder_add_predecessor(b, row, earlier, 0, 0), HS_OK);
}

/* Add links between host and GPUs, with random latencies, so that GPUs prefetch data. */
static void link_memories(hs_builder *b)
{
    ck_assert_int_eq(hs_builder_set_default_bytes(b, roll(3) * 1000.0), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_H2D, roll(20), 1e9), HS_OK);
    ck_assert_int_eq(hs_builder_set_link(b, HS_D2H, roll(20), 1e9), HS_OK);
}

/* Return a random graph, with barriers (rows of several tasks) and often with shared data. Each
 * body is one of the first `choice` kernels, rarely "lose". */
static hs_instance *any_graph(unsigned cpus, unsigned gpus, const char *const *kernels,
                              unsigned choice)
{
    hs_builder *b = begin(cpus, gpus);
    unsigned    rows = 2 + roll(40), density = 1 + roll(5), data = roll(3), i, e;
    size_t      tile[2];

    for (i = 0; i < 2; i++)
        ck_assert_int_eq(hs_builder_add_handle(b, i ? "a" : "b", &tile[i]), HS_OK);
    for (i = 0; i < rows; i++) {
        unsigned only = roll(8);

        add(b, only == 1 && gpus ? INFINITY : 1 + roll(50),
            only == 2 && cpus ? INFINITY : 1 + roll(50), roll(50) ? kernels[roll(choice)] : "lose",
            roll(3) ? 1 : 1 + roll(4), (hs_restartable)roll(3));
        for (e = 0; e < density && i > 0; e++)
            if (roll(2) && roll(3) + 1 + e < i)
                after(b, i, i - 1 - e);
        if (data && roll(3) == 0)
            ck_assert_int_eq(
                hs_builder_add_access(b, i, tile[roll(2)], (hs_access_mode)(1 + roll(3))), HS_OK);
    }
    if (roll(2))
        link_memories(b);
    return finish(b);
}

/* Return a plan by a random algorithm, or NULL if the policy needs no plan. */
static hs_schedule *plan_for(const hs_policy_kind *kind, const hs_instance *in)
{
    static const char *const makers[] = {"heft", "heteroprio", "dynamic"};

    return hs_policy_needs_plan(kind) ? solved(in, makers[roll(3)]) : NULL;
}

static hs_exec_settings settings_for(const hs_policy_kind *kind)
{
    hs_exec_settings s = scripted_settings(hs_policy_name(kind));

    s.decide.rank = (hs_rank)roll(5);
    if (!(hs_policy_supported_ranks(kind) >> s.decide.rank & 1))
        s.decide.rank = HS_RANK_DEFAULT;
    return s;
}

/* Check the report of a run: each task is done at most once, exactly the successors of failed tasks
 * are blocked, and the count of blocked tasks is right. */
static void account(const finished_run *p)
{
    char    *expected = blocked_tasks(p);
    uint64_t blocked = 0;

    for (uint32_t t = 0; t < p->report.tasks; t++) {
        uint32_t failed = UINT32_MAX;
        unsigned done = count_attempts(p, t, HS_OUTCOME_DONE, NULL);
        int      told = hs_exec_is_blocked(p->exec, t, &failed);

        ck_assert_uint_le(done, 1);
        ck_assert_int_eq(told, expected[t]);
        ck_assert(!told || (!done && failed < p->report.tasks && failed != t));
        blocked += (uint64_t)told;
    }
    free(expected);
    ck_assert_uint_eq(p->report.blocked, blocked);
    ck_assert_uint_le(blocked, p->report.not_run);
}

/* Run random graphs with failing tasks and lost workers: only blocked tasks are not run. */
START_TEST(all_unblocked_tasks_run)
{
    static const char *const kernels[] = {"done",   "done",   "busy:30",  "late:20",  "done",
                                          "fail:1", "fail:9", "hang-cpu", "spin-cpu", "done",
                                          "hang",   "quit",   "busy:90",  "done",     "sulk-cpu"};
    int                      round;

    dice = (uint64_t)_i + 1;
    for (round = 0; round < rounds(150); round++) {
        unsigned              cpus = roll(4), gpus = roll(3) + !cpus;
        hs_instance          *in = any_graph(cpus, gpus, kernels, roll(2) ? 5 : 15);
        const hs_policy_kind *kind = kinds[round % kind_count];
        hs_exec_settings      s = settings_for(kind);
        finished_run          p;

        scripted_reset();
        s.fail.halt = HS_HALT_NEVER;
        s.fail.timeout_factor = 10;
        s.fail.retries = roll(3);
        p = run_plan(in, plan_for(kind, in), &s);
        if (hs_instance_has_graph(in))
            account(&p);
        ck_assert_msg(p.report.not_run == p.report.blocked, "%s: %llu not run, %llu blocked",
                      hs_policy_name(kind), (unsigned long long)p.report.not_run,
                      (unsigned long long)p.report.blocked);
        end_run(&p);
    }
}
END_TEST

static void stop_now(void *exec)
{
    hs_exec_stop(exec, HS_STOP_NOW);
}

static void drain(void *exec)
{
    hs_exec_stop(exec, HS_STOP_DRAIN);
}

/* Stop runs of random graphs, by a failure or by hs_exec_stop(): the order of tasks is kept. */
START_TEST(stop_at_any_task)
{
    static const char *const kernels[] = {"done",     "busy:30", "done",
                                          "hang-cpu", "fail:1",  "call:9"};
    int                      round;

    dice = (uint64_t)_i + 100;
    for (round = 0; round < rounds(100); round++) {
        unsigned              cpus = 1 + roll(3), gpus = roll(3);
        hs_instance          *in = any_graph(cpus, gpus, kernels, 6);
        const hs_policy_kind *kind = kinds[round % kind_count];
        hs_exec_settings      s = settings_for(kind);
        finished_run          p;

        scripted_reset();
        scripted.hook = roll(2) ? roll(2) ? stop_now : drain : NULL;
        s.fail.halt = (hs_halt)roll(3);
        s.fail.timeout_factor = 30;
        s.fail.retries = roll(2);
        p = run_plan(in, plan_for(kind, in), &s);
        if (hs_instance_has_graph(in))
            account(&p);
        end_run(&p);
    }
}
END_TEST

/* Return a graph of 2000 tasks with random times, each after up to three earlier tasks. If
 * `is_lost` is not 0, task 1000 + is_lost loses the GPU, and is much faster there. */
static hs_instance *thousands(hs_builder *b, int is_lost)
{
    unsigned i, e;

    for (i = 0; i < 2000; i++) {
        bool lost = is_lost && i == 1000 + (unsigned)is_lost;

        add(b, lost ? 1000 : 1 + roll(9), lost ? 1 : 1 + roll(9), lost ? "lose-gpu" : "done", 1,
            HS_RESTART_NO);
        for (e = 0; e < 3 && i > 0; e++) {
            unsigned back = 1 + roll(20 * (e + 1)), k;

            for (k = 0; k < e && back <= i; k++)
                back += 20 * (e + 1);
            if (back <= i && roll(4))
                after(b, i, i - back);
        }
    }
    return finish(b);
}

/* Run many tasks with empty bodies: waiting workers are woken, and every task is done once. */
START_TEST(thousands_of_empty_tasks)
{
    int round;

    dice = (uint64_t)_i + 200;
    for (round = 0; round < rounds(10); round++) {
        hs_builder      *b = begin(1 + roll(3), roll(3));
        hs_exec_settings s = settings_for(kinds[_i]);
        hs_instance     *in = thousands(b, 0);
        finished_run     p;

        scripted_reset();
        p = run_plan(in, plan_for(kinds[_i], in), &s);
        assert_all_done_once(&p);
        end_run(&p);
    }
}
END_TEST

/* Lose the GPU in the middle of a large graph: CPUs run the tasks left to the GPU. */
START_TEST(worker_lost_among_thousands_of_tasks)
{
    int round;

    dice = (uint64_t)_i + 300;
    for (round = 0; round < rounds(10); round++) {
        hs_builder      *b = begin(1 + roll(3), 1);
        hs_exec_settings s = settings_for(kinds[_i]);
        hs_instance     *in = thousands(b, 1 + (int)roll(500));
        finished_run     p;

        scripted_reset();
        p = run_plan(in, plan_for(kinds[_i], in), &s);
        assert_all_done_once(&p);
        ck_assert_uint_le(p.report.lost_workers, 1);
        /* policies except plan may run the fatal task on a CPU */
        ck_assert(p.report.lost_workers == 1 || strcmp(hs_policy_name(kinds[_i]), "plan") != 0);
        end_run(&p);
    }
}
END_TEST

/* Retry every second task of a chain twice: its successor starts after the third attempt. */
START_TEST(successors_wait_for_a_retry)
{
    int round;

    for (round = 0; round < rounds(20); round++) {
        hs_builder      *b = begin(2, 1);
        hs_instance     *in;
        hs_exec_settings s;
        finished_run     p;

        dice = (uint64_t)round;
        s = settings_for(kinds[_i]);
        scripted_reset();
        for (size_t i = 0; i < 6; i++) {
            add(b, 10, 10, i % 2 ? "done" : "fail:2", 2, HS_RESTART_YES);
            if (i > 0)
                after(b, i, i - 1);
        }
        in = finish(b);
        s.fail.retries = 2;
        p = run_plan(in, plan_for(kinds[_i], in), &s);
        assert_all_done_once(&p);
        ck_assert_uint_eq(p.report.retried, 12);
        end_run(&p);
    }
}
END_TEST

/* Plan a failing task, its successor and an independent task for cpu0: the worker skips the blocked
 * successor. */
START_TEST(list_skips_blocked_tasks)
{
    const unsigned   on[] = {0, 0, 1, 0, 1};
    hs_builder      *b = begin(2, 0);
    hs_instance     *in;
    hs_exec_settings s = scripted_settings("plan");
    finished_run     p;

    add(b, 1, INFINITY, "fail:9", 1, HS_RESTART_NO);
    add(b, 1, INFINITY, "done", 1, HS_RESTART_NO);
    add(b, 2, INFINITY, "done", 1, HS_RESTART_NO);
    add(b, 3, INFINITY, "done", 1, HS_RESTART_NO);
    add(b, 4, INFINITY, "done", 1, HS_RESTART_NO);
    after(b, 1, 0);
    after(b, 4, 3);
    in = finish(b);
    s.fail.halt = HS_HALT_NEVER;
    p = run_plan(in, lists(in, on), &s);
    ck_assert_uint_eq(p.report.failed, 1);
    ck_assert_uint_eq(p.report.blocked, 1);
    ck_assert_uint_eq(p.report.done, 3);
    ck_assert(strstr(p.error.why, "1 was not run because predecessors failed"));
    end_run(&p);
}
END_TEST

/* The planned first task of the GPU gets blocked: the GPU must be woken to run its second task,
 * which no CPU can run. */
START_TEST(worker_goes_on_after_its_predecessor_failed)
{
    static const char *const policies[] = {"plan", "plan+steal"};
    const unsigned           on[] = {0, 1, 1};
    hs_builder              *b = begin(1, 1);
    hs_instance             *in;
    hs_exec_settings         s = scripted_settings(policies[_i]);
    finished_run             p;

    add(b, 1, INFINITY, "fail:9", 1, HS_RESTART_NO);
    add(b, INFINITY, 1, "done", 1, HS_RESTART_NO);
    add(b, INFINITY, 1, "done", 1, HS_RESTART_NO);
    after(b, 1, 0);
    in = finish(b);
    s.fail.halt = HS_HALT_NEVER;
    p = run_plan(in, lists(in, on), &s);
    ck_assert_uint_eq(p.report.failed, 1);
    ck_assert_uint_eq(p.report.blocked, 1);
    ck_assert_uint_eq(p.report.done, 1);
    end_run(&p);
}
END_TEST

/* Lose the GPU at once: the CPU must run the tasks planned for the GPU before its own task, a
 * successor of them. */
START_TEST(tasks_of_a_lost_worker_are_done_in_order)
{
    const unsigned   on[] = {1, 1, 0};
    hs_builder      *b = begin(1, 1);
    hs_instance     *in;
    hs_exec_settings s = scripted_settings("plan");
    finished_run     p;

    add(b, 1, 1, "lose-gpu", 1, HS_RESTART_NO);
    add(b, 1, 1, "done", 1, HS_RESTART_NO);
    add(b, 2, 2, "done", 1, HS_RESTART_NO);
    after(b, 1, 0);
    after(b, 2, 1);
    in = finish(b);
    p = run_plan(in, lists(in, on), &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.lost_workers, 1);
    end_run(&p);
}
END_TEST

/* Lose the only GPU before a task for GPUs becomes ready: the task fails, and its successor is
 * blocked. */
START_TEST(ready_task_without_worker_fails)
{
    hs_builder      *b = begin(1, 1);
    hs_instance     *in;
    hs_exec_settings s = scripted_settings(hs_policy_name(kinds[_i]));
    finished_run     p;

    dice = 1;
    add(b, INFINITY, 1, "lose", 1, HS_RESTART_NO);
    add(b, 1000, INFINITY, "busy:3000", 1, HS_RESTART_NO);
    add(b, INFINITY, 1, "done", 1, HS_RESTART_NO);
    add(b, 1, 1, "done", 1, HS_RESTART_NO);
    add(b, 1, INFINITY, "done", 1, HS_RESTART_NO);
    after(b, 2, 1);
    after(b, 3, 2);
    in = finish(b);
    s.fail.halt = HS_HALT_NEVER;
    p = run_plan(in, plan_for(kinds[_i], in), &s);
    ck_assert_uint_eq(p.report.done, 2);
    ck_assert_uint_eq(p.report.failed, 2);
    ck_assert_uint_eq(p.report.blocked, 1);
    ck_assert_uint_eq(p.report.not_run, 1);
    end_run(&p);
}
END_TEST

/* Do not retire a GPU after too many failures while it holds a prefetched task for GPUs only. */
START_TEST(gpu_with_a_chosen_task_is_not_retired)
{
    hs_builder      *b = begin(1, 1);
    hs_instance     *in;
    hs_exec_settings s = scripted_settings("dualhp");
    finished_run     p;

    dice = 1;
    add(b, 30, 1, "break-gpu", 5, HS_RESTART_NO);
    add(b, INFINITY, 1, "done", 1, HS_RESTART_NO);
    add(b, 1, INFINITY, "done", 1, HS_RESTART_NO);
    after(b, 2, 0);
    link_memories(b);
    in = finish(b);
    s.fail.retries = 1;
    p = run_plan(in, NULL, &s);
    assert_all_done_once(&p);
    ck_assert_uint_eq(p.report.lost_workers, 0);
    end_run(&p);
}
END_TEST

static unsigned asked; /* calls of ask_heteroprio(); protected by the dispatcher's lock */

static void ask_heteroprio(void *state, unsigned worker, double now, hs_decision *out,
                           hs_wake *wake)
{
    asked++;
    hs_policy_find("heteroprio")->next(state, worker, now, out, wake);
}

/*
 * The GPU prefetches the third task, then retries the first for 50 ms. The policy expects the first
 * task to end after its first attempt. If the third task stayed with the GPU, the policy would
 * expect its start at any moment, and the CPU would call the policy again and again.
 */
START_TEST(workers_do_not_wait_for_a_retry)
{
    hs_policy_kind   counting = *hs_policy_find("heteroprio");
    hs_builder      *b = begin(1, 1);
    hs_instance     *in;
    hs_exec_settings s = scripted_settings("heteroprio");
    finished_run     p;

    counting.next = ask_heteroprio;
    s.decide.policy = &counting;
    asked = 0;
    dice = 1;
    add(b, INFINITY, 10, "fail:1:50000", 1, HS_RESTART_YES);
    add(b, 10, INFINITY, "late:5000", 1, HS_RESTART_NO);
    add(b, 1000, 10, "done", 1, HS_RESTART_YES);
    add(b, 1, INFINITY, "done", 1, HS_RESTART_NO);
    after(b, 3, 1);
    link_memories(b);
    in = finish(b);
    s.fail.retries = 1;
    p = run_plan(in, NULL, &s);
    assert_all_done_once(&p);
    ck_assert_uint_le(asked, 40);
    end_run(&p);
}
END_TEST

static void wake_and_choose_nothing(void *state, unsigned worker, double now, hs_decision *out,
                                    hs_wake *wake)
{
    (void)state, (void)worker, (void)now;
    hs_wake_all(wake);
    hs_decide_wait(out, INFINITY);
}

/* Use a policy that prefetches no task but wakes all workers: the dispatcher must not call it in an
 * endless loop while the GPU runs and the CPU waits. */
START_TEST(empty_prefetch_wakes_no_worker)
{
    hs_policy_kind   restless = *hs_policy_find("heteroprio");
    hs_builder      *b = begin(1, 1);
    hs_instance     *in;
    hs_exec_settings s = scripted_settings("heteroprio");
    finished_run     p;

    restless.prefetch = wake_and_choose_nothing;
    s.decide.policy = &restless;
    add(b, INFINITY, 10, "late:20000", 1, HS_RESTART_NO);
    add(b, 1, INFINITY, "done", 1, HS_RESTART_NO);
    after(b, 1, 0);
    link_memories(b);
    in = finish(b);
    p = run_plan(in, NULL, &s);
    assert_all_done_once(&p);
    end_run(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("exec graph");
    TCase *cases = tcase_create("graphs");

    find_kinds();
    tcase_set_timeout(cases, 300);
    tcase_add_checked_fixture(cases, scripted_reset, NULL);
    tcase_add_loop_test(cases, all_unblocked_tasks_run, 0, 8);
    tcase_add_loop_test(cases, stop_at_any_task, 0, 4);
    tcase_add_loop_test(cases, thousands_of_empty_tasks, 0, kind_count);
    tcase_add_loop_test(cases, worker_lost_among_thousands_of_tasks, 0, kind_count);
    tcase_add_loop_test(cases, successors_wait_for_a_retry, 0, kind_count);
    tcase_add_test(cases, list_skips_blocked_tasks);
    tcase_add_loop_test(cases, worker_goes_on_after_its_predecessor_failed, 0, 2);
    tcase_add_test(cases, tasks_of_a_lost_worker_are_done_in_order);
    tcase_add_loop_test(cases, ready_task_without_worker_fails, 0, kind_count);
    tcase_add_test(cases, gpu_with_a_chosen_task_is_not_retired);
    tcase_add_test(cases, empty_prefetch_wakes_no_worker);
    tcase_add_test(cases, workers_do_not_wait_for_a_retry);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
