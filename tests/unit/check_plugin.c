/* SPDX-License-Identifier: BSD-3-Clause */

/* Plugins run by the plugin backend. The plugins are in tests/plugin/. */

#include "config.h"

#include "backend_memory.h"
#include "suite.h"

#include <pthread.h>

#define PLUGINS "tests/plugin/.libs/"

static hs_outcome run_kernel(fixture *at, const char *kernel)
{
    hs_task    row = {.id = at->id, .kernel = kernel};
    hs_body   *body = fixture_create_body(at, &row);
    hs_outcome outcome = at->backend->run(at->worker, body, &at->attempt);

    at->backend->body_free(body);
    return outcome;
}

static void expect_failed(fixture *at, const char *kernel, const char *why)
{
    ck_assert_int_eq(run_kernel(at, kernel), HS_OUTCOME_FAILED);
    ck_assert_str_eq(at->why, why);
}

static void *cancel_attempt(void *data)
{
    fixture_cancel(data);
    return NULL;
}

static hs_outcome run_and_cancel(fixture *at, const char *kernel)
{
    pthread_t  thread;
    hs_outcome outcome;

    ck_assert_int_eq(pthread_create(&thread, NULL, cancel_attempt, at), 0);
    outcome = run_kernel(at, kernel);
    pthread_join(thread, NULL);
    fixture_reset_cancel(at);
    return outcome;
}

START_TEST(example_plugin_works)
{
    fixture s;
    int     type;

    for (type = HS_CPU; type <= HS_GPU; type++) {
        fixture_set(&s, &hsi_backend_plugin, (hs_type)type);
        fixture_open(&s);
        ck_assert_msg(run_kernel(&s, "plugin:" PLUGINS "sample.so:divisors") == HS_OUTCOME_DONE,
                      "%s", s.why);
        fixture_close(&s);
    }
}
END_TEST

START_TEST(plugin_gets_task_and_worker)
{
    fixture s;
    char    expected[HS_WHY];

    fixture_set(&s, &hsi_backend_plugin, HS_GPU);
    s.info.device = "5";
    s.info.os_cpu = 11;
    s.attempt.number = 4;
    s.attempt.seconds = 2.5;
    fixture_open(&s);
    snprintf(expected, sizeof expected,
             "%s task 0 attempt 4 on gpu1 type 1 index 1 core 11 device 5 for 2.5 s, log %s", s.id,
             s.log);
    expect_failed(&s, "plugin:" PLUGINS "probe.so:tell", expected);
    fixture_close(&s);

    fixture_set(&s, &hsi_backend_plugin, HS_CPU);
    s.attempt.log = NULL;
    fixture_open(&s);
    snprintf(expected, sizeof expected,
             "%s task 0 attempt 1 on cpu1 type 0 index 1 core -1 device none for 1 s, log none",
             s.id);
    expect_failed(&s, "plugin:" PLUGINS "probe.so:tell", expected);
    fixture_close(&s);
}
END_TEST

START_TEST(gpu_may_have_its_own_function)
{
    fixture s;
    int     something;

    fixture_set(&s, &hsi_backend_plugin, HS_CPU);
    fixture_open(&s);
    expect_failed(&s, "plugin:" PLUGINS "probe.so:on_both", "for CPUs, no stream");
    fixture_close(&s);

    fixture_set(&s, &hsi_backend_plugin, HS_GPU);
    s.info.stream = &something;
    fixture_open(&s);
    expect_failed(&s, "plugin:" PLUGINS "probe.so:on_both", "for GPUs, a stream");
    fixture_close(&s);
}
END_TEST

START_TEST(outcome_is_reported)
{
    fixture s;

    fixture_set(&s, &hsi_backend_plugin, HS_CPU);
    fixture_open(&s);
    expect_failed(&s, "plugin:" PLUGINS "probe.so:returns_7", "the plugin returned 7");
    expect_failed(&s, "plugin:" PLUGINS "probe.so:fails_in_two_lines", "one\ntwo");
    expect_failed(&s, "plugin:" PLUGINS "probe.so:gives_up",
                  "the plugin returned HS_PLUGIN_ABORTED, but was not cancelled");
    ck_assert_int_eq(run_and_cancel(&s, "plugin:" PLUGINS "probe.so:done_although_cancelled"),
                     HS_OUTCOME_DONE);
    fixture_close(&s);
}
END_TEST

START_TEST(plugin_is_loaded_once)
{
    hs_task  row = {.kernel = "plugin:" PLUGINS "probe.so:counts"};
    fixture  s;
    hs_body *first, *second;

    fixture_set(&s, &hsi_backend_plugin, HS_CPU);
    fixture_open(&s);
    first = fixture_create_body(&s, &row);
    second = fixture_create_body(&s, &row);
    s.backend->run(s.worker, first, &s.attempt);
    s.backend->run(s.worker, second, &s.attempt);
    ck_assert_str_eq(s.why, "2");
    s.backend->body_free(first);
    s.backend->run(s.worker, second, &s.attempt);
    ck_assert_str_eq(s.why, "3");
    s.backend->body_free(second);
    fixture_close(&s);
}
END_TEST

START_TEST(thousands_of_aborts_leave_nothing)
{
    fixture s;
    int     n = rounds(2000), i;

    fixture_set(&s, &hsi_backend_plugin, HS_CPU);
    fixture_open(&s);
    for (i = 0; i < n; i++) {
        const char *kernel = i % 2 ? "plugin:" PLUGINS "probe.so:poll_until_cancelled"
                                   : "plugin:" PLUGINS "probe.so:sleep_until_cancelled";

        ck_assert_int_eq(run_and_cancel(&s, kernel), HS_OUTCOME_ABORTED);
    }
    fixture_close(&s);
}
END_TEST

static const struct {
    const char *kernel;
    hs_status   status;
    const char *why; /* its beginning */
} wrong[] = {
    {"plugin:", HS_EINVAL, "kernel 'plugin:': expected plugin:FILE.so:SYMBOL"},
    {"plugin:x.so", HS_EINVAL, "kernel 'plugin:x.so': expected plugin:FILE.so:SYMBOL"},
    {"plugin:x.so:", HS_EINVAL, "kernel 'plugin:x.so:': expected plugin:FILE.so:SYMBOL"},
    {"plugin::f", HS_EINVAL, "kernel 'plugin::f': expected plugin:FILE.so:SYMBOL"},
    {"plugin:no-such-file.so:f", HS_ERESOURCE,
     "cannot open the plugin: ./no-such-file.so: cannot open"},
    {"plugin:libc.so.6:puts", HS_ERESOURCE, "cannot open the plugin: ./libc.so.6: cannot open"},
    {"plugin:/nowhere/a:b.so:f", HS_ERESOURCE,
     "cannot open the plugin: /nowhere/a:b.so: cannot open"},
    {"plugin:" PLUGINS "probe.so:no_such_function", HS_EINVAL,
     PLUGINS "probe.so has no function no_such_function"},
    {"plugin:" PLUGINS "other_abi.so:task", HS_EINVAL,
     PLUGINS
     "other_abi.so was compiled for version 99 of the plugin interface, and this is version 1: "
     "compile it again"},
    {"plugin:" PLUGINS "no_abi.so:task", HS_EINVAL,
     PLUGINS "no_abi.so is not a plugin: add the line HS_PLUGIN_FILE; to its source"},
};

START_TEST(faults_are_described)
{
    hs_backend_options options = {.struct_size = sizeof options, .allow_plugins = 1};
    hs_task            row = {.id = "a", .kernel = wrong[_i].kernel};
    hs_body           *body = NULL;
    hs_error           error = {0};

    ck_assert_int_eq(hsi_backend_plugin.body_create(&options, &row, HS_CPU, &body, &error),
                     wrong[_i].status);
    ck_assert_msg(strncmp(error.why, wrong[_i].why, strlen(wrong[_i].why)) == 0, "%s", error.why);
    ck_assert_ptr_null(body);
}
END_TEST

START_TEST(plugins_need_permission)
{
    hs_backend_options options = {.struct_size = sizeof options};
    hs_task            row = {.id = "a", .kernel = "plugin:no-such-file.so:f"};
    hs_body           *body = NULL;
    hs_error           error;

    ck_assert_int_eq(hsi_backend_plugin.body_create(&options, &row, HS_CPU, &body, &error),
                     HS_EREFUSED);
    ck_assert_str_eq(error.why,
                     "task a runs plugin:no-such-file.so:f: use settings.run.allow_plugins if "
                     "you trust the plan");
    options.emulate[HS_GPU] = 1; /* an emulated plugin task only takes its time, and needs no
                                    permission */
    ck_assert_int_eq(hsi_backend_plugin.body_create(&options, &row, HS_GPU, &body, &error), HS_OK);
    ck_assert_ptr_null(body);
    row.kernel = "dgemm:960";
    ck_assert_int_eq(hsi_backend_plugin.body_create(&options, &row, HS_CPU, &body, &error), HS_OK);
    ck_assert_ptr_null(body);
    row.kernel = NULL;
    ck_assert_int_eq(hsi_backend_plugin.body_create(&options, &row, HS_CPU, &body, &error), HS_OK);
    ck_assert_ptr_null(body);
}
END_TEST

START_TEST(each_allocation_may_fail)
{
    hs_task row = {.kernel = "plugin:" PLUGINS "probe.so:tell"};
    int     failed = 1;
    long    first;

    for (first = 0; failed; first++) {
        fixture   s;
        hs_status st;

        fixture_set(&s, &hsi_backend_plugin, HS_GPU);
        s.info.device = "0";
        st = fixture_open_with_failing_memory(&s, &row, first, &failed);
        ck_assert_int_eq(st, failed ? HS_ENOMEM : HS_OK);
    }
    ck_assert_int_gt(first, 3);
}
END_TEST

int main(void)
{
    Suite *suite;
    TCase *tc;

    if (access(PLUGINS "probe.so", F_OK) != 0) {
        puts("plugin: no shared objects in this build");
        return 77;
    }
    suite = suite_create("plugin");
    tc = tcase_create("plugin");
    tcase_set_timeout(tc, 600);
    tcase_add_test(tc, example_plugin_works);
    tcase_add_test(tc, plugin_gets_task_and_worker);
    tcase_add_test(tc, gpu_may_have_its_own_function);
    tcase_add_test(tc, outcome_is_reported);
    tcase_add_test(tc, plugin_is_loaded_once);
    tcase_add_test(tc, thousands_of_aborts_leave_nothing);
    tcase_add_loop_test(tc, faults_are_described, 0, sizeof wrong / sizeof *wrong);
    tcase_add_test(tc, plugins_need_permission);
    tcase_add_test(tc, each_allocation_may_fail);
    suite_add_tcase(suite, tc);
    return run_suite(suite);
}
