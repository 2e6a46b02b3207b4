/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random graphs of plugins on shared data: under every policy for graphs the data is as if the rows
 * ran one after another, no two tasks race for a datum, and attempts that fail or are aborted have
 * no effect. hs_exec_data() and hs_exec_data_at(), and the messages of what is refused.
 */

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

#include "../plugin/world.h"
#include "failing_memory.h"
#include "rounds.h"
#include "suite.h"

START_TEST(every_policy_runs_as_in_order)
{
    for (int round = 0; round < rounds(20); round++)
        for (size_t i = 0; i < hs_policy_count(); i++) {
            const char      *name = hs_policy_at(i)->name;
            hs_exec_settings s = world_settings(name);
            world            w;

            if (!hs_policy_supports_graphs(hs_policy_at(i)))
                continue;
            roll_from((uint64_t)round * 1000 + i);
            make_world(&w, "long");
            run_world(&w, &s, 2);
            free_world(&w);
        }
}
END_TEST

/* In the first attempt, every third task writes wrong values and fails. The run retries the task. */
START_TEST(failed_attempts_have_no_effect)
{
    for (int round = 0; round < rounds(50); round++) {
        hs_exec_settings s = world_settings(round % 2 ? "dynamic" : "plan");
        world            w;

        roll_from(77777u + (uint64_t)round);
        s.fail.retries = 1;
        make_world(&w, "fail");
        run_world(&w, &s, 2);
        free_world(&w);
    }
}
END_TEST

/* Return an instance of one task that uses d0 in this mode, 0: not at all. */
static hs_instance *one_task(const char *symbol, unsigned mode, double bytes)
{
    char          kernel[64];
    const hs_task task = {
        .struct_size = sizeof task, .id = "job", .kernel = kernel, .cpu = 1, .gpu = INFINITY};
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    size_t       handle;

    snprintf(kernel, sizeof kernel, MIXER "%s", symbol);
    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 0);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    if (mode) {
        ck_assert_int_eq(hs_builder_add_handle(b, "d0", &handle), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, 0, handle, (hs_access_mode)mode), HS_OK);
        hs_builder_set_handle_bytes(b, handle, bytes);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void expect_refused(const char *symbol, unsigned mode, hs_status status, const char *why)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = one_task(symbol, mode, 8);
    hs_exec         *exec = NULL;
    hs_error         error;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), status);
    ck_assert_str_eq(error.why, why);
    hs_instance_free(in);
}

START_TEST(other_modes_are_refused)
{
    expect_refused("undeclared", HS_READ, HS_EDEPENDENT,
                   "task job uses data, and tests/plugin/.libs/mixer.so does not declare how: add "
                   "the line HS_PLUGIN_MODES(undeclared, ...) to its source");
    expect_refused("update", HS_READ, HS_EDEPENDENT,
                   "task job uses data as r, and update in tests/plugin/.libs/mixer.so as rw: "
                   "change the column data or HS_PLUGIN_MODES");
    expect_refused("step", HS_READ, HS_EDEPENDENT,
                   "task job uses data as r, and step in tests/plugin/.libs/mixer.so as r,w: "
                   "change the column data or HS_PLUGIN_MODES");
    expect_refused("update", 0, HS_EDEPENDENT,
                   "task job gets no data, and update in tests/plugin/.libs/mixer.so uses data as "
                   "rw: name it in the column data; beside a factorisation, GPUs have no data of "
                   "plugins");
}
END_TEST

START_TEST(data_has_one_size)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = one_task("update", HS_READ_WRITE, 16);
    hs_exec         *exec = NULL;
    uint64_t         memory[2] = {5, 6};
    size_t           bytes = 1;
    hs_error         error;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_OK);
    ck_assert_int_eq(hs_exec_data(NULL, "d0", memory, 16), HS_EINVAL);
    ck_assert_int_eq(hs_exec_data(exec, NULL, memory, 16), HS_EINVAL);
    ck_assert_int_eq(hs_exec_data(exec, "d1", memory, 16), HS_EINVAL);
    ck_assert_int_eq(hs_exec_data(exec, "d0", memory, 8), HS_EINVAL);
    ck_assert_int_eq(hs_exec_data(exec, "d0", memory, 0), HS_EINVAL);
    ck_assert_ptr_null(hs_exec_data_at(exec, "d0", &bytes));
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(hs_exec_data(exec, "d0", NULL, 16), HS_OK);
    ck_assert_ptr_nonnull(hs_exec_data_at(exec, "d0", NULL));
    ck_assert_int_eq(hs_exec_data(exec, "d0", memory, 16), HS_OK);
    ck_assert_ptr_eq(hs_exec_data_at(exec, "d0", &bytes), memory);
    ck_assert_uint_eq(bytes, 16);
    ck_assert_ptr_null(hs_exec_data_at(exec, "d1", NULL));
    ck_assert_ptr_null(hs_exec_data_at(NULL, "d0", NULL));
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

START_TEST(data_without_a_size_is_refused)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = one_task("update", HS_READ_WRITE, 0);
    hs_exec         *exec = NULL;
    hs_error         error;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_OK);
    ck_assert_int_eq(hs_exec_run(exec, NULL, &error), HS_EINVAL);
    ck_assert_str_eq(error.why, "the data 'd0' has no size: add a line '# data d0 BYTES' to the "
                                "file, or call hs_exec_data()");
    ck_assert_int_eq(hs_exec_data(exec, "d0", NULL, 8), HS_OK);
    ck_assert_int_eq(hs_exec_run(exec, NULL, &error), HS_OK);
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

START_TEST(runs_on_data_do_not_resume)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = one_task("update", HS_READ_WRITE, 8);
    hs_exec         *exec = NULL;
    hs_error         error;

    s.keep.journal = "check_exec_buffers.journal";
    s.keep.resume = HS_RESUME_REST;
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_EINVAL);
    ck_assert_ptr_nonnull(strstr(error.why, "cannot resume"));
    ck_assert_int_ne(access(s.keep.journal, F_OK), 0);
    hs_instance_free(in);
}
END_TEST

/* Plugins are allowed, but no task runs: nothing is opened, and no data is allocated. */
START_TEST(emulated_tasks_use_no_data)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = one_task("undeclared", HS_READ, 0);
    hs_exec         *exec = NULL;
    hs_error         error;

    s.run.emulate[HS_CPU] = true;
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_OK);
    ck_assert_int_eq(hs_exec_data(exec, "d0", NULL, 8), HS_EINVAL);
    ck_assert_int_eq(hs_exec_run(exec, NULL, &error), HS_OK);
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

/* Return an instance of the function update() and of a row with other text, both on data d0. */
static hs_instance *with_command(const char *cpu_command, const char *gpu_command)
{
    const hs_task rows[] = {
        {.struct_size = sizeof rows[0], .id = "job", .kernel = MIXER "update", .cpu = 1, .gpu = 9},
        {.struct_size = sizeof rows[0], .id = "sh", .cpu = 1, .gpu = INFINITY}};
    hs_builder  *b = NULL;
    hs_instance *in = NULL;
    size_t       handle;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 1);
    ck_assert_int_eq(hs_builder_add_handle(b, "d0", &handle), HS_OK);
    hs_builder_set_handle_bytes(b, handle, 8);
    for (size_t i = 0; i < (cpu_command ? 2u : 1u); i++) {
        hs_task row = rows[i];

        row.gpu_command = i ? NULL : gpu_command;
        row.cpu_command = i ? cpu_command : NULL;
        ck_assert_int_eq(hs_builder_add_row(b, &row), HS_OK);
        ck_assert_int_eq(hs_builder_add_access(b, i, handle, HS_READ_WRITE), HS_OK);
    }
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    return in;
}

static void expect_outside_refused(const char *cpu_command, const char *gpu_command,
                                   const char *why)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = with_command(cpu_command, gpu_command);
    hs_exec         *exec = NULL;
    hs_error         error;

    s.run.allow_commands = true;
    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, &error), HS_EDEPENDENT);
    ck_assert_str_eq(error.why, why);
    hs_instance_free(in);
}

START_TEST(tasks_outside_memory_are_refused)
{
    expect_outside_refused(NULL, "true",
                           "task job: plugins have its data in memory, which the backend command "
                           "on GPUs does not use: set the GPU time to inf, or name other data");
    expect_outside_refused("true", NULL,
                           "task sh: plugins have its data in memory, which the backend command on "
                           "CPUs does not use: set the CPU time to inf, or name other data");
}
END_TEST

/* The plan uses the CPU alone, so the command for GPUs is not refused but left out. */
START_TEST(plan_leaves_out_tasks_outside_memory)
{
    hs_exec_settings s = world_settings("plan");
    hs_instance     *in = with_command(NULL, "true");
    hs_schedule     *plan = NULL;
    hs_exec         *exec = NULL;
    hs_error         error;

    s.run.allow_commands = true;
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    ck_assert_msg(hs_exec_create(in, plan, &s, &exec, &error) == HS_OK, "%s", error.why);
    ck_assert_ptr_null(hs_exec_backend_name(exec, 0, HS_GPU));
    ck_assert_str_eq(hs_exec_backend_name(exec, 0, HS_CPU), "plugin");
    ck_assert_int_eq(hs_exec_run(exec, NULL, &error), HS_OK);
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

/* A built-in kernel would use private data on CPUs, where the plan has no task. */
START_TEST(plan_leaves_out_private_data)
{
    const hs_task task = {
        .struct_size = sizeof task, .id = "job", .kernel = "dgemm:64", .cpu = 9, .gpu = 1};
    hs_exec_settings s = world_settings("plan");
    hs_builder      *b = NULL;
    hs_instance     *in = NULL;
    hs_schedule     *plan = NULL;
    hs_exec         *exec = NULL;
    hs_error         error;
    size_t           handle;

    ck_assert_int_eq(hs_builder_create(&b), HS_OK);
    hs_builder_set_workers(b, 1, 1);
    ck_assert_int_eq(hs_builder_add_handle(b, "d0", &handle), HS_OK);
    ck_assert_int_eq(hs_builder_add_row(b, &task), HS_OK);
    ck_assert_int_eq(hs_builder_add_access(b, 0, handle, HS_READ_WRITE), HS_OK);
    ck_assert_int_eq(hs_builder_finish(b, &in, NULL), HS_OK);
    hs_builder_free(b);
    ck_assert_int_eq(hs_solve(hs_algorithm_find("heft"), in, NULL, &plan), HS_OK);
    ck_assert_msg(hs_exec_create(in, plan, &s, &exec, &error) == HS_OK, "%s", error.why);
    ck_assert_ptr_null(hs_exec_backend_name(exec, 0, HS_CPU));
    ck_assert_str_eq(hs_exec_backend_name(exec, 0, HS_GPU), "emulated");
    hs_exec_free(exec);
    hs_schedule_free(plan);
    hs_instance_free(in);
}
END_TEST

START_TEST(memory_of_the_library_is_not_given_twice)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_instance     *in = one_task("update", HS_READ_WRITE, 8);
    hs_exec         *exec = NULL;
    void            *at;

    ck_assert_int_eq(hs_exec_create(in, NULL, &s, &exec, NULL), HS_OK);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(hs_exec_data(exec, "d0", NULL, 8), HS_OK);
        at = hs_exec_data_at(exec, "d0", NULL);
        ck_assert_uint_eq((uintptr_t)at % 64, 0);
        ck_assert_int_eq(hs_exec_data(exec, "d0", at, 8), HS_EINVAL);
        ck_assert_ptr_eq(hs_exec_data_at(exec, "d0", NULL), at);
    }
    hs_exec_free(exec);
    hs_instance_free(in);
}
END_TEST

/* Run a world with retries while an allocation fails. Return the number of failed allocations. */
static long run_without(const world *w, long first, int from_there_on)
{
    hs_exec_settings s = world_settings("dynamic");
    hs_exec         *exec = NULL;
    hs_error         error;
    hs_status        st;
    long             failed;

    s.fail.retries = 1;
    memory_fail_after(first, from_there_on);
    st = hs_exec_create(w->in, NULL, &s, &exec, &error);
    for (size_t d = 0; d < w->count && st == HS_OK; d++) {
        char name[8];

        name_datum(d, name);
        if (w->used[d] && !w->given[d])
            st = hs_exec_data(exec, name, NULL, w->bytes[d]);
    }
    if (st == HS_OK)
        st = hs_exec_run(exec, NULL, &error);
    failed = memory_stop_failing();
    ck_assert_msg(st == HS_OK || st == HS_ENOMEM || st == HS_EFAILED, "without allocation %ld: %s",
                  first, hs_status_text(st));
    if (st == HS_OK)
        compare_world(w, exec);
    ck_assert_int_eq(!exec && st == HS_OK, 0);
    hs_exec_free(exec);
    return failed;
}

START_TEST(allocations_fail)
{
    const long stride = rounds(5) < 5 ? 5 / rounds(5) : 1;
    long       first = 0, before;
    world      w;

    roll_from(5);
    make_world(&w, "fail");
    run_world_in_order(&w);
    run_without(&w, -1, 0);
    before = memory_live_blocks();
    while (run_without(&w, first, _i))
        first += stride;
    ck_assert_int_gt(first, 20);
    ck_assert_int_eq(memory_live_blocks(), before);
    free_world(&w);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("plugins on shared data");
    TCase *cases = tcase_create("dispatcher");

    tcase_add_test(cases, every_policy_runs_as_in_order);
    tcase_add_test(cases, failed_attempts_have_no_effect);
    tcase_add_test(cases, other_modes_are_refused);
    tcase_add_test(cases, data_has_one_size);
    tcase_add_test(cases, data_without_a_size_is_refused);
    tcase_add_test(cases, runs_on_data_do_not_resume);
    tcase_add_test(cases, emulated_tasks_use_no_data);
    tcase_add_test(cases, tasks_outside_memory_are_refused);
    tcase_add_test(cases, plan_leaves_out_tasks_outside_memory);
    tcase_add_test(cases, plan_leaves_out_private_data);
    tcase_add_test(cases, memory_of_the_library_is_not_given_twice);
    tcase_add_loop_test(cases, allocations_fail, 0, 2);
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
